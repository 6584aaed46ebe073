import { expect, test } from 'vitest';
import { memoryLedger } from '../../adapters/ledger/memory-ledger.ts';
import { directoryCodec, directoryKey } from '../../directory/directory-item.ts';
import { statusCodec, statusKey } from '../../observe/status-item.ts';
import type { JsonObject } from '../../ports/ledger.ts';
import type { Binding } from '../manifests/bindings.ts';
import { askedSets } from '../manifests/served.ts';
import { intentKeys, servedCodec } from '../state/items.ts';
import { hostedZoneInDirectory, ownPublishing } from './own-publishing.ts';
import { generationOf } from './served-version.ts';

type Live = { readonly isPrivate?: true; readonly delegations?: readonly object[] };

/** A ledger with these live Zones, each with a hosted zone: by name, with the id of its hosted zone. */
async function ledgerWith(zones: Readonly<Record<string, readonly [string, Live?]>>) {
  const ledger = memoryLedger();
  const live = async (fqdn: string, hostedZoneId: string, { isPrivate, delegations = [] }: Live) => {
    const target = { kind: 'hosted' as const, zone: `ns/${hostedZoneId}`, fqdn, hostedZoneId };
    const item = {
      key: `ns/${hostedZoneId}`,
      fqdn,
      parent: null,
      spec: { domainName: fqdn, delegations } as JsonObject,
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
  for (const [fqdn, [id, more = {}]] of Object.entries(zones)) await live(fqdn, id, more);
  return ledger;
}

const TO_SHOP = [{ namespaces: ['shop'], records: [{ pattern: '*' }] }];

test('hostedZoneInDirectory() finds the hosted zone of the nearest live Zone, and says whether it is private', async () => {
  const ledger = await ledgerWith({
    'example.org.': ['ZOUT', { delegations: TO_SHOP }],
    'corp.example.org.': ['ZIN', { isPrivate: true, delegations: TO_SHOP }],
  });
  const hostedZoneOf = hostedZoneInDirectory(ledger, 'c', async () => ({ team: 'dns' }));
  expect(await hostedZoneOf('a.b.corp.example.org.', 'shop')).toEqual({
    id: 'ZIN',
    name: 'corp.example.org.',
    isPrivate: true,
    tags: null,
  });
  const outside = await hostedZoneOf('www.example.org.', 'shop', { tags: true });
  expect(outside).toEqual({ id: 'ZOUT', name: 'example.org.', isPrivate: false, tags: { team: 'dns' } });
  expect(await hostedZoneOf('www.example.net.', 'shop')).toBeNull();
});

test.each<[string, Live, Live, string | null]>([
  ['the Zone above delegates it to the project, and the nearest does not', { delegations: TO_SHOP }, {}, 'ZOUT public'],
  ['both delegate it', { delegations: TO_SHOP }, { delegations: TO_SHOP }, 'ZIN private'],
  [
    'one delegates addresses, and the other the rest',
    { delegations: TO_SHOP },
    { delegations: [{ namespaces: ['shop'], records: [{ pattern: '*', types: ['A', 'AAAA'] }] }] },
    'ZIN public',
  ],
  ['neither delegates it, so that either may be the one', {}, {}, null],
])('hostedZoneInDirectory(): a name below a private Zone, where %s', async (_, above, below, expected) => {
  const ledger = await ledgerWith({
    'example.org.': ['ZOUT', above],
    'corp.example.org.': ['ZIN', { ...below, isPrivate: true }],
  });
  const found = await hostedZoneInDirectory(ledger, 'c', async () => null)('www.corp.example.org.', 'shop');
  expect(found === null ? null : `${found.id} ${found.isPrivate ? 'private' : 'public'}`).toBe(expected);
});

test('hostedZoneInDirectory(): where only one hosted zone is above a name, it need not be delegated yet', async () => {
  const ledger = await ledgerWith({ 'example.org.': ['ZOUT'], 'sub.example.org.': ['ZOUT'] });
  const found = await hostedZoneInDirectory(ledger, 'c', async () => null)('www.sub.example.org.', 'shop');
  expect(found?.id).toBe('ZOUT');
});

function bindingWith(parameters: object, targets: readonly string[] = ['192.0.2.1']): Binding {
  return {
    app: { name: 'web', version: 'v1', profile: 'p', logicalCloud: 'main' },
    service: { name: 'www', dnsName: 'www.example.org', clusters: [] },
    record: 'public',
    definition: { metadata: { name: 'public' }, provider: 'aws', parameters: { ...parameters }, secrets: {} },
    targets: { ipv4: targets, ipv6: [], host: null },
    trouble: null,
  };
}

const BEFORE = bindingWith({}, ['192.0.2.9']);
const HOST: Binding = { ...BEFORE, targets: { ipv4: [], ipv6: [], host: 'lb.example.net' } };

test.each<[string, object, Binding, Binding, string]>([
  ['what is asked for is published', {}, bindingWith({}), bindingWith({}), 'Published'],
  ['only what was asked for before is served', {}, BEFORE, BEFORE, 'Pending about to be published'],
  ['only what was asked for before is published', {}, bindingWith({}), BEFORE, 'Pending about to be published'],
  ['dry-run', { 'dry-run': true }, BEFORE, BEFORE, 'Pending dry-run: nothing is written; what was published'],
  ['once', { once: true }, BEFORE, BEFORE, 'Pending once: the one publication is over; put the record again; what'],
  ['create-only', { policy: 'create-only' }, BEFORE, BEFORE, 'Pending policy create-only: what was published'],
  ['upsert-only', { policy: 'upsert-only' }, BEFORE, BEFORE, 'Pending about to be published'],
  ['upsert-only, of a CNAME', { policy: 'upsert-only' }, HOST, HOST, 'Pending policy upsert-only: what was published'],
])('ownPublishing(): %s', async (_, parameters, served, reported, expected) => {
  const ledger = memoryLedger();
  const ref = { kind: 'DNSEndpoint', namespace: 'shop', name: 'www-public' };
  const item = { record: 'public', revision: '', parameters: {}, sets: askedSets('shop', served, null) };
  await ledger.put(intentKeys('c').served('shop', ref.name), servedCodec.encode(item), null);
  const observedGeneration = generationOf(askedSets('shop', reported, null));
  const condition = {
    type: 'Programmed',
    status: 'True',
    reason: 'Published',
    message: '',
    observedGeneration,
  } as const;
  const status = { uid: null, fqdn: null, parent: null, conditions: [condition], hash: null, serial: null };
  await ledger.put(statusKey('c', ref), statusCodec.encode({ ...status, entries: null }), null);
  const say = ownPublishing(
    ledger,
    'c',
    async () => null,
    async () => null,
  );
  const { state, reason } = await say('shop', bindingWith(parameters));
  expect(`${state} ${reason}`.trim().slice(0, expected.length)).toBe(expected);
});

test('ownPublishing() says why the role of what is not published yet cannot be assumed', async () => {
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
