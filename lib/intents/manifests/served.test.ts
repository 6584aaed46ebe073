import { expect, test } from 'vitest';
import type { Binding } from './bindings.ts';
import { askedSets, leftOut, servedSets } from './served.ts';

const VALUE = '"heritage=external-dns,external-dns/owner=me,external-dns/resource=crd/shop/www-public"';
const ALB = 'lb-1.eu-west-1.elb.amazonaws.com';
const OF_SERVICE = { name: 'www', dnsName: 'www.example.org', clusters: [] };

function bindingOf(targets: Partial<Binding['targets']>, parameters: object): Binding {
  const owned = { registry: 'txt', 'txt-owner-id': 'me', ...parameters };
  return {
    app: { name: 'web', version: 'v1', profile: 'p', logicalCloud: 'main' },
    service: OF_SERVICE,
    record: 'public',
    definition: { metadata: { name: 'public' }, provider: 'aws', parameters: owned, secrets: {} },
    targets: { ipv4: [], ipv6: [], host: null, ...targets },
    trouble: null,
  };
}

// What external-dns 0.21.0 wrote into an empty hosted zone. Last verified 2026-11-23.
test.each<[string, Partial<Binding['targets']>, object, readonly string[]]>([
  ['addresses', { ipv4: ['192.0.2.1'], ipv6: ['2001:db8::1'] }, {}, ['a-www', 'aaaa-www']],
  ['a host name', { host: 'lb.example.net' }, {}, ['cname-www']],
  ['a name of AWS', { host: ALB }, {}, ['cname-www', 'aaaa-www']],
  ['a name of AWS that is to be a CNAME', { host: ALB }, { 'aws-prefer-cname': true }, ['cname-www']],
  ['a name of AWS, with a prefix', { host: ALB }, { 'txt-prefix': '%{record_type}.' }, ['cname.www', 'aaaa.www']],
])('registry txt notes the owner of %s', (_, targets, parameters, names) => {
  const texts = askedSets('shop', bindingOf(targets, parameters), null).filter(
    ({ recordType }) => recordType === 'TXT',
  );
  expect(texts.map(({ dnsName }) => dnsName)).toEqual(names.map((name) => `${name}.example.org`));
  for (const { targets: values } of texts) expect(values).toEqual([VALUE]);
});

test.each<[string, string, object]>([
  ['a wildcard', '*.example.org', {}],
  ['a name with no room for the type', `${'x'.repeat(62)}.example.org`, {}],
  ['a prefix that no name may have', 'www.example.org', { 'txt-prefix': 'custom string' }],
])('registry txt notes no owner of %s, and its name is published', (_, dnsName, parameters) => {
  const binding = { ...bindingOf({ ipv4: ['192.0.2.1'] }, parameters), service: { ...OF_SERVICE, dnsName } };
  expect(askedSets('shop', binding, null)).toEqual([{ dnsName, recordType: 'A', targets: ['192.0.2.1'] }]);
});

test.each<[object, string | null]>([
  [{ 'aws-zone-type': 'private' }, 'aws-zone-type'],
  [{ 'zone-id-filter': 'Z1' }, 'zone-id-filter'],
  [{ 'aws-zone-tags': ['team=dns'] }, 'aws-zone-tags'],
  [{ 'zone-id-filter': [] }, null],
  [{ 'domain-filter': 'example.org' }, null],
])('leftOut(): %o of a name whose hosted zone is not known yet', (parameters, filter) => {
  const { definition } = bindingOf({ ipv4: ['192.0.2.1'] }, parameters);
  const reason = definition === null ? null : leftOut('www.example.org', definition, null);
  expect(reason).toEqual(filter === null ? null : expect.stringContaining(`and ${filter} needs it`));
});

const A = { ipv4: ['192.0.2.1'] };
const HOST = { host: 'lb.example.net' };

// What Route 53 has is kept where a change of the type would delete it.
test.each<[string, Partial<Binding['targets']>, Partial<Binding['targets']>, object, boolean]>([
  ['addresses in place of a CNAME', HOST, A, {}, false],
  ['a CNAME in place of addresses', A, HOST, {}, false],
  ['a CNAME in place of an alias', { host: ALB }, HOST, {}, false],
  ['an alias in place of a CNAME', HOST, { host: ALB }, {}, false],
  ['an IPv4 address in place of an alias of both families', { host: ALB }, A, {}, false],
  ['an alias in place of an IPv4 address', A, { host: ALB }, {}, true],
  ['a CNAME to a name of AWS in place of addresses', A, { host: ALB }, { 'aws-prefer-cname': true }, false],
  ['another address', A, { ipv4: ['192.0.2.2'] }, {}, true],
  ['another host', HOST, { host: 'lb2.example.net' }, {}, true],
])('servedSets() with policy upsert-only, for %s', (_, before, after, parameters, isWritten) => {
  const given = { policy: 'upsert-only', registry: 'noop', ...parameters };
  const [stood, asked] = [before, after].map((targets) => askedSets('shop', bindingOf(targets, given), null));
  expect(servedSets(asked ?? [], stood ?? [], { parameters: given }, false)).toEqual(isWritten ? asked : stood);
  const create = { parameters: { ...given, policy: 'create-only' } };
  expect(servedSets(asked ?? [], stood ?? [], create, false)).toEqual(stood);
  const sync = { parameters: { ...given, policy: 'sync' } };
  expect(servedSets(asked ?? [], stood ?? [], sync, false)).toEqual(asked);
});

test.each(['upsert-only', 'create-only'])(
  'servedSets() with policy %s adds another type beside what stays',
  (policy) => {
    const parameters = { policy, registry: 'noop' };
    const setsOf = (targets: object) => askedSets('shop', bindingOf(targets, parameters), null);
    const both = servedSets(setsOf({ ipv6: ['2001:db8::1'] }), setsOf(A), { parameters }, false);
    expect(both.map(({ recordType }) => recordType).toSorted()).toEqual(['A', 'AAAA']);
  },
);

test.each<[string, string, boolean]>([
  ['example.org', 'www.example.org', true],
  ['Example.ORG.', 'example.org', true],
  ['.example.org', 'www.example.org', true],
  ['.example.org', 'example.org', false],
  ['xample.org', 'www.example.org', false],
  ['bücher.example', 'www.bücher.example', true],
  ['.BÜCHER.example', 'www.xn--bcher-kva.example', true],
  ['xn--bcher-kva.example', 'Bücher.example', true],
  ['.bücher.example', 'bücher.example', false],
])('domain-filter %s, and %s', (domain, name, isWithin) => {
  const { definition } = bindingOf({ ipv4: ['192.0.2.1'] }, { 'domain-filter': domain });
  const reason = definition === null ? null : leftOut(name, definition, null);
  expect(reason).toEqual(isWithin ? null : expect.stringContaining('is outside of domain-filter'));
});
