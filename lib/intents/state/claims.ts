// Claims: which app of a project owns the name of a service. A claim is written before its app. It counts while the app
// has the service, and for a minute in which the app is being written. So two apps that are instantiated at once cannot
// both have a service of one name.
import { swap } from '../../ledger/compare-and-swap.ts';
import { readItem } from '../../ledger/item-codec.ts';
import type { LiveApp, Service } from '../model/app.ts';
import { readApp } from './apps.ts';
import type { IntentState } from './intent-state.ts';
import { type Claim, claimCodec } from './items.ts';

/** Longer than writing an app takes. */
const WRITING_MS = 60_000;

/** The owner of a service: an app that has it, or an app that is being written. */
export type Holder =
  | { readonly kind: 'app'; readonly app: LiveApp; readonly service: Service }
  | { readonly kind: 'writing'; readonly app: string };

/** The owner of a service; null if it has none. */
export async function holderOf(state: IntentState, project: string, service: string): Promise<Holder | null> {
  const stored = await readItem(state.ledger, state.keys.claim(project, service), claimCodec);
  return stored === null ? null : holderBy(state, project, service, stored.item);
}

async function holderBy(state: IntentState, project: string, name: string, claim: Claim): Promise<Holder | null> {
  const app = await readApp(state, project, claim.app);
  const service = app?.services.find((one) => one.name === name);
  if (app !== null && service !== undefined) return { kind: 'app', app, service };
  return state.clock.nowMs() - claim.atMs < WRITING_MS ? { kind: 'writing', app: claim.app } : null;
}

/** Claims of one app: the revision of each, by service. */
export type Claims = ReadonlyMap<string, string>;

/**
 * Claims a service for an app. Returns the app that has it, and the revision of a new claim. Null: another app has the
 * service, or another call of this app has claimed it. That call may need the claim, so this one may not remove it.
 */
export async function claim(
  state: IntentState,
  project: string,
  service: string,
  app: string,
): Promise<{ readonly app: string; readonly revision: string | null }> {
  const { ledger, keys, clock } = state;
  let before: string | null = null;
  const stored = await swap(ledger, keys.claim(project, service), claimCodec, async (claimed) => {
    before = claimed?.app ?? null;
    const isTaken =
      claimed !== null && claimed.app !== app && (await holderBy(state, project, service, claimed)) !== null;
    return isTaken ? null : { app, atMs: clock.nowMs() };
  });
  if (stored === null) return { app: before ?? app, revision: null };
  return { app, revision: before === app ? null : stored.revision };
}

/** The claims of an app on these services. */
export async function readClaims(
  { ledger, keys }: IntentState,
  project: string,
  services: Iterable<string>,
  app: string,
): Promise<Claims> {
  const claims = new Map<string, string>();
  for (const service of services) {
    const stored = await readItem(ledger, keys.claim(project, service), claimCodec);
    if (stored?.item.app === app) claims.set(service, stored.revision);
  }
  return claims;
}

/** Removes claims. One that was written again since then stays: another call needs it. */
export async function release({ ledger, keys }: IntentState, project: string, claims: Claims): Promise<void> {
  for (const [service, revision] of claims) await ledger.remove(keys.claim(project, service), revision);
}
