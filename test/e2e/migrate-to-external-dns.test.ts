// The way out, as in docs/migrate-from-external-dns.md: zone53 has published Records, gives them to an external-dns;
// the real external-dns on a real API server then changes nothing. It owns them: it updates one, and deletes two.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateHostedZoneCommand } from '@aws-sdk/client-route-53';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { route53Client } from '../../lib/adapters/route53/route53-client.ts';
import { openLocalRoute53 } from '../../local/route53/api/open-local-route53.ts';
import { describeWithEngine, engine } from '../engines/engines.ts';
import { eventually, succeed } from '../engines/kubernetes/apply.ts';
import { freePort, openGuard } from '../engines/kubernetes/guard.ts';
import { type KubernetesEngine, startKubernetes } from '../engines/kubernetes/start.ts';
import { startZone53 } from '../support/zone53-command.ts';

const ZONE = 'e.example.';
const BALANCER = 'web-1.eu-west-1.elb.amazonaws.com';
const CREDENTIALS = { accessKeyId: 'test', secretAccessKey: 'test' };

type Want = {
  readonly name: string;
  readonly type: string;
  readonly values: readonly string[];
  readonly weight?: number;
};

/** What both publish. No SRV: external-dns 0.21 reads none from a DNSEndpoint, with the last dot or without. */
const WANTED: readonly Want[] = [
  { name: 'www', type: 'A', values: ['192.0.2.1', '192.0.2.2'] },
  { name: 'www', type: 'AAAA', values: ['2001:db8::1'] },
  { name: 'ftp', type: 'CNAME', values: ['www.e.example.'] },
  { name: '*.apps', type: 'A', values: ['192.0.2.3'] },
  { name: 'mail', type: 'MX', values: ['10 mx.example.net.'] },
  { name: 'sub', type: 'NS', values: ['ns1.example.net.', 'ns2.example.net.'] },
  { name: 'eu', type: 'A', values: ['192.0.2.4'], weight: 10 },
];

/** The DNSEndpoint of what external-dns is to publish: the Records, and the load balancer as external-dns writes it. */
function dnsEndpoint(wanted: readonly Want[]): object {
  const named = wanted.map(({ name, type, values, weight }) => ({
    dnsName: `${name}.${ZONE.slice(0, -1)}`,
    recordType: type,
    recordTTL: 300,
    targets: values.map((value) => value.replace(/\.$/, '')),
    ...(weight !== undefined && {
      setIdentifier: 'eu',
      providerSpecific: [{ name: 'aws/weight', value: String(weight) }],
    }),
  }));
  const balancer = { dnsName: `lb.${ZONE.slice(0, -1)}`, recordType: 'CNAME', targets: [BALANCER] };
  return {
    apiVersion: 'externaldns.k8s.io/v1alpha1',
    kind: 'DNSEndpoint',
    metadata: { name: 'all', namespace: 'default' },
    spec: { endpoints: [...named, balancer] },
  };
}

/** The Zone and Records of zone53, with one of a type that external-dns does not manage. */
function manifests(): string {
  const object = (kind: string, name: string, spec: object) => ({
    apiVersion: 'kubi.zone/v1alpha1',
    kind,
    metadata: { name },
    spec,
  });
  const zone = object('Zone', 'e', { domainName: ZONE, ttl: 300, delegations: [{ records: [{ pattern: '*' }] }] });
  const records = WANTED.map(({ name, type, values, weight }, index) =>
    object('Record', `n${index}`, {
      ...{ domainName: `${name}.${ZONE}`, type, values },
      ...(weight !== undefined && { routing: { setIdentifier: 'eu', weight } }),
    }),
  );
  const balancers = ['A', 'AAAA'].map((type) =>
    object('Record', `lb-${type.toLowerCase()}`, { domainName: `lb.${ZONE}`, type, alias: { target: `${BALANCER}.` } }),
  );
  const caa = object('Record', 'caa', { domainName: `www.${ZONE}`, type: 'CAA', rdata: '0 issue "ca.example"' });
  return [zone, ...records, ...balancers, caa].map((one) => JSON.stringify(one)).join('\n---\n');
}

describeWithEngine(['kube-apiserver', 'etcd', 'external-dns', 'source-crds'], 'a migration to external-dns', () => {
  let kubernetes: KubernetesEngine;
  let route53: Awaited<ReturnType<typeof openLocalRoute53>>;
  let folder: string;
  let changes = 0;
  const guard = openGuard('zone53-external-dns-');

  beforeAll(async () => {
    kubernetes = await startKubernetes();
    const crd = path.join(engine('source-crds') ?? '', 'external-dns', 'dnsendpoints.yaml');
    await succeed(kubernetes, ['apply', '-f', crd]);
    await succeed(kubernetes, ['wait', '--for=condition=Established', '--timeout=60s', '-f', crd]);
  }, 180_000);
  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'zone53-way-out-'));
    route53 = await openLocalRoute53(path.join(folder, 'route53.json'), 0);
    route53.state.onChange(() => {
      changes += 1;
    });
    const client = route53Client({ endpoint: route53.url, region: 'us-east-1', credentials: CREDENTIALS });
    await client.send(new CreateHostedZoneCommand({ Name: ZONE, CallerReference: 'by hand' }));
    client.destroy();
    writeFileSync(path.join(folder, 'dns.yaml'), manifests());
  });
  afterEach(async () => {
    await guard.kill('external-dns', 'SIGTERM');
    await route53?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  afterAll(async () => {
    await guard.end();
    await kubernetes?.stop();
  });

  const standing = () =>
    route53.state
      .zones()
      .flatMap(({ recordSets }) => [...recordSets])
      .map(({ name, type }) => `${name} ${type}`)
      .toSorted();
  const run = async (...argv: string[]) => startZone53({ folder, route53: route53.url }, argv).ended;

  async function startExternalDns(...more: readonly string[]): Promise<void> {
    const types = ['A', 'AAAA', 'CNAME', 'MX', 'NS'].map((type) => `--managed-record-types=${type}`);
    const flags = ['--provider=aws', '--source=crd', '--registry=txt', '--policy=sync', '--txt-owner-id=prod'];
    const own = [
      `--kubeconfig=${kubernetes.kubeconfig}`,
      `--metrics-address=127.0.0.1:${await freePort()}`,
      '--interval=2s',
    ];
    const env = {
      ...{ PATH: process.env.PATH ?? '', KUBECONFIG: kubernetes.kubeconfig, AWS_ENDPOINT_URL: route53.url },
      ...{ AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test', AWS_REGION: 'us-east-1' },
    };
    guard.start('external-dns', engine('external-dns') ?? '', [...flags, ...types, ...own, ...more], { env });
  }

  it.each([
    ['without flags for TXT records', [], []],
    [
      'with a prefix and a replacement of wildcards',
      ['--txt-prefix', '%{record_type}.', '--txt-wildcard-replacement', 'any'],
      ['--txt-prefix=%{record_type}.', '--txt-wildcard-replacement=any'],
    ],
  ])('%s: external-dns changes nothing, and owns all of it', { timeout: 180_000 }, async (_, flags, theirs) => {
    const applied = await run('apply', '-f', 'dns.yaml', '--yes');
    expect(applied.code, applied.err + applied.out).toBe(0);
    const before = standing();
    const to = ['migrate', '--to', 'external-dns', '--owner', 'prod', ...flags];

    const planned = await run(...to, '--out', 'plan.json');
    expect(planned.code).toBe(1);
    expect(planned.out).toContain('CAA www.e.example. stays with zone53: external-dns does not manage CAA');
    const [hostedZone] = (JSON.parse(readFileSync(path.join(folder, 'plan.json'), 'utf8')) as PlanFile).hostedZones;
    expect(hostedZone?.changes.map(({ action, also }) => [action, also?.length])).toEqual(
      Array.from({ length: WANTED.length + 2 }, () => ['forget', 1]),
    );
    expect(standing()).toEqual(before);
    const given = await run(...to, '--plan', 'plan.json', '-o', 'json');
    expect(given.code, given.err).toBe(1);
    const [after] = (JSON.parse(given.out) as PlanFile).hostedZones;
    expect(after?.changes.every(({ outcome }) => outcome === 'published')).toBe(true);
    expect(after?.stays).toEqual([expect.objectContaining({ name: 'www.e.example.', type: 'CAA' })]);
    expect(standing().filter((line) => line.endsWith(' TXT'))).toHaveLength(WANTED.length + 2);

    await succeed(kubernetes, ['apply', '-f', '-'], JSON.stringify(dnsEndpoint(WANTED)));
    changes = 0;
    await startExternalDns(...theirs);
    await sleep(8_000);
    expect(changes).toBe(0);

    // It owns them: it updates one, and deletes two with their TXT records.
    const [www, , ...rest] = WANTED as [Want, Want, ...Want[]];
    const changed = [{ ...www, values: ['192.0.2.9'] }, ...rest.filter(({ name }) => name !== '*.apps')];
    await succeed(kubernetes, ['apply', '-f', '-'], JSON.stringify(dnsEndpoint(changed)));
    await eventually(
      () =>
        !standing().some((line) => / A$/.test(line) && line.includes('apps')) &&
        !standing().includes(`www.${ZONE} AAAA`),
    );
    expect(standing().filter((line) => line.endsWith(' TXT'))).toHaveLength(WANTED.length);
    await guard.kill('external-dns', 'SIGTERM');

    // For zone53 they are foreign, and it leaves them alone.
    const now = standing();
    const again = await run('apply', '-f', 'dns.yaml', '--yes');
    expect(again.code).toBe(1);
    expect(again.out).toContain('ForeignRecord');
    expect(standing().filter((line) => !/^(?:\S*apps\S* A|www\S* AAAA)$/.test(line))).toEqual(now);
  });
});

type PlanFile = {
  readonly hostedZones: readonly {
    readonly changes: readonly {
      readonly action: string;
      readonly also?: readonly object[];
      readonly outcome?: string;
    }[];
    readonly stays: readonly object[];
  }[];
};
