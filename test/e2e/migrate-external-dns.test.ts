// A migration from external-dns, step by step as in docs/migrate-from-external-dns.md. external-dns on a real API
// server publishes DNSEndpoints, and zone53 takes over. All the time a client asks for every name, and gets an answer
// to every query.
import { Resolver } from 'node:dns/promises';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ChangeResourceRecordSetsCommand, CreateHostedZoneCommand } from '@aws-sdk/client-route-53';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { route53Client } from '../../lib/adapters/route53/route53-client.ts';
import { type DnsServer, startDns } from '../../local/dns/server.ts';
import { openLocalRoute53 } from '../../local/route53/api/open-local-route53.ts';
import { describeWithEngine, engine } from '../engines/engines.ts';
import { eventually, succeed } from '../engines/kubernetes/apply.ts';
import { freePort, openGuard } from '../engines/kubernetes/guard.ts';
import { type KubernetesEngine, startKubernetes } from '../engines/kubernetes/start.ts';
import { startZone53 } from '../support/zone53-command.ts';

const ZONE = 'e.example.';
const NAMES = Array.from({ length: 20 }, (_, index) => `n${index}.${ZONE}`);
const ADDRESS = '192.0.2.1';
/** The Record of this name has another content than external-dns published. */
const CHANGED = NAMES[3] as string;

describeWithEngine(['kube-apiserver', 'etcd', 'external-dns', 'source-crds'], 'a migration from external-dns', () => {
  let kubernetes: KubernetesEngine;
  let route53: Awaited<ReturnType<typeof openLocalRoute53>>;
  let dns: DnsServer;
  let hostedZoneId: string;
  const guard = openGuard('zone53-external-dns-');
  const folder = mkdtempSync(path.join(tmpdir(), 'zone53-migrate-'));

  beforeAll(async () => {
    kubernetes = await startKubernetes();
    const crd = path.join(engine('source-crds') ?? '', 'external-dns', 'dnsendpoints.yaml');
    await succeed(kubernetes, ['apply', '-f', crd]);
    await succeed(kubernetes, ['wait', '--for=condition=Established', '--timeout=60s', '-f', crd]);
    route53 = await openLocalRoute53(path.join(folder, 'route53.json'), 0);
    dns = await startDns({ port: 0, zones: () => route53.state.zones() });
    route53.state.onChange(() => dns.reload());
    const client = route53Client({ endpoint: route53.url, region: 'us-east-1', credentials: CREDENTIALS });
    const made = await client.send(new CreateHostedZoneCommand({ Name: ZONE, CallerReference: 'by hand' }));
    hostedZoneId = made.HostedZone?.Id?.split('/').pop() ?? '';
    const byHand = { Name: `byhand.${ZONE}`, Type: 'TXT' as const, TTL: 300, ResourceRecords: [{ Value: '"theirs"' }] };
    const Changes = [{ Action: 'CREATE' as const, ResourceRecordSet: byHand }];
    await client.send(new ChangeResourceRecordSetsCommand({ HostedZoneId: hostedZoneId, ChangeBatch: { Changes } }));
    client.destroy();
  }, 180_000);

  afterAll(async () => {
    await guard.end();
    await dns?.close();
    await route53?.close();
    await kubernetes?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const standing = () =>
    route53.state
      .zones()
      .flatMap(({ recordSets }) => [...recordSets])
      .map(({ name, type }) => `${name} ${type}`);
  const run = async (...argv: string[]) => startZone53({ folder, route53: route53.url }, argv).ended;

  async function startExternalDns(): Promise<void> {
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
    guard.start('external-dns', engine('external-dns') ?? '', [...flags, ...own], { env });
  }

  it('leaves no query without an answer', { timeout: 240_000 }, async () => {
    await succeed(kubernetes, ['apply', '-f', '-'], JSON.stringify(dnsEndpoint()));
    await startExternalDns();
    await eventually(() => NAMES.every((name) => standing().includes(`${name} A`)));
    await eventually(() => standing().filter((line) => line.endsWith(' TXT')).length === NAMES.length + 1);

    const asker = askAllTheTime(dns.port);
    writeFileSync(path.join(folder, 'dns.yaml'), manifests());
    writeFileSync(path.join(folder, 'zone53.yaml'), 'takeover: { externalDns: [{ ownerId: prod }] }\n');
    const report = await run('migrate', '--from', 'external-dns', '--owner', 'prod', '-f', 'dns.yaml', '-o', 'json');
    const [reported] = (JSON.parse(report.out) as { hostedZones: Record<string, unknown[]>[] }).hostedZones;
    expect(reported?.adopt).toHaveLength(NAMES.length - 1);
    expect(reported?.update).toHaveLength(1);
    expect(standing()).toHaveLength(2 * NAMES.length + 3);

    await guard.kill('external-dns', 'SIGTERM');
    const applied = await run('apply', '-f', 'dns.yaml', '--yes', '-o', 'json');
    expect(applied.code, applied.err).toBe(0);
    const { hostedZones } = JSON.parse(applied.out) as {
      hostedZones: { changes: { action: string; outcome: string; also: unknown[] }[] }[];
    };
    const changes = hostedZones.flatMap((one) => one.changes);
    expect(changes.filter(({ action }) => action === 'adopt')).toHaveLength(NAMES.length - 1);
    expect(changes.every(({ outcome, also }) => outcome === 'published' && also.length === 1)).toBe(true);
    expect(standing().filter((line) => line.endsWith(' TXT'))).toEqual([`byhand.${ZONE} TXT`]);
    const after = await run('plan', '-f', 'dns.yaml', '--detailed-exitcode');
    expect(after.code, after.out).toBe(0);

    // external-dns is started again by mistake: it no longer owns anything, so it changes nothing.
    await startExternalDns();
    await sleep(6_000);
    await guard.kill('external-dns', 'SIGTERM');
    const { asked, unanswered } = await asker.stop();
    expect(unanswered).toEqual([]);
    expect(asked).toBeGreaterThan(500);
    expect(NAMES.every((name) => standing().includes(`${name} A`))).toBe(true);
  });
});

const CREDENTIALS = { accessKeyId: 'test', secretAccessKey: 'test' };

/** The DNSEndpoint with the names that external-dns publishes. */
function dnsEndpoint(): object {
  const endpoints = NAMES.map((name) => ({
    dnsName: name.slice(0, -1),
    recordType: 'A',
    recordTTL: 300,
    targets: [name === CHANGED ? '192.0.2.9' : ADDRESS],
  }));
  return {
    apiVersion: 'externaldns.k8s.io/v1alpha1',
    kind: 'DNSEndpoint',
    metadata: { name: 'all', namespace: 'default' },
    spec: { endpoints },
  };
}

/** The manifests with the names that zone53 publishes. */
function manifests(): string {
  const object = (kind: string, name: string, spec: object) => ({
    apiVersion: 'kubi.zone/v1alpha1',
    kind,
    metadata: { name },
    spec,
  });
  const zone = object('Zone', 'e', { domainName: ZONE, ttl: 300, delegations: [{ records: [{ pattern: '*' }] }] });
  const records = NAMES.map((domainName, index) =>
    object('Record', `n${index}`, { domainName, type: 'A', rdata: ADDRESS }),
  );
  return [zone, ...records].map((one) => JSON.stringify(one)).join('\n---\n');
}

/** Asks for every name in turn until it is stopped. Any result without an address counts as unanswered. */
function askAllTheTime(port: number): { stop(): Promise<{ asked: number; unanswered: string[] }> } {
  const resolver = new Resolver({ timeout: 2_000, tries: 1 });
  resolver.setServers([`127.0.0.1:${port}`]);
  const unanswered: string[] = [];
  let asked = 0;
  let going = true;
  const asking = (async () => {
    while (going) {
      for (const name of NAMES) {
        asked += 1;
        const addresses = await resolver.resolve4(name.slice(0, -1)).catch((error: unknown) => String(error));
        if (typeof addresses === 'string' || addresses.length === 0) unanswered.push(`${name} ${addresses}`);
      }
      await sleep(10);
    }
  })();
  return {
    stop: async () => {
      going = false;
      await asking;
      return { asked, unanswered };
    },
  };
}
