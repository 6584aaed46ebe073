// The local DNS server, asked by the real dig over UDP and TCP: every type that Route 53 holds and each behaviour of an
// authoritative server. dig shares no code with us, so what it prints is what any resolver would have understood.
// Engine: Debian's bind9-dnsutils (npm run engines). Without dig the suite is skipped, and fails under CI.
import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DnsServer, startDns } from '../../local/dns/server.ts';
import { EXAMPLE_ZONES, WILDCARD_ZONE } from '../fakes/dns-zones.ts';

const installed = spawnSync('dig', ['-v']).error === undefined;
const run = promisify(execFile);
const SOA = 'SOA ns-1.example.net. hostmaster.example.net. 1 7200 900 1209600 300';

type Told = {
  readonly status: string;
  readonly flags: string;
  readonly question: string | undefined;
  readonly answer: readonly string[];
  readonly authority: readonly string[];
  readonly additional: readonly string[];
  readonly text: string;
};

let server: DnsServer;

beforeAll(async () => {
  server = await startDns({ zones: () => [...EXAMPLE_ZONES, WILDCARD_ZONE] });
});

afterAll(async () => {
  await server.close();
});

/** The sections of dig's output for a question. Records have the form `name ttl type rdata`, with single blanks. */
async function dig(...question: string[]): Promise<Told> {
  const args = ['@127.0.0.1', '-p', String(server.port), '+norecurse', '+tries=1', '+time=5', '+nocookie', ...question];
  const { stdout } = await run('dig', args);
  const section = (title: string): string[] => {
    const body = new RegExp(`;; ${title} SECTION:\n((?:.+\n)*)`).exec(stdout)?.[1] ?? '';
    return body
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.replace(/\s+/g, ' ').replace(' IN ', ' '));
  };
  return {
    status: /status: (\w+)/.exec(stdout)?.[1] ?? 'none',
    flags: /;; flags: ([a-z ]*);/.exec(stdout)?.[1] ?? 'none',
    question: section('QUESTION')[0],
    answer: section('ANSWER'),
    authority: section('AUTHORITY'),
    additional: section('ADDITIONAL'),
    text: stdout,
  };
}

test('dig is installed (npm run engines) where CI runs', () => {
  expect(installed || process.env.CI === undefined, 'dig is missing: apt-get install bind9-dnsutils').toBe(true);
});

describe.skipIf(!installed)('dig asks the local DNS server (skipped where dig is not installed)', () => {
  describe.each([
    ['UDP', '+notcp'],
    ['TCP', '+tcp'],
  ])('over %s', (_, transport) => {
    test.each<[string, string, readonly string[]]>([
      ['A', 'a.example.org', ['300 A 192.0.2.1', '300 A 192.0.2.2']],
      ['AAAA', 'aaaa.example.org', ['300 AAAA 2001:db8::1']],
      [
        'CAA',
        'caa.example.org',
        ['300 CAA 0 issue "ca.example.net; account=\\"5\\""', '300 CAA 128 iodef "mailto:a@example.org"'],
      ],
      ['CNAME', 'cname.example.org', ['300 CNAME a.example.org.']],
      ['DS', 'ds.example.org', ['300 DS 60485 13 2 D4B7D520E7BB5F0F67674A0CCEB1E3E0614B93C4F9E99B8383F6A1E4 469DA50A']],
      [
        'HTTPS',
        'https.example.org',
        ['300 HTTPS 1 . alpn="h3,h2" port=8443 ipv4hint=192.0.2.1,192.0.2.2 ipv6hint=2001:db8::1'],
      ],
      ['MX', 'mx.example.org', ['300 MX 10 mail.example.net.', '300 MX 20 mail2.example.net.']],
      ['NAPTR', 'naptr.example.org', ['300 NAPTR 100 50 "u" "E2U+sip" "!^\\\\+49(.*)$!sip:\\\\1@example.org!" .']],
      ['NS', 'example.org', ['172800 NS ns-1.example.net.', '172800 NS ns-2.example.net.']],
      ['PTR', 'ptr.example.org', ['300 PTR a.example.org.']],
      ['SOA', 'example.org', [`900 ${SOA}`]],
      ['SPF', 'spf.example.org', ['300 SPF "v=spf1 -all"']],
      ['SRV', '_sip._tcp.example.org', ['300 SRV 10 60 5060 sip.example.net.']],
      [
        'SSHFP',
        'sshfp.example.org',
        ['300 SSHFP 4 2 123456789ABCDEF67890123456789ABCDEF67890123456789ABCDEF1 23456789'],
      ],
      ['SVCB', 'svcb.example.org', ['300 SVCB 0 dns.example.net.']],
      [
        'TLSA',
        '_443._tcp.example.org',
        ['300 TLSA 3 1 1 0C72AC70B745AC19998811B131D662C9AC69DBDBE7CB23E5B514B566 64C5D3D6'],
      ],
      ['TXT', 'txt.example.org', ['300 TXT "one" "two \\"quoted\\" \\\\ caf\\195\\169"']],
    ])('for %s', async (type, name, records) => {
      const told = await dig(transport, name, type);
      const answer = records.map((record) => `${name}. ${record}`);
      expect(told).toMatchObject({ status: 'NOERROR', flags: 'qr aa', answer, authority: [], additional: [] });
    });

    test.each<[string, readonly string[], Partial<Told>]>([
      [
        'a chain of CNAMEs, on into another zone',
        ['chain1.example.org', 'A'],
        {
          flags: 'qr aa',
          answer: [
            'chain1.example.org. 60 CNAME chain2.example.org.',
            'chain2.example.org. 61 CNAME lab.example.org.',
            'lab.example.org. 300 A 192.0.2.5',
          ],
        },
      ],
      ['a wildcard', ['x.y.wild.example.org', 'A'], { answer: ['x.y.wild.example.org. 300 A 192.0.2.9'] }],
      [
        'a wildcard of RFC 4592',
        ['foo.bar.example', 'TXT'],
        { answer: ['foo.bar.example. 300 TXT "this is a wildcard"'] },
      ],
      ['no wildcard where the name is there', ['host1.example', 'MX'], { status: 'NOERROR', answer: [] }],
      ['no wildcard below a name that is there', ['_telnet._tcp.host1.example', 'SRV'], { status: 'NXDOMAIN' }],
      [
        'NXDOMAIN with the SOA, at its last field',
        ['nope.example.org', 'A'],
        { status: 'NXDOMAIN', flags: 'qr aa', answer: [], authority: [`example.org. 300 ${SOA}`] },
      ],
      [
        'NODATA with the SOA',
        ['a.example.org', 'MX'],
        { status: 'NOERROR', flags: 'qr aa', answer: [], authority: [`example.org. 300 ${SOA}`] },
      ],
      ['NODATA at an empty non-terminal', ['empty.example.org', 'A'], { status: 'NOERROR', answer: [] }],
      [
        'a referral with glue at a cut, without AA',
        ['www.child.example.org', 'A'],
        {
          status: 'NOERROR',
          flags: 'qr',
          answer: [],
          authority: [
            'child.example.org. 300 NS ns1.child.example.org.',
            'child.example.org. 300 NS ns.other.example.org.',
            'child.example.org. 300 NS ns9.example.net.',
          ],
          additional: [
            'ns1.child.example.org. 300 A 192.0.2.53',
            'ns1.child.example.org. 300 AAAA 2001:db8::53',
            'ns.other.example.org. 300 A 192.0.2.54',
          ],
        },
      ],
      [
        'the DS of a served child from above',
        ['lab.example.org', 'DS'],
        { flags: 'qr aa', authority: [], status: 'NOERROR' },
      ],
      [
        'an alias with what it leads to',
        ['alias.example.org', 'A'],
        { answer: ['alias.example.org. 300 A 192.0.2.1', 'alias.example.org. 300 A 192.0.2.2'] },
      ],
      [
        'a record set by its weight',
        ['routed.example.org', 'A'],
        { answer: ['routed.example.org. 30 A 192.0.2.21', 'routed.example.org. 30 A 192.0.2.22'] },
      ],
      [
        'the first region',
        ['rcname.example.org', 'CNAME'],
        { answer: ['rcname.example.org. 60 CNAME a.example.net.'] },
      ],
      ['the default geolocation', ['geo.example.org', 'A'], { answer: ['geo.example.org. 300 A 192.0.2.32'] }],
      [
        'the secondary where the primary leads to nothing',
        ['over.example.org', 'A'],
        { answer: ['over.example.org. 300 A 192.0.2.42'] },
      ],
      [
        'NODATA for an alias of AWS, and what it leads to',
        ['elb.example.org', 'A'],
        { status: 'NOERROR', answer: [], text: expect.stringMatching(/EDE: 0.*alias of lb\.eu-central-1\.elb/) },
      ],
      ['REFUSED outside the zones', ['www.example.net', 'A'], { status: 'REFUSED', flags: 'qr', answer: [] }],
      ['REFUSED for class CH', ['version.bind', 'TXT', 'CH'], { status: 'REFUSED', flags: 'qr' }],
      ['NOTIMP for another opcode', ['+opcode=notify', 'example.org', 'SOA'], { status: 'NOTIMP' }],
      ['FORMERR for no question', ['+header-only'], { status: 'FORMERR' }],
      [
        'BADVERS for EDNS 1',
        ['+edns=1', '+noednsnegotiation', 'example.org', 'SOA'],
        { status: 'BADVERS', answer: [] },
      ],
      ['the question as it was spelt', ['A.eXaMpLe.OrG', 'A'], { question: ';A.eXaMpLe.OrG. A' }],
    ])('gets %s', async (_, question, told) => {
      expect(await dig(transport, ...question)).toMatchObject(told);
    });

    test('gets eight of ten multivalue record sets', async () => {
      const { answer } = await dig(transport, 'many.example.org', 'A');
      expect(new Set(answer).size).toBe(8);
      for (const record of answer) expect(record).toMatch(/^many\.example\.org\. 30 A 192\.0\.2\.10\d$/);
    });

    test('gets ANY: whole over TCP', async () => {
      const { answer } = await dig(transport, '+notcp', transport, 'x.wild.example.org', 'ANY');
      expect(answer.toSorted()).toEqual(['x.wild.example.org. 300 A 192.0.2.9', 'x.wild.example.org. 300 TXT "wild"']);
    });

    test('gets EDNS0 back, with the DO bit, and none unasked', async () => {
      expect((await dig(transport, '+dnssec', 'a.example.org')).text).toContain(
        'EDNS: version: 0, flags: do; udp: 1232',
      );
      expect((await dig(transport, '+noedns', 'a.example.org')).text).not.toContain('EDNS');
    });

    test('gets an answer whatever EDNS0 options it sends', async () => {
      const options = [
        '+nsid',
        '+expire',
        '+subnet=192.0.2.0/24',
        '+keepalive',
        '+padding=128',
        '+cookie',
        '+ednsopt=65001:00ff',
      ];
      expect((await dig(transport, ...options, 'a.example.org')).answer).toHaveLength(2);
    });
  });

  test.each([
    ['+noedns', 'naptr.example.org', 'NAPTR', false],
    ['+noedns', 'big.example.org', 'TXT', true],
    ['+bufsize=1232', 'big.example.org', 'TXT', true],
    ['+bufsize=4096', 'big.example.org', 'TXT', false],
    ['+bufsize=4096', 'huge.example.org', 'TXT', true],
  ])('truncation over UDP with %s: %s %s is cut: %s', async (size, name, type, cut) => {
    const told = await dig('+ignore', size, name, type);
    expect(told.flags).toBe(cut ? 'qr aa tc' : 'qr aa');
    expect(told.answer.length === 0).toBe(cut);
  });

  test('gets over TCP the whole of an answer that was cut over UDP', async () => {
    expect((await dig('huge.example.org', 'TXT')).answer).toHaveLength(300);
  });

  test('gets a refusal for a transfer of the zone', async () => {
    expect((await dig('example.org', 'AXFR')).text).toContain('Transfer failed');
  });
});
