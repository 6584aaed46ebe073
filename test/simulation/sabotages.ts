// One safeguard weakened at a time, by wrapping a port or bending the queues. The simulation must find every one of them within
// the seeds that CI runs: that is the proof that it can fail. What a function is told is bent; what the auditor sees is not.
import { formatRef, keyOf } from '../../lib/objects/object-ref.ts';
import { recheckCodec } from '../../lib/observe/related/related-items.ts';
import type { JsonObject, JsonValue } from '../../lib/ports/ledger.ts';
import {
  bend,
  bendOutcomes,
  bendReads,
  bendWrites,
  breaks,
  isRecordSet,
  losesWrites,
  of,
  type Sabotage,
  unconditional,
} from './bend.ts';
import { ROUTED_SABOTAGES } from './routed-sabotages.ts';
import type { World } from './world.ts';

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
  bend('what is not stored yet is not looked at again', ({ queues }) => ({
    queues: {
      hint: (hints, delaySeconds) =>
        queues.hint(
          hints.filter(({ attempt }) => attempt === undefined),
          delaySeconds,
        ),
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
  breaks(
    'I1',
    bendReads('every hosted zone is taken for one that zone53 made', of('hostedzones'), (item) => ({
      ...item,
      body: { ...item.body, made: true },
    })),
  ),
  { name: 'the guard is off', guard: { deletesMax: 1_000_000, deletesShareMax: 1 } },
  breaks(
    'I6',
    bend('half of a small hosted zone may go', ({ ledger }, _run, world) => ({
      ledger: {
        get: async (key) => {
          const item = await ledger.get(key);
          if (item === null || key.partition !== 'hostedzones') return item;
          const many = { atMs: world.time.ms, count: 0, published: 100 };
          return { ...item, body: { ...item.body, deletions: [...(item.body.deletions as JsonValue[]), many] } };
        },
      },
    })),
  ),
  bendReads('whatever is held counts as acknowledged', of('hostedzones'), (item) => {
    const held = item.body.held as { digest: string } | null;
    return held === null
      ? item
      : { ...item, body: { ...item.body, acknowledgement: { digest: held.digest, state: 'open' } } };
  }),
  bendWrites('counts are never taken anew', of('hostedzones'), (body) => ({ ...body, recount: false })),
  bendReads(
    'what a run that died meant to write is not looked for',
    (key, run) => isRecordSet(key) && run.kind === 'publish',
    (item) => ({ ...item, body: { ...item.body, intent: null } }),
  ),
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
      change: (id, changes, ...rest) =>
        hostedZones.change(
          id,
          changes.map((change) => (change.action === 'CREATE' ? { ...change, action: 'UPSERT' } : change)),
          ...rest,
        ),
    },
  })),
  bend('DELETE is sent with whatever stands there', ({ hostedZones }, _run, world) => ({
    hostedZones: {
      change: (id, changes, ...rest) => {
        const standing = world.route53.recordSets(id);
        const bent = changes.map((change) => {
          const { name, type, setIdentifier } = change.recordSet;
          const found = standing.find(
            (set) => set.name === name && set.type === type && set.setIdentifier === setIdentifier,
          );
          return change.action === 'DELETE' && found !== undefined ? { ...change, recordSet: found } : change;
        });
        return hostedZones.change(id, bent, ...rest);
      },
    },
  })),
  { name: 'every Zone with a full name is a root', noRoots: true },
  breaks(
    'I7',
    bendReads('nobody knows which Zone is older', of('objects#'), (item) => ({
      ...item,
      body: { ...item.body, age: { ...(item.body.age as JsonObject), creationTimestamp: null } },
    })),
  ),
  breaks(
    'I7',
    bend('a delegation counts for every namespace', ({ ledger }) => ({
      ledger: {
        get: async (key) => {
          const item = await ledger.get(key);
          if (item === null || key.partition !== 'directory#default') return item;
          const { spec } = item.body as { spec: { delegations: JsonObject[] } };
          const delegations = spec.delegations.map(({ namespaces: _, ...rule }) => rule);
          return { ...item, body: { ...item.body, spec: { ...spec, delegations } } };
        },
      },
    })),
  ),
  breaks(
    'I4',
    bend('a batch waits for its turn however long that takes', ({ hostedZones }) => ({
      hostedZones: { change: (id, changes, comment) => hostedZones.change(id, changes, comment) },
    })),
  ),
  breaks(
    'I2',
    bend('what is replaced is deleted first', ({ hostedZones, ledger }) => ({
      hostedZones: {
        change: async (id, changes, ...rest) => {
          const deletes = changes.filter(({ action }) => action === 'DELETE');
          if (deletes.length === 0 || deletes.length === changes.length)
            return hostedZones.change(id, changes, ...rest);
          const outcome = await hostedZones.change(id, deletes, ...rest);
          if (outcome.kind !== 'accepted') return outcome;
          // The lease is looked at before the second as before the first: that is not what is weakened.
          await ledger.get({ partition: 'hostedzones', sort: id });
          const others = changes.filter(({ action }) => action !== 'DELETE');
          return hostedZones.change(id, others, ...rest);
        },
      },
    })),
  ),
  breaks(
    'I16',
    bend('publish knows of no hosted zone but its own', ({ ledger }, run) => ({
      ledger: {
        get: (key) => (run.kind === 'publish' && of('directory#')(key) ? Promise.resolve(null) : ledger.get(key)),
      },
    })),
  ),
  bend('a page of the ledger is taken for the whole', ({ ledger }) => ({
    ledger: {
      query: async (partition, options) => ({
        ...(await ledger.query(partition, { ...options, limit: 2 })),
        next: null,
      }),
    },
  })),
  breaks('Q1', losesWrites('nobody remembers who leans on what', of('dependents#'))),
  breaks(
    'Q1',
    bend('a hint about what is leaned on is always on its way already', ({ ledger }) => ({
      ledger: {
        get: async (key) =>
          of('rechecks#')(key)
            ? { ...key, revision: 'sabotaged', body: recheckCodec.encode({ dueMs: Number.MAX_SAFE_INTEGER }) }
            : ledger.get(key),
      },
    })),
  ),
  breaks(
    'I12',
    bendReads(
      'what is wanted is reported as published',
      (key, run) => isRecordSet(key) && run.kind === 'report',
      (item) => ({ ...item, body: { ...item.body, published: item.body.desired ?? null, refusal: null } }),
    ),
  ),
  breaks(
    'I13',
    bendReads('the last serial is read as the one before', of('statuses#'), (item) => {
      const { serial } = item.body;
      return { ...item, body: { ...item.body, serial: typeof serial === 'number' ? serial - 1 : null } };
    }),
  ),
  breaks(
    'Q4',
    bendReads('what was last reported is forgotten', of('statuses#'), (item) => ({
      ...item,
      body: { ...item.body, conditions: [] },
    })),
  ),
  breaks(
    'I17',
    bendReads(
      'deletes do not wait for others to come',
      (key, run) => of('dirty#')(key) && run.kind === 'publish',
      (item) => ({ ...item, body: { ...item.body, sinceMs: 0 } }),
    ),
  ),
  breaks(
    'I17',
    bend('deletes beside a record set that stays do not wait', ({ ledger }, run, world) => ({
      ledger: {
        query: async (partition, options) => {
          const page = await ledger.query(partition, options);
          if (run.kind !== 'publish' || !partition.startsWith('dirty#')) return page;
          const wanted = [...world.auditor.shadow.items.values()].filter(({ desired }) => desired != null);
          const staying = new Set(wanted.map(({ name }) => name));
          const items = page.items.map((item) =>
            staying.has(item.body.name ?? null) ? { ...item, body: { ...item.body, sinceMs: 0 } } : item,
          );
          return { ...page, items };
        },
      },
    })),
  ),
  breaks(
    'I18',
    bendReads(
      'what was refused is tried again with every sweep',
      (key, run) => isRecordSet(key) && run.kind === 'sweep',
      ({ body, ...item }) => {
        const refusal = body.refusal as JsonObject | null | undefined;
        return { ...item, body: { ...body, refused: null, refusal: refusal == null ? null : { ...refusal, atMs: 0 } } };
      },
    ),
  ),
  breaks(
    'I19',
    bendReads(
      'what was refused before is forgotten',
      (key, run) => isRecordSet(key) && run.kind === 'publish',
      (item) => ({ ...item, body: { ...item.body, refused: null } }),
    ),
  ),
  breaks('I15', losesWrites('the caller reference of a new hosted zone is lost', of('creations#'))),
  breaks(
    'Q5',
    bendWrites('an invalid edit withdraws the last valid spec', of('objects#'), (body) =>
      Array.isArray(body.problems) && body.problems.length > 0 ? { ...body, spec: null, endpoints: null } : body,
    ),
  ),
  ...ROUTED_SABOTAGES,
  breaks(
    'I0',
    bendWrites('items are written in a version that nobody knows', of('dirty#'), (body) => ({ ...body, v: 2 })),
  ),
];
