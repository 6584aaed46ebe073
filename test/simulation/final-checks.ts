// What must hold in the end, when nothing changes any more. Q1: Route 53 has what `render` says, and strangers' record
// sets are unchanged. Q2: every status is true. Q3: the ledger is settled. simulate.ts checks Q4: nothing more is
// written.
import { type RecordSet, type RecordSetKey, sameContent } from '../../lib/dns/record-set.ts';
import { excludes } from '../../lib/dns/routing-policy.ts';
import { formatRef, parseRef } from '../../lib/objects/object-ref.ts';
import type { JsonObject } from '../../lib/ports/ledger.ts';
import { recordSetItemKey } from '../../lib/record-sets/record-set-item.ts';
import { checkAgesAtEnd } from './audit-ages.ts';
import { checkHistory } from './audit-history.ts';
import { checkAllResolved } from './audit-propagation.ts';
import { checkTextsGone, isTakeable, mayTakeEqual } from './audit-takeover.ts';
import { checkObjectItem } from './final-objects.ts';
import { checkStatuses } from './final-statuses.ts';
import { APEX, REJECTED } from './names.ts';
import { type Truth, truthOf } from './oracle.ts';
import { isDerived, standingKey, textOf } from './record-set-texts.ts';
import { hasGoneCheck } from './routed-records.ts';
import { heldDigest } from './tenants.ts';
import { sawThat, type World } from './world.ts';

type Desired = Truth['rendered']['recordSets'][number];

/** Checks everything. `when` is part of the message. */
export async function checkEnd(world: World, when: string): Promise<void> {
  checkHistory(world);
  const held = [...world.auditor.shadow.items.values()].some((body) => refusalOf(body) === 'HeldByGuard');
  if (heldDigest(world) !== null || held) return sawThat(world, `${when}: something is held`);
  const truth = await truthOf(world);
  if (new Set(truth.hostedZones.map(({ name }) => name)).size < truth.hostedZones.length)
    return sawThat(world, 'hosted zones of one name');
  sawThat(world, `checked ${when}`);
  const looks = truth.hostedZones.map(({ id, name }) => lookAt(world, truth, id, name));
  const waiting = new Set(looks.flatMap((look) => waitingIn(world, truth, look, looks)));
  if (waiting.size > 0) sawThat(world, `${when}: a name waits for a delegation that a stranger keeps`);
  for (const look of looks) checkHostedZone(world, look, waiting, when);
  checkStatuses(world, truth, when);
  if (when === 'after sweeps') checkAllResolved(world);
  checkLedger(world, truth, waiting, when);
  checkAgesAtEnd(world, when);
}

function refusalOf(body: JsonObject): string | null {
  return (body.refusal as { reason: string } | null | undefined)?.reason ?? null;
}

/** True when the Zone that a hosted zone belongs to says takeover now. */
function takesOver(world: World, truth: Truth, id: string): boolean {
  const zone = [...truth.rendered.zones.values()].find(({ placed }) => placed?.hosting?.id === id);
  return zone !== undefined && world.cluster.find(zone.ref)?.annotations['zone53.dev/takeover'] === 'true';
}

function writerAt(world: World, id: string, set: RecordSetKey) {
  return world.auditor.shadow.standing.get(standingKey(id, set))?.writer ?? null;
}

/**
 * True for a record set that Route 53 always refuses: a bad value, a missing health check, an alias without a target.
 */
function isRejected({ swarm, route53 }: World, { name, type, content, hostedZoneId }: Desired): boolean {
  if (content.kind === 'values' && content.values.includes(REJECTED) && swarm.rejects) return true;
  if (hasGoneCheck(content)) return true;
  if (content.kind !== 'alias' || content.alias.hostedZoneId !== hostedZoneId) return false;
  const { dnsName } = content.alias;
  return dnsName === name || !route53.recordSets(hostedZoneId).some((set) => set.name === dnsName && set.type === type);
}

/** True when a foreign record set is in the way of a desired one, or Route 53 refuses the desired one. */
function isBlocked(world: World, truth: Truth, set: Desired, standing: readonly RecordSet[]): boolean {
  const id = set.hostedZoneId;
  if (isRejected(world, set)) return true;
  if (takesOver(world, truth, id)) return false;
  return standing.some((other) => {
    if (other.name !== set.name || writerAt(world, id, other) !== 'stranger' || isTakeable(world, id, other))
      return false;
    const isItself = other.type === set.type && other.setIdentifier === set.setIdentifier;
    if (isItself && mayTakeEqual(world, set.content, set.objects, other.content)) return false;
    if (other.type !== set.type) return set.type === 'CNAME' || other.type === 'CNAME';
    return other.setIdentifier === set.setIdentifier || barsBeside(set, other);
  });
}

/** True for two record sets of one name and type that Route 53 does not accept together. */
function barsBeside({ content: a }: Pick<RecordSet, 'content'>, { content: b }: Pick<RecordSet, 'content'>): boolean {
  const isWeighted = a.routing?.policy.kind === 'weight' && b.routing?.policy.kind === 'weight';
  if (isWeighted && a.kind === 'values' && b.kind === 'values') return a.ttlSeconds !== b.ttlSeconds;
  return excludes(a.routing, b.routing);
}

function show(set: RecordSet | Desired): string {
  const { name, type, setIdentifier, content } = set;
  return `${name} ${type} ${setIdentifier ?? ''} ${textOf(content)}`;
}

/** A hosted zone: its record sets, the desired ones, and those that cannot be published. */
type Look = {
  readonly id: string;
  readonly apex: string;
  readonly all: readonly RecordSet[];
  readonly standing: readonly RecordSet[];
  readonly desired: readonly Desired[];
  readonly wanted: readonly Desired[];
  readonly blocked: readonly Desired[];
  /**
   * True for a record set that stays because a change is blocked that must be made as a whole: to or from CNAME, or to
   * another policy or set identifier.
   */
  readonly isTied: (set: RecordSetKey) => boolean;
};

function lookAt(world: World, truth: Truth, id: string, apex: string): Look {
  const all = world.route53.recordSets(id);
  const standing = all.filter((set) => !(set.name === apex && (set.type === 'NS' || set.type === 'SOA')));
  const desired = truth.rendered.recordSets.filter(
    (set) => set.hostedZoneId === id && !(set.name === apex && set.type === 'NS'),
  );
  const wanted = desired.filter(({ type }) => type !== 'SOA');
  const blocked = wanted.filter((set) => isBlocked(world, truth, set, standing));
  const tied = new Set(
    blocked
      .map(({ name }) => name)
      .filter((name) => [...wanted, ...standing].some((set) => set.name === name && set.type === 'CNAME')),
  );
  const barred = blocked.filter((set) => {
    const isOfSame = (other: RecordSet) => other.name === set.name && other.type === set.type;
    const [goal, ours] = [wanted, standing.filter((one) => writerAt(world, id, one) === 'us')].map((all) =>
      all.filter(isOfSame),
    );
    return goal?.some((after) => ours?.some((before) => barsBeside(after, before) && !isSame(after, before)));
  });
  const tiedTypes = new Set(barred.map(({ name, type }) => `${name} ${type}`));
  const replaced = tiedByObject(world, id, { standing, wanted, blocked });
  const isTied: Look['isTied'] = (set) =>
    tied.has(set.name) || tiedTypes.has(`${set.name} ${set.type}`) || replaced.has(standingKey(id, set));
  return { id, apex, all, standing, desired, wanted, blocked, isTied };
}

/**
 * What an object has under a former identifier and what it wants in its place go together: where a part of that is
 * blocked, all of it.
 */
function tiedByObject(
  world: World,
  id: string,
  { standing, wanted, blocked }: Pick<Look, 'standing' | 'wanted' | 'blocked'>,
): ReadonlySet<string> {
  const keyOf = (set: RecordSetKey) => standingKey(id, set);
  const ours = standing.filter((set) => writerAt(world, id, set) === 'us');
  const [there, here, goal] = [standing, ours, wanted].map((sets) => new Set(sets.map(keyOf)));
  const gone = ours.filter((set) => goal?.has(keyOf(set)) === false);
  const publishers = (set: RecordSetKey): readonly unknown[] => {
    const { partition, sort } = recordSetItemKey(id, set);
    const { publishedObjects } = world.auditor.shadow.items.get(`${partition} ${sort}`) ?? {};
    return Array.isArray(publishedObjects) ? publishedObjects : [];
  };
  // Of each pair one is deleted and the other created. A record set that is only changed is not tied to others.
  const open = [
    ...gone.map((set) => ({ set, objects: publishers(set), goes: true })),
    ...wanted
      .filter((set) => there?.has(keyOf(set)) === false || (blocked.includes(set) && here?.has(keyOf(set)) === false))
      .map((set) => ({ set, objects: set.objects, goes: false })),
  ];
  const tied = new Set(blocked.map(keyOf));
  for (let before = -1; before < tied.size; ) {
    before = tied.size;
    for (const { set, objects, goes } of open) {
      const isWith = ({ set: other, objects: theirs, goes: otherGoes }: (typeof open)[number]) =>
        tied.has(keyOf(other)) &&
        otherGoes !== goes &&
        other.name === set.name &&
        other.type === set.type &&
        objects.some((object) => theirs.includes(object as string));
      if (open.some(isWith)) tied.add(keyOf(set));
    }
  }
  return tied;
}

function isSame(a: RecordSet, b: RecordSet): boolean {
  return a.setIdentifier === b.setIdentifier && sameContent(a.content, b.content);
}

/**
 * Names that stay in a hosted zone that was left: they are wanted in another one, where an NS of ours at the name of
 * the one that was left is tied by what a stranger put there. For all that we know it still leads there (ADR 9). Each
 * with its hosted zone.
 */
function waitingIn(world: World, truth: Truth, { id, apex, standing }: Look, looks: readonly Look[]): string[] {
  if ([...truth.rendered.zones.values()].some(({ placed }) => placed?.hosting?.id === id)) return [];
  const isKept = looks.some(
    (other) =>
      other.isTied({ name: apex, type: 'NS', setIdentifier: null }) &&
      !other.wanted.some((set) => set.name === apex && set.type === 'NS') &&
      writerAt(world, other.id, { name: apex, type: 'NS', setIdentifier: null }) === 'us' &&
      other.standing.some((set) => set.name === apex && set.type === 'NS'),
  );
  if (!isKept) return [];
  const elsewhere = new Set(looks.flatMap((other) => (other.id === id ? [] : other.wanted.map(({ name }) => name))));
  return standing.filter(({ name }) => elsewhere.has(name)).map(({ name }) => `${id} ${name}`);
}

function checkHostedZone(world: World, look: Look, waiting: ReadonlySet<string>, when: string): void {
  const { id, all, standing, desired, wanted, blocked, isTied } = look;
  const fail = (message: string) => world.auditor.fail('Q1', `${when}, ${id}: ${message}`);
  for (const set of wanted) {
    if (blocked.includes(set) || isTied(set)) continue;
    const found = standing.find((other) => standingKey(id, other) === standingKey(id, set));
    if (found === undefined || !sameContent(found.content, set.content))
      fail(`${show(set)} is wanted, and there stands ${found === undefined ? 'nothing' : show(found)}`);
  }
  for (const set of standing) {
    const { log, writer } = world.auditor.shadow.standing.get(standingKey(id, set)) ?? {
      log: [],
      writer: null,
    };
    if (log.at(-1) !== textOf(set.content)) fail(`${show(set)} stands there, and nobody wrote it`);
    checkTextsGone(world, id, set, fail);
    if (writer === 'stranger' || isTied(set) || waiting.has(`${id} ${set.name}`)) continue;
    if (!wanted.some((other) => standingKey(id, other) === standingKey(id, set)))
      fail(`${show(set)} stands there, and nothing wants it`);
  }
  checkSoa(fail, all, desired);
}

function checkSoa(fail: (message: string) => void, standing: readonly RecordSet[], desired: readonly Desired[]): void {
  const wanted = desired.find(({ type }) => type === 'SOA');
  const found = standing.find(({ type }) => type === 'SOA');
  if (wanted === undefined || found === undefined) return;
  const timers = ({ content }: RecordSet) =>
    content.kind === 'values' ? [content.ttlSeconds, ...(content.values[0] ?? '').split(' ').slice(3)].join(' ') : '';
  if (timers(wanted) !== timers(found)) fail(`the SOA's timers are ${timers(found)}, wanted ${timers(wanted)}`);
}

function checkLedger(world: World, truth: Truth, waiting: ReadonlySet<string>, when: string): void {
  const fail = (message: string) => world.auditor.fail('Q3', `${when}: ${message}`);
  const here = new Set(truth.hostedZones.map(({ id }) => id));
  const counts = new Map<string, number>();
  for (const [key, body] of world.auditor.shadow.items) {
    const [partition = '', ...rest] = key.split(' ');
    const [kind, id = ''] = partition.split('#');
    if (kind === 'recordsets' && here.has(id)) checkItem(world, fail, id, body, counts);
    // Nobody publishes a hosted zone that no Zone claimed in time. What was noted of it waits for a Zone that claims
    // it.
    const claimed = here.has(id) && world.auditor.shadow.items.has(`hostedzones ${id}`);
    if (kind === 'dirty' && claimed && !waiting.has(`${id} ${String(body.name)}`)) fail(`${key} is still dirty`);
    if (kind === 'subtrees') fail(`the task ${key} was left`);
    if (kind === 'objects') checkObjectItem(world, fail, partition, rest.join(' '), body, when);
  }
  for (const id of here) {
    const item = world.auditor.shadow.items.get(`hostedzones ${id}`);
    if (item !== undefined && item.publishedCount !== (counts.get(id) ?? 0))
      fail(`${id} counts ${String(item.publishedCount)} published, and there are ${counts.get(id) ?? 0}`);
  }
  for (const { ref } of world.cluster.objects()) {
    const key = `objects#${world.config.clusterId}#${ref.kind} ${ref.namespace}/${ref.name}`;
    if (world.auditor.shadow.items.get(key)?.deleted !== false) fail(`${formatRef(ref)} was never observed`);
  }
}

function checkItem(
  world: World,
  fail: (message: string) => void,
  id: string,
  body: JsonObject,
  counts: Map<string, number>,
): void {
  const { name, type } = body as { name: string; type: string };
  if (type === 'SOA') return;
  const { publishedObjects = [] } = body as { publishedObjects?: readonly string[] };
  // The PTR of a Service is counted, beside those that a Zone derives.
  const isOfService = type === 'PTR' && !publishedObjects.every((object) => object.startsWith('Zone '));
  const isCounted = isOfService || !isDerived(standingKey(id, body as unknown as RecordSetKey));
  if (body.published !== null && isCounted) counts.set(id, (counts.get(id) ?? 0) + 1);
  const asking = (body.objects as readonly string[]).map(parseRef);
  if (body.desired !== null && asking.every((ref) => world.cluster.find(ref) === null))
    fail(`${name} ${type} in ${id} is desired for ${String(body.objects)}, and there is no such object`);
  if (body.intent !== null) fail(`${name} ${type} in ${id} has an intent that nobody resolved`);
  const standing = world.auditor.shadow.standing.get(standingKey(id, body as unknown as RecordSetKey));
  if (standing?.writer === 'us' && textOf(body.published) !== standing.log.at(-1)) {
    fail(`${name} ${type} in ${id} stands as ${standing.log.at(-1)}, and the ledger says ${textOf(body.published)}`);
  }
}

/** The end of a trace: what is desired, what Route 53 has, what the ledger says. */
export async function describeEnd(world: World): Promise<string[]> {
  const truth = await truthOf(world);
  const lines = ['--- wanted'];
  for (const set of truth.rendered.recordSets)
    lines.push(`${set.hostedZoneId} ${show(set)} for ${set.objects.join(', ')}`);
  for (const { id } of truth.hostedZones) {
    lines.push(`--- stands in ${id}`);
    for (const set of world.route53.recordSets(id))
      if (set.name !== APEX) lines.push(`${show(set)} by ${writerAt(world, id, set)}`);
  }
  lines.push('--- objects');
  for (const object of world.cluster.objects()) {
    const status = world.cluster.statuses.get(formatRef(object.ref));
    const said = status?.conditions.map((one) => `${one.type}=${one.status} ${one.reason} (${one.message})`).join('; ');
    lines.push(
      `${formatRef(object.ref)} gen ${object.generation} ${JSON.stringify(object.spec)} ${JSON.stringify(object.annotations)}: ${said}`,
    );
  }
  lines.push('--- ledger');
  for (const [key, body] of world.auditor.shadow.items) {
    if (/^(recordsets|dirty|held|hostedzones|subtrees)/.test(key)) lines.push(`${key} ${JSON.stringify(body)}`);
  }
  return lines;
}
