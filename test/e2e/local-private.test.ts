// Private hosted zones, from a configuration with the ids of an account through `zone53 local` to dig. A sub-zone of a
// private zone has no delegation there, and neither has the public zone above.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ListHostedZonesCommand, ListResourceRecordSetsCommand } from '@aws-sdk/client-route-53';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { describeWithEngine } from '../engines/engines.ts';
import { type RunningLocal, startLocal } from '../support/running-local.ts';

const CONFIGURATION = {
  hostedZones: [
    { zone: 'example.org.', id: 'ZPUBLIC' },
    { zone: 'corp.example.org.', id: 'ZCORP', visibility: 'private' },
    { zone: 'lab.corp.example.org.', id: 'ZLAB', visibility: 'private' },
  ],
};

const DELEGATIONS = [{ records: [{ pattern: '*' }, { pattern: '@' }], zones: ['*'] }];
const zone = (name: string, domainName: string) => ({
  kind: 'Zone',
  name,
  spec: { domainName, delegations: DELEGATIONS },
});
const address = (name: string, domainName: string, rdata: string) => ({
  kind: 'Record',
  name,
  spec: { domainName, type: 'A', ttl: 60, rdata },
});
const OBJECTS = [
  zone('public', 'example.org.'),
  zone('corp', 'corp.example.org.'),
  zone('lab', 'lab.corp.example.org.'),
  zone('desk', 'desk.corp.example.org.'),
  address('www', 'www.example.org.', '192.0.2.1'),
  address('intranet', 'intranet.corp.example.org.', '10.0.0.1'),
  address('bench', 'bench.lab.corp.example.org.', '10.0.0.2'),
  address('lamp', 'lamp.desk.corp.example.org.', '10.0.0.3'),
];

describeWithEngine('dig', 'private hosted zones through zone53 local', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'zone53-private-'));
  let local: RunningLocal;

  const standing = async (HostedZoneId: string): Promise<string[]> => {
    const page = await local.route53.send(new ListResourceRecordSetsCommand({ HostedZoneId }));
    return (page.ResourceRecordSets ?? [])
      .map(({ Name, Type }) => `${Name} ${Type}`)
      .filter((key) => !/ SOA$/.test(key));
  };

  beforeAll(async () => {
    const documents = OBJECTS.map(({ kind, name, spec }) =>
      stringify({ apiVersion: 'kubi.zone/v1alpha1', kind, metadata: { name, namespace: 'default' }, spec }),
    );
    writeFileSync(path.join(folder, 'dns.yaml'), documents.join('---\n'));
    writeFileSync(path.join(folder, 'zone53.yaml'), stringify(CONFIGURATION));
    local = await startLocal(folder, '-f', 'dns.yaml');
  });
  afterAll(async () => {
    const code = await local?.stop();
    rmSync(folder, { recursive: true, force: true });
    expect(code).toBe(0);
  });

  it('are served as configured, private where the configuration says so', async () => {
    const { HostedZones = [] } = await local.route53.send(new ListHostedZonesCommand({}));
    expect(HostedZones.map(({ Id, Config }) => `${Id} ${Config?.PrivateZone}`)).toEqual([
      '/hostedzone/ZPUBLIC false',
      '/hostedzone/ZCORP true',
      '/hostedzone/ZLAB true',
    ]);
  });

  it.each([
    ['www.example.org', '192.0.2.1'],
    ['intranet.corp.example.org', '10.0.0.1'],
    ['bench.lab.corp.example.org', '10.0.0.2'],
    ['lamp.desk.corp.example.org', '10.0.0.3'],
  ])('%s is answered with %s', async (name, expected) => {
    expect(await local.answers(name)).toEqual([expected]);
  });

  it('have no delegation in a zone above, and contain none', async () => {
    expect(await standing('ZPUBLIC')).toEqual(['example.org. NS', 'www.example.org. A']);
    expect(await standing('ZCORP')).toEqual([
      'corp.example.org. NS',
      'lamp.desk.corp.example.org. A',
      'intranet.corp.example.org. A',
    ]);
    expect(await standing('ZLAB')).toEqual(['lab.corp.example.org. NS', 'bench.lab.corp.example.org. A']);
  });
});
