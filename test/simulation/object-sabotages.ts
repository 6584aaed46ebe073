// Sabotages of the way from an object to what is desired, and back to its report: each weakens one safeguard. Part of
// the list in sabotages.ts.
import { formatRef, keyOf } from '../../lib/objects/object-ref.ts';
import { recheckCodec } from '../../lib/observe/related/related-items.ts';
import type { JsonObject } from '../../lib/ports/ledger.ts';
import { ROOT } from './audit-status.ts';
import { bend, bendReads, bendWrites, breaks, isRecordSet, losesWrites, of, type Sabotage } from './bend.ts';
import { crdsOf } from './crds.ts';
import { overtakenOf } from './overtaken-records.ts';
import type { World } from './world.ts';

const YOUNGEST = '9999-12-31T23:59:59Z';

/** What a listing did not have; one function lists, and another asks. */
const absent = new WeakMap<World, Set<string>>();

function believedAbsent(world: World): Set<string> {
  const known = absent.get(world) ?? new Set();
  absent.set(world, known);
  return known;
}

const isTombstone = ({ deleted, unsettled }: JsonObject) => deleted === true && unsettled === false;

function withSharedRules(spec: JsonObject): JsonObject {
  const rules = (spec.delegations ?? []) as readonly JsonObject[];
  return { ...spec, delegations: rules.map((rule) => ({ ...rule, shared: true })) };
}

export const OBJECT_SABOTAGES: readonly Sabotage[] = [
  bend('a hint whose object is not stored yet is not repeated', ({ queues }) => ({
    queues: {
      hint: (hints, delaySeconds) =>
        queues.hint(
          hints.filter(({ attempt }) => attempt === undefined),
          delaySeconds,
        ),
    },
  })),
  {
    ...breaks(
      'I26',
      bend('the CRD of an object that is gone counts as old', () => ({
        cluster: { crd: async () => ({ kind: 'none' }) },
      })),
    ),
    concerns: (seed) => crdsOf(seed) !== null,
  },
  losesWrites('subtree tasks are lost', of('subtrees#')),
  breaks('I25', losesWrites('the ages of names are lost', of('ages#'))),
  breaks(
    'I25',
    bendWrites('who asks last for a name counts as the oldest', of('ages#'), (body) => ({
      ...body,
      ages: [...(body.ages as readonly JsonObject[])].reverse(),
    })),
  ),
  breaks(
    'I24',
    bendReads('every delegation counts as shared', of('directory#'), (item) => ({
      ...item,
      body: { ...item.body, spec: withSharedRules(item.body.spec as JsonObject) },
    })),
  ),
  bend('a stale reading of an object counts as a new one', ({ cluster }, _run, world) => ({
    cluster: {
      get: async (ref, lastSeenIn) => {
        const seen = await cluster.get(ref, lastSeenIn);
        if (seen.kind !== 'present') return seen;
        world.versions += 1;
        return { kind: 'present', object: { ...seen.object, version: String(1_000_000 + world.versions) } };
      },
    },
  })),
  bend('an object that a listing lacks counts as deleted', ({ cluster }, _run, world) => {
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
  bend('an object counts as settled before its consequences are written', ({ ledger }) => ({
    ledger: {
      put: (key, body, ...rest) => ledger.put(key, of('objects#')(key) ? { ...body, unsettled: false } : body, ...rest),
      get: async (key) => {
        const item = await ledger.get(key);
        // An unchanged object does not cause another read either.
        return item !== null && of('names#')(key) ? { ...item, revision: 'sabotaged' } : item;
      },
    },
  })),
  { name: 'every Zone with a full name is a root', noRoots: true },
  breaks(
    'I7',
    bendReads('the oldest Zone counts as the youngest', of('objects#'), (item) =>
      item.sort === ROOT
        ? { ...item, body: { ...item.body, age: { ...(item.body.age as JsonObject), creationTimestamp: YOUNGEST } } }
        : item,
    ),
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
    'Q3',
    bend('a tombstone is never removed', ({ ledger }) => ({
      ledger: {
        remove: async (key, expected) => {
          const item = of('objects#')(key) ? await ledger.get(key) : null;
          return item !== null && isTombstone(item.body) ? true : ledger.remove(key, expected);
        },
      },
    })),
  ),
  {
    ...breaks(
      'Q3',
      bendWrites('a tombstone loses the names of its object', of('objects#'), (body) => {
        const left = (body.left ?? []) as readonly { readonly atMs: number }[];
        return isTombstone(body) ? { ...body, left: left.map(({ atMs }) => ({ name: 'elsewhere.', atMs })) } : body;
      }),
    ),
    concerns: (seed) => overtakenOf(seed) !== null,
  },
  breaks('Q1', losesWrites('dependents are not saved', of('dependents#'))),
  breaks(
    'Q1',
    bend('a recheck always seems to be scheduled', ({ ledger }) => ({
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
      'reports count desired content as published',
      (key, run) => isRecordSet(key) && run.kind === 'report',
      (item) => ({ ...item, body: { ...item.body, published: item.body.desired ?? null, refusal: null } }),
    ),
  ),
  breaks(
    'I13',
    bendReads('the last serial is read as one less', of('statuses#'), (item) => {
      const { serial } = item.body;
      return { ...item, body: { ...item.body, serial: typeof serial === 'number' ? serial - 1 : null } };
    }),
  ),
  breaks(
    'Q4',
    // Lost for the others too, each report would lead to another one, without an end.
    bendReads(
      'the last reported conditions are lost',
      (key, run) => of('statuses#')(key) && run.kind === 'sweep',
      (item) => ({ ...item, body: { ...item.body, conditions: [] } }),
    ),
  ),
  breaks(
    'Q5',
    bendWrites('an invalid edit withdraws the last valid spec', of('objects#'), (body) =>
      Array.isArray(body.problems) && body.problems.length > 0 ? { ...body, spec: null, endpoints: null } : body,
    ),
  ),
];
