import { expect, test } from 'vitest';
import { memoryLedger } from '../../adapters/ledger/memory-ledger.ts';
import { directoryCodec, directoryKey } from '../../directory/directory-item.ts';
import { hostedZoneInDirectory } from './own-publishing.ts';

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
