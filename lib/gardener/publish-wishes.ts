// Publishes what DNSRecords of one account want in one hosted zone, through the engine: wishes into the items, one run of publish over
// their names alone, and what became of each by what its items say afterwards.
import type { RecordSet } from '../dns/record-set.ts';
import { recordSetId, sameContent } from '../dns/record-set.ts';
import type { Timer } from '../ports/clock.ts';
import type { BatchOutcome, HostedZones } from '../ports/hosted-zones.ts';
import type { Queues } from '../ports/queues.ts';
import { type Account, AccountError } from '../ports/seed/accounts.ts';
import { DEFAULT_PUBLISH_CONFIG, type PublishResult, publish } from '../publish/run/publish-hosted-zone.ts';
import type { PublishDeps } from '../publish/run/run.ts';
import { dnsRecordsIdOf, hostedZoneIdOf } from '../record-sets/hosted-zone-item.ts';
import type { RecordSetItem } from '../record-sets/record-set-item.ts';
import { stateOf } from '../record-sets/state.ts';
import { codesOf } from '../sources/gardener/error-codes.ts';
import { type DnsRecordDeps, misconfigured, type Outcome } from './deps.ts';
import {
  adopt,
  mayHaveLanded,
  openHostedZone,
  ownItems,
  publishedByZones,
  touchWish,
  type Wish,
} from './own-record-sets.ts';
import type { Gather } from './turns.ts';

/** `adopts`: what stands and becomes ours beforehand. `checks`: nothing is wanted anew, it is looked at what stands. */
export type Asked = Wish & {
  /** Nothing is sent any more after that; null: whenever. */
  readonly untilMs: number | null;
  readonly adopts: 'nothing' | 'equal' | 'all';
  readonly checks: boolean;
};

export type WishOutcome =
  | Exclude<Outcome, { kind: 'done' }>
  /** `isGone`: these credentials know of no such hosted zone. */
  | { readonly kind: 'done'; readonly left: string | null; readonly isGone?: true };

const RATE_LIMITS = 'ERR_INFRA_RATE_LIMITS_EXCEEDED' as const;
/** Pauses before another try while Route 53 still works on the change before: it takes one at a time for a hosted zone. */
const BUSY_PAUSES_MS = [100, 300, 900];

/** What a run of publish asks of others is nobody's business here: the DNSRecords themselves say what is open. */
const QUIET_QUEUES: Queues = { hint: async () => {}, publish: async () => {}, report: async () => {} };

/** Publishes what is asked for in one hosted zone, together with what others ask with the same credentials; by owner. */
export async function publishWishes(
  deps: DnsRecordDeps,
  gather: Gather,
  account: Account,
  hostedZoneId: string,
  wishes: readonly Asked[],
): Promise<ReadonlyMap<string, WishOutcome>> {
  return gather(account.hostedZones, hostedZoneId, wishes, async (asked) => {
    await openHostedZone(deps.ledger, hostedZoneId);
    const outcomes = new Map<string, WishOutcome>();
    const open: Asked[] = [];
    const again = new Set<string>();
    for (const wish of asked) {
      const early = await noteWish(deps, account, hostedZoneId, wish, again);
      if (early === null) open.push(wish);
      else outcomes.set(wish.owner, early);
    }
    if (open.length === 0) return outcomes;
    const tried = await publishNames(deps, account, hostedZoneId, open, again);
    for (const wish of open) outcomes.set(wish.owner, await judge(deps, hostedZoneId, wish, tried));
    return outcomes;
  });
}

/** What is over before anything is published; else null, and the wish is noted. */
async function noteWish(
  deps: DnsRecordDeps,
  account: Account,
  hostedZoneId: string,
  wish: Asked,
  again: Set<string>,
): Promise<WishOutcome | null> {
  const { ledger } = deps;
  if (wish.untilMs !== null && deps.clock.nowMs() >= wish.untilMs) return { kind: 'later' };
  if (wish.checks) {
    again.add(wish.name);
    return null;
  }
  const takes = wish.adopts !== 'nothing' || wish.takeover;
  const zones = takes ? await publishedByZones(ledger, hostedZoneId, wish.name, typesOf(wish)) : [];
  if (zones.length > 0 && wish.recordSets.length > 0) {
    return misconfigured(
      `${shownName(wish.name)} is published for ${zones.join(', ')}, which was first; ask its owner, or give it another name`,
    );
  }
  if (wish.adopts !== 'nothing' && zones.length === 0) {
    const standing = await attempted(account.hostedZones.readName(hostedZoneId, wish.name));
    if (!standing.ok) return failureOf(standing.error);
    if (standing.value === null && wish.recordSets.length === 0) return { kind: 'done', left: null, isGone: true };
    const wanted = new Map(wish.recordSets.map((set) => [recordSetId(set), set]));
    const isEqual = (set: RecordSet) => sameContent(set.content, wanted.get(recordSetId(set))?.content ?? null);
    const isTaken = wish.adopts === 'equal' ? isEqual : (set: RecordSet) => isDeletedBy(wish, set);
    await adopt(ledger, hostedZoneId, wish, standing.value ?? [], isTaken);
  }
  const look = async () => (await account.hostedZones.readName(hostedZoneId, wish.name)) ?? [];
  const tried = await attempted(touchWish(ledger, hostedZoneId, wish, look));
  if (!tried.ok) return failureOf(tried.error);
  const touched = tried.value;
  if (touched.kind === 'taken') {
    const rival = touched.rival.replace(/^DNSRecord [^/]*\//, 'DNSRecord ');
    return misconfigured(
      `${touched.key.type} ${shownName(wish.name)} is published for ${rival}, which was first; ask its owner, or give it another name`,
    );
  }
  if (touched.again) again.add(wish.name);
  return null;
}

/** Of a CNAME also the aliases that it may have become. */
function isDeletedBy({ types }: Wish, { type, content }: RecordSet): boolean {
  if (types.includes(type)) return true;
  return types.includes('CNAME') && content.kind === 'alias' && (type === 'A' || type === 'AAAA');
}

/** What came of the run: of its last call that was neither accepted nor refused for its content. */
type Tried =
  | { readonly kind: 'run'; readonly result: PublishResult; readonly last: BatchOutcome | null }
  | { readonly kind: 'threw'; readonly error: AccountError };

async function publishNames(
  deps: DnsRecordDeps,
  account: Account,
  hostedZoneId: string,
  asked: readonly Asked[],
  again: ReadonlySet<string>,
): Promise<Tried> {
  let last: BatchOutcome | null = null;
  const hostedZones = ofLedgerIds(account.hostedZones, deps.clock, (outcome) => {
    if (outcome.kind !== 'accepted' && outcome.kind !== 'refused') last = outcome;
  });
  const publishDeps: PublishDeps = {
    ledger: deps.ledger,
    hostedZones,
    clock: deps.clock,
    queues: QUIET_QUEUES,
    config: {
      ...DEFAULT_PUBLISH_CONFIG,
      guard: { deletesMax: Number.MAX_SAFE_INTEGER, deletesShareMax: 1, isOff: true },
      throttleTriesMax: 1,
    },
    newHolder: deps.newHolder,
    log: ({ level, message, ...fields }) => deps.log(level, message, fields),
  };
  const names = [...new Set(asked.map(({ name }) => name))].sort();
  const untilMs = Math.min(...asked.map((wish) => wish.untilMs ?? Number.POSITIVE_INFINITY));
  const stopAtMs = untilMs === Number.POSITIVE_INFINITY ? null : untilMs;
  const ran = await attempted(
    publish(publishDeps, dnsRecordsIdOf(hostedZoneId), { names: { names, retryNames: again }, stopAtMs }),
  );
  return ran.ok ? { kind: 'run', result: ran.value, last } : { kind: 'threw', error: ran.error };
}

/** The hosted zones, by the ids that the ledger knows them by. */
function ofLedgerIds(
  hostedZones: HostedZones,
  { sleep }: Pick<Timer, 'sleep'>,
  tell: (outcome: BatchOutcome) => void,
): HostedZones {
  return {
    ...hostedZones,
    change: async (id, ...asked) => {
      let outcome = await hostedZones.change(hostedZoneIdOf(id), ...asked);
      for (const pauseMs of BUSY_PAUSES_MS) {
        if (!isBusy(outcome)) break;
        await sleep(pauseMs);
        outcome = await hostedZones.change(hostedZoneIdOf(id), ...asked);
      }
      tell(outcome);
      return outcome;
    },
    readName: (id, name) => hostedZones.readName(hostedZoneIdOf(id), name),
    readPage: (id, from) => hostedZones.readPage(hostedZoneIdOf(id), from),
  };
}

/** True where Route 53 works on the change before; nothing of this one was applied. */
function isBusy(outcome: BatchOutcome): boolean {
  return outcome.kind === 'throttled' && outcome.message.startsWith('PriorRequestNotComplete');
}

/** What became of a wish, by what its items say. */
async function judge(deps: DnsRecordDeps, hostedZoneId: string, wish: Asked, tried: Tried): Promise<WishOutcome> {
  const types = typesOf(wish);
  const items = await ownItems(deps.ledger, hostedZoneId, { ...wish, types });
  const wanted = new Set(wish.recordSets.map(({ type }) => type));
  // A run that was overtaken may have noted an older wish in between.
  const isNoted = (set: RecordSet) =>
    items.some((item) => item.type === set.type && sameContent(item.desired, set.content));
  const missing = !wish.recordSets.every(isNoted);
  const open = items.filter((item) => !isDone(item));
  const refused = open.filter(({ refusal }) => refusal !== null);
  const left = refused.filter((item) => item.desired === null && item.refusal?.reason === 'Drifted');
  const [worst] = refused.filter((item) => !left.includes(item));
  if (worst !== undefined) return refusedOutcome(deps, hostedZoneId, worst);
  const isWhole = tried.kind === 'run' && tried.result.kind === 'done' && tried.result.retryAfterSeconds === null;
  const isLooked = isWhole || !items.some(mayHaveLanded);
  if (open.length === left.length && !missing && isLooked) {
    return { kind: 'done', left: left.length === 0 ? null : left.map(leftMessage).join(' ') };
  }
  if (tried.kind === 'threw') return failureOf(tried.error);
  const { result, last } = tried;
  if (result.kind === 'gone') {
    // Where there is no hosted zone there is nothing of ours in it.
    if (wanted.size === 0) return { kind: 'done', left: null, isGone: true };
    return misconfigured(
      last?.kind === 'gone' ? last.message : `NoSuchHostedZone: no hosted zone with id ${hostedZoneId}`,
    );
  }
  return last === null ? { kind: 'later' } : outcomeOf(last);
}

function isDone(item: RecordSetItem): boolean {
  const state = stateOf(item);
  return state === 'live' || state === 'free';
}

function typesOf({ types, recordSets }: Wish): readonly string[] {
  return [...new Set([...types, ...recordSets.map(({ type }) => type)])];
}

async function refusedOutcome(deps: DnsRecordDeps, hostedZoneId: string, item: RecordSetItem): Promise<WishOutcome> {
  const { type, name, refusal } = item;
  const message = refusal?.message ?? '';
  if (refusal?.reason === 'Rejected') {
    const codes = codesOf({ code: 'InvalidChangeBatch', message });
    return { kind: 'failed', message: `${type} ${shownName(name)}: ${message}`, codes };
  }
  const zones = await publishedByZones(deps.ledger, hostedZoneId, name, [type, 'CNAME', 'A', 'AAAA']);
  const ask =
    zones.length > 0
      ? `It is published for ${zones.join(', ')}: ask its owner.`
      : 'Ask whoever wrote it to remove it, or set sources.dnsRecords.takeover to true.';
  return misconfigured(`${type} ${shownName(name)}: ${message} ${ask}`);
}

function leftMessage({ type, name, refusal }: RecordSetItem): string {
  return `${type} ${shownName(name)} is left as it stands: ${refusal?.message ?? ''}`;
}

function outcomeOf(last: BatchOutcome): WishOutcome {
  switch (last.kind) {
    case 'denied': {
      const codes = codesOf({ code: /^(\w+): /.exec(last.message)?.[1] ?? '', message: last.message });
      return { kind: 'failed', message: last.message, codes };
    }
    case 'throttled':
      if (last.unsent === true) return { kind: 'later' };
      return { kind: 'failed', message: last.message, codes: [RATE_LIMITS] };
    case 'unknown':
      return { kind: 'failed', message: `no answer from Route 53: ${last.message}`, codes: [RATE_LIMITS] };
    case 'gone':
      return misconfigured(last.message);
    case 'accepted':
    case 'refused':
      return { kind: 'later' };
    default:
      return last satisfies never;
  }
}

/** What an account said no to. */
export function failureOf({ kind, code, message }: AccountError): Extract<Outcome, { kind: 'failed' | 'later' }> {
  if (kind === 'unsent') return { kind: 'later' };
  return { kind: 'failed', message, codes: kind === 'refused' ? codesOf({ code, message }) : [RATE_LIMITS] };
}

type Attempt<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: AccountError };

/** The answer, or what the account said in its place. Whatever else goes wrong is thrown. */
export function attempted<T>(answer: Promise<T>): Promise<Attempt<T>> {
  return answer.then(
    (value): Attempt<T> => ({ ok: true, value }),
    (error: unknown): Attempt<T> => {
      if (error instanceof AccountError) return { ok: false, error };
      throw error;
    },
  );
}

/** As people write it. */
function shownName(name: string): string {
  return name.replace(/\.$/, '');
}
