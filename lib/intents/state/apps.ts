// Stores apps in the ledger. One write replaces an app as a whole. Services that do not fit into its item are written
// before it, in parts under an id that no other write uses. So an app is always entirely old or entirely new, wherever
// a writer dies; the sweep removes parts that no app names.
import { randomUUID } from 'node:crypto';
import { digestOf } from '../../ledger/canonical-json.ts';
import { readItem, type Stored, UnreadableItemError } from '../../ledger/item-codec.ts';
import { eachItem } from '../../ledger/pages.ts';
import type { JsonValue, LedgerItem } from '../../ports/ledger.ts';
import type { App, LiveApp, Service } from '../model/app.ts';
import type { IntentState } from './intent-state.ts';
import { type AppItem, appCodec, servicesCodec } from './items.ts';

/** The most octets of services in one item, as JSON. An item of DynamoDB may have 400 KB. */
const PART_OCTETS_MAX = 200_000;
/** A part that no app names is removed after this time; before, its writer may still be at work. */
const ORPHAN_MS = 3_600_000;

function partsOf(services: readonly Service[]): readonly (readonly Service[])[] {
  const parts: Service[][] = [[]];
  let octets = 0;
  for (const service of services) {
    const own = Buffer.byteLength(JSON.stringify(service));
    if (octets + own > PART_OCTETS_MAX) {
      parts.push([]);
      octets = 0;
    }
    parts.at(-1)?.push(service);
    octets += own;
  }
  return parts;
}

/** How a write of an app ended. `same`: it was the same already. `changed`: it has another revision than `expected`. */
export type WrittenApp = 'written' | 'same' | 'changed';

/** Writes an app at the revision that was read; null: there was none. */
export async function writeApp(
  state: IntentState,
  project: string,
  name: string,
  app: App,
  expected: string | null,
): Promise<WrittenApp> {
  const { ledger, keys, clock } = state;
  const digest = digestOf(app as unknown as JsonValue);
  const key = keys.app(project, name);
  const before = await ledger.get(key);
  if ((before?.revision ?? null) !== expected) return 'changed';
  if (before !== null && appCodec.decode(before).digest === digest) return 'same';
  const [services = [], ...others] = partsOf(app.services);
  const more = others.length === 0 ? null : { id: randomUUID(), parts: others.length };
  for (const [part, some] of others.entries()) {
    if (more === null) break;
    const body = servicesCodec.encode({ services: some, atMs: clock.nowMs() });
    await ledger.put(keys.services(project, name, more.id, part), body, null);
  }
  const item: AppItem = { ...app, services: [...services], digest, more };
  if ((await ledger.put(key, appCodec.encode(item), expected)) === null) return 'changed';
  if (before !== null) await removeParts(state, project, name, before);
  return 'written';
}

/** Removes an app at the revision that was read. False: it has another one, or is gone. */
export async function removeApp(state: IntentState, project: string, name: string, expected: string): Promise<boolean> {
  const { ledger, keys } = state;
  const existing = await ledger.get(keys.app(project, name));
  if (existing === null || !(await ledger.remove(existing, expected))) return false;
  await removeParts(state, project, name, existing);
  return true;
}

async function removeParts({ ledger, keys }: IntentState, project: string, name: string, app: LedgerItem) {
  const { more } = appCodec.decode(app);
  for (let part = 0; part < (more?.parts ?? 0); part += 1) {
    const existing = await ledger.get(keys.services(project, name, more?.id ?? '', part));
    if (existing !== null) await ledger.remove(existing, existing.revision);
  }
}

/** Removes the parts that no app names, left by writers that died. A part is kept when it or its app cannot be read. */
export async function removeOrphans(state: IntentState): Promise<void> {
  const { ledger, keys, clock } = state;
  for await (const part of eachItem(ledger, keys.partitions.services)) {
    const [project = '', app = '', id] = part.sort.split('/');
    const services = servicesCodec.read(part);
    if (services instanceof UnreadableItemError || clock.nowMs() - services.atMs < ORPHAN_MS) continue;
    const stored = await ledger.get(keys.app(project, app));
    const named = stored === null ? null : appCodec.read(stored);
    if (named instanceof UnreadableItemError || named?.more?.id === id) continue;
    await ledger.remove(part, part.revision);
  }
}

/** One app with all of its services; null: there is none. */
export async function readApp(state: IntentState, project: string, name: string): Promise<LiveApp | null> {
  return (await readStoredApp(state, project, name))?.item ?? null;
}

/** The same with its revision. */
export async function readStoredApp(
  state: IntentState,
  project: string,
  name: string,
): Promise<Stored<LiveApp> | null> {
  // A writer may replace the app between two reads, and remove the old parts; then the app is read again.
  for (let tries = 0; tries < 10; tries += 1) {
    const stored = await readItem(state.ledger, state.keys.app(project, name), appCodec);
    if (stored === null) return null;
    const app = await whole(state, project, name, stored.item);
    if (app !== null) return { item: app, revision: stored.revision };
  }
  throw new Error(`Cannot read app ${name} of project ${project}: it is written again and again`);
}

async function whole(
  { ledger, keys }: IntentState,
  project: string,
  name: string,
  { version, profile, logicalCloud, services: first, more }: AppItem,
): Promise<LiveApp | null> {
  const services = [...first];
  for (let part = 0; part < (more?.parts ?? 0); part += 1) {
    const read = await readItem(ledger, keys.services(project, name, more?.id ?? '', part), servicesCodec);
    if (read === null) return null;
    services.push(...read.item.services);
  }
  return { name, version, profile, logicalCloud, services };
}

/** Every app of a project, ordered by name. */
export async function* eachApp(state: IntentState, project: string): AsyncGenerator<LiveApp> {
  const prefix = `${project}/`;
  for await (const stored of eachItem(state.ledger, state.keys.partitions.apps, prefix)) {
    const name = stored.sort.slice(prefix.length);
    const item = appCodec.decode(stored);
    // An app in one item needs no further read: a project may have thousands of apps.
    const app = (await whole(state, project, name, item)) ?? (await readApp(state, project, name));
    if (app !== null) yield app;
  }
}
