// Checks every write of the ledger: invariants I8 to I11, and I13 as far as the serial.
import type { RecordSetKey } from '../../lib/dns/record-set.ts';
import type { JsonObject, LedgerKey } from '../../lib/ports/ledger.ts';
import { OUTSIDER } from '../../lib/record-sets/flip-breaker.ts';
import { mayTakeEqual, noteAdopted, noteGivenUp } from './audit-takeover.ts';
import { standingAt } from './auditor.ts';
import { checkPause } from './hostile.ts';
import { textOf } from './record-set-texts.ts';
import { type FunctionRun, sawThat, type World } from './world.ts';

/**
 * True for what a sweep writes although nothing has changed: how far it has come, when it looked, and the removal of
 * the serial of a Zone that was deleted days ago.
 */
export function isOfEverySweep(
  { time }: World,
  { partition }: LedgerKey,
  before: JsonObject | null,
  after: JsonObject | null,
): boolean {
  if (/^sweeps?#/.test(partition)) return true;
  if (!partition.startsWith('statuses#') || after !== null || before?.entries !== null) return false;
  const yesterday = new Date(time.ms - 86_400_000).toISOString().slice(0, 10).replaceAll('-', '');
  return before.serial !== null && String(before.serial).slice(0, 8) < yesterday;
}

/** One write; `after` null: the item was removed. */
export function checkLedgerWrite(
  world: World,
  run: FunctionRun,
  key: LedgerKey,
  before: JsonObject | null,
  after: JsonObject | null,
): void {
  const { partition } = key;
  if (partition.startsWith('recordsets#'))
    checkRecordSet(world, run, partition.slice('recordsets#'.length), before, after);
  else if (partition.startsWith('objects#')) checkObject(world, key, before, after);
  else if (partition === 'hostedzones') checkLease(world, run, before, after);
  else if (after !== null && partition.startsWith('statuses#') && partition.endsWith('#Zone'))
    checkSerial(world, key, after);
}

/** I8: what the ledger has as published was in Route 53; what it has as gone has been absent since. */
function checkRecordSet(
  world: World,
  run: FunctionRun,
  id: string,
  before: JsonObject | null,
  after: JsonObject | null,
): void {
  const was = before?.published ?? null;
  const now = after?.published ?? null;
  const body = after ?? before;
  if (before?.intent == null && after?.intent != null) sawThat(world, 'an intent was saved');
  if (body === null || body.type === 'SOA') return;
  checkPause(world, run, before, after);
  seeIntentResolved(world, run, before, after);
  const set = body as unknown as RecordSetKey;
  const { name, type } = set;
  const standing = standingAt(world.auditor.shadow, id, set);
  const { log } = standing;
  const intent = after?.intent as { content: unknown } | null | undefined;
  if (intent != null) standing.intended = (standing.intended ?? new Set()).add(textOf(intent.content));
  const wasText = textOf(was);
  const nowText = textOf(now);
  if (wasText === nowText) return;
  const objects = (body.objects ?? []) as readonly string[];
  const isEqual = was === null && mayTakeEqual(world, body.desired, objects, now);
  if (standing.writer === 'stranger' && now !== null && log.at(-1) === nowText)
    noteAdopted(world, run, id, set, standing, was !== null && textOf(before?.desired) === nowText, isEqual);
  // A takeover may end before it wrote anything: one of external-dns' record set, or one by annotation.
  const hadTexts = ((before?.texts ?? []) as readonly unknown[]).length > 0;
  const isOutsiders = ((before?.publishedObjects ?? []) as readonly unknown[]).includes(OUTSIDER);
  if (now === null && (hadTexts || isOutsiders) && noteGivenUp(standing)) return;
  if (now !== null && !log.includes(nowText))
    world.auditor.fail('I8', `${name} ${type} is noted as published ${nowText}, which never stood in Route 53`);
  if (now === null && !log.includes('absent', Math.max(0, log.indexOf(wasText))) && isThere(world, id))
    world.auditor.fail(
      'I8',
      `${name} ${type} is noted as gone, and stood in Route 53 all the time since it was published`,
    );
}

/** Counts when a run finds another run's intent, and whether that run died before or after its write. */
function seeIntentResolved(world: World, run: FunctionRun, before: JsonObject | null, after: JsonObject | null): void {
  const intent = before?.intent as { content: JsonObject | null; epoch: number } | null | undefined;
  const { epoch } = world.auditor.factsOf(run);
  if (intent == null || epoch === null || intent.epoch === epoch || after?.intent != null) return;
  const landed = textOf(after?.published) === textOf(intent.content);
  sawThat(world, `an intent was found after a crash, and the write had ${landed ? '' : 'not '}landed`);
}

function isThere(world: World, id: string): boolean {
  return world.route53.recordSets(id).length > 0;
}

/** I9: an older version never replaces a newer one. Q5: nor nothing a valid spec. I10: gone only after a 404. */
function checkObject(world: World, key: LedgerKey, before: JsonObject | null, after: JsonObject | null): void {
  if (
    before !== null &&
    after !== null &&
    before.uid === after.uid &&
    before.deleted !== true &&
    after.deleted !== true
  ) {
    const older = Number(after.generation) < Number(before.generation);
    if (older)
      world.auditor.fail(
        'I9',
        `${key.sort} went back from generation ${String(before.generation)} to ${String(after.generation)}`,
      );
  }
  const same = before !== null && after !== null && before.uid === after.uid && after.deleted !== true;
  const hasSpec = ({ spec, endpoints }: JsonObject) => spec !== null || endpoints !== null;
  if (same && before.deleted !== true && hasSpec(before) && !hasSpec(after))
    world.auditor.fail('Q5', `${key.sort} has no spec in force any more, and had a valid one`);
  if (same && before.deleted !== true && forgetsFormer(before, after))
    world.auditor.fail(
      'Q5',
      `${key.sort} says something now that may be invalid, and what it last validly said is forgotten`,
    );
  const gone = after === null || after.deleted === true;
  if (gone && before?.deleted !== true && !isAbsentEver(world, key))
    world.auditor.fail('I10', `${key.sort} is noted as gone, and was never absent`);
}

/** Labels of up to so many octets fit below every Zone of these worlds. */
const LONG_OCTETS = 200;

type SeenEndpoint = Readonly<Record<'domainName' | 'zoneRef' | 'type' | 'alias' | 'standsInFor' | 'flaw', unknown>>;

/**
 * A Record that asked for something became an alias of which the Zones decide whether it is valid, or another such
 * alias, or had something to stand in for it; or it came to have a name that its Zone may make too long; and nothing
 * stands in for it now.
 */
function forgetsFormer(before: JsonObject, after: JsonObject): boolean {
  const [was, ...stood] = (before.endpoints ?? []) as readonly SeenEndpoint[];
  const [now, ...others] = (after.endpoints ?? []) as readonly SeenEndpoint[];
  const isOpen = (one?: SeenEndpoint) => (one?.alias as { hostedZoneId?: unknown } | undefined)?.hostedZoneId === null;
  if ((after.ref as { kind?: unknown }).kind !== 'Record' || was === undefined) return false;
  if (!isOpen(now)) return now !== undefined && isLonger(was, now) && others.length === 0;
  const flawOfNewer = ({ standsInFor }: SeenEndpoint) => standsInFor !== undefined;
  const isSame = isOpen(was) && now !== undefined && aliasText(was) === aliasText(now);
  if (was.type === 'NS' || (isSame && !stood.some(flawOfNewer))) return false;
  return !others.some(flawOfNewer);
}

/** True for a name that its Zone may make too long, and that is longer than before or in another Zone. */
function isLonger(was: SeenEndpoint, now: SeenEndpoint): boolean {
  const octetsOf = ({ domainName }: SeenEndpoint) => ((domainName as { labels?: string }).labels ?? '').length;
  return octetsOf(now) > LONG_OCTETS && (octetsOf(was) < octetsOf(now) || was.zoneRef !== now.zoneRef);
}

function aliasText({ domainName, zoneRef, type, alias }: SeenEndpoint): string {
  return textOf({ domainName, zoneRef, type, target: (alias as { readonly target?: unknown } | undefined)?.target });
}

function isAbsentEver(world: World, { partition, sort }: LedgerKey): boolean {
  const kind = partition.slice(partition.lastIndexOf('#') + 1);
  return (world.cluster.history.get(`${kind} ${sort}`) ?? []).some(({ object }) => object === null);
}

/** I4: epochs grow, and nobody takes a lease that its holder still has by any clock. */
function checkLease(world: World, run: FunctionRun, before: JsonObject | null, after: JsonObject | null): void {
  if (before === null || after === null) return;
  const isSpent = ({ acknowledgements }: JsonObject) =>
    (acknowledgements as readonly { readonly state: string }[] | undefined)?.some(({ state }) => state === 'spent') ===
    true;
  if (!world.direct && isSpent(after) && !isSpent(before))
    sawThat(world, 'held deletes were released because a tenant had acknowledged them');
  if (Number(after.epoch) < Number(before.epoch)) world.auditor.fail('I4', 'the epoch of a hosted zone went back');
  const had = before.lease as { holder: string; expiresAtMs: number } | null;
  const has = after.lease as { holder: string } | null;
  if (has === null || had === null || has.holder === had.holder) return;
  sawThat(world, 'a lease was taken from a run that had not released it');
  if (had.expiresAtMs > world.time.ms)
    world.auditor.fail('I4', `${run.id} took the lease of ${had.holder} before it ran out`);
}

/** I13: the serial of one Zone never goes back, also if the Zone is created again, and moves exactly with the hash. */
function checkSerial(world: World, { sort }: LedgerKey, { hash, serial: now }: JsonObject): void {
  if (typeof now !== 'number') return;
  const { serials } = world.auditor.shadow;
  const { hash: had, serial: was } = serials.get(sort) ?? { hash, serial: now };
  serials.set(sort, { hash, serial: now });
  if (now < was) world.auditor.fail('I13', `the serial of ${sort} went back from ${was} to ${now}`);
  if (had !== hash && was === now) world.auditor.fail('I13', `the hash of ${sort} moved, and its serial stayed ${was}`);
  if (had === hash && was !== now)
    world.auditor.fail('I13', `the serial of ${sort} moved from ${was} to ${now} without its hash`);
}
