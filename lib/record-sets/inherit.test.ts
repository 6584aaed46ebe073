import { expect, test } from 'vitest';
import type { RecordSetContent } from '../dns/record-set.ts';
import { type InheritingName, inherit, type PublishedElsewhere, targetsWithin } from './inherit.ts';

const NAME = 'www.example.org.@inside.';
const values = (...all: string[]): RecordSetContent => ({ kind: 'values', ttlSeconds: 300, values: all });
const alias = (dnsName: string, hostedZoneId = 'ZP', evaluateTargetHealth = true): RecordSetContent => ({
  kind: 'alias',
  alias: { hostedZoneId, dnsName, evaluateTargetHealth },
});
const weighted = (content: RecordSetContent): RecordSetContent => ({
  ...content,
  routing: { policy: { kind: 'weight', weight: 1 }, healthCheckId: null },
});

function published(type: string, content: RecordSetContent, setIdentifier: string | null = null): PublishedElsewhere {
  return { name: 'www.example.org.', type, setIdentifier, content, hostedZoneId: 'ZP' };
}

function inherited(all: readonly PublishedElsewhere[], at: Partial<InheritingName> = {}, own: readonly string[] = []) {
  const found = inherit(all, {
    ...{ name: NAME, isApex: false, hostedZoneId: 'ZI', isPrivate: true, ttlSeconds: 60 },
    ...{ ownTypes: new Set(own), stands: () => false, ...at },
  });
  const lines = found.sets.map(({ name, type, setIdentifier, content }) => {
    expect(name).toBe(at.name ?? NAME);
    const to =
      content.kind === 'values' ? content.values.join(' ') : `${content.alias.hostedZoneId} ${content.alias.dnsName}`;
    return `${type}${setIdentifier === null ? '' : ` [${setIdentifier}]`} ${content.kind === 'values' ? content.ttlSeconds : 'alias'} ${to}`;
  });
  return [...lines, ...found.leftOut];
}

const A = published('A', values('192.0.2.1'));
const TXT = published('TXT', values('"x"'));

test('inherit() copies each type that the view has not itself, with its TTL', () => {
  expect(inherited([A, TXT])).toEqual(['A 300 192.0.2.1', 'TXT 300 "x"']);
  expect(inherited([A, TXT], {}, ['TXT'])).toEqual(['A 300 192.0.2.1']);
  expect(inherited([A, TXT], {}, ['MX'])).toEqual(['A 300 192.0.2.1', 'TXT 300 "x"']);
});

test.each(['A', 'AAAA', 'HTTPS', 'SVCB'])('inherit() copies no address where the view has its own %s', (own) => {
  const all = [A, published('AAAA', values('2001:db8::1')), published('HTTPS', values('1 . alpn=h2')), TXT];
  expect(inherited(all, {}, [own])).toEqual(['TXT 300 "x"']);
});

test('inherit() copies nothing that a CNAME would stand beside', () => {
  expect(inherited([A, TXT], {}, ['CNAME'])).toEqual([]);
  expect(inherited([published('CNAME', values('a.example.'))], {}, ['TXT'])).toEqual([]);
});

test('inherit() never copies what belongs to the hosted zone', () => {
  expect(
    inherited([
      published('NS', values('ns1.example.')),
      published('DS', values('1 8 2 00')),
      published('SOA', values('x')),
    ]),
  ).toEqual([]);
});

test('inherit() gives an alias within the hosted zone the id and the name of the view', () => {
  const stands = (name: string, type: string) => name === 'api.example.org.@inside.' && type === 'A';
  expect(inherited([published('A', alias('api.example.org.'))], { stands })).toEqual([
    'A alias ZI api.example.org.@inside.',
  ]);
  expect(
    targetsWithin([published('A', alias('api.example.org.')), published('A', alias('lb.amazonaws.com.', 'ZLB'))]),
  ).toEqual([{ name: 'api.example.org.', type: 'A' }]);
});

test('inherit() makes a CNAME of an alias whose target does not stand there, and leaves the rest out', () => {
  const all = [published('A', alias('api.example.org.')), published('AAAA', alias('api.example.org.')), TXT];
  expect(inherited(all)).toEqual(['CNAME 60 api.example.org.']);
  expect(inherited(all, {}, ['MX'])).toEqual([]);
});

test('inherit() makes a CNAME of an alias to CloudFront in a private hosted zone alone', () => {
  const all = [published('A', alias('d1.cloudfront.net.', 'Z2FDTNDATAQYW2', false))];
  expect(inherited(all)).toEqual(['CNAME 60 d1.cloudfront.net.']);
  expect(inherited(all, { isPrivate: false })).toEqual(['A alias Z2FDTNDATAQYW2 d1.cloudfront.net.']);
  expect(inherited([published('A', alias('lb.amazonaws.com.', 'ZLB'))])).toEqual(['A alias ZLB lb.amazonaws.com.']);
});

test('inherit() keeps the routing of an alias that becomes a CNAME', () => {
  const to = (n: number) => weighted(alias(`d${n}.cloudfront.net.`, 'Z2FDTNDATAQYW2', false));
  const all = [published('A', to(1), 'one'), published('A', to(2), 'two'), published('AAAA', to(1), 'one')];
  expect(inherited(all)).toEqual(['CNAME [one] 60 d1.cloudfront.net.', 'CNAME [two] 60 d2.cloudfront.net.']);
});

test('inherit() says which alias an apex cannot have, and copies the other types', () => {
  const all = [published('A', alias('d1.cloudfront.net.', 'Z2FDTNDATAQYW2', false)), TXT];
  expect(inherited(all, { isApex: true })).toEqual([
    'TXT 300 "x"',
    'A www.example.org. is not inherited: its alias cannot be here, and a CNAME cannot be at the apex of a hosted zone',
  ]);
  expect(inherited([published('CNAME', values('a.example.'))], { isApex: true })).toEqual([
    'CNAME www.example.org. is not inherited: a CNAME cannot be at the apex of a hosted zone',
  ]);
});
