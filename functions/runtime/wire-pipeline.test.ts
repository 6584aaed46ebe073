import { expect, it, vi } from 'vitest';
import { DEFAULT_CONFIG } from '../../lib/ports/config.ts';
import { reconcileWorld } from '../../test/fakes/reconcile-world.ts';
import { openContext } from './wire-pipeline.ts';

it('openContext() gives a function the queues that it may send to, and refuses the others', async () => {
  const { ledger, cluster } = reconcileWorld().context;
  const report = vi.fn(async () => {});
  const { queues } = openContext({ ledger, cluster, config: DEFAULT_CONFIG, queues: { report } });
  const ref = { kind: 'Record', namespace: 'a', name: 'www' };
  await queues.report([ref], {}, 10);
  expect(report.mock.calls).toEqual([[[ref], {}, 10]]);
  expect(() => queues.hint([])).toThrow('Cannot use queues.hint: this function has no right to it');
  const { account } = openContext({ ledger, cluster, config: DEFAULT_CONFIG });
  expect(() => account.hostedZones.list()).toThrow('no right');
});
