import { expect, test } from 'vitest';
import type { Entry } from '../dns/entry.ts';
import { DEFAULT_CONFIG } from '../ports/config.ts';
import type { ZoneOutput } from './describe-cluster.ts';
import { inheritedEntries } from './inherited-entries.ts';

const CONFIG = {
  ...DEFAULT_CONFIG,
  hostedZones: [
    { zone: 'e.', id: 'ZP' },
    { zone: 'e.', id: 'ZI', view: 'inside', visibility: 'private' as const },
  ],
  extendedViews: { inside: 'public', desk: 'inside' },
};

const a = (fqdn: string, rdata: string): Entry => ({ fqdn, type: 'A', class: 'IN', ttl: 60, rdata });
const soa: Entry = { fqdn: 'e.', type: 'SOA', class: 'IN', ttl: 30, rdata: 'x' };

function alias(fqdn: string, target: string, hostedZoneId: string | null, routing?: Entry['routing']): Entry {
  const to = { target, hostedZoneId, evaluateTargetHealth: false };
  return { fqdn, type: 'A', class: 'IN', ttl: null, alias: to, ...(routing && { routing }) };
}

function zone(name: string, view: string, ...entries: Entry[]): ZoneOutput {
  const head = {
    namespace: 'p',
    name,
    fqdn: 'e.',
    view,
    parent: null,
    conditions: [],
    notes: [],
    hash: 'h',
    serial: 1,
  };
  return { ...head, entries: [soa, ...entries] };
}

async function inherited(...zones: ZoneOutput[]): Promise<readonly string[]> {
  const found = await inheritedEntries(zones, CONFIG);
  return [...found].flatMap(([{ name }, entries]) =>
    entries.map((entry) => {
      const to = 'alias' in entry ? `${entry.alias.hostedZoneId} ${entry.alias.target}` : entry.rdata;
      const routed = entry.routing === undefined ? '' : ` ${JSON.stringify(entry.routing)}`;
      return `${name}: ${entry.fqdn} ${entry.ttl} ${entry.type} ${to}${routed}`;
    }),
  );
}

test('inheritedEntries() has what the extended view would publish, through several views', async () => {
  const outside = zone('outside', 'public', a('www.e.', '192.0.2.1'), a('own.e.', '192.0.2.2'));
  const inside = zone('inside', 'inside', a('own.e.', '10.0.0.2'));
  expect(await inherited(zone('desk', 'desk'), outside, inside)).toEqual([
    'inside: www.e. 60 A 192.0.2.1',
    'desk: own.e. 60 A 10.0.0.2',
    'desk: www.e. 60 A 192.0.2.1',
  ]);
});

test('inheritedEntries() judges aliases as publishing does', async () => {
  const routing = { setIdentifier: 'x', weight: 1 };
  const outside = zone(
    'outside',
    'public',
    a('www.e.', '192.0.2.1'),
    alias('within.e.', 'www.e.', null),
    alias('configured.e.', 'www.e.', 'ZP'),
    alias('lost.e.', 'elsewhere.e.', null),
    alias('cdn.e.', 'd1.cloudfront.net.', 'Z2FDTNDATAQYW2', routing),
  );
  expect(await inherited(outside, zone('inside', 'inside'))).toEqual([
    'inside: www.e. 60 A 192.0.2.1',
    'inside: within.e. null A ZI www.e.',
    'inside: configured.e. null A ZI www.e.',
    'inside: lost.e. 30 CNAME elsewhere.e.',
    'inside: cdn.e. 30 CNAME d1.cloudfront.net. {"setIdentifier":"x","weight":1}',
  ]);
});
