import { expect, test } from 'vitest';
import { gateway, routeLines, WWW } from '../../../test/support/route-manifests.ts';
import { service } from '../../../test/support/service-manifests.ts';
import { linesOf, resultOf } from '../../../test/support/source-lines.ts';
import { type Network, parseNetwork } from '../../dns/rdata/network.ts';
import type { SourceSettings } from '../../objects/source-settings.ts';
import { DNS_ENDPOINT } from './dns-endpoint.ts';
import { SERVICE } from './service.ts';

function networks(...texts: readonly string[]): readonly Network[] {
  return texts.map((text) => {
    const parsed = parseNetwork(text);
    if (!parsed.ok) throw new Error(parsed.problem);
    return parsed.network;
  });
}

const PRIVATE: Pick<SourceSettings, 'targets'> = { targets: { only: [], not: networks('10.0.0.0/8', 'fd00::/8') } };

function balanced(ips: readonly string[], settings = PRIVATE) {
  const status = { loadBalancer: { ingress: ips.map((ip) => ({ ip })) } };
  const result = resultOf(SERVICE, service({ type: 'LoadBalancer' }, undefined, status), { settings });
  if (!result.ok) throw new Error('cannot be read');
  const { endpoints, notes, waiting, waits, problems } = result;
  return { values: endpoints.flatMap(({ values }) => values), notes, waiting, waits, problems };
}

test('an address in a network of `not` is left out, with a note', () => {
  expect(balanced(['192.0.2.1', '10.0.0.1', 'fd00::1', '2001:db8::1'])).toEqual({
    values: ['192.0.2.1', '2001:db8::1'],
    notes: [
      'web.example.org. does not get 10.0.0.1, fd00::1: sources.defaults.targets of the configuration keeps that out',
    ],
    waiting: [],
    waits: [],
    problems: [],
  });
});

test('a name whose addresses are all kept out gets nothing, and what was published goes', () => {
  expect(balanced(['10.0.0.1'])).toMatchObject({
    values: [],
    waiting: [
      {
        fqdn: 'web.example.org.',
        why: 'sources.defaults.targets of the configuration keeps out its addresses: 10.0.0.1',
      },
    ],
    waits: [],
    problems: [],
  });
});

test('with `only`, addresses of other networks are left out, and `not` counts more', () => {
  const targets = { only: networks('192.0.2.0/24'), not: networks('192.0.2.128/25') };
  expect(balanced(['192.0.2.1', '192.0.2.129', '198.51.100.1', '2001:db8::1'], { targets }).values).toEqual([
    '192.0.2.1',
  ]);
});

test('a note lists five addresses and counts the others', () => {
  const [note] =
    balanced(['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4', '10.0.0.5', '10.0.0.6', '10.0.0.7']).notes ?? [];
  expect(note).toContain('10.0.0.5 and 2 more:');
});

test('default targets and those of a Gateway are judged too', () => {
  const settings = { ...PRIVATE, defaultTargets: ['10.0.0.9'] };
  expect(linesOf(SERVICE, service({ type: 'LoadBalancer' }), { settings }).endpoints).toEqual([]);
  const inside = gateway([{}], { status: { addresses: [{ value: '10.0.0.1' }, { value: '192.0.2.2' }] } });
  expect(routeLines({ hostnames: WWW }, [inside], { settings: PRIVATE }).endpoints).toEqual([
    'www.example.org. A 192.0.2.2',
  ]);
});

test('a name that keeps an endpoint of another type does not count as one that waits', () => {
  const endpoints = [
    { dnsName: 'www.example.org', recordType: 'A', targets: ['10.0.0.1'] },
    { dnsName: 'www.example.org', recordType: 'AAAA', targets: ['2001:db8::1'] },
  ];
  expect(resultOf(DNS_ENDPOINT, { spec: { endpoints } }, { settings: PRIVATE })).toMatchObject({
    endpoints: [{ type: 'AAAA' }],
    waiting: [],
    notes: [expect.stringContaining('10.0.0.1')],
  });
});

test('values of other types and host names are not judged', () => {
  const endpoints = [
    { dnsName: 'www.example.org', recordType: 'CNAME', targets: ['10.0.0.1.nip.example'] },
    { dnsName: 'txt.example.org', recordType: 'TXT', targets: ['10.0.0.1'] },
  ];
  expect(linesOf(DNS_ENDPOINT, { spec: { endpoints } }, { settings: PRIVATE }).endpoints).toEqual([
    'www.example.org. CNAME 10.0.0.1.nip.example.',
    'txt.example.org. TXT "10.0.0.1"',
  ]);
});
