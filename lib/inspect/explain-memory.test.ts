import { expect, test } from 'vitest';
import { reconcileWorld } from '../../test/fakes/reconcile-world.ts';
import { readCluster } from '../observe/read-cluster.ts';
import { explainName } from './explain-name.ts';

test('explainName() says when it has released memory, as a plan does', async () => {
  const { context } = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }] });
  let released = 0;
  const onReleased = () => {
    released += 1;
  };
  await explainName(context, await readCluster(context), 'www.e.', null, { onReleased });
  expect(released).toBe(2);
});
