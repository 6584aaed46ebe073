import { expect, test } from 'vitest';
import type { Binding } from './bindings.ts';
import { askedSets } from './served.ts';

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
