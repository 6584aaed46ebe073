// Sabotages of publishing, each of which weakens one safeguard: lease, marks, intents, outcomes, guard, and the content
// of a batch. Part of the list in sabotages.ts.
import type { JsonObject, JsonValue, LedgerWrite } from '../../lib/ports/ledger.ts';
import { DEFAULT_LEASE_LIMITS } from '../../lib/record-sets/lease.ts';
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
import { limitsOf } from './change-limits.ts';

/** Changes what is written beside items of record sets. */
function bendHistory(name: string, change: (write: LedgerWrite) => readonly LedgerWrite[]): Sabotage {
  return bend(name, ({ ledger }) => ({
    ledger: {
      put: (key, body, expected, options) =>
        ledger.put(key, body, expected, { ...options, beside: options?.beside?.flatMap(change) ?? [] }),
    },
  }));
}

const accepted = { kind: 'accepted' } as const;

export const PUBLISH_SABOTAGES: readonly Sabotage[] = [
  breaks(
    'I30',
    bend('every hosted zone is written with our own role', ({ own }) => ({ hostedZones: { change: own.change } })),
  ),
  breaks('I28', {
    name: 'a batch that is too large for the account counts as one for a busy hosted zone',
    concerns: (seed) => limitsOf(seed) !== null,
    limits: (outcome) => (outcome.kind === 'throttled' ? { kind: 'throttled', message: outcome.message } : outcome),
  }),
  breaks(
    'I27',
    bend('every protection seems to be gone', () => ({ hostedZones: { protections: async () => [] } })),
  ),
  breaks(
    'I29',
    bendHistory('the entries of the history are lost', (entry) =>
      entry.key.partition.startsWith('history#') ? [] : [entry],
    ),
  ),
  breaks(
    'I29',
    bendHistory('each change stands in the history twice', ({ key, ...entry }) => {
      const again = { ...entry, key: { ...key, sort: key.sort.replace(/!\d{13}/, '!0000000000000') } };
      return [{ key, ...entry }, again];
    }),
  ),
  breaks(
    'I31',
    bend('every change counts as known to all name servers', () => ({
      hostedZones: { changeStatus: async () => ({ kind: 'insync' }) },
    })),
  ),
  breaks(
    'I31',
    bendWrites('for how long resolvers keep an answer is lost', isRecordSet, (body) => {
      const { propagation } = body as { propagation?: JsonObject };
      if (propagation === undefined) return body;
      return { ...body, propagation: { ...propagation, keptSeconds: 0, isNew: false, earlierMs: 0 } };
    }),
  ),
  bendWrites('write intents are lost', isRecordSet, (body) => ({ ...body, intent: null })),
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
        put: async (key, body, ...rest) => {
          const revision = await ledger.put(key, body, ...rest);
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
  bendWrites('a record set is saved as published before Route 53 is called', isRecordSet, (body) =>
    body.intent == null ? body : { ...body, published: (body.intent as { content: null }).content, intent: null },
  ),
  bendReads(
    'anybody may take over',
    (key, run) => isRecordSet(key) && run.kind === 'publish',
    (item) => ({ ...item, body: { ...item.body, takeover: true } }),
  ),
  breaks(
    'I1',
    bendReads('every hosted zone counts as created by zone53', of('hostedzones'), (item) => ({
      ...item,
      body: { ...item.body, made: true },
    })),
  ),
  { name: 'the guard is off', guard: () => ({ deletesMax: 1_000_000, deletesShareMax: 1 }) },
  breaks(
    'Q2',
    bendWrites('that Route 53 denies changes is not saved', of('hostedzones'), (body) => ({ ...body, denied: null })),
  ),
  breaks(
    'I6',
    bend('the guard allows more than half of a small hosted zone', ({ ledger }, _run, world) => ({
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
  breaks(
    'I6',
    bendReads('all deletes count for the namespace that deletes most', of('guard'), (item) => {
      const others = { atMs: Number.MAX_SAFE_INTEGER, count: 100, published: 0 };
      return { ...item, body: { ...item.body, deletions: [...(item.body.deletions as JsonValue[]), others] } };
    }),
  ),
  bendReads('held deletes count as acknowledged', of('hostedzones'), (item) => {
    const held = item.body.held as { digest: string } | null;
    return held === null
      ? item
      : { ...item, body: { ...item.body, acknowledgements: [{ digest: held.digest, state: 'open' }] } };
  }),
  bend('no abandoned lease is noticed', ({ ledger }, _run, world) => ({
    ledger: {
      get: async (key) => {
        const item = await ledger.get(key);
        const lease = item?.body.lease as { readonly expiresAtMs: number } | null | undefined;
        if (item === null || !of('hostedzones')(key) || lease == null) return item;
        return lease.expiresAtMs + DEFAULT_LEASE_LIMITS.skewMs > world.time.ms
          ? item
          : { ...item, body: { ...item.body, lease: null } };
      },
    },
  })),
  breaks(
    'I6',
    bend('deletes are not charged before their call', ({ ledger }) => ({
      ledger: {
        put: async (key, body, expected, options) => {
          if (!of('hostedzones')(key) || body.lease === null) return ledger.put(key, body, expected, options);
          const before = (await ledger.get(key))?.body;
          const { publishedCount, deletions } = before ?? body;
          const others = options?.beside?.filter((one) => !of('guard#')(one.key)) ?? [];
          const written = { ...body, publishedCount: publishedCount ?? null, deletions: deletions ?? null };
          return ledger.put(key, written, expected, { ...options, beside: others });
        },
      },
    })),
  ),
  breaks(
    'Q2',
    bend('a hosted zone that denied a change counts as denying them for ever', ({ ledger }) => ({
      ledger: {
        put: async (key, body, ...rest) => {
          const denied = of('hostedzones')(key) ? (await ledger.get(key))?.body.denied : null;
          return ledger.put(key, denied == null ? body : { ...body, denied }, ...rest);
        },
      },
    })),
  ),
  bendReads(
    'the write intents of a dead run are ignored',
    (key, run) => isRecordSet(key) && run.kind === 'publish',
    (item) => ({ ...item, body: { ...item.body, intent: null } }),
  ),
  bendWrites('the contents that may land late are lost', isRecordSet, (body) => ({ ...body, late: [] })),
  bendOutcomes('a call without an answer counts as accepted', (outcome) =>
    outcome.kind === 'unknown' ? accepted : outcome,
  ),
  bendOutcomes('a call without an answer counts as throttled', (outcome) =>
    outcome.kind === 'unknown' ? { kind: 'throttled', message: 'sabotaged' } : outcome,
  ),
  bendOutcomes('a refused batch counts as accepted', (outcome) => (outcome.kind === 'refused' ? accepted : outcome)),
  bend('a read of a name always finds nothing', ({ hostedZones }) => ({
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
  bend('DELETE is sent with the content that Route 53 has', ({ hostedZones }, _run, world) => ({
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
  breaks(
    'I4',
    bend('a batch waits for its turn without a limit', ({ hostedZones }) => ({
      hostedZones: { change: (id, changes, comment) => hostedZones.change(id, changes, comment) },
    })),
  ),
  breaks(
    'I2',
    bend('a replaced record set is deleted in a batch before its create', ({ hostedZones, ledger }) => ({
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
    bend('publish reads no other hosted zones', ({ ledger }, run) => ({
      ledger: {
        get: (key) => (run.kind === 'publish' && of('directory#')(key) ? Promise.resolve(null) : ledger.get(key)),
      },
    })),
  ),
  breaks(
    'I17',
    bendReads(
      'deletes do not wait for other deletes',
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
      'a refused record set is tried again by every sweep',
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
      'earlier refusals are lost',
      (key, run) => isRecordSet(key) && run.kind === 'publish',
      (item) => ({ ...item, body: { ...item.body, refused: null } }),
    ),
  ),
  breaks('I15', losesWrites('the caller reference of a new hosted zone is lost', of('creations#'))),
];
