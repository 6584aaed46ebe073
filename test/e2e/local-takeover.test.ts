// `zone53 local` over a Route 53 in which external-dns has published already.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Change,
  ChangeResourceRecordSetsCommand,
  CreateHostedZoneCommand,
  ListResourceRecordSetsCommand,
} from '@aws-sdk/client-route-53';
import { expect, onTestFinished, test, vi } from 'vitest';
import { runLocal } from '../../cli/run/run-local.ts';
import { parseConfig } from '../../lib/adapters/config/config-file.ts';
import { route53Client } from '../../lib/adapters/route53/route53-client.ts';
import { systemClock } from '../../lib/adapters/system/system-time.ts';
import { startRoute53 } from '../../local/route53/api/server.ts';
import { testAccount } from '../fakes/route53-account.ts';
import { stubRoute53 } from '../support/apply-request.ts';
import { testFolder } from '../support/test-folder.ts';

const MANIFESTS = `
apiVersion: kubi.zone/v1alpha1
kind: Zone
metadata: { name: e, namespace: p }
spec: { domainName: e.test., delegations: [{ records: [{ pattern: "*" }] }] }
---
apiVersion: kubi.zone/v1alpha1
kind: Record
metadata: { name: w, namespace: p }
spec: { domainName: w.e.test., type: A, ttl: 60, rdata: 192.0.2.1 }
`;
const OWNER = '"heritage=external-dns,external-dns/owner=prod,external-dns/resource=service/a/w"';

test('zone53 local takes over what external-dns owns, and deletes nothing else of it', async () => {
  const folder = testFolder();
  const route53 = await startRoute53({ state: testAccount().state, limits: null });
  stubRoute53(route53.url);
  const client = route53Client();
  const ending = new AbortController();
  onTestFinished(async () => {
    ending.abort();
    await ended.catch(() => {});
    client.destroy();
    await route53.close();
    vi.unstubAllEnvs();
  });
  const { HostedZone } = await client.send(new CreateHostedZoneCommand({ Name: 'e.test', CallerReference: 'a' }));
  const HostedZoneId = HostedZone?.Id;
  const create = (Name: string, Type: 'A' | 'TXT', Value: string): Change => ({
    Action: 'CREATE',
    ResourceRecordSet: { Name, Type, TTL: 300, ResourceRecords: [{ Value }] },
  });
  const Changes = ['w', 'unwanted'].flatMap((label) => [
    create(`${label}.e.test`, 'A', '192.0.2.9'),
    create(`a-${label}.e.test`, 'TXT', OWNER),
  ]);
  await client.send(new ChangeResourceRecordSetsCommand({ HostedZoneId, ChangeBatch: { Changes } }));
  await writeFile(join(folder, 'z.yaml'), MANIFESTS);
  const ended = runLocal({
    config: parseConfig('takeover: { externalDns: [{ ownerId: prod, deleteUnwanted: true }] }', 'zone53.yaml'),
    clock: systemClock,
    log: () => {},
    progress: () => {},
    source: { kind: 'manifests', paths: [join(folder, 'z.yaml')] },
    folder: join(folder, 'state'),
    dnsPort: 0,
    route53Port: 0,
    route53: 'aws',
    intentsPort: null,
    webhook: null,
    print: () => {},
    signal: ending.signal,
  });
  const standing = async () => {
    const { ResourceRecordSets = [] } = await client.send(new ListResourceRecordSetsCommand({ HostedZoneId }));
    const others = ResourceRecordSets.filter(({ Type }) => Type !== 'NS' && Type !== 'SOA');
    return others.map(({ Name, ResourceRecords }) => `${Name} ${ResourceRecords?.[0]?.Value}`);
  };
  const wanted = [`a-unwanted.e.test. ${OWNER}`, 'unwanted.e.test. 192.0.2.9', 'w.e.test. 192.0.2.1'];
  await vi.waitFor(async () => expect((await standing()).toSorted()).toEqual(wanted), 10_000);
});
