// The auditor watches every step of a simulated world. It keeps a copy of its own, the shadow, of what was in Route 53,
// who wrote it and what the ledger says. It checks each effect against the invariants of docs/invariants.md that must
// always hold; final-checks.ts checks what must hold in the end. It sees effects and never answers, so that a sabotage
// cannot deceive it.
import type { RecordSetChange, RecordSetKey } from '../../lib/dns/record-set.ts';
import type { ObjectRef } from '../../lib/objects/object-ref.ts';
import type { ObjectStatus } from '../../lib/ports/cluster.ts';
import type { BatchOutcome } from '../../lib/ports/hosted-zones.ts';
import type { JsonObject, LedgerItem, LedgerKey, LedgerWrite } from '../../lib/ports/ledger.ts';
import { OUTSIDER } from '../../lib/record-sets/flip-breaker.ts';
import { recordSetItemKey } from '../../lib/record-sets/record-set-item.ts';
import { checkOneNamespace, noteAges } from './audit-ages.ts';
import { knownAsOurs } from './audit-guard.ts';
import { noteEntry } from './audit-history.ts';
import { checkLedgerWrite, isOfEverySweep } from './audit-ledger.ts';
import { checkPropagated, noteChanges, noteStranger } from './audit-propagation.ts';
import { checkAccepted, checkAsked, checkBatch } from './audit-route53.ts';
import { checkStatus, noteLive, ROOT, showsNewWords } from './audit-status.ts';
import { type PendingDelete, pendingDeletesOf } from './audit-together.ts';
import { newServiceFacts, noteRecheck, type ServiceFacts } from './discovery/audit.ts';
import { checkApart, checkRefused, noteRefused } from './hostile.ts';
import { checkProtected } from './protections.ts';
import { standingKey, textOf } from './record-set-texts.ts';
import { type FunctionRun, sawThat, tell, type World } from './world.ts';

/** The contents of one key of one hosted zone over time, in order: JSON, or `absent`. */
export type Standing = {
  readonly log: string[];
  writer: 'us' | 'stranger' | null;
  strangerAtMs?: number;
  /** Contents that we ever began to write there. */
  intended?: Set<string>;
  /** It belonged to external-dns at some time since a stranger wrote it, and may be taken over. */
  takeable?: boolean;
  /** The same of the record set that a stranger deleted last. */
  wasTakeable?: boolean;
  /**
   * Its content when it was adopted without a write, and the TXT records of external-dns that noted its owner then.
   */
  adoptedText?: string | null;
  /** The length of `log` when a batch of ours deleted it. */
  deletedAt?: number;
  texts?: readonly { readonly key: string; readonly writes: number }[];
  /** What batches of ours made it, in order; and the changes that the history has, by the sort key of the entry. */
  ours?: string[];
  told?: Map<string, string>;
};

/** `reporting`: statuses written to the cluster and not yet noted in the ledger. */
export type RunFacts = {
  reporting: number;
  epoch: number | null;
  leaseSeenAtMs: number;
  leaseHeld: boolean;
  /** The end of the lease that the run saw. */
  leaseUntilMs: number;
  sentAtMs: number;
  /** When the run last looked at each name of a hosted zone. */
  readonly reads: Map<string, number>;
  /** The same, when it sent a batch. */
  readonly readsBefore: WeakMap<readonly RecordSetChange[], ReadonlyMap<string, number>>;
  /** Its batches that Route 53 refused. */
  refusedCalls: number;
  /** The record sets that were ours, and noted as ours, when it took its lease. */
  ours: Ours | null;
  /** Generations of dirty marks that the run read or wrote. */
  readonly marks: Set<string>;
  /** Whether the root was among the Zones that the run last read; null: it read none, or faults were over. */
  knowsRoot: boolean | null;
  /** The record sets that stay, as the run last read their items: desired, and published. */
  readonly staying: Map<string, RecordSetKey>;
  /** Deletes that waited in the ledger when it read the dirty marks of their names, by the key of their item. */
  readonly pendingDeletes: Map<string, PendingDelete>;
};

/** Record sets of one hosted zone, by key, as they were at one time. */
type Ours = { readonly atMs: number; readonly keys: readonly string[] };

/** What the auditor knows. */
export type Shadow = {
  readonly standing: Map<string, Standing>;
  /** The ledger's items by partition and sort key. */
  readonly items: Map<string, JsonObject>;
  readonly runs: Map<FunctionRun, RunFacts>;
  /** The entries of the history, by partition and sort key. */
  readonly entries: Map<string, JsonObject>;
  /** Items of record sets that Route 53 refused, and that were not published since. */
  readonly refused: Set<string>;
  /** Objects for which the cluster really said 404, by `formatRef`. */
  readonly absences: Set<string>;
  /** Record sets of ours that were deleted, by hosted zone. */
  readonly deletions: {
    readonly id: string;
    readonly key: string;
    /** The namespace for which it was published. */
    readonly namespace: string | null;
    readonly atMs: number;
    /** What was ours when the run began that deleted it. */
    readonly ours: Ours | null;
  }[];
  /** The last serial of each Zone, with its hash. */
  readonly serials: Map<string, { readonly hash: unknown; readonly serial: number }>;
  /** True when somebody ever acknowledged a plan. */
  acknowledged: boolean;
  /** The hosted zone in which each moving name was last found. */
  readonly found: Map<string, string>;
  readonly services: ServiceFacts;
  /** What Route 53 said when it refused batches; and what of that each object showed last. */
  readonly words: Set<string>;
  /** Zones that the directory has from a run that did not know the root yet: its hint may come later. */
  readonly unaware: Map<string, string>;
  readonly shown: Map<string, string>;
};

export type Violation = { readonly invariant: string; readonly message: string };

export type Auditor = {
  readonly shadow: Shadow;
  violation: Violation | null;
  /** Batches that Route 53 accepted, and statuses that were written. `words`: those with new words of Route 53. */
  writes: { batches: number; statuses: number; items: number; words: number };
  factsOf(run: FunctionRun): RunFacts;
  fail(invariant: string, message: string): void;
  sawItem(run: FunctionRun, key: LedgerKey, item: LedgerItem | null): void;
  /** A run read Zones, the first of all or further ones. */
  sawZones(run: FunctionRun, zones: readonly LedgerItem[], isFirst: boolean): void;
  /** A run read items of record sets. */
  sawRecordSets(run: FunctionRun, items: readonly LedgerItem[]): void;
  /** A run read dirty marks. */
  sawMarks(run: FunctionRun, partition: string, marks: readonly LedgerItem[]): void;
  wroteItem(run: FunctionRun, key: LedgerKey, before: JsonObject | null, after: JsonObject | null): void;
  /** Items that were written beside another. */
  wroteBeside(writes: readonly LedgerWrite[]): void;
  /** A run asks for a batch to be sent, which then waits for its turn. */
  asksForBatch(run: FunctionRun, id: string): void;
  sendsBatch(run: FunctionRun, id: string, changes: readonly RecordSetChange[]): void;
  applies(
    run: FunctionRun,
    id: string,
    changes: readonly RecordSetChange[],
    apply: () => Promise<BatchOutcome>,
  ): Promise<BatchOutcome>;
  createdHostedZone(name: string): Promise<void>;
  /** A run removed the dirty mark of this generation. */
  clearedMark(run: FunctionRun, key: LedgerKey, generation: string): void;
  /** True between writing a status and noting that it was written. */
  isReporting(run: FunctionRun): boolean;
  reports(run: FunctionRun, ref: ObjectRef, status: ObjectStatus): void;
  /** A stranger set or removed a record set; `content` null: removed. */
  strangerWrote(id: string, set: RecordSetKey, content: unknown): void;
};

/** The history of a key. Without an entry, nothing was ever there. */
export function standingAt(shadow: Shadow, id: string, set: RecordSetKey): Standing {
  const key = standingKey(id, set);
  const known = shadow.standing.get(key);
  if (known !== undefined) return known;
  const fresh: Standing = { log: ['absent'], writer: null };
  shadow.standing.set(key, fresh);
  return fresh;
}

/** Makes an auditor for a world that has not begun. */
export function newAuditor(world: World): Auditor {
  const shadow: Shadow = {
    standing: new Map(),
    items: new Map(),
    entries: new Map(),
    serials: new Map(),
    runs: new Map(),
    refused: new Set(),
    absences: new Set(),
    deletions: [],
    acknowledged: false,
    found: new Map(),
    services: newServiceFacts(),
    words: new Set(),
    unaware: new Map(),
    shown: new Map(),
  };
  const factsOf = (run: FunctionRun): RunFacts => {
    const facts = shadow.runs.get(run) ?? {
      reporting: 0,
      epoch: null,
      leaseSeenAtMs: 0,
      leaseHeld: false,
      leaseUntilMs: 0,
      sentAtMs: 0,
      reads: new Map(),
      readsBefore: new WeakMap(),
      refusedCalls: 0,
      ours: null,
      marks: new Set<string>(),
      knowsRoot: null,
      staying: new Map(),
      pendingDeletes: new Map(),
    };
    shadow.runs.set(run, facts);
    return facts;
  };
  const seesLease = (run: FunctionRun, key: LedgerKey, body: JsonObject | null) => {
    if (key.partition !== 'hostedzones') return;
    const facts = factsOf(run);
    const lease = (body?.lease ?? null) as { holder: string; epoch: number; expiresAtMs: number } | null;
    const held = lease?.holder === run.id;
    if (held && facts.epoch === null) {
      facts.epoch = lease.epoch;
      facts.ours = { atMs: world.time.ms, keys: knownAsOurs(shadow, key.sort) };
    }
    if (facts.epoch !== null && facts.leaseHeld && !held && lease !== null)
      sawThat(world, 'a run saw that its lease was lost');
    Object.assign(facts, { leaseHeld: held, leaseSeenAtMs: world.time.ms, leaseUntilMs: lease?.expiresAtMs ?? 0 });
  };
  const auditor: Auditor = {
    shadow,
    violation: null,
    writes: { batches: 0, statuses: 0, items: 0, words: 0 },
    factsOf,
    fail: (invariant, message) => {
      auditor.violation ??= { invariant, message };
    },
    sawItem: (run, key, item) => {
      seesLease(run, key, item?.body ?? null);
      noteRecheck(world, run, key, item);
    },
    sawZones: (run, zones, isFirst) => {
      const facts = factsOf(run);
      const hasRoot = zones.some(({ sort, body }) => sort === ROOT && body.deleted !== true && body.spec !== null);
      if (isFirst || hasRoot) facts.knowsRoot = hasRoot;
    },
    sawRecordSets: (run, items) => {
      const { staying } = factsOf(run);
      for (const { partition, sort, body } of items) {
        const stays = body.desired != null && body.published != null;
        if (stays) staying.set(`${partition} ${sort}`, body as unknown as RecordSetKey);
        else staying.delete(`${partition} ${sort}`);
      }
    },
    sawMarks: (run, partition, marks) => {
      const { marks: generations, pendingDeletes } = factsOf(run);
      for (const { revision } of marks) generations.add(revision);
      for (const [key, pending] of pendingDeletesOf(world, partition, marks)) pendingDeletes.set(key, pending);
      const all = [...pendingDeletes.values()];
      if (all.some(({ atApex }) => atApex) && all.some(({ atApex }) => !atApex))
        sawThat(world, 'a delete at the apex waited with others');
    },
    wroteItem: (run, key, before, after) => {
      if (!isOfEverySweep(world, key, before, after)) auditor.writes.items += 1;
      const id = `${key.partition} ${key.sort}`;
      tell(world, () => `   ${run.id} writes ${id}: ${after === null ? 'removed' : JSON.stringify(after)}`);
      checkLedgerWrite(world, run, key, before, after);
      noteAges(world, key, after);
      if (key.partition.startsWith('directory#')) noteLive(world, factsOf(run), before, after);
      if (key.partition.startsWith('recordsets#')) noteRefused(world, key, before, after);
      if (after === null) shadow.items.delete(id);
      else shadow.items.set(id, after);
      if (key.partition.startsWith('statuses#')) factsOf(run).reporting -= 1;
      seesLease(run, key, after);
    },
    wroteBeside: (writes) => {
      for (const { key, body } of writes) {
        if (key.partition.startsWith('history#')) noteEntry(world, key, body);
        else shadow.items.set(`${key.partition} ${key.sort}`, body);
      }
    },
    asksForBatch: (run, id) => checkAsked(world, run, factsOf(run), id),
    sendsBatch: (run, id, changes) => {
      const facts = factsOf(run);
      facts.sentAtMs = world.time.ms;
      facts.readsBefore.set(changes, new Map(facts.reads));
      checkBatch(world, run, facts, id, changes);
      checkOneNamespace(world, id, changes);
      checkApart(world, facts, id, changes);
      checkProtected(world, id, changes);
    },
    applies: async (run, id, changes, apply) => {
      const facts = factsOf(run);
      const outcome = await apply();
      if (outcome.kind === 'refused') {
        sawThat(world, 'Route 53 refused a batch');
        for (const message of outcome.messages) shadow.words.add(message);
        checkRefused(world, run, facts);
      }
      if (outcome.kind !== 'accepted') return outcome;
      auditor.writes.batches += 1;
      checkAccepted(world, facts, id, changes);
      if (outcome.changeId !== undefined) noteChanges(world, id, changes, outcome.changeId);
      return outcome;
    },
    createdHostedZone: async (name) => {
      world.hostedZonesMade += 1;
      const all = await world.route53.port.list();
      const same = all.filter((one) => one.name === name && one.id.startsWith('Zzone53:'));
      if (same.length > 1)
        auditor.fail('I15', `${same.length} hosted zones are named ${name}: ${same.map(({ id }) => id).join(', ')}`);
      sawThat(world, 'a hosted zone was created');
    },
    clearedMark: (run, key, generation) => {
      if (!factsOf(run).marks.has(generation))
        auditor.fail('I11', `${run.id} cleared ${key.partition} ${key.sort} at a generation that it never planned`);
    },
    isReporting: (run) => factsOf(run).reporting > 0,
    reports: (run, ref, status) => {
      factsOf(run).reporting += 1;
      auditor.writes.statuses += 1;
      if (showsNewWords(world, ref, status)) auditor.writes.words += 1;
      checkStatus(world, ref, status);
      checkPropagated(world, run, ref, status);
    },
    strangerWrote: (id, set, content) => {
      noteStranger(world, standingKey(id, set));
      const standing = standingAt(shadow, id, set);
      standing.log.push(content === null ? 'absent' : textOf(content));
      // When a stranger writes exactly what we had published, nobody can tell who wrote it.
      const { partition, sort } = recordSetItemKey(id, set);
      const { published = null, publishedObjects = [] } = shadow.items.get(`${partition} ${sort}`) ?? {};
      const isOurs = published !== null && textOf(published) === textOf(content);
      // Of a takeover that wrote nothing yet, and that may still end, it is what was there all the time.
      const isBegun = isOurs && (publishedObjects as readonly unknown[]).includes(OUTSIDER);
      const adoptedText = isBegun ? textOf(content) : null;
      standing.writer = content === null ? null : isOurs ? 'us' : 'stranger';
      standing.wasTakeable = content === null && standing.takeable === true;
      Object.assign(standing, { strangerAtMs: world.time.ms, takeable: false, adoptedText, texts: [] });
    },
  };
  return auditor;
}
