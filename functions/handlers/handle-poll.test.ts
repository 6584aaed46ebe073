import { expect, test } from 'vitest';
import type { Changes } from '../../lib/ports/cluster.ts';
import { reconcileWorld } from '../../test/fakes/reconcile-world.ts';
import { handlePoll } from './handle-poll.ts';

const GONE: Changes = { version: '2', objects: [], deleted: [{ kind: 'Record', namespace: 'a', name: 'www' }] };

/** The handler over a cluster in which a Record went after version 1. `refused`: a kind that cannot be polled. */
function pollWorld(refused: string | null = null) {
  const world = reconcileWorld({ hostedZones: [] });
  const metered: [string, number][] = [];
  const tags: object[] = [];
  const { cluster } = world.context;
  const changes = async (kind: string, since: string | null): Promise<Changes> => {
    if (kind === refused) throw new Error(`Cannot watch ${kind}`);
    if (since === '1' && kind === 'Record') return GONE;
    return { version: since ?? '1', objects: [], deleted: [] };
  };
  const poll = handlePoll({
    context: { ...world.context, cluster: { ...cluster, changes } },
    kinds: ['Zone', 'Record'],
    meter: (metric, value) => void metered.push([metric, value]),
    tag: (fields) => void tags.push(fields),
  });
  return { poll, world, metered, tags };
}

test('a poll queues a hint for what has changed, with the id of the poll and the poll as its cause', async () => {
  const { poll, world, metered, tags } = pollWorld();
  await poll();
  expect(world.queued.hints).toEqual([]);
  await poll();
  const correlationId = `poll-${world.clock.ms}`;
  expect(world.queued.hints).toEqual([expect.objectContaining({ ...GONE.deleted[0], correlationId, via: 'poll' })]);
  expect(metered).toEqual([
    ['Hints', 0],
    ['Hints', 1],
  ]);
  expect(tags.at(-1)).toEqual({ correlationId });
});

test('a kind that cannot be polled fails the invocation, after the others', async () => {
  const { poll, world } = pollWorld('Zone');
  await expect(poll()).rejects.toThrow('Cannot poll Zone: Cannot watch Zone');
  await expect(poll()).rejects.toThrow('Cannot poll Zone');
  expect(world.queued.hints).toHaveLength(1);
});
