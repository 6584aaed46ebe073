// The requests of a first load to a real API server: a Record that was listed is not read again, and its report takes
// three requests.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EMBEDDED_HOLDER, publishDeps } from '../../cli/run/publish-deps.ts';
import { kubeconfigTransport } from '../../lib/adapters/kubernetes/http/kubeconfig-transport.ts';
import type { KubernetesRequest } from '../../lib/adapters/kubernetes/http/kubernetes-error.ts';
import { kubernetesCluster } from '../../lib/adapters/kubernetes/kubernetes-cluster.ts';
import { memoryLedger } from '../../lib/adapters/ledger/memory-ledger.ts';
import { route53Client } from '../../lib/adapters/route53/route53-client.ts';
import { systemClock } from '../../lib/adapters/system/system-time.ts';
import { formatRef } from '../../lib/objects/object-ref.ts';
import { DEFAULT_CONFIG } from '../../lib/ports/config.ts';
import { KINDS, sourcesOn } from '../../lib/sources/source.ts';
import { sweepPiece } from '../../lib/sweep/sweep-cluster.ts';
import { startPipeline } from '../../local/pipeline.ts';
import { startRoute53 } from '../../local/route53/api/server.ts';
import { describeWithEngine } from '../engines/engines.ts';
import { apply, applyCrds, eventually, read, succeed } from '../engines/kubernetes/apply.ts';
import { type KubernetesEngine, startKubernetes } from '../engines/kubernetes/start.ts';
import { deliverAll, deliverHints, reconcileWorld, through } from '../fakes/reconcile-world.ts';
import { testAccount } from '../fakes/route53-account.ts';

const NAMES = Array.from({ length: 30 }, (_, index) => `r${index}`);

type Told = { readonly reason: string; readonly type: string; readonly message: string };

describeWithEngine(['kube-apiserver', 'etcd'], 'a first load', () => {
  let engine: KubernetesEngine;
  const open: { close(): unknown }[] = [];
  const clusterSeen = () => {
    const plain = kubeconfigTransport('zone53', engine.kubeconfig);
    open.push(plain);
    const seen: KubernetesRequest[] = [];
    const transport: typeof plain = {
      ...plain,
      send: (request) => {
        seen.push(request);
        return plain.send(request);
      },
    };
    return { seen, cluster: kubernetesCluster({ kinds: KINDS, clusterId: 'default', transport, clock: systemClock }) };
  };

  beforeAll(async () => {
    engine = await startKubernetes();
    await applyCrds(engine);
    const zone = { domainName: 'example.org.', delegations: [{ records: [{ pattern: '*' }] }] };
    await apply(engine, [
      { kind: 'Zone', name: 'example-org', spec: zone },
      ...NAMES.map((name) => {
        return {
          kind: 'Record' as const,
          name,
          spec: { domainName: `${name}.example.org.`, type: 'A', rdata: '192.0.2.1' },
        };
      }),
    ]);
  });
  afterAll(async () => {
    for (const one of open.toReversed()) await one.close();
    await engine?.stop();
  });

  it('sends two requests to the API server for a Record (label, status), and none reads it; the Event comes later', async () => {
    const route53 = await startRoute53({ state: testAccount().state, limits: null });
    open.push(route53);
    const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
    const client = route53Client({ endpoint: route53.url, region: 'us-east-1', credentials });
    open.push({ close: () => client.destroy() });
    const { seen, cluster } = clusterSeen();
    const pipeline = startPipeline(
      {
        config: { ...DEFAULT_CONFIG, createHostedZones: 'all' },
        cluster,
        clock: systemClock,
        log: () => {},
        deps: (context) => publishDeps(context, EMBEDDED_HOLDER),
        onChange: () => {},
      },
      memoryLedger(),
      client,
    );
    open.push(pipeline);
    await pipeline.sweep();
    for (const name of NAMES) {
      const asked = seen.filter(({ action }) => action.endsWith(` Record default/${name}`));
      expect(asked.map(({ method, action }) => `${method} ${action}`)).toEqual([
        `PATCH label Record default/${name}`,
        `PATCH write the status of Record default/${name}`,
      ]);
    }
    // The other requests are for the Zone, and lists. None is for a single Record.
    const others = seen.filter(({ action }) => !action.includes(' Record default/'));
    expect(others.filter(({ action }) => !action.includes('Zone default/example-org')).length).toBeLessThan(10);
    const record = await read(engine, 'record/r7');
    expect(record.metadata.labels).toEqual({ 'kubi.zone/parent-zone': 'example-org.default' });
    expect(record.status.conditions.map(({ reason }) => reason)).toEqual(['Adopted', 'Published', 'Changing']);
    // What has stood for ten seconds is an Event.
    const selector = ['--field-selector', 'involvedObject.name=r7'];
    const items = async () =>
      JSON.parse(await succeed(engine, ['get', 'events', ...selector, '-o', 'json'])).items as readonly Told[];
    expect(await items()).toEqual([]);
    await eventually(async () => (await items()).length > 0);
    const told = await items();
    expect(told.map(({ type, reason }) => [type, reason])).toEqual([['Normal', 'Published']]);
    expect(told[0]?.message).toMatch(/^in hosted zone \S+; Adopted: adopted by Zone default\/example-org/);
  });

  it("sends no more requests in a deployed stack's first sweep, from the listing to the report", async () => {
    await succeed(engine, ['create', 'namespace', 'fresh']);
    const spec = (name: string) => ({ domainName: `${name}.fresh.example.org.`, type: 'A', rdata: '192.0.2.1' });
    await apply(
      engine,
      NAMES.map((name) => ({ kind: 'Record' as const, name, namespace: 'fresh', spec: spec(name) })),
    );
    const { seen, cluster } = clusterSeen();
    const world = through(
      reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'example.org.' }], sources: sourcesOn(DEFAULT_CONFIG.sources) }),
      { cluster },
    );
    await sweepPiece(world.context, Number.POSITIVE_INFINITY);
    await deliverHints(world);
    await deliverAll(world);
    for (const name of NAMES) {
      const asked = seen.filter(({ action }) => action.endsWith(` Record fresh/${name}`));
      expect(asked.map(({ method, action }) => `${method} ${action}`)).toEqual([
        `PATCH label Record fresh/${name}`,
        `PATCH write the status of Record fresh/${name}`,
      ]);
    }
    const record = await read(engine, 'record/r7', 'fresh');
    expect(record.metadata.labels).toEqual({ 'kubi.zone/parent-zone': 'example-org.default' });
    expect(record.status.conditions.map(({ reason }) => reason)).toEqual(['Adopted', 'Published', 'Resolved']);
  });

  it('reads an object again that changed after it was listed', async () => {
    const { seen, cluster } = clusterSeen();
    const { objects } = await cluster.list();
    const listed = objects.find(({ ref }) => formatRef(ref) === 'Record default/r1');
    if (listed === undefined) throw new Error('Record default/r1 was not listed');
    await succeed(engine, ['label', 'record/r1', 'kubi.zone/parent-zone=forged.elsewhere', '--overwrite']);
    seen.length = 0;
    const condition = { type: 'Accepted', status: 'False', reason: 'InvalidSpec', message: 'no' } as const;
    const status = { fqdn: 'r1.example.org.', parent: 'default/example-org', conditions: [condition] };
    await cluster.report(listed.ref, status, null, listed);
    const asked = seen.map(({ method, path }) => `${method} ${path.replace(/.*default\//, '')}`);
    expect(asked).toEqual([
      'POST events',
      'PATCH records/r1/status',
      'GET records/r1',
      'PATCH records/r1',
      'PATCH records/r1/status',
    ]);
    const { metadata, status: written } = await read(engine, 'record/r1');
    expect(metadata.labels).toEqual({ 'kubi.zone/parent-zone': 'example-org.default' });
    expect(written.conditions).toMatchObject([{ reason: 'InvalidSpec' }]);
  });
});
