// The templates of a release, deployed without CDK by the CloudFormation of another project: zips and configuration in
// a bucket, then the stack. The one with parameters by test/deployed/deploy-template.ts; the one that fits a
// configuration by `npm run acceptance`, which walks docs/deploy.md, measures by dig and removes everything.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type DnsServer, startDns } from '../../local/dns/server.ts';
import {
  CLOUDFORMATION_ENGINES,
  CLUSTER,
  type CloudFormationWorld,
  startCloudFormationWorld,
} from '../deployed/cloudformation-world.ts';
import { addressRecord, ZONE } from '../deployed/world.ts';
import { describeWithEngine } from '../engines/engines.ts';
import { apply, read, succeed } from '../engines/kubernetes/apply.ts';
import { findKubernetes } from '../engines/kubernetes/binaries.ts';

describeWithEngine(CLOUDFORMATION_ENGINES, 'the template with parameters, deployed without CDK', () => {
  let world: CloudFormationWorld;
  beforeAll(async () => {
    world = await startCloudFormationWorld('parameters');
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

type Crd = { readonly metadata: { readonly deletionTimestamp?: string } };
type Run = { readonly child: ChildProcess; readonly said: () => string; readonly ended: Promise<number | null> };

describeWithEngine([...CLOUDFORMATION_ENGINES, 'dig'], 'npm run acceptance, with the template that fits', () => {
  let world: CloudFormationWorld;
  let dns: DnsServer;
  beforeAll(async () => {
    world = await startCloudFormationWorld('none');
    dns = await startDns({ zones: () => world.local.state.zones() });
    world.local.state.onChange(dns.reload);
  });
  afterAll(async () => {
    await dns?.close();
    await world?.close();
  });

  const start = (): Run => {
    const kubernetes = findKubernetes();
    const kubectl = kubernetes.found ? path.dirname(kubernetes.kubectl) : '';
    const main = path.join(import.meta.dirname, '..', '..', 'release', 'acceptance', 'main.ts');
    const argv = ['--zone', 'example.org', '--eks', CLUSTER, '--context', 'admin'];
    const child = spawn(process.execPath, [main, ...argv, '--name-server', `127.0.0.1#${dns.port}`], {
      env: {
        ...{ ...world.ministack.env, PATH: `${kubectl}${path.delimiter}${process.env.PATH}` },
        // kubectl keeps what it has learned of a cluster there.
        HOME: path.dirname(world.engine.kubeconfig),
        ...{ KUBECONFIG: world.engine.kubeconfig, AWS_ENDPOINT_URL_ROUTE_53: world.local.url },
      },
    });
    const parts: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => parts.push(part));
    const ended = once(child, 'close').then(([code]) => code as number | null);
    return { child, said: () => Buffer.concat(parts).toString('utf8'), ended };
  };
  const says = ({ said }: Run, what: string) => world.inTime(() => said().includes(what), `${what} in ${said()}`);
  const call = async (...[request]: Parameters<CloudFormationWorld['ministack']['call']>) =>
    JSON.stringify(await world.ministack.call(request));

  const expectNothingLeft = async () => {
    expect(await call({ service: 'sqs', target: 'AmazonSQS.ListQueues', body: {} })).not.toContain('Zone53');
    const tables = { service: 'dynamodb', target: 'DynamoDB_20120810.ListTables', body: {} };
    expect(await call(tables)).toBe('{"TableNames":[]}');
    const logs = { service: 'logs', target: 'Logs_20140328.DescribeLogGroups', body: {} };
    expect(await call(logs)).not.toContain('Zone53');
    expect(await call({ service: 'iam', form: { Action: 'ListRoles', Version: '2010-05-08' } })).not.toContain(
      'Zone53',
    );
    expect(world.local.state.recordSetsAt(world.hostedZoneId, 'zone53-acceptance.example.org.')).toEqual([]);
    const { items } = JSON.parse(await succeed(world.engine, ['get', 'crd', '-o', 'json'])) as { items: Crd[] };
    expect(items.filter(({ metadata }) => metadata.deletionTimestamp === undefined)).toEqual([]);
  };

  it('continues a run that was killed, measures each step and leaves nothing behind', async () => {
    const killed = start();
    await says(killed, 'kubectl apply of the CRDs');
    killed.child.kill('SIGKILL');
    await killed.ended;
    const run = start();
    expect(await run.ended, run.said()).toBe(0);
    const rows = run.said().match(/^\| emulated \| .*$/gm) ?? [];
    expect(rows).toHaveLength(10);
    expect(rows.find((row) => row.includes('edits by the webhook'))).toMatch(/median \d+\.\d s, most \d+\.\d s \|$/);
    const stacks = { service: 'cloudformation', form: { Action: 'ListStacks', Version: '2010-05-15' } };
    expect((await call(stacks)).split('<StackName>Zone53Acceptance<').length - 1).toBe(1);
    await expectNothingLeft();
  });

  it('removes everything when it is interrupted', async () => {
    const run = start();
    await says(run, 'aws cloudformation deploy');
    await sleep(500);
    run.child.kill('SIGINT');
    expect(await run.ended, run.said()).toBe(130);
    expect(run.said()).toContain('nothing is left');
    await expectNothingLeft();
  });
});
