import { describe, expect, test } from 'vitest';
import { EXAMPLE_ZONES, recordSet, WILDCARD_ZONE } from '../../test/fakes/dns-zones.ts';
import { type DnsQuestion, type DnsRecord, type Resolution, resolve } from './resolve.ts';
import { buildZoneIndex, type HostedZoneView } from './zone-index.ts';

const index = buildZoneIndex([...EXAMPLE_ZONES, WILDCARD_ZONE]);
const SOA = 'ns-1.example.net. hostmaster.example.net. 1 7200 900 1209600 300';

/** A reply in one line a record, so that a table row can be read. */
function told(reply: Resolution): Record<string, unknown> {
  const line = (record: DnsRecord) => `${record.name} ${record.ttl} ${record.type} ${record.value}`;
  return {
    status: `${reply.rcode}${reply.aa ? ' aa' : ''}`,
    answers: reply.answers.map(line),
    authorities: reply.authorities.map(line),
    additionals: reply.additionals.map(line),
  };
}

function question(text: string): DnsQuestion {
  const [name = '', type = ''] = text.split(' ');
  return { name, type };
}

function ask(text: string): Record<string, unknown> {
  return told(resolve(index, question(text), () => 0));
}

const soaOf = (zone: string): string => `${zone} 300 SOA ${SOA}`;

describe('resolve() answers', () => {
  test.each<[string, string, readonly string[]]>([
    [
      'every value of a record set',
      'a.example.org. A',
      ['a.example.org. 300 A 192.0.2.1', 'a.example.org. 300 A 192.0.2.2'],
    ],
    ['a query for the SOA, with its own TTL', 'example.org. SOA', [`example.org. 900 SOA ${SOA}`]],
    [
      'the NS of the apex',
      'example.org. NS',
      ['example.org. 172800 NS ns-1.example.net.', 'example.org. 172800 NS ns-2.example.net.'],
    ],
    ['the zone of the longest name', 'lab.example.org. A', ['lab.example.org. 300 A 192.0.2.5']],
    [
      'a chain of CNAMEs that leads into another of our zones',
      'chain1.example.org. A',
      [
        'chain1.example.org. 60 CNAME chain2.example.org.',
        'chain2.example.org. 61 CNAME lab.example.org.',
        'lab.example.org. 300 A 192.0.2.5',
      ],
    ],
    [
      'a query for a CNAME, without its target',
      'chain1.example.org. CNAME',
      ['chain1.example.org. 60 CNAME chain2.example.org.'],
    ],
    [
      'a CNAME that leads out of our zones',
      'outside.example.org. A',
      ['outside.example.org. 300 CNAME www.example.net.'],
    ],
    [
      'a ring of CNAMEs, each once',
      'loop1.example.org. A',
      ['loop1.example.org. 300 CNAME loop2.example.org.', 'loop2.example.org. 300 CNAME loop1.example.org.'],
    ],
    [
      'an alias with the TTL and values of its target',
      'alias.example.org. A',
      ['alias.example.org. 300 A 192.0.2.1', 'alias.example.org. 300 A 192.0.2.2'],
    ],
    [
      'an alias of an alias',
      'alias2.example.org. A',
      ['alias2.example.org. 300 A 192.0.2.1', 'alias2.example.org. 300 A 192.0.2.2'],
    ],
    [
      'a record set by its weight',
      'routed.example.org. A',
      ['routed.example.org. 30 A 192.0.2.21', 'routed.example.org. 30 A 192.0.2.22'],
    ],
    ['one of several CNAMEs', 'rcname.example.org. A', ['rcname.example.org. 60 CNAME a.example.net.']],
    ['a wildcard, with the queried name', 'x.y.wild.example.org. A', ['x.y.wild.example.org. 300 A 192.0.2.9']],
    ['the wildcard itself', '*.wild.example.org. A', ['*.wild.example.org. 300 A 192.0.2.9']],
    [
      'a wildcard CNAME, followed',
      'x.cwild.example.org. A',
      [
        'x.cwild.example.org. 300 CNAME a.example.org.',
        'a.example.org. 300 A 192.0.2.1',
        'a.example.org. 300 A 192.0.2.2',
      ],
    ],
    [
      'ANY, with every type of the name',
      'x.wild.example.org. ANY',
      ['x.wild.example.org. 300 TXT "wild"', 'x.wild.example.org. 300 A 192.0.2.9'],
    ],
    ['ANY at a CNAME, with the CNAME', 'chain1.example.org. ANY', ['chain1.example.org. 60 CNAME chain2.example.org.']],
    [
      'the DS at a cut',
      'child.example.org. DS',
      ['child.example.org. 300 DS 1 13 2 d4b7d520e7bb5f0f67674a0cceb1e3e0614b93c4f9e99b8383f6a1e4469da50a'],
    ],
    [
      'the DS of a zone that we serve too, from its parent',
      'lab.example.org. DS',
      ['lab.example.org. 300 DS 2 13 2 d4b7d520e7bb5f0f67674a0cceb1e3e0614b93c4f9e99b8383f6a1e4469da50a'],
    ],
    [
      'a name with octets that no host name has',
      'odd@\\056\\344.example.org. A',
      ['odd@\\056\\344.example.org. 300 A 192.0.2.77'],
    ],
  ])('%s', (_, question, answers) => {
    expect(ask(question)).toEqual({ status: 'NOERROR aa', answers, authorities: [], additionals: [] });
  });
});

describe('resolve() answers NODATA, with the SOA and the lower of its TTLs,', () => {
  test.each<[string, string, string]>([
    ['if the name has other types', 'a.example.org. MX', 'example.org.'],
    ['at an empty non-terminal', 'empty.example.org. A', 'example.org.'],
    ['at an empty non-terminal below a wildcard, which does not cover it', 'there.wild.example.org. A', 'example.org.'],
    ['if the wildcard has other types', 'x.wild.example.org. MX', 'example.org.'],
    ['for a type that Route 53 does not have', 'a.example.org. TYPE29', 'example.org.'],
    ['in the child for a name that only the parent has under the cut', 'lab.example.org. MX', 'lab.example.org.'],
    ['for the DS of an apex whose parent we do not serve', 'example.org. DS', 'example.org.'],
    ['if an alias leads to an AWS service', 'elb.example.org. A', 'example.org.'],
    ['if an alias leads to itself', 'ring.example.org. A', 'example.org.'],
  ])('%s', (_, question, zone) => {
    expect(ask(question)).toEqual({ status: 'NOERROR aa', answers: [], authorities: [soaOf(zone)], additionals: [] });
  });

  test('after a CNAME that leads to it', () => {
    const answers = ['nodata.example.org. 300 CNAME mx.example.org.'];
    const authorities = [soaOf('example.org.')];
    expect(ask('nodata.example.org. A')).toEqual({ status: 'NOERROR aa', answers, authorities, additionals: [] });
  });
});

describe('resolve() answers NXDOMAIN', () => {
  test.each<[string, string, string]>([
    ['for a name that does not exist', 'nope.example.org. A', 'example.org.'],
    ['below a name that exists', 'x.a.example.org. A', 'example.org.'],
    ['if a name closer than the wildcard exists', 'x.there.wild.example.org. A', 'example.org.'],
    ['in the child for a name that its parent has under the cut', 'occluded.lab.example.org. A', 'lab.example.org.'],
    ['whatever the type', 'nope.example.org. ANY', 'example.org.'],
  ])('%s', (_, question, zone) => {
    expect(ask(question)).toEqual({ status: 'NXDOMAIN aa', answers: [], authorities: [soaOf(zone)], additionals: [] });
  });

  test('after a CNAME that leads to it', () => {
    const answers = ['dangling.example.org. 300 CNAME nowhere.example.org.'];
    const authorities = [soaOf('example.org.')];
    expect(ask('dangling.example.org. A')).toEqual({ status: 'NXDOMAIN aa', answers, authorities, additionals: [] });
  });
});

describe('resolve() refers', () => {
  const cut = {
    authorities: [
      'child.example.org. 300 NS ns1.child.example.org.',
      'child.example.org. 300 NS ns.other.example.org.',
      'child.example.org. 300 NS ns9.example.net.',
    ],
    additionals: [
      'ns1.child.example.org. 300 A 192.0.2.53',
      'ns1.child.example.org. 300 AAAA 2001:db8::53',
      'ns.other.example.org. 300 A 192.0.2.54',
    ],
  };

  test.each([
    ['at the cut', 'child.example.org. A'],
    ['for the NS of the cut', 'child.example.org. NS'],
    ['for ANY at the cut', 'child.example.org. ANY'],
    ['under the cut, with or without records there', 'www.child.example.org. A'],
    ['for a DS under the cut', 'www.child.example.org. DS'],
    ['far under the cut', 'a.b.c.child.example.org. MX'],
    ['for the glue itself', 'ns1.child.example.org. A'],
  ])('%s', (_, question) => {
    expect(ask(question)).toEqual({ status: 'NOERROR', answers: [], ...cut });
  });

  test('after our own CNAME, with AA for the CNAME', () => {
    const answers = ['tocut.example.org. 300 CNAME www.child.example.org.'];
    expect(ask('tocut.example.org. A')).toEqual({ status: 'NOERROR aa', answers, ...cut });
  });
});

describe('resolve() refuses', () => {
  test.each(['www.example.net. A', '. NS', 'org. SOA', 'xexample.org. A'])('%s', (question) => {
    expect(ask(question)).toEqual({ status: 'REFUSED', answers: [], authorities: [], additionals: [] });
  });
});

describe('resolve() follows RFC 4592 §2.2.1', () => {
  test.each<[string, string, readonly string[]]>([
    ['host3.example. MX', 'NOERROR aa', ['host3.example. 300 MX 10 host1.example.']],
    ['host3.example. A', 'NOERROR aa', []],
    ['foo.bar.example. TXT', 'NOERROR aa', ['foo.bar.example. 300 TXT "this is a wildcard"']],
    ['host1.example. MX', 'NOERROR aa', []],
    ['sub.*.example. MX', 'NOERROR aa', []],
    ['_telnet._tcp.host1.example. SRV', 'NXDOMAIN aa', []],
    ['host.subdel.example. A', 'NOERROR', []],
    ['ghost.*.example. MX', 'NXDOMAIN aa', []],
  ])('%s is %s', (question, status, answers) => {
    expect(ask(question)).toMatchObject({ status, answers });
  });
});

describe('resolve() has its limits', () => {
  test('a chain of CNAMEs is cut off after 16', () => {
    const links = Array.from({ length: 20 }, (_, at) =>
      recordSet(`c${at}.example.org.`, 'CNAME', [`c${at + 1}.example.org.`]),
    );
    const reply = resolve(
      buildZoneIndex([{ id: 'Z', name: 'example.org.', recordSets: links }]),
      question('c0.example.org. A'),
      () => 0,
    );
    expect(reply.answers.map(({ name }) => name)).toEqual(links.slice(0, 16).map(({ name }) => name));
  });

  test('of two hosted zones with one name, the first answers', () => {
    const zones = ['192.0.2.1', '192.0.2.2'].map((address) => ({
      id: `Z${address}`,
      name: 'example.org.',
      recordSets: [recordSet('example.org.', 'A', [address])],
    }));
    const reply = resolve(buildZoneIndex(zones), question('example.org. A'), () => 0);
    expect(reply.answers.map(({ value }) => value)).toEqual(['192.0.2.1']);
  });

  test('the root can be a hosted zone', () => {
    const root = {
      id: 'Z',
      name: '.',
      recordSets: [recordSet('.', 'SOA', [SOA]), recordSet('org.', 'NS', ['ns.example.net.'])],
    };
    const reply = resolve(buildZoneIndex([root]), question('www.example.org. A'), () => 0);
    expect(told(reply)).toMatchObject({ status: 'NOERROR', authorities: ['org. 300 NS ns.example.net.'] });
    expect(told(resolve(buildZoneIndex([root]), question('com. A'), () => 0))).toMatchObject({ status: 'NXDOMAIN aa' });
  });
});

test('a hosted zone that is left behind hides no name of the zone above', () => {
  const address = recordSet('www.left.example.org.', 'A', ['192.0.2.7']);
  const soaAndNs = (name: string, nameServer: string) => [
    recordSet(name, 'SOA', [SOA]),
    recordSet(name, 'NS', [nameServer]),
  ];
  const above = {
    id: 'Z1',
    name: 'example.org.',
    recordSets: [...soaAndNs('example.org.', 'ns-1.example.net.'), address],
  };
  const left = { id: 'Z2', name: 'left.example.org.', recordSets: soaAndNs('left.example.org.', 'ns-2.example.net.') };
  const say = (...zones: HostedZoneView[]) =>
    told(resolve(buildZoneIndex(zones), question('www.left.example.org. A'), () => 0));
  expect(say(above, left)).toMatchObject({ status: 'NOERROR aa', answers: ['www.left.example.org. 300 A 192.0.2.7'] });
  const delegated = {
    ...above,
    recordSets: [...above.recordSets, recordSet('left.example.org.', 'NS', ['ns-2.example.net.'])],
  };
  expect(say(delegated, left)).toMatchObject({ status: 'NXDOMAIN aa', answers: [] });
});

test.each(['child.example.org. NS', 'www.child.example.org. A', 'no.such.child.example.org. TXT'])(
  'a hosted zone without a delegation is ignored: %s',
  (asked) => {
    const idle = {
      id: 'IDLE',
      name: 'child.example.org.',
      recordSets: [
        recordSet('child.example.org.', 'NS', ['ns-7.example.net.']),
        recordSet('www.child.example.org.', 'A', ['192.0.2.66']),
      ],
    };
    const withIdle = buildZoneIndex([...EXAMPLE_ZONES, WILDCARD_ZONE, idle]);
    const said = told(resolve(withIdle, question(asked), () => 0));
    expect(said).toEqual(ask(asked));
    expect(said.authorities).toContain('child.example.org. 300 NS ns9.example.net.');
  },
);
