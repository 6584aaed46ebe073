// The DNS server over the local Route 53 itself: what a change batch published is what a resolver gets, after the
// change and not before.
import { Resolver } from 'node:dns/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { TYPE_CASES } from '../../test/fakes/dns-zones.ts';
import { createRoute53State, type Route53State } from '../route53/model/state.ts';
import type { LocalChange } from '../route53/records/change-batch.ts';
import { resolve } from './resolve.ts';
import { type DnsServer, startDns } from './server.ts';
import { buildZoneIndex, type RecordSetView } from './zone-index.ts';

let state: Route53State;
let zoneId: string;
let server: DnsServer;
let resolver: Resolver;

beforeEach(async () => {
  let seed = 1;
  const random = (): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  state = createRoute53State({ clock: { nowMs: () => 0 }, random });
  server = await startDns({ zones: () => state.zones() });
  state.onChange(() => server.reload());
  zoneId = state.createHostedZone({ name: 'example.org.', callerReference: 'c', comment: null, vpc: null }).zone.id;
  resolver = new Resolver({ timeout: 2_000, tries: 2 });
  resolver.setServers([`127.0.0.1:${server.port}`]);
});

afterEach(() => server.close());

function change(action: LocalChange['action'], recordSets: readonly RecordSetView[]): void {
  const changes = recordSets.map((recordSet) => ({ action, recordSet: { ...recordSet, routing: null } }));
  state.changeResourceRecordSets(zoneId, null, changes);
}

test('a new hosted zone answers for its SOA and NS', async () => {
  expect((await resolver.resolveSoa('example.org')).serial).toBe(1);
  expect(await resolver.resolveNs('example.org')).toHaveLength(4);
});

test('a record set of each type is accepted, and answered with its values', () => {
  change('CREATE', TYPE_CASES);
  const index = buildZoneIndex(state.zones());
  for (const { name, type, ttl, values } of TYPE_CASES) {
    expect(resolve(index, { name, type }, () => 0).answers).toEqual(
      values.map((value) => ({ name, type, ttl, value })),
    );
  }
});

test('a created, a changed and a deleted record set show at the next query', async () => {
  const www = (address: string): RecordSetView => ({
    name: '\\052.example.org.',
    type: 'A',
    setIdentifier: null,
    ttl: 60,
    values: [address],
    alias: null,
  });
  await expect(resolver.resolve4('www.example.org')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  change('CREATE', [www('192.0.2.1')]);
  expect(await resolver.resolve4('www.example.org', { ttl: true })).toEqual([{ address: '192.0.2.1', ttl: 60 }]);
  change('UPSERT', [www('192.0.2.2')]);
  expect(await resolver.resolve4('www.example.org')).toEqual(['192.0.2.2']);
  change('DELETE', [www('192.0.2.2')]);
  await expect(resolver.resolve4('www.example.org')).rejects.toMatchObject({ code: 'ENOTFOUND' });
});

test('a query for a deleted hosted zone is refused', async () => {
  state.deleteHostedZone(zoneId);
  await expect(resolver.resolveSoa('example.org')).rejects.toMatchObject({ code: 'EREFUSED' });
});

test('routing, aliases and a private zone of the local Route 53 are answered', async () => {
  const set = (name: string, values: readonly string[], more: Partial<LocalChange['recordSet']>): LocalChange => {
    const simple = { name, type: 'A', setIdentifier: null, ttl: 60, values, alias: null, routing: null };
    return { action: 'CREATE', recordSet: { ...simple, ...more } };
  };
  const weight = (identifier: string, value: string) => ({
    setIdentifier: identifier,
    routing: { policy: 'Weight', value } as const,
  });
  const alias = { hostedZoneId: zoneId, dnsName: 'www.example.org.', evaluateTargetHealth: true };
  state.changeResourceRecordSets(zoneId, null, [
    set('www.example.org.', ['192.0.2.1'], weight('a', '0')),
    set('www.example.org.', ['192.0.2.2'], weight('b', '1')),
    set('example.org.', [], { ttl: null, alias }),
  ]);
  const vpc = { id: 'vpc-0123456789abcdef0', region: 'eu-west-1' };
  const hidden = state.createHostedZone({ name: 'corp.example.', callerReference: 'p', comment: null, vpc }).zone.id;
  state.changeResourceRecordSets(hidden, null, [set('www.corp.example.', ['10.0.0.1'], {})]);
  expect(await resolver.resolve4('www.example.org')).toEqual(['192.0.2.2']);
  expect(await resolver.resolve4('example.org', { ttl: true })).toEqual([{ address: '192.0.2.2', ttl: 60 }]);
  expect(await resolver.resolve4('www.corp.example')).toEqual(['10.0.0.1']);
});
