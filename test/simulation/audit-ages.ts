// Invariants I24 and I25: a name belongs to one namespace, to that which has asked for it for longest. The auditor has
// a model of its own of who asks: an object asks from the moment when the ledger has it, and its ask is certainly known
// once the object is settled. It cannot know the names of objects with a zoneRef, which might ask for any name.
import { agesKey, agesPartition } from '../../lib/directory/name-ages-item.ts';
import { nameOfReversedKey } from '../../lib/dns/names/name.ts';
import type { RecordSetChange } from '../../lib/dns/record-set.ts';
import type { JsonObject, LedgerKey } from '../../lib/ports/ledger.ts';
import { recordSetItemKey } from '../../lib/record-sets/record-set-item.ts';
import { VALUES_OF_A, VALUES_OF_B } from './names.ts';
import { sawThat, type World } from './world.ts';

/** Longer than any gap that does not count, by every clock. */
const GONE_MS = 1_200_000;
const OF_HOSTS = ['A', 'AAAA', 'CNAME', 'HTTPS', 'SVCB'];

/**
 * What an object asks for: names with their group of types. `maybe`: those of before too, until it is settled. `any`:
 * perhaps also names that the auditor cannot know.
 */
type Asks = {
  readonly namespace: string;
  readonly names: ReadonlySet<string>;
  readonly maybe: ReadonlySet<string>;
  readonly any: boolean;
};
type Span = { readonly sinceMs: number; readonly untilMs: number | null };

type Model = {
  readonly objects: Map<string, Asks>;
  /** By namespace and name: since when it might ask, and since when it certainly does. */
  readonly possible: Map<string, Span>;
  readonly certain: Map<string, number>;
};

const MODELS = new WeakMap<World, Model>();

function modelOf(world: World): Model {
  const known = MODELS.get(world) ?? { objects: new Map(), possible: new Map(), certain: new Map() };
  MODELS.set(world, known);
  return known;
}

type StoredEndpoint = {
  readonly domainName: { readonly kind: string; readonly fqdn?: string };
  readonly type: string;
  readonly flaw?: { readonly isInForce: boolean };
  readonly reverse?: string;
  readonly clusterZone?: string;
};

function asksOf(namespace: string, body: JsonObject | null, before?: Asks): Asks {
  const isGone = body === null || body.deleted === true || body.endpoints === null;
  const endpoints = (isGone ? [] : body.endpoints) as unknown as readonly StoredEndpoint[];
  const valid = endpoints.filter(
    ({ flaw, clusterZone, reverse }) =>
      flaw?.isInForce !== false && (clusterZone === undefined || reverse !== undefined),
  );
  // A PTR of an address asks only where a Zone delegates it.
  const certain = valid.filter(({ domainName, reverse }) => domainName.kind === 'full' && reverse === undefined);
  const names = certain.flatMap(({ domainName: { fqdn }, type }) =>
    fqdn === undefined ? [] : [`${fqdn} ${groupOf(type)}`],
  );
  const left = body?.unsettled === true ? before : undefined;
  const maybe = new Set(names).union(left?.maybe ?? new Set<string>());
  return { namespace, names: new Set(names), maybe, any: certain.length < valid.length || left?.any === true };
}

function groupOf(type: string): string {
  return OF_HOSTS.includes(type) ? 'A' : type;
}

/** Notes a write of the ledger: what an object asks for, or the ages at a name, which are checked. */
export function noteAges(world: World, key: LedgerKey, body: JsonObject | null): void {
  const { clusterId } = world.config;
  if (key.partition === agesPartition(clusterId)) checkAges(world, nameOfReversedKey(key.sort), body);
  const isObject = key.partition.startsWith(`objects#${clusterId}#`) && !key.partition.endsWith('#Zone');
  if (isObject) noteAsks(world, key, body);
}

/** Notes what an object asks for, as the ledger has it now. */
function noteAsks(world: World, { partition, sort }: LedgerKey, body: JsonObject | null): void {
  const model = modelOf(world);
  const { objects, possible, certain } = model;
  const nowMs = world.time.ms;
  const id = `${partition} ${sort}`;
  const namespace = sort.slice(0, sort.indexOf('/'));
  const before = objects.get(id) ?? asksOf(namespace, null);
  const now = asksOf(namespace, body, before);
  objects.set(id, now);
  const own = [...objects.values()].filter((one) => one.namespace === namespace);
  const span = (key: string, asks: boolean, sinceMs: number) => {
    const known = possible.get(key);
    const isLongGone = known?.untilMs != null && nowMs - known.untilMs > GONE_MS;
    if (!asks && known?.untilMs === null) possible.set(key, { ...known, untilMs: nowMs });
    if (asks)
      possible.set(key, { sinceMs: known === undefined || isLongGone ? sinceMs : known.sinceMs, untilMs: null });
  };
  span(
    namespace,
    own.some(({ any }) => any),
    nowMs,
  );
  for (const name of before.maybe.union(now.maybe)) {
    const asks = own.some(({ names }) => names.has(name));
    const key = `${namespace} ${name}`;
    span(
      key,
      own.some(({ maybe }) => maybe.has(name)),
      possibleSince(model, namespace, name, nowMs) ?? nowMs,
    );
    if (!asks) certain.delete(key);
    else if (now.names.has(name) && body?.unsettled === false && !certain.has(key)) certain.set(key, nowMs);
  }
}

/**
 * Since when a namespace might have asked for a name, at the earliest; undefined: never. An object with a zoneRef may
 * have gone on asking for what another object of the namespace no longer asks for: then the age goes on too.
 */
function possibleSince({ possible }: Model, namespace: string, name: string, nowMs: number): number | undefined {
  const [own, any] = [possible.get(`${namespace} ${name}`), possible.get(namespace)];
  const isUntil = (span: Span | undefined, ms: number): span is Span =>
    span !== undefined && (span.untilMs === null || ms - span.untilMs <= GONE_MS);
  const anyCounts = isUntil(any, nowMs);
  const ownCounts = isUntil(own, nowMs) || (anyCounts && isUntil(own, any.sinceMs));
  const spans = [...(ownCounts ? [own] : []), ...(anyCounts ? [any] : [])];
  return spans.length === 0 ? undefined : Math.min(...spans.map(({ sinceMs }) => sinceMs));
}

type StoredAge = { readonly group: string; readonly namespace: string; readonly goneMs?: number };

/** I25, at each write of the ages of a name: nobody stands before one who certainly asked earlier. */
function checkAges(world: World, name: string, body: JsonObject | null): void {
  const model = modelOf(world);
  const ages = (body?.ages ?? []) as unknown as readonly StoredAge[];
  if (new Set(ages.map(({ namespace }) => namespace)).size > 1) sawThat(world, 'two namespaces asked for one name');
  for (const [index, later] of ages.entries()) {
    const since = model.certain.get(`${later.namespace} ${name} ${later.group}`);
    if (since === undefined) continue;
    for (const first of ages.slice(0, index)) {
      // A namespace has groups of types at the name, each with an age of its own, and competes with others only.
      if (first.namespace === later.namespace) continue;
      const asked = possibleSince(model, first.namespace, `${name} ${first.group}`, world.time.ms);
      if (asked === undefined || asked <= since) continue;
      world.auditor.fail('I25', `${name}: ${first.namespace} stands before ${later.namespace}, and asked later`);
    }
  }
}

/** I25, at the end: the ledger has everybody who certainly asks. */
export function checkAgesAtEnd(world: World, when: string): void {
  const agesAt = (name: string) => {
    const { partition, sort } = agesKey(world.config.clusterId, name);
    return world.auditor.shadow.items.get(`${partition} ${sort}`);
  };
  for (const key of modelOf(world).certain.keys()) {
    const [namespace, name = '', group] = key.split(' ');
    const ages = (agesAt(name)?.ages ?? []) as unknown as readonly StoredAge[];
    const age = ages.find((one) => one.group === group && one.namespace === namespace);
    if (age === undefined || age.goneMs !== undefined)
      world.auditor.fail(
        'I25',
        `${when}: ${namespace} asks for ${name} ${group}, and the ledger has ${JSON.stringify(ages)}`,
      );
  }
}

/**
 * I24, at each batch: no record set of Records has values of two namespaces, as no delegation of this world is shared.
 * Objects of other kinds may have the addresses of another namespace's Gateway.
 */
export function checkOneNamespace(world: World, id: string, changes: readonly RecordSetChange[]): void {
  for (const { action, recordSet } of changes) {
    const { name, type, content } = recordSet;
    if (action === 'DELETE' || content.kind !== 'values') continue;
    const { partition, sort } = recordSetItemKey(id, recordSet);
    const objects = (world.auditor.shadow.items.get(`${partition} ${sort}`)?.objects ?? []) as readonly string[];
    if (!objects.every((object) => object.startsWith('Record '))) continue;
    const [ofA, ofB] = [VALUES_OF_A, VALUES_OF_B].map((values) => content.values.some((one) => values.includes(one)));
    if (ofA && ofB)
      world.auditor.fail('I24', `${name} ${type} has values of two namespaces: ${content.values.join(', ')}`);
  }
}
