import { expect, it } from 'vitest';
import type { Cluster } from '../../lib/ports/cluster.ts';
import { worldOfOne } from '../../test/fakes/handler-world.ts';
import { countUnreadable } from './count-unreadable.ts';

const ref = { kind: 'Record', namespace: 'a', name: 'b' } as const;

it('counts readings that fail, and no others', async () => {
  const counted: unknown[] = [];
  const { cluster } = worldOfOne().context;
  const down = () => Promise.reject(new Error('the certificate is not trusted'));
  const meter = (...of: unknown[]) => counted.push(of);
  const reads = (one: Cluster) => [one.get(ref, null), one.list(), one.listPage('Record', null, null)];
  await Promise.all(reads(countUnreadable(cluster, meter)));
  expect(counted).toEqual([]);
  const readings = await Promise.allSettled(
    reads(countUnreadable({ ...cluster, get: down, list: down, listPage: down }, meter)),
  );
  expect(readings.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(counted).toEqual(Array(3).fill(['Unreadable', 1, { what: 'cluster' }]));
});
