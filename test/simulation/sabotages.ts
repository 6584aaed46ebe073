// One safeguard weakened at a time, by wrapping a port or bending the queues. The simulation must find every one of them within
// the seeds that CI runs: that is the proof that it can fail. What a function is told is bent; what the auditor sees is not.
import { formatRef, keyOf } from '../../lib/kubizone/objects.ts';
import type { GuardLimits } from '../../lib/reconcile/config.ts';
import type { BatchOutcome, JsonObject, Ledger, LedgerItem, LedgerKey } from '../../lib/reconcile/ports.ts';
import type { Ports } from './gated-ports.ts';
import type { FunctionRun, World } from './world.ts';

export type Sabotage = {
  readonly name: string;
  readonly queues?: { readonly fifo?: boolean; readonly redelivery?: boolean };
  readonly ports?: (ports: Ports, run: FunctionRun, world: World) => Ports;
  readonly guard?: GuardLimits;
  readonly noRoots?: boolean;
};

type Bend = Partial<{ readonly [Port in keyof Ports]: Partial<Ports[Port]> }>;

function bend(name: string, how: (ports: Ports, run: FunctionRun, world: World) => Bend): Sabotage {
  return {
    name,
    ports: (ports, run, world) => {
      const bent = how(ports, run, world);
      return {
        ...ports,
        ledger: { ...ports.ledger, ...bent.ledger },
        hostedZones: { ...ports.hostedZones, ...bent.hostedZones },
        cluster: { ...ports.cluster, ...bent.cluster },
        queues: { ...ports.queues, ...bent.queues },
      };
    },
  };
}

const of = (partition: string) => (key: LedgerKey) => key.partition.startsWith(partition);
const isRecordSet = of('recordsets#');

/** Every body that is written goes through `change`. */
function bendWrites(
  name: string,
  which: (key: LedgerKey) => boolean,
  change: (body: JsonObject) => JsonObject,
): Sabotage {
  return bend(name, ({ ledger }) => ({
    ledger: { put: (key, body, expected) => ledger.put(key, which(key) ? change(body) : body, expected) },
  }));
}

/** Every item that is read goes through `change`. */
function bendReads(
  name: string,
  which: (key: LedgerKey, run: FunctionRun) => boolean,
  change: (item: LedgerItem) => LedgerItem,
): Sabotage {
  return bend(name, ({ ledger }, run) => bentReads(ledger, (item) => (which(item, run) ? change(item) : item)));
}

function bentReads(ledger: Ledger, seen: (item: LedgerItem) => LedgerItem): Bend {
  return {
    ledger: {
      get: async (key) => {
        const item = await ledger.get(key);
        return item === null ? null : seen(item);
      },
      query: async (partition, options) => {
        const page = await ledger.query(partition, options);
        return { ...page, items: page.items.map(seen) };
      },
    },
  };
}

/** Writes of these items are said to have gone well, and do not happen. */
function losesWrites(name: string, which: (key: LedgerKey) => boolean): Sabotage {
  return bend(name, ({ ledger }) => ({
    ledger: { put: async (key, body, expected) => (which(key) ? 'lost' : ledger.put(key, body, expected)) },
  }));
}

function bendOutcomes(name: string, change: (outcome: BatchOutcome) => BatchOutcome): Sabotage {
  return bend(name, ({ hostedZones }) => ({
    hostedZones: { change: async (id, changes, comment) => change(await hostedZones.change(id, changes, comment)) },
  }));
}

function unconditional(ledger: Ledger, which: (key: LedgerKey) => boolean): Partial<Ledger> {
  return {
    put: async (key, body, expected) =>
      ledger.put(key, body, which(key) ? ((await ledger.get(key))?.revision ?? null) : expected),
  };
}

/** What a listing did not have; one function lists, and another asks. */
const absent = new WeakMap<World, Set<string>>();

function believedAbsent(world: World): Set<string> {
  const known = absent.get(world) ?? new Set();
  absent.set(world, known);
  return known;
}

const accepted = { kind: 'accepted', changeId: 'sabotaged' } as const;

export const SABOTAGES: readonly Sabotage[] = [
  bend('conditions of ledger writes are ignored', ({ ledger }) => ({ ledger: unconditional(ledger, () => true) })),
  bendWrites('intents are lost', isRecordSet, (body) => ({ ...body, intent: null })),
  bend('the lease is always granted', ({ ledger }, run) => ({
    ledger: {
      ...unconditional(ledger, of('hostedzones')),
      get: async (key) => {
        const item = await ledger.get(key);
        const lease = item?.body.lease as { holder: string } | null | undefined;
        if (item === null || key.partition !== 'hostedzones' || lease == null || lease.holder === run.id) return item;
        return { ...item, body: { ...item.body, lease: null } };
      },
    },
  })),
  bend('a lost lease is not noticed', ({ ledger }, run) => {
    let mine: JsonObject | null = null;
    return {
      ledger: {
        put: async (key, body, expected) => {
          const revision = await ledger.put(key, body, expected);
          const lease = body.lease as { holder: string } | null | undefined;
          if (key.partition === 'hostedzones' && revision !== null && lease?.holder === run.id) mine = body;
          return revision;
        },
        get: async (key) => {
          const item = await ledger.get(key);
          if (item === null || mine === null || key.partition !== 'hostedzones') return item;
          return { ...item, body: { ...item.body, lease: mine.lease ?? null, epoch: mine.epoch ?? null } };
        },
      },
    };
  }),
  bend('a dirty mark is cleared whatever its generation', ({ ledger }) => ({
    ledger: {
      remove: async (key, expected) =>
        ledger.remove(key, of('dirty#')(key) ? ((await ledger.get(key))?.revision ?? expected) : expected),
    },
  })),
  losesWrites('dirty marks are lost', of('dirty#')),
  losesWrites('tasks of subtrees are lost', of('subtrees#')),
  bend('stale readings are believed', ({ cluster }, _run, world) => ({
    cluster: {
      get: async (ref, lastSeenIn) => {
        const seen = await cluster.get(ref, lastSeenIn);
        if (seen.kind !== 'present') return seen;
        world.versions += 1;
        return { kind: 'present', object: { ...seen.object, version: String(1_000_000 + world.versions) } };
      },
    },
  })),
  bend('an empty list is believed', ({ cluster }, _run, world) => {
    const believed = believedAbsent(world);
    return {
      cluster: {
        listPage: async (kind, namespace, cursor) => {
          const page = await cluster.listPage(kind, namespace, cursor);
          const listed = new Set(page?.objects.map(({ ref }) => formatRef(ref)));
          const last = page?.next == null ? null : (page.objects.at(-1)?.ref ?? null);
          for (const { ref } of world.cluster.objects()) {
            const covered = (cursor === null || keyOf(ref) > cursor) && (last === null || keyOf(ref) <= keyOf(last));
            if (ref.kind !== kind || !covered) continue;
            if (listed.has(formatRef(ref))) believed.delete(formatRef(ref));
            else believed.add(formatRef(ref));
          }
          return page;
        },
        get: async (ref, lastSeenIn) =>
          believed.has(formatRef(ref)) ? { kind: 'absent' } : cluster.get(ref, lastSeenIn),
      },
    };
  }),
  bendWrites('a record set is noted as published before Route 53 was asked', isRecordSet, (body) =>
    body.intent == null ? body : { ...body, published: (body.intent as { content: null }).content, intent: null },
  ),
  bend('an object is settled before its consequences are written', ({ ledger }) => ({
    ledger: {
      put: (key, body, expected) =>
        ledger.put(key, of('objects#')(key) ? { ...body, unsettled: false } : body, expected),
      get: async (key) => {
        const item = await ledger.get(key);
        // Nor does an unchanged object make anybody look again.
        return item !== null && of('names#')(key) ? { ...item, revision: 'sabotaged' } : item;
      },
    },
  })),
  { name: 'a failed message is not delivered again', queues: { redelivery: false } },
  { name: 'messages of one group are delivered at once', queues: { fifo: false } },
  bend('messages to publish are lost', () => ({ queues: { publish: async () => {} } })),
  bend('messages to report are lost', () => ({ queues: { report: async () => {} } })),
  bendReads(
    'anybody may take over',
    (key, run) => isRecordSet(key) && run.kind === 'publish',
    (item) => ({ ...item, body: { ...item.body, takeover: true } }),
  ),
  { name: 'the guard is off', guard: { deletesMax: 1_000_000, deletesShareMax: 1 } },
  bendReads('whatever is held counts as acknowledged', of('hostedzones'), (item) => {
    const held = item.body.held as { digest: string } | null;
    return held === null ? item : { ...item, body: { ...item.body, acknowledged: [held.digest] } };
  }),
  bendWrites('counts are never taken anew', of('hostedzones'), (body) => ({ ...body, recount: false })),
  bendWrites('a late landing is forgotten', isRecordSet, (body) => ({ ...body, late: [] })),
  bendOutcomes('no answer is taken for success', (outcome) => (outcome.kind === 'unknown' ? accepted : outcome)),
  bendOutcomes('no answer is taken for a throttle', (outcome) =>
    outcome.kind === 'unknown' ? { kind: 'throttled', message: 'sabotaged' } : outcome,
  ),
  bendOutcomes('a refusal is taken for success', (outcome) => (outcome.kind === 'refused' ? accepted : outcome)),
  bend('what is in doubt is believed to be as it was', ({ hostedZones }) => ({
    hostedZones: { readName: async (id, name) => ((await hostedZones.readName(id, name)) === null ? null : []) },
  })),
  bend('CREATE is sent as UPSERT', ({ hostedZones }) => ({
    hostedZones: {
      change: (id, changes, comment) =>
        hostedZones.change(
          id,
          changes.map((change) => (change.action === 'CREATE' ? { ...change, action: 'UPSERT' } : change)),
          comment,
        ),
    },
  })),
  bend('DELETE is sent with whatever stands there', ({ hostedZones }, _run, world) => ({
    hostedZones: {
      change: (id, changes, comment) => {
        const standing = world.route53.recordSets(id);
        const bent = changes.map((change) => {
          const { name, type } = change.recordSet;
          const found = standing.find((set) => set.name === name && set.type === type);
          return change.action === 'DELETE' && found !== undefined ? { ...change, recordSet: found } : change;
        });
        return hostedZones.change(id, bent, comment);
      },
    },
  })),
  { name: 'every Zone with a full name is a root', noRoots: true },
];
