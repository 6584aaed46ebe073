// Hosted zones that a run wakes: those whose views inherit what it has published are published in the same command.
import { extendedOf } from '../directory/inherited-names.ts';
import { publish } from '../publish/run/publish-hosted-zone.ts';
import type { PublishDeps } from '../publish/run/run.ts';
import { readHostedZone } from '../record-sets/lease.ts';
import { ROUNDS_MAX } from './plan-others.ts';

/** The same deps, which note the hosted zones that are to be published. */
export function wakingDeps(deps: PublishDeps, woken: Set<string>): PublishDeps {
  const publishLater: PublishDeps['queues']['publish'] = async (id, ...asked) => {
    woken.add(id);
    await deps.queues.publish(id, ...asked);
  };
  return { ...deps, queues: { ...deps.queues, publish: publishLater } };
}

/** Those of these hosted zones, or shares of them, whose view extends another one. `isFor`: of which clusters. */
export async function inheritingOf(
  { ledger, config: { extendedViews = {} } }: PublishDeps,
  ids: Iterable<string>,
  isFor: (cluster: string) => boolean,
): Promise<readonly string[]> {
  const inheriting: string[] = [];
  if (Object.keys(extendedViews).length === 0) return inheriting;
  for (const id of ids) {
    const stored = await readHostedZone(ledger, id);
    if (stored === null || !isFor(stored.item.cluster)) continue;
    if ((await extendedOf(ledger, stored.item, extendedViews)) !== null) inheriting.push(id);
  }
  return inheriting;
}

/** Publishes those that were woken, until none is any more. */
export async function publishInheriting(
  deps: PublishDeps,
  woken: Set<string>,
  isFor: (cluster: string) => boolean,
  { signal }: { readonly signal?: AbortSignal },
): Promise<void> {
  for (let round = 0; round < ROUNDS_MAX && woken.size > 0; round += 1) {
    const ids = await inheritingOf(deps, woken, isFor);
    woken.clear();
    for (const id of ids) if (signal?.aborted !== true) await publish(deps, id, { callerRepeats: true });
  }
}
