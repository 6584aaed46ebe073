// The hosted zones that the tests of the local DNS server query, in local/dns and with dig: example.org, its child
// lab.example.org, which is served as well, and the zone of RFC 4592 §2.2.1. Names and values are as Route 53 returns
// them: `\052` for `*`, octal escapes in TXT.
import type { HostedZoneView, RecordSetView, RoutingValueView } from '../../local/dns/zone-index.ts';

const SOA = 'ns-1.example.net. hostmaster.example.net. 1 7200 900 1209600 300';

/** A simple record set with a TTL of 300 seconds. */
export function recordSet(name: string, type: string, values: readonly string[], ttl = 300): RecordSetView {
  return { name, type, setIdentifier: null, ttl, values, alias: null };
}

/** An alias. `health`: it evaluates the health of its target. */
export function alias(
  name: string,
  type: string,
  hostedZoneId: string,
  dnsName: string,
  health = false,
): RecordSetView {
  const target = { hostedZoneId, dnsName, evaluateTargetHealth: health };
  return { name, type, setIdentifier: null, ttl: null, values: [], alias: target };
}

/** A record set with a set identifier and a routing policy. */
export function routed(
  set: RecordSetView,
  setIdentifier: string,
  policy: string,
  value: RoutingValueView,
): RecordSetView {
  return { ...set, setIdentifier, routing: { policy, value } };
}

function apex(name: string): readonly RecordSetView[] {
  return [
    recordSet(name, 'SOA', [SOA], 900),
    recordSet(name, 'NS', ['ns-1.example.net.', 'ns-2.example.net.'], 172_800),
  ];
}

/** One record set of each type but SOA and NS: its name and its values in Route 53's syntax. */
export const TYPE_CASES: readonly RecordSetView[] = [
  recordSet('a.example.org.', 'A', ['192.0.2.1', '192.0.2.2']),
  recordSet('aaaa.example.org.', 'AAAA', ['2001:db8::1']),
  recordSet('caa.example.org.', 'CAA', [
    '0 issue "ca.example.net; account=\\"5\\""',
    '128 iodef "mailto:a@example.org"',
  ]),
  recordSet('cname.example.org.', 'CNAME', ['a.example.org']),
  recordSet('ds.example.org.', 'DS', ['60485 13 2 d4b7d520e7bb5f0f67674a0cceb1e3e0614b93c4f9e99b8383f6a1e4469da50a']),
  recordSet('https.example.org.', 'HTTPS', [
    '1 . alpn="h3,h2" port=8443 ipv4hint=192.0.2.1,192.0.2.2 ipv6hint=2001:db8::1',
  ]),
  recordSet('mx.example.org.', 'MX', ['10 mail.example.net.', '20 mail2.example.net.']),
  recordSet('naptr.example.org.', 'NAPTR', ['100 50 "u" "E2U+sip" "!^\\\\+49(.*)$!sip:\\\\1@example.org!" .']),
  recordSet('ptr.example.org.', 'PTR', ['a.example.org.']),
  recordSet('spf.example.org.', 'SPF', ['"v=spf1 -all"']),
  recordSet('_sip._tcp.example.org.', 'SRV', ['10 60 5060 sip.example.net.']),
  recordSet('sshfp.example.org.', 'SSHFP', ['4 2 123456789abcdef67890123456789abcdef67890123456789abcdef123456789']),
  recordSet('svcb.example.org.', 'SVCB', ['0 dns.example.net.']),
  recordSet('_443._tcp.example.org.', 'TLSA', [
    '3 1 1 0c72ac70b745ac19998811b131d662c9ac69dbdbe7cb23e5b514b56664c5d3d6',
  ]),
  recordSet('txt.example.org.', 'TXT', ['"one" "two \\"quoted\\" \\\\ caf\\303\\251"']),
];

/** example.org. and lab.example.org., both served. child.example.org. is delegated to other name servers. */
export const EXAMPLE_ZONES: readonly HostedZoneView[] = [
  {
    id: 'Z0EXAMPLEORG',
    name: 'example.org.',
    recordSets: [
      ...apex('example.org.'),
      ...TYPE_CASES,
      recordSet('\\052.wild.example.org.', 'TXT', ['"wild"']),
      recordSet('\\052.wild.example.org.', 'A', ['192.0.2.9']),
      recordSet('only.there.wild.example.org.', 'A', ['192.0.2.10']),
      recordSet('\\052.cwild.example.org.', 'CNAME', ['a.example.org.']),
      recordSet('deep.empty.example.org.', 'A', ['192.0.2.3']),
      recordSet('chain1.example.org.', 'CNAME', ['chain2.example.org.'], 60),
      recordSet('chain2.example.org.', 'CNAME', ['lab.example.org.'], 61),
      recordSet('dangling.example.org.', 'CNAME', ['nowhere.example.org.']),
      recordSet('nodata.example.org.', 'CNAME', ['mx.example.org.']),
      recordSet('outside.example.org.', 'CNAME', ['www.example.net.']),
      recordSet('tocut.example.org.', 'CNAME', ['www.child.example.org.']),
      recordSet('loop1.example.org.', 'CNAME', ['loop2.example.org.']),
      recordSet('loop2.example.org.', 'CNAME', ['loop1.example.org.']),
      recordSet('child.example.org.', 'NS', ['ns1.child.example.org.', 'ns.other.example.org.', 'ns9.example.net.']),
      recordSet('child.example.org.', 'DS', [
        '1 13 2 d4b7d520e7bb5f0f67674a0cceb1e3e0614b93c4f9e99b8383f6a1e4469da50a',
      ]),
      recordSet('ns1.child.example.org.', 'A', ['192.0.2.53']),
      recordSet('ns1.child.example.org.', 'AAAA', ['2001:db8::53']),
      recordSet('ns.other.example.org.', 'A', ['192.0.2.54']),
      recordSet('www.child.example.org.', 'A', ['192.0.2.99']),
      recordSet('lab.example.org.', 'NS', ['ns-1.example.net.']),
      recordSet('lab.example.org.', 'DS', ['2 13 2 d4b7d520e7bb5f0f67674a0cceb1e3e0614b93c4f9e99b8383f6a1e4469da50a']),
      recordSet('occluded.lab.example.org.', 'A', ['192.0.2.98']),
      alias('alias.example.org.', 'A', 'Z0EXAMPLEORG', 'a.example.org.'),
      alias('alias2.example.org.', 'A', '/hostedzone/Z0EXAMPLEORG', 'alias.example.org'),
      alias('elb.example.org.', 'A', 'Z35SXDOTRQ7X7K', 'lb.eu-central-1.elb.example.net.'),
      alias('ring.example.org.', 'A', 'Z0EXAMPLEORG', 'ring.example.org.'),
      routed(recordSet('routed.example.org.', 'A', ['192.0.2.29'], 30), 'b', 'Weight', '0'),
      routed(recordSet('routed.example.org.', 'A', ['192.0.2.21', '192.0.2.22'], 30), 'a', 'Weight', '1'),
      routed(recordSet('rcname.example.org.', 'CNAME', ['b.example.net.'], 60), 'b', 'Region', 'eu-west-2'),
      routed(recordSet('rcname.example.org.', 'CNAME', ['a.example.net.'], 60), 'a', 'Region', 'eu-west-1'),
      ...Array.from({ length: 10 }, (_, at) =>
        routed(recordSet('many.example.org.', 'A', [`192.0.2.${100 + at}`], 30), `m${at}`, 'MultiValueAnswer', 'true'),
      ),
      routed(recordSet('geo.example.org.', 'A', ['192.0.2.31']), 'de', 'GeoLocation', { CountryCode: 'DE' }),
      routed(recordSet('geo.example.org.', 'A', ['192.0.2.32']), 'rest', 'GeoLocation', { CountryCode: '*' }),
      routed(alias('over.example.org.', 'A', 'Z0EXAMPLEORG', 'gone.example.org.', true), 'p', 'Failover', 'PRIMARY'),
      routed(recordSet('over.example.org.', 'A', ['192.0.2.42']), 's', 'Failover', 'SECONDARY'),
      recordSet('big.example.org.', 'TXT', bigTexts(8)),
      recordSet('huge.example.org.', 'TXT', bigTexts(300)),
      recordSet('odd\\100\\056\\344.example.org.', 'A', ['192.0.2.77']),
    ],
  },
  {
    id: 'Z0LABEXAMPLEORG',
    name: 'lab.example.org.',
    recordSets: [...apex('lab.example.org.'), recordSet('lab.example.org.', 'A', ['192.0.2.5'])],
  },
];

/** The whole zone of RFC 4592 §2.2.1. */
export const WILDCARD_ZONE: HostedZoneView = {
  id: 'Z0WILDCARD',
  name: 'example.',
  recordSets: [
    ...apex('example.'),
    recordSet('\\052.example.', 'TXT', ['"this is a wildcard"']),
    recordSet('\\052.example.', 'MX', ['10 host1.example.']),
    recordSet('sub.\\052.example.', 'TXT', ['"this is not a wildcard"']),
    recordSet('host1.example.', 'A', ['192.0.2.1']),
    recordSet('_ssh._tcp.host1.example.', 'SRV', ['0 0 22 host1.example.']),
    recordSet('_ssh._tcp.host2.example.', 'SRV', ['0 0 22 host2.example.']),
    recordSet('subdel.example.', 'NS', ['ns.example.com.', 'ns.example.net.']),
  ],
};

/** `count` texts of 200 octets: 8 are more than 1232 octets, 300 almost fill a message over TCP. */
function bigTexts(count: number): string[] {
  return Array.from({ length: count }, (_, number) => `"${String(number).padStart(200, '-')}"`);
}
