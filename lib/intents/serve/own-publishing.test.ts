import { expect, test } from 'vitest';
import { memoryLedger } from '../../adapters/ledger/memory-ledger.ts';
import { directoryCodec, directoryKey } from '../../directory/directory-item.ts';
import type { Binding } from '../manifests/bindings.ts';
import { hostedZoneInDirectory, ownPublishing } from './own-publishing.ts';

test('hostedZoneInDirectory() finds the hosted zone of the nearest live Zone, and says whether it is private', async () => {
  const ledger = memoryLedger();
  const live = async (fqdn: string, hostedZoneId: string, isPrivate?: true) => {
    const target = { kind: 'hosted' as const, zone: `ns/${hostedZoneId}`, fqdn, hostedZoneId };
    const item = {
      key: `ns/${hostedZoneId}`,
      fqdn,
      parent: null,
      spec: { domainName: fqdn },
      declared: [],
      nameServers: [],
      hosting: null,
      cut: false,
      group: `ns/${hostedZoneId}`,
      target: isPrivate === undefined ? target : { ...target, isPrivate },
      takeover: false,
    };
    await ledger.put(directoryKey('c', fqdn), directoryCodec.encode(item), null);
  };
  await live('example.org.', 'ZOUT');
  await live('corp.example.org.', 'ZIN', true);
  const hostedZoneOf = hostedZoneInDirectory(ledger, 'c', async () => ({ team: 'dns' }));
  expect(await hostedZoneOf('a.b.corp.example.org.')).toEqual({
    id: 'ZIN',
    name: 'corp.example.org.',
    isPrivate: true,
    tags: null,
  });
  const outside = await hostedZoneOf('www.example.org.', { tags: true });
  expect(outside).toEqual({ id: 'ZOUT', name: 'example.org.', isPrivate: false, tags: { team: 'dns' } });
  expect(await hostedZoneOf('www.example.net.')).toBeNull();
});

test('ownPublishing() says why the role of what is not published yet cannot be assumed', async () => {
  const bindingWith = (parameters: object): Binding => ({
    app: { name: 'web', version: 'v1', profile: 'p', logicalCloud: 'main' },
    service: { name: 'www', dnsName: 'www.example.org', clusters: [] },
    record: 'public',
    definition: { metadata: { name: 'public' }, provider: 'aws', parameters: { ...parameters }, secrets: {} },
    targets: { ipv4: ['192.0.2.1'], ipv6: [], host: null },
    trouble: null,
  });
  const say = ownPublishing(
    memoryLedger(),
    'c',
    async () => null,
    async (role) => (role === 'good' ? null : `Cannot assume role ${role}`),
  );
  const states = await Promise.all(
    [{}, { 'aws-assume-role': 'good' }, { 'aws-assume-role': 'bad' }].map((one) => say('shop', bindingWith(one))),
  );
  expect(states.map(({ state }) => state)).toEqual(['Pending', 'Pending', 'Error']);
  expect(states[2]?.reason).toBe('Cannot assume role bad');
});
