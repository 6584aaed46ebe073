import { expect, test } from 'vitest';
import {
  deliverAll,
  deliverHints,
  type ReconcileWorld,
  reconcileWorld,
  through,
} from '../../test/fakes/reconcile-world.ts';
import type { ObjectRef } from '../objects/object-ref.ts';
import type { ClusterObject } from '../ports/cluster.ts';
import { pollKinds } from './poll-kinds.ts';
import { sweepPiece } from './sweep-cluster.ts';

const KINDS = ['Zone', 'Record'];
const ZONE = { kind: 'Zone', namespace: 'a', name: 'zone' };
const www = { kind: 'Record', namespace: 'a', name: 'www' };
const mail = { kind: 'Record', namespace: 'a', name: 'mail' };
const specOf = ({ name }: ObjectRef, rdata = '192.0.2.1') => ({ domainName: `${name}.e.`, type: 'A', rdata });

/** A cluster that tells what has changed, with a Zone and two Records that are published. */
async function polledWorld() {
  const plain = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }] });
  const journal: { readonly ref: ObjectRef; readonly object: ClusterObject | null }[] = [];
  const asked: string[] = [];
  const state = { oldest: 0, refused: null as string | null, unserved: 'Ingress' };
  const world: ReconcileWorld = through(plain, {
    cluster: {
      ...plain.context.cluster,
      get: (ref, seenIn) => {
        asked.push(ref.name);
        return plain.context.cluster.get(ref, seenIn);
      },
      listPage: (kind, ...rest) => {
        asked.push(kind);
        return plain.context.cluster.listPage(kind, ...rest);
      },
      changes: async (kind, since) => {
        if (kind === state.refused) throw new Error(`Cannot watch ${kind}`);
        if (kind === state.unserved) return { version: '', objects: [], deleted: [] };
        if (since !== null && Number(since) < state.oldest) return null;
        const news = journal.slice(Number(since ?? journal.length)).filter(({ ref }) => ref.kind === kind);
        return {
          version: `${journal.length}`,
          objects: news.flatMap(({ object }) => object ?? []),
          deleted: news.flatMap(({ ref, object }) => (object === null ? [ref] : [])),
        };
      },
    },
  });
  const put = (ref: ObjectRef, spec: object) => {
    plain.cluster.put(ref, spec);
    const object = plain.cluster.objects().find((one) => one.ref.kind === ref.kind && one.ref.name === ref.name);
    journal.push({ ref, object: object ?? null });
  };
  const remove = (ref: ObjectRef) => {
    plain.cluster.remove(ref);
    journal.push({ ref, object: null });
  };
  put(ZONE, { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] });
  put(www, specOf(www));
  put(mail, specOf(mail));
  const poll = async (kinds = KINDS) => {
    const { failed } = await pollKinds(world.context, kinds);
    const hinted = world.queued.hints.map(({ kind, name }) => `${kind} ${name ?? '*'}`).toSorted();
    return { hinted, failed: failed.map(({ kind }) => kind) };
  };
  const settle = async () => {
    await deliverHints(world);
    await deliverAll(world);
    asked.length = 0;
  };
  return { world, state, asked, put, remove, poll, settle, journal };
}

/** The same after the first poll and the first sweep. */
async function sweptWorld() {
  const polled = await polledWorld();
  expect(await polled.poll()).toEqual({ hinted: [], failed: [] });
  await sweepPiece(polled.world.context, Number.POSITIVE_INFINITY);
  await polled.settle();
  expect(polled.world.route53.recordSets('Z1').filter(({ type }) => type === 'A')).toHaveLength(2);
  return polled;
}

test('pollKinds() reads nothing where nothing has changed', async () => {
  const { poll, asked } = await sweptWorld();
  expect(await poll()).toEqual({ hinted: [], failed: [] });
  expect(asked).toEqual([]);
});

test('pollKinds() gives one hint for one changed object, and reads nothing itself', async () => {
  const { poll, put, asked, settle, world } = await sweptWorld();
  put(www, specOf(www, '192.0.2.2'));
  expect(await poll()).toEqual({ hinted: ['Record www'], failed: [] });
  expect(asked).toEqual([]);
  await settle();
  expect(JSON.stringify(world.route53.recordSets('Z1'))).toContain('192.0.2.2');
  expect(await poll()).toEqual({ hinted: [], failed: [] });
});

test('pollKinds() gives no hint for an object that was written and is as the ledger has it', async () => {
  const { poll, journal, world } = await sweptWorld();
  const object = world.cluster.objects().find(({ ref }) => ref.name === 'www') as ClusterObject;
  journal.push({ ref: www, object });
  expect(await poll()).toEqual({ hinted: [], failed: [] });
});

test('pollKinds() gives a hint for an object that is gone', async () => {
  const { poll, remove } = await sweptWorld();
  remove(mail);
  expect(await poll()).toEqual({ hinted: ['Record mail'], failed: [] });
});

test('pollKinds() has all objects of a kind compared when its version is too old, and a short list deletes nothing', async () => {
  const { poll, put, state, journal, settle, world } = await sweptWorld();
  put(www, specOf(www, '192.0.2.2'));
  state.oldest = journal.length + 1;
  expect(await poll()).toEqual({ hinted: ['Record *', 'Zone *'], failed: [] });
  state.oldest = 0;
  const { context } = world;
  const short = {
    ...context.cluster,
    listPage: async () => ({ objects: [], next: null, unreadable: new Set<string>() }),
  };
  await deliverHints({ ...world, context: { ...context, cluster: short } });
  await settle();
  const values = world.route53.recordSets('Z1').filter(({ type }) => type === 'A');
  expect(values).toHaveLength(2);
  expect(JSON.stringify(values)).toContain('192.0.2.2');
});

test('pollKinds() goes on with the other kinds when one fails, and finds its changes later', async () => {
  const { poll, put, state, world } = await sweptWorld();
  state.refused = 'Record';
  put(www, specOf(www, '192.0.2.2'));
  put(ZONE, { domainName: 'e.', delegations: [{ records: [{ pattern: '*', types: ['A'] }] }] });
  expect(await poll()).toEqual({ hinted: ['Zone zone'], failed: ['Record'] });
  world.queued.hints.length = 0;
  state.refused = null;
  expect(await poll()).toEqual({ hinted: ['Record www'], failed: [] });
});

test('pollKinds() gives the same hints again after a run that died before it wrote the version', async () => {
  const { poll, put, world } = await sweptWorld();
  put(www, specOf(www, '192.0.2.2'));
  const dying = { ...world.ledger, put: async () => Promise.reject(new Error('killed')) };
  await expect(pollKinds({ ...world.context, ledger: dying }, KINDS)).rejects.toThrow('killed');
  expect(world.queued.hints.splice(0)).toHaveLength(1);
  expect(await poll()).toEqual({ hinted: ['Record www'], failed: [] });
});

test('pollKinds() has no hints for a kind that is not served, and has it compared once it is', async () => {
  const { poll, state } = await sweptWorld();
  for (let round = 0; round < 2; round += 1)
    expect(await poll([...KINDS, 'Ingress'])).toEqual({ hinted: [], failed: [] });
  state.unserved = '';
  expect(await poll([...KINDS, 'Ingress'])).toEqual({ hinted: ['Ingress *'], failed: [] });
});

test('pollKinds() begins with a comparison where a sweep came before it', async () => {
  const { world, poll } = await polledWorld();
  await sweepPiece(world.context, Number.POSITIVE_INFINITY);
  world.queued.hints.length = 0;
  expect(await poll()).toEqual({ hinted: ['Record *', 'Zone *'], failed: [] });
});
