// The invariants of the names of a cluster's own DNS at every step. I2: what is always wanted stays. I6: of ten or more
// Services, at most half lose all of their names within a minute. I7: no other object gets these names. I23: changes of
// a Service and its related objects are gathered.
import { serviceName, servicesBehind } from '../../../lib/dns/names/service-name.ts';
import type { RecordSet, RecordSetContent } from '../../../lib/dns/record-set.ts';
import { formatRef } from '../../../lib/objects/object-ref.ts';
import type { JsonObject, LedgerItem, LedgerKey } from '../../../lib/ports/ledger.ts';
import type { Hint } from '../../../lib/ports/queues.ts';
import type { Waits } from '../audit-together.ts';
import type { RunFacts } from '../auditor.ts';
import { standingKey } from '../record-set-texts.ts';
import { relatedKind } from '../related-objects.ts';
import { type FunctionRun, sawThat, type World } from '../world.ts';
import { isOfCrowd, KEPT_PTR, KEPT_SERVICE, THIEF } from './tenants.ts';
import { CLUSTER_HOSTED, CLUSTER_ZONE, REVERSE_HOSTED, SETTLE_SECONDS, SHARE_MAX, WINDOW_SECONDS } from './world.ts';

const SERVICES_MIN = 10;
/** Twice the largest difference between the clocks of two functions. */
const SKEW_MS = 4 * 2_400;
const OWN_TYPES = ['A', 'AAAA', 'CNAME'];

/** What is known of Services, by name: when the run began that took the last of their own names. */
export type ServiceFacts = {
  readonly lostMs: Map<string, number>;
  /** What a run read of when an object is next looked at, and whether it does over what another left. */
  readonly rechecks: WeakMap<FunctionRun, Map<string, Reading[]>>;
  readonly again: WeakSet<FunctionRun>;
};

/** A run that works on several related objects at once reads more than once before it sends its hints. */
type Reading = { readonly dueMs: number; isUsed: boolean };

export function newServiceFacts(): ServiceFacts {
  return { lostMs: new Map(), rechecks: new WeakMap(), again: new WeakSet() };
}

/** True for a name of the cluster's own DNS, and for a PTR that leads to one. */
function isOfCluster(name: string, type: string, content: unknown): boolean {
  const { kind, values = [] } = (content ?? {}) as { readonly kind?: string; readonly values?: readonly string[] };
  return servicesBehind({ name, type }, kind === 'values' ? values : [], CLUSTER_ZONE) !== null;
}

/**
 * True for a delete that the limits of others count: of no name of the cluster's, or of one that its Services never
 * ceased to ask for.
 */
export function countsAsOthers(world: World, name: string, type: string, content: string | undefined): boolean {
  const parsed = JSON.parse(
    content === undefined || content === 'absent' ? 'null' : content,
  ) as RecordSetContent | null;
  if (world.discovery === null || !isOfCluster(name, type, parsed)) return true;
  const values = parsed?.kind === 'values' ? parsed.values : [];
  const services = servicesBehind({ name, type }, values, CLUSTER_ZONE) ?? [];
  return services.length > 0 && services.every((service) => isSteady(world, service));
}

/** True for a Service with cluster IPs that is as it was from the beginning on. */
function isSteady({ cluster }: World, service: string): boolean {
  const [name, namespace] = service.split('.');
  const versions = cluster.history.get(`Service ${namespace}/${name}`) ?? [];
  return versions.length === 1 && (isOfCrowd(service) || service === KEPT_SERVICE);
}

/**
 * Whether a delete waits for others: of no name of the cluster's, or of one that objects still ask for, it must; of a
 * Service's, where the Service goes, which is where nothing asks for its own name any more. Where Zones move, nobody
 * may know where that stands.
 */
export function waitsForOthers(world: World, { name, type, published, isAsked }: JsonObject): Waits {
  const { discovery } = world;
  const content = published as RecordSetContent | null;
  const values = content?.kind === 'values' ? content.values : [];
  const services = servicesBehind({ name: String(name), type: String(type) }, values, CLUSTER_ZONE);
  if (discovery === null || services === null || isAsked === true) return 'must';
  const goes = services.some((service) => isGoing(world, service));
  if (goes && services.includes(String(name))) return 'must';
  if (discovery.zonesMove) return 'may';
  return goes ? 'must' : 'never';
}

function isGoing({ auditor }: World, service: string): boolean {
  const own = [...auditor.shadow.items].filter(([key, { name, type }]) => {
    return key.startsWith(`recordsets#${CLUSTER_HOSTED.id} `) && name === service && OWN_TYPES.includes(String(type));
  });
  return own.some(([, { published }]) => published !== null) && own.every(([, { desired }]) => desired === null);
}

/** After an accepted batch. `before`: what stood, by key. */
export function checkServices(world: World, facts: RunFacts, id: string, changed: readonly RecordSet[]): void {
  if (world.discovery === null) return;
  for (const { name } of changed) checkKept(world, id, name);
  if (id === REVERSE_HOSTED.id) checkReverse(world, changed);
  if (id === CLUSTER_HOSTED.id) {
    checkStolen(world, changed);
    noteLost(world, facts, changed);
    checkLost(world);
  }
}

function standing({ auditor }: World, id: string, name: string, type: string) {
  return auditor.shadow.standing.get(standingKey(id, { name, type, setIdentifier: null }));
}

/** I2, where nobody touches the Zones. */
function checkKept(world: World, id: string, name: string): void {
  const isKept = (id === CLUSTER_HOSTED.id && name === KEPT_SERVICE) || (id === REVERSE_HOSTED.id && name === KEPT_PTR);
  if (!isKept || world.discovery?.zonesMove === true) return;
  const type = name === KEPT_SERVICE ? 'A' : 'PTR';
  if (standing(world, id, name, type)?.writer !== 'us' && hasStood(world, id, name, type))
    world.auditor.fail('I2', `${name} ${type} was deleted, which was wanted all the time`);
}

function hasStood(world: World, id: string, name: string, type: string): boolean {
  return standing(world, id, name, type)?.log.some((content) => content !== 'absent') === true;
}

/**
 * I7: no PTR for a namespace to which none was ever delegated; that of a cluster IP is its Service's alone, from when
 * it is known on.
 */
function checkReverse(world: World, changed: readonly RecordSet[]): void {
  for (const { name, type } of changed) {
    const { log = [], writer } = standing(world, REVERSE_HOSTED.id, name, type) ?? {};
    const stands = writer === 'us' ? (log.at(-1) ?? '') : '';
    if (world.discovery?.denyB === true && stands.includes(`.b.svc.${CLUSTER_ZONE}`))
      world.auditor.fail('I7', `${name} ${type} leads into namespace b, to which no PTR was ever delegated`);
    const isOwn = (content: string) => content.includes(JSON.stringify([KEPT_SERVICE]));
    if (name === KEPT_PTR && world.discovery?.zonesMove === false && log.some(isOwn) && stands !== '' && !isOwn(stands))
      world.auditor.fail('I7', `${name} ${type} says ${stands}, and the address is a cluster IP of ${KEPT_SERVICE}`);
    if (stands.includes(`.${CLUSTER_ZONE}"`)) sawThat(world, 'a PTR of a Service was published');
  }
}

/** I7: the content of a Record is never published at a name of the cluster. */
function checkStolen(world: World, changed: readonly RecordSet[]): void {
  for (const { name, type } of changed) {
    const stands = standing(world, CLUSTER_HOSTED.id, name, type)?.log.at(-1) ?? '';
    const isTheirs = [`svc.${CLUSTER_ZONE}`, `*.${CLUSTER_ZONE}`].some((end) => name.endsWith(end));
    const isStolen = isTheirs
      ? stands.includes(THIEF)
      : name === `dns-version.${CLUSTER_ZONE}` && stands.includes('"0');
    if (isStolen) world.auditor.fail('I7', `${name} ${type} says ${stands}, which is no Service's`);
  }
}

function hasOwnName(world: World, service: string): boolean {
  return OWN_TYPES.some((type) => standing(world, CLUSTER_HOSTED.id, service, type)?.writer === 'us');
}

function noteLost(world: World, facts: RunFacts, changed: readonly RecordSet[]): void {
  const { lostMs } = world.auditor.shadow.services;
  for (const { name } of changed) {
    if (serviceName(name, CLUSTER_ZONE) !== name) continue;
    if (hasOwnName(world, name)) lostMs.delete(name);
    // A late write was decided at some earlier time.
    else if (!lostMs.has(name)) lostMs.set(name, facts.sentAtMs === 0 ? 0 : (facts.ours?.atMs ?? 0));
  }
}

/** I6, where nobody touches the Zones: without them there are no Services. */
function checkLost(world: World): void {
  const { shadow } = world.auditor;
  if (shadow.acknowledged || world.discovery?.zonesMove === true) return;
  const sinceMs = world.time.ms - WINDOW_SECONDS * 1_000 + SKEW_MS;
  const lost = [...shadow.services.lostMs].filter(([, atMs]) => atMs > sinceMs).length;
  const names = [...shadow.standing].flatMap(([key, { writer }]) => {
    const [id, name = '', type = ''] = key.split(' ');
    const isOwn = id === CLUSTER_HOSTED.id && OWN_TYPES.includes(type) && serviceName(name, CLUSTER_ZONE) === name;
    return isOwn && writer === 'us' ? [name] : [];
  });
  const all = lost + new Set(names).size;
  if (lost > 0 && all >= SERVICES_MIN) sawThat(world, 'one of many Services lost its names');
  if (all >= SERVICES_MIN && lost > all * SHARE_MAX)
    world.auditor.fail('I6', `${lost} of ${all} Services lost all of their names within ${WINDOW_SECONDS} s`);
}

/** A run read when an object is next looked at, or what it or another noted of something related. */
export function noteRecheck(world: World, run: FunctionRun, key: LedgerKey, item: LedgerItem | null): void {
  if (world.discovery === null) return;
  const { again } = world.auditor.shadow.services;
  if (key.partition.startsWith('related#') && item?.body.unsettled === true) again.add(run);
  if (!key.partition.startsWith('rechecks#')) return;
  addReading(world, run, key.sort, item === null ? Number.NEGATIVE_INFINITY : Number(item.body.dueMs));
}

/** A run could not write the item of an object, because another run had. So it may send one hint for this object. */
export function noteLostWrite(world: World, run: FunctionRun, { partition, sort }: LedgerKey): void {
  const kind = /^objects#[^#]*#(.*)$/.exec(partition)?.[1];
  if (world.discovery !== null && kind !== undefined)
    addReading(world, run, `${kind} ${sort}`, Number.NEGATIVE_INFINITY);
}

function addReading({ auditor }: World, run: FunctionRun, ref: string, dueMs: number): void {
  const { rechecks } = auditor.shadow.services;
  const known = rechecks.get(run) ?? new Map<string, Reading[]>();
  rechecks.set(run, known.set(ref, [...(known.get(ref) ?? []), { dueMs, isUsed: false }]));
}

/**
 * I23: a Service is not looked at again sooner than `settleSeconds` after the last time, as far as the run knew of it.
 * Each hint has a reading of its own, or a write that another run prevented: then the object could not be settled. Only
 * a run that was told of a related object gathers: another one looks again at what it could not settle.
 */
export function checkGathered(world: World, run: FunctionRun, hints: readonly Hint[], delaySeconds: number): void {
  if (world.discovery === null || world.auditor.shadow.services.again.has(run) || !isToldOfRelated(world, run)) return;
  for (const hint of hints) {
    const { kind, namespace, name, attempt, cursor } = hint;
    if (kind !== 'Service' || namespace === null || name === null || attempt !== undefined || cursor !== undefined)
      continue;
    const readings = world.auditor.shadow.services.rechecks.get(run)?.get(formatRef({ kind, namespace, name })) ?? [];
    if (readings.length === 0) continue;
    const atMs = world.time.ms + run.skewMs + delaySeconds * 1_000;
    if (readings.some(({ dueMs }) => dueMs !== Number.NEGATIVE_INFINITY))
      sawThat(world, 'a hint was sent for a Service that had been read before');
    const open = readings.filter(({ dueMs, isUsed }) => !isUsed && atMs >= dueMs + SETTLE_SECONDS * 1_000);
    const latest = open.toSorted((a, b) => b.dueMs - a.dueMs)[0];
    if (latest !== undefined) latest.isUsed = true;
    else {
      const lastMs = Math.max(...readings.map(({ dueMs }) => dueMs));
      world.auditor.fail(
        'I23',
        `Service ${namespace}/${name} is looked at ${atMs - lastMs} ms after the last time, and ${SETTLE_SECONDS} s are gathered`,
      );
    }
  }
}

function isToldOfRelated(world: World, { messages }: FunctionRun): boolean {
  return messages.some(({ work }) => work.kind === 'hint' && relatedKind(world, work.hint.kind) !== null);
}
