// Claims: which app of a project owns the name of a service. A claim is written before its app. It counts while the app
// has the service, and for a minute in which the app is being written. So two apps that are instantiated at once cannot
// both have a service of one name.
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

/** Claims a service for an app. Returns the app that has it: this one, if it could be claimed. */
export async function claim(state: IntentState, project: string, service: string, app: string): Promise<string> {
  const { ledger, keys, clock } = state;
  const key = keys.claim(project, service);
  for (;;) {
    const stored = await readItem(ledger, key, claimCodec);
    if (stored !== null && stored.item.app !== app) {
      const holder = await holderBy(state, project, service, stored.item);
      if (holder !== null) return stored.item.app;
    }
    const body = claimCodec.encode({ app, atMs: clock.nowMs() });
    if ((await ledger.put(key, body, stored?.revision ?? null)) !== null) return app;
  }
}

/** Removes the claims of an app on services that it does not have. */
export async function release(
  state: IntentState,
  project: string,
  services: readonly string[],
  app: string,
): Promise<void> {
  for (const service of services) {
    const key = state.keys.claim(project, service);
    const stored = await readItem(state.ledger, key, claimCodec);
    if (stored?.item.app === app) await state.ledger.remove(key, stored.revision);
  }
}
