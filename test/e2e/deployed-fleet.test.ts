// A deployment of two clusters, of which the API server of one refuses every connection: the other one is served as if
// it were alone.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runtimeInUse } from '../deployed/lambda-process.ts';
import {
  addressRecord,
  DEPLOYED_ENGINES,
  type DeployedWorld,
  inTime,
  logLines,
  published,
  stands,
  startDeployedWorld,
  ZONE,
} from '../deployed/world.ts';
import { describeWithEngine } from '../engines/engines.ts';
import { apply, succeed } from '../engines/kubernetes/apply.ts';

describeWithEngine(DEPLOYED_ENGINES, `two clusters as deployed, under ${runtimeInUse()}`, () => {
  let world: DeployedWorld;
  beforeAll(async () => {
    world = await startDeployedWorld({ besideDead: true });
  });
  afterAll(() => world?.close());

  const failed = (words: string) => (error: unknown) => expect(String(error)).toContain(words);
  const linesOf = (cluster: string) => logLines(world).filter((line) => line.cluster === cluster);

  it('publishes by the webhook of the cluster, at its own address and with its own secret', async () => {
    world.url.open.add('admission');
    await apply(world.engine, [ZONE, addressRecord('www', '192.0.2.1')]);
    await stands(world, 'www', '192.0.2.1');
    await published(world, 'record/www');
    expect(linesOf('deployed').some(({ message }) => message === 'hints queued')).toBe(true);
    world.url.open.clear();
  });

  it('refuses what breaks the rules at the door of the cluster', async () => {
    world.door.open.add('admission');
    const spec = { domainName: 'zone53.test.', delegations: [] };
    const { code, stderr } = await apply(world.engine, [{ kind: 'Zone', name: 'other', spec }]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('denied the request')]);
    world.door.open.clear();
  });

  it('finds changes by a poll, and the error names the cluster that does not answer', async () => {
    const { poll } = world.deployment.functions;
    const schedule = { zone53: 'poll' };
    await poll.invoke(schedule).catch(failed('dead: '));
    await apply(world.engine, [addressRecord('polled', '192.0.2.2')]);
    const beganMs = performance.now();
    await poll.invoke(schedule).then(() => expect.fail('the dead cluster was polled'), failed('dead: '));
    expect(performance.now() - beganMs).toBeLessThan(50_000);
    await stands(world, 'polled', '192.0.2.2');
    await published(world, 'record/polled');
  });

  it('sweeps the cluster, and measures it', async () => {
    await succeed(world.engine, ['delete', 'record', 'polled']);
    await apply(world.engine, [addressRecord('swept', '192.0.2.3')]);
    const { functions, schedules } = world.deployment;
    await functions.sweep.invoke(schedules.sweep).catch(failed('dead: '));
    await stands(world, 'swept', '192.0.2.3');
    await stands(world, 'polled', undefined);
    await functions.sweep.invoke(schedules.measure).catch(failed('dead: '));
    await inTime(() => functions.sweep.output.join('').includes('"SweepAge":'));
  });
});
