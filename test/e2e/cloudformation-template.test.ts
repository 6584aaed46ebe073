// The templates of a release, deployed without CDK by the CloudFormation of another project: zips and configuration in
// a bucket, then the stack (test/deployed/deploy-template.ts).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CLOUDFORMATION_ENGINES,
  type CloudFormationWorld,
  startCloudFormationWorld,
  type Way,
} from '../deployed/cloudformation-world.ts';
import { addressRecord, ZONE } from '../deployed/world.ts';
import { describeWithEngine } from '../engines/engines.ts';
import { apply, read, succeed } from '../engines/kubernetes/apply.ts';

describeWithEngine(CLOUDFORMATION_ENGINES, 'deployed without CDK', () => {
  describe.each<[string, Way]>([
    ['the template with parameters', 'parameters'],
    ['the template that fits the configuration', 'fitted'],
  ])('%s', (_title, way) => {
    let world: CloudFormationWorld;
    beforeAll(async () => {
      world = await startCloudFormationWorld(way);
    });
    afterAll(() => world?.close());

    const standing = (name: string) =>
      world.local.state.recordSetsAt(world.hostedZoneId, `${name}.example.org.`).find(({ type }) => type === 'A')
        ?.values[0];
    const stands = (name: string, value: string | undefined) => world.inTime(() => standing(name) === value, name);

    it('publishes a record, an edit and a deletion, and says so', async () => {
      await apply(world.engine, [ZONE, addressRecord('www', '192.0.2.1')]);
      await stands('www', '192.0.2.1');
      await world.inTime(async () => {
        const { status } = await read(world.engine, 'record/www');
        return status?.conditions.find(({ type }) => type === 'Programmed')?.reason === 'Published';
      }, 'record/www');
      await apply(world.engine, [addressRecord('www', '192.0.2.2')]);
      await stands('www', '192.0.2.2');
      await succeed(world.engine, ['delete', 'record', 'www']);
      await stands('www', undefined);
    });

    it('zone53 plan reads its ledger and finds nothing to do', async () => {
      const argv = ['--table', world.outputs.Table ?? '', '--context', 'admin', '--detailed-exitcode'];
      const { code, err } = await world.zone53('plan', ...argv);
      expect(err).toBe('');
      expect(code).toBe(0);
    });
  });
});
