// The reports to objects after everything was applied, and what the ledger notes of them.
import { describe, expect, test } from 'vitest';
import { planCluster } from '../../test/fakes/plan-cluster.ts';
import { reconcileWorld, saveAll, through } from '../../test/fakes/reconcile-world.ts';
import { formatRef, parseRef } from '../objects/object-ref.ts';
import { statusesPartition } from '../observe/status-item.ts';
import { ReportRefusedError } from '../ports/cluster.ts';
import { applyCluster } from './apply-cluster.ts';
import { describeAndReport } from './describe-applied.ts';
import { saveCluster } from './save-cluster.ts';

function worldOf(records: number) {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }] });
  world.cluster.put(parseRef('Zone p/e'), { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] });
  for (let index = 0; index < records; index += 1)
    world.cluster.put(parseRef(`Record p/r${index}`), { domainName: `r${index}.e.`, type: 'A', rdata: '192.0.2.1' });
  return world;
}

describe('reportAll()', () => {
  test('notes in one commit what it told many objects one after the other', async () => {
    const world = worldOf(40);
    const { ledger, context } = world;
    const partition = statusesPartition('default', 'Record');
    let noted = 0;
    const turns = new Set<number>();
    let turn = 0;
    const counting: typeof ledger = {
      ...ledger,
      put: (key, ...rest) => {
        if (key.partition === partition) {
          noted += 1;
          turns.add(turn);
        }
        return ledger.put(key, ...rest);
      },
    };
    const cluster: typeof context.cluster = {
      ...context.cluster,
      report: async (...told) => {
        await new Promise((resolve) => setTimeout(resolve, noted % 3));
        turn += 1;
        await context.cluster.report(...told);
      },
    };
    await saveAll(through(world, { ledger: counting, cluster }));
    expect([noted, turns.size]).toEqual([40, 1]);
  });

  test('notes what it told also when one object cannot be told, and tells no object twice', async () => {
    const world = worldOf(5);
    const { report } = world.context.cluster;
    let told: string[] = [];
    let fails = true;
    const cluster: typeof world.context.cluster = {
      ...world.context.cluster,
      report: async (ref, ...rest) => {
        if (fails && ref.name === 'r3') throw new Error('the API server is gone');
        told.push(formatRef(ref));
        await report(ref, ...rest);
      },
    };
    await expect(saveAll(through(world, { cluster }))).rejects.toThrow('the API server is gone');
    const first = told;
    [told, fails] = [[], false];
    await saveAll(through(world, { cluster }));
    expect(told).toContain('Record p/r3');
    expect(told.filter((one) => first.includes(one))).toEqual([]);
    expect([...first, ...told].toSorted()).toEqual([
      ...['r0', 'r1', 'r2', 'r3', 'r4'].map((name) => `Record p/${name}`),
      'Zone p/e',
    ]);
  });

  test('a refused report affects no other object, is a problem of its object, and is queued', async () => {
    const world = worldOf(30);
    const { report } = world.context.cluster;
    const cluster: typeof world.context.cluster = {
      ...world.context.cluster,
      report: async (ref, ...rest) => {
        if (/^r[01]/.test(ref.name)) throw new ReportRefusedError(`not ${ref.name}`, null);
        await report(ref, ...rest);
      },
    };
    const { context } = through(world, { cluster });
    const { plan } = await saveCluster(context, await planCluster(context));
    const { errors } = await describeAndReport(context, plan);
    expect(world.cluster.statuses.size).toBe(31 - 12);
    expect(errors).toHaveLength(11);
    expect(errors[0]).toEqual({ file: 'Record p/r0', line: 0, message: 'not r0' });
    expect(errors.slice(0, 10).map(({ file }) => file)).toEqual(
      errors
        .slice(0, 10)
        .map(({ file }) => file)
        .toSorted(),
    );
    expect(errors[10]?.message).toBe('The API server refuses the status or the label of 2 more objects');
    expect([...world.queued.reports.keys()].filter((id) => id.startsWith('Record p/r'))).toHaveLength(12);
    await saveAll(world);
    expect(world.cluster.statuses.size).toBe(31);
  });

  test('says of an object that its change took two batches, also when the next apply changes nothing', async () => {
    const world = worldOf(0);
    const put = (letter: string) =>
      world.cluster.put(parseRef('Record p/large'), {
        domainName: 'large.e.',
        type: 'TXT',
        values: Array.from({ length: 100 }, (_, index) => `${letter.repeat(240)}${index}`),
      });
    const messages: unknown[] = [];
    for (const letter of ['a', 'b', 'b']) {
      put(letter);
      const options = { acknowledged: [], only: () => true, progress: () => {} };
      await applyCluster(world.context, world.deps, await planCluster(world.context), options);
      messages.push(world.cluster.statuses.get('Record p/large')?.conditions[1]?.message);
    }
    const moved =
      'in hosted zone Z1; published in two batches, because its old and new values do not fit into one: it was absent for a moment';
    expect(messages).toEqual(['in hosted zone Z1', moved, moved]);
  });
});
