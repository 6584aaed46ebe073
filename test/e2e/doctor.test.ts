// `zone53 doctor` on a real API server, and on moto's CloudFormation, EKS, S3, DynamoDB and Route 53.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CreateHostedZoneCommand, Route53Client } from '@aws-sdk/client-route-53';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { Diagnosis } from '../../cli/account/run-doctor.ts';
import { writeS3Object } from '../../lib/adapters/aws/s3-object.ts';
import { createTable } from '../../lib/adapters/ledger/create-table.ts';
import { describeWithEngine, type RunningEngine, startMoto } from '../engines/engines.ts';
import { applyCrds, deleteCrds } from '../engines/kubernetes/apply.ts';
import { contextWorld } from '../support/context-world.ts';
import { type CommandPlace, zone53 } from '../support/zone53-command.ts';

const REGION = 'us-east-1';
const CREDENTIALS = { accessKeyId: 'test', secretAccessKey: 'test' };

type Checks = Readonly<Record<string, Diagnosis['checks'][number]>>;

/** What the command found, by name. Each check has the four keys, and a remedy if it is not ok. */
async function diagnose(place: CommandPlace, ...argv: string[]): Promise<{ code: number | null; checks: Checks }> {
  const { code, out, err } = await zone53(place, ['doctor', '-o', 'json', ...argv]);
  expect(err).toBe('');
  const { checks } = JSON.parse(out) as Diagnosis;
  for (const check of checks) {
    expect(Object.keys(check).toSorted()).toEqual(['message', 'name', 'ok', 'remedy']);
    if (check.ok) expect(check.remedy).toBeNull();
    else expect(check.remedy).toMatch(/\w/);
  }
  expect(code).toBe(checks.every(({ ok }) => ok) ? 0 : 1);
  return { code, checks: Object.fromEntries(checks.map((check) => [check.name, check])) };
}

describeWithEngine(['kube-apiserver', 'etcd'], 'zone53 doctor --context', () => {
  const world = contextWorld();
  const configured = (config: object): CommandPlace => {
    writeFileSync(path.join(world.folder, 'zone53.yaml'), stringify(config));
    return world.place();
  };

  it('finds nothing wrong with a cluster that has everything', async () => {
    const place = configured({ sources: { ingresses: {} } });
    const { code, checks } = await diagnose(place, '--context', 'admin');
    expect([code, Object.values(checks).filter(({ ok }) => !ok)]).toEqual([0, []]);
    expect(checks['API server of admin']?.message).toMatch(/^Kubernetes v1\.\d+/);
    expect(checks['Ingress of networking.k8s.io']?.message).toBe('v1, and it may be listed');
    const text = await zone53(place, ['doctor', '--context', 'admin']);
    expect(text).toMatchObject({ code: 0, err: '' });
    expect(text.out).toMatch(/^ok {4}configuration: cluster default, 0 hosted zones\n.*\nNothing is wrong\.\n$/s);
  });

  it('names what RBAC has to grant', async () => {
    const { checks } = await diagnose(configured({ sources: { ingresses: {} } }), '--context', 'zone53');
    expect(Object.values(checks).filter(({ ok }) => !ok)).toHaveLength(1);
    expect(checks['Ingress of networking.k8s.io']?.message).toMatch(/missing RBAC rule: .*resources: \[ingresses\]/);
  });

  it('names a kind without a CRD, a user without rights, and a context that is not there', async () => {
    const place = configured({ sources: { gatewayRoutes: {} } });
    const { checks } = await diagnose(place, '--context', 'tenant');
    expect(checks['HTTPRoute of gateway.networking.k8s.io']?.message).toBe('the API server does not serve it');
    expect(checks['Zone of kubi.zone']?.message).toMatch(/403/);
    const nowhere = await diagnose(place, '--context', 'nowhere');
    expect(nowhere.checks['API server of nowhere']?.message).toContain('Cannot find context "nowhere"');
  });

  it('says that CRDs are missing, or of an older version', async () => {
    const place = configured({});
    const crd = await world.engine.kubectl(['get', 'crd', 'records.kubi.zone', '-o', 'json']);
    await deleteCrds(world.engine, 'crd/records.kubi.zone');
    const missing = await diagnose(place, '--context', 'admin');
    expect(missing.checks['CRD records.kubi.zone']).toMatchObject({ ok: false, message: 'it is not installed' });
    const old = JSON.parse(crd.stdout);
    delete old.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.ttl;
    delete old.spec.versions[0].schema.openAPIV3Schema.properties.spec['x-kubernetes-validations'];
    const manifest = {
      apiVersion: old.apiVersion,
      kind: old.kind,
      metadata: { name: old.metadata.name },
      spec: old.spec,
    };
    writeFileSync(path.join(world.folder, 'old.json'), JSON.stringify(manifest));
    await applyCrds(world.engine, ['-f', path.join(world.folder, 'old.json')]);
    const older = await diagnose(place, '--context', 'admin');
    expect(older.checks['CRD records.kubi.zone']?.message).toBe('it is of an older version: it lacks spec.ttl');
    expect(older.checks['CRD zones.kubi.zone']?.ok).toBe(true);
    await applyCrds(world.engine);
  });
});

describeWithEngine('moto', 'zone53 doctor in an account', () => {
  const world = contextFree();
  const AUTHORITY = 'TFMw';
  const ENDPOINT = 'https://k8s.example.org';
  const access = { eks: 'prod', endpoint: ENDPOINT, certificateAuthority: AUTHORITY };

  it('finds nothing wrong with hosted zone, table and stack that fit', async () => {
    const id = await world.createZone('example.org.');
    await world.createStack('Zone53', await world.createLedger(), 's3://dns/zone53.json');
    await world.putConfiguration({ roots: [], hostedZones: [{ zone: 'example.org', id }], access });
    const place = world.place({ hostedZones: [{ zone: 'example.org', id }] });
    const { code, checks } = await diagnose(place, '--stack', 'Zone53', '--table', 'ledger');
    expect(checks).toMatchObject({
      'stack Zone53': { ok: true, message: 'CREATE_COMPLETE' },
      'configuration object': { ok: true },
      'table ledger': { ok: true, message: 'ledger answers' },
      [`hosted zone ${id}`]: { ok: true, message: expect.stringMatching(/^example\.org\., public, \d+ record sets$/) },
    });
    expect(code).toBe(0);
    expect((await diagnose(place, '--stack', 'Zone53')).checks['table of the stack']?.message).toBe('ledger answers');
  });

  it('names what does not fit, each with what to do, and goes on', async () => {
    const id = await world.createZone('other.example.');
    await world.putConfiguration({ hostedZones: [] });
    const place = world.place({
      hostedZones: [
        { zone: 'a.example', id },
        { zone: 'b.example', id: 'ZNOWHERE' },
      ],
    });
    const { checks } = await diagnose(place, '--stack', 'Zone53', '--table', 'nowhere');
    expect(checks[`hosted zone ${id}`]?.message).toBe(
      'it is the hosted zone of other.example., and the configuration says a.example.',
    );
    expect(checks['hosted zone ZNOWHERE']?.message).toBe('Route 53 has no hosted zone ZNOWHERE in this account');
    expect(checks['table nowhere']?.message).toBe('there is no table nowhere in this region');
    expect(checks['configuration object']?.message).toContain('roots: missing');
    expect((await diagnose(place, '--stack', 'Zone54')).checks['stack Zone54']).toMatchObject({ ok: false });
  });

  it('compares an EKS cluster with the configuration', async () => {
    const place = world.place({ access: { ...access, eks: 'nowhere' }, roots: [] });
    expect((await diagnose(place)).checks['EKS cluster nowhere']).toMatchObject({ ok: false });
    await world.createCluster('prod');
    const { checks } = await diagnose(world.place({ access, roots: [] }));
    expect(checks['EKS cluster prod']?.message).toMatch(/^its API server is https:.*, and the configuration says/);
  });

  it('an invalid configuration is one finding, and the other checks go on', async () => {
    const place = world.place({ soa: 'maybe' });
    const { code, checks } = await diagnose(place, '--table', 'ledger');
    expect(code).toBe(1);
    expect(checks.configuration?.message).toMatch(/zone53\.yaml:1:6: soa/);
    expect(checks['table ledger']?.ok).toBe(true);
  });
});

/** An account of moto, and a folder with a configuration. */
function contextFree() {
  let moto: RunningEngine;
  let folder: string;
  const client = () => ({ endpoint: moto.url, region: REGION, credentials: CREDENTIALS });
  beforeAll(async () => {
    moto = await startMoto();
    const { mkdtempSync } = await import('node:fs');
    const { tmpdir } = await import('node:os');
    folder = mkdtempSync(path.join(tmpdir(), 'zone53-doctor-'));
  });
  afterAll(() => moto?.close());
  const post = async (service: string, at: string, body: string, type: string) => {
    const authorization = `AWS4-HMAC-SHA256 Credential=test/20260101/${REGION}/${service}/aws4_request, SignedHeaders=host, Signature=0`;
    const answer = await fetch(`${moto.url}${at}`, {
      method: 'POST',
      body,
      headers: { authorization, 'content-type': type },
    });
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  };
  return {
    place: (config: object): CommandPlace => {
      writeFileSync(path.join(folder, 'zone53.yaml'), stringify(config));
      return { folder, route53: moto.url, env: { AWS_ENDPOINT_URL: moto.url } };
    },
    createZone: async (name: string) => {
      const made = await new Route53Client(client()).send(
        new CreateHostedZoneCommand({ Name: name, CallerReference: name }),
      );
      return (made.HostedZone?.Id ?? '').replace('/hostedzone/', '');
    },
    createLedger: async () => {
      await createTable(new DynamoDBClient(client()), 'ledger');
      return 'ledger';
    },
    putConfiguration: async (config: object) => {
      await fetch(`${moto.url}/dns`, { method: 'PUT' });
      const object = { bucket: 'dns', key: 'zone53.json', region: REGION, endpoint: moto.url };
      const clock = { nowMs: () => Date.now() };
      await writeS3Object({ ...object, credentials: async () => CREDENTIALS, clock }, JSON.stringify(config));
    },
    createStack: (name: string, table: string, address: string) => {
      const template = {
        Resources: { Queue: { Type: 'AWS::SQS::Queue' } },
        Outputs: {
          Zone53Table0123ABCD: { Value: table },
          Zone53ConfigurationObject4567CDEF: { Value: address },
        },
      };
      const body = new URLSearchParams({
        ...{ Action: 'CreateStack', Version: '2010-05-15', StackName: name },
        TemplateBody: JSON.stringify(template),
      });
      return post('cloudformation', '/', `${body}`, 'application/x-www-form-urlencoded');
    },
    createCluster: (name: string) =>
      post(
        'eks',
        '/clusters',
        JSON.stringify({ name, roleArn: 'arn:aws:iam::123456789012:role/eks', resourcesVpcConfig: { subnetIds: [] } }),
        'application/json',
      ),
  };
}
