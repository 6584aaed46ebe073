// Claims: which app of a project owns the name of a service. A claim is written before its app. It counts while the app
// has the service, and for six minutes in which it may be being written. So two apps that are instantiated at once
// cannot both have a service of one name.

import { swap } from '../../ledger/compare-and-swap.ts';
import { readItem } from '../../ledger/item-codec.ts';
import { inParallel } from '../../ports/in-parallel.ts';
import { oncePerKey } from '../../ports/once.ts';
import type { LiveApp, Service } from '../model/app.ts';
import { readApp } from './apps.ts';
import type { IntentState } from './intent-state.ts';
import { type Claim, claimCodec } from './items.ts';

/** Longer than writing an app takes: the function has five minutes. */
const WRITING_MS = 360_000;
/** Claims that are read or removed at once: an app may have 10,000 services, and a client waits. */
export const CLAIMS_AT_ONCE = 1_000;

/** The owner of a service: an app that has it, or an app that is being written. */
export type Holder =
  | { readonly kind: 'app'; readonly app: LiveApp; readonly service: Service }
  | { readonly kind: 'writing'; readonly app: string };

/** An app with its services by name; null: there is none. `atMs`: when its reading began. */
type KnownApp = {
  readonly app: LiveApp | null;
  readonly services: ReadonlyMap<string, Service>;
  readonly atMs: number;
};

export type ReadsApps = (app: string) => Promise<KnownApp>;

/** Reads each app once: one app may have 20,000 services that a call asks for, and be large. */
export function readsAppsOnce(state: IntentState, project: string): ReadsApps {
  const read = async (name: string): Promise<KnownApp> => {
    const atMs = state.clock.nowMs();
    const app = await readApp(state, project, name);
    return { app, services: new Map(app?.services.map((service) => [service.name, service])), atMs };
  };
  return oncePerKey((name) => name, read);
}

/** The owner of a service; null if it has none. */
export async function holderOf(
  { ledger, keys }: IntentState,
  project: string,
  service: string,
  apps: ReadsApps,
): Promise<Holder | null> {
  const stored = await readItem(ledger, keys.claim(project, service), claimCodec);
  return stored === null ? null : holderBy(service, stored.item, apps);
}

/** A claim that was written after the app was read, or not long before, counts as that of an app being written. */
async function holderBy(name: string, claim: Claim, apps: ReadsApps): Promise<Holder | null> {
  const { app, services, atMs } = await apps(claim.app);
  const service = services.get(name);
  if (app !== null && service !== undefined) return { kind: 'app', app, service };
  return atMs - claim.atMs < WRITING_MS ? { kind: 'writing', app: claim.app } : null;
}

/** Claims of one app: the revision of each, by service. */
export type Claims = ReadonlyMap<string, string>;

/**
 * Claims a service for an app. `taken`: the other app that has it. `revision`: that of a new claim; null if another app
 * has the service, or another call of this app has claimed it. That call may need the claim, so this one keeps it.
 */
export async function claim(
  state: IntentState,
  project: string,
  service: string,
  app: string,
  apps: ReadsApps,
): Promise<{ readonly taken: Holder | null; readonly revision: string | null }> {
  const { ledger, keys, clock } = state;
  let before: string | null = null;
  let taken: Holder | null = null;
  const stored = await swap(ledger, keys.claim(project, service), claimCodec, async (claimed) => {
    before = claimed?.app ?? null;
    taken = claimed === null || claimed.app === app ? null : await holderBy(service, claimed, apps);
    return taken === null ? { app, atMs: clock.nowMs() } : null;
  });
  return { taken, revision: stored === null || before === app ? null : stored.revision };
}

export async function readClaims(
  { ledger, keys }: IntentState,
  project: string,
  services: Iterable<string>,
  app: string,
): Promise<Claims> {
  const claims = new Map<string, string>();
  await inParallel(services, CLAIMS_AT_ONCE, async (service) => {
    const stored = await readItem(ledger, keys.claim(project, service), claimCodec);
    if (stored?.item.app === app) claims.set(service, stored.revision);
  });
  return claims;
}

/** Removes claims. One that was written again since then stays: another call needs it. */
export async function release({ ledger, keys }: IntentState, project: string, claims: Claims): Promise<void> {
  await inParallel(claims, CLAIMS_AT_ONCE, ([service, revision]) =>
    ledger.remove(keys.claim(project, service), revision),
  );
}
