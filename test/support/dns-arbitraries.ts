// Arbitraries of lib/dns: names, rdata of the 17 types, record sets. Rdata comes as two texts that mean the same: a
// loose one, as a person might write it, and the canonical one. Both are built here, independently of the parser.
import fc from 'fast-check';
import type { RecordSet, RecordSetContent } from '../../lib/dns/record-set.ts';

/** Rdata as it may be written (`loose`), and as it must be parsed (`canonical`). */
export type RdataCase = { readonly type: string; readonly loose: string; readonly canonical: string };

const labelCharacter = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz0123456789-_/');

/** Any code point but the surrogates. The unit `binary` of fast-check is the same, and takes a second to make. */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10ffff - 0x800 })
  .map((index) => String.fromCodePoint(index < 0xd800 ? index : index + 0x800));

/** A label that an object may have. */
function anyLabel(): fc.Arbitrary<string> {
  return fc.string({ unit: labelCharacter, minLength: 1, maxLength: 8 });
}

/** A canonical name that an object may have, with few labels; `wildcard`: it may begin with `*`. */
export function anyName(wildcard: boolean): fc.Arbitrary<string> {
  const short = fc.constantFrom('a', 'b', 'ab', 'a-b', '0', '_a');
  const label = fc.oneof(short, anyLabel());
  const first = wildcard ? fc.oneof({ weight: 4, arbitrary: label }, fc.constant('*')) : label;
  return fc.tuple(first, fc.array(label, { maxLength: 3 })).map(([head, rest]) => `${[head, ...rest].join('.')}.`);
}

/** Any canonical name: any octets, escaped as Route 53 does. */
export function anyOctetName(): fc.Arbitrary<string> {
  const octet = fc
    .integer({ min: 0, max: 255 })
    .map((code) => String.fromCharCode(code).toLowerCase())
    .map((character) =>
      /[a-z0-9_*/-]/.test(character) ? character : `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`,
    );
  const label = fc.array(octet, { minLength: 1, maxLength: 6 }).map((octets) => octets.join(''));
  return fc.array(label, { minLength: 1, maxLength: 3 }).map((labels) => `${labels.join('.')}.`);
}

/** A host name: loose without its dot or in capitals. */
function anyHost(): fc.Arbitrary<readonly [string, string]> {
  // The last label of a host is no number, and "/" is only in one such as 0/25 (RFC 1123 §2.1, RFC 2317).
  const host = anyName(false)
    .map((name) => name.replaceAll('/', '-').replace(/^a-b\./, '0/25.'))
    .map((name) => (/\.?(?:[0-9]+|0x[0-9a-f]*|[^.]*\/[^.]*)\.$/.test(name) ? `${name}e.` : name));
  return fc.tuple(host, fc.boolean(), fc.boolean()).map(([name, dot, upper]) => {
    const text = dot ? name : name.slice(0, -1);
    return [upper ? text.toUpperCase() : text, name];
  });
}

function number(max: number): fc.Arbitrary<readonly [string, string]> {
  return fc
    .tuple(fc.oneof(fc.constantFrom(0, 1, max), fc.integer({ min: 0, max })), fc.constantFrom('', '0', '00'))
    .map(([value, zeros]) => [`${zeros}${value}`, `${value}`]);
}

function hex(octets: fc.Arbitrary<number>): fc.Arbitrary<readonly [string, string]> {
  return octets
    .chain((length) => fc.uint8Array({ minLength: length, maxLength: length }))
    .map((bytes) => {
      const text = Buffer.from(bytes).toString('hex');
      const middle = Math.floor(text.length / 2);
      return [`${text.slice(0, middle)} ${text.slice(middle).toUpperCase()}`, text];
    });
}

/** Octets as a quoted string: loose with every octet escaped, canonical with only those that need it. */
function quoted(octets: Uint8Array): readonly [string, string] {
  const loose = [...octets].map((octet) => `\\${`${octet}`.padStart(3, '0')}`).join('');
  const canonical = [...octets]
    .map((octet) => {
      if (octet === 34) return '\\"';
      if (octet === 92) return '\\\\';
      return octet >= 32 && octet < 127 ? String.fromCharCode(octet) : `\\${`${octet}`.padStart(3, '0')}`;
    })
    .join('');
  return [`"${loose}"`, `"${canonical}"`];
}

function anyString(maxLength: number, minLength = 0): fc.Arbitrary<readonly [string, string]> {
  const octet = fc.oneof(fc.constantFrom(32, 34, 44, 59, 92, 48), fc.integer({ min: 0, max: 255 }));
  return fc.array(octet, { minLength, maxLength }).map((octets) => quoted(Uint8Array.from(octets)));
}

function fields(type: string, ...parts: fc.Arbitrary<readonly [string, string]>[]): fc.Arbitrary<RdataCase> {
  return fc.tuple(...parts).map((pairs) => ({
    type,
    loose: pairs.map(([loose]) => loose).join('  '),
    canonical: pairs.map(([, canonical]) => canonical).join(' '),
  }));
}

function address(family: 'A' | 'AAAA'): fc.Arbitrary<readonly [string, string]> {
  if (family === 'A') return fc.ipV4().map((text) => [text, text]);
  const group = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff }));
  return fc.array(group, { minLength: 8, maxLength: 8 }).map((groups) => {
    const full = groups.map((value) => value.toString(16).toUpperCase().padStart(4, '0')).join(':');
    return [full, naiveRfc5952(groups)];
  });
}

/** RFC 5952 §4 by trying every run of zero groups: the longest of two or more, the first of equals. */
function naiveRfc5952(groups: readonly number[]): string {
  const text = (part: readonly number[]): string => part.map((value) => value.toString(16)).join(':');
  for (let length = 8; length >= 2; length -= 1) {
    for (let at = 0; at + length <= 8; at += 1) {
      if (groups.slice(at, at + length).every((value) => value === 0)) {
        return `${text(groups.slice(0, at))}::${text(groups.slice(at + length))}`;
      }
    }
  }
  return text(groups);
}

function digest(lengths: Readonly<Record<number, number>>): fc.Arbitrary<readonly [string, string]> {
  return fc.integer({ min: 0, max: 255 }).chain((type) => {
    const known = lengths[type];
    const octets = known === undefined ? fc.integer({ min: 1, max: 40 }) : fc.constant(known);
    return hex(octets).map(([loose, canonical]) => [`${type} ${loose}`, `${type} ${canonical}`] as const);
  });
}

function naptr(): fc.Arbitrary<RdataCase> {
  const flags = fc.constantFrom('', 's', 'A', 'u', 'p9').map((text) => [`"${text}"`, `"${text}"`] as const);
  const head = [number(65_535), number(65_535), flags, anyString(20)];
  // "/" is 47, and what stands between may be anything but a delimiter, a backslash, a zero, or what
  // has a meaning in an expression.
  const octet = fc
    .integer({ min: 1, max: 255 })
    .filter((code) => !'/\\()[]{}|*+?^$'.includes(String.fromCharCode(code)));
  const regexp = fc
    .tuple(fc.array(octet, { maxLength: 9 }), fc.array(octet, { maxLength: 9 }), fc.constantFrom('', 'i'))
    .map(([ere, text, flags]) =>
      quoted(Uint8Array.from([47, 40, ...ere, 41, 47, ...text, 92, 49, 47, ...Buffer.from(flags)])),
    );
  const none = fc.constant(['""', '""'] as const);
  const dot = fc.constant(['.', '.'] as const);
  return fc.oneof(fields('NAPTR', ...head, regexp, dot), fields('NAPTR', ...head, none, anyHost()));
}

function soa(): fc.Arbitrary<RdataCase> {
  const timer = number(2 ** 31 - 1);
  const mailbox = fc.oneof(
    anyHost(),
    fc.constantFrom(['john\\.doe.A', 'john\\.doe.a.'] as const, ['j\\;x\\046.b.', 'j\\;x\\..b.'] as const),
  );
  return fields('SOA', anyHost(), mailbox, number(2 ** 32 - 1), timer, timer, timer, timer);
}

/** Parameters by number, so that canonical order is plain; the loose text has them the other way round. */
function svcb(type: string): fc.Arbitrary<RdataCase> {
  const base64 = fc.uint8Array({ minLength: 1, maxLength: 9 }).map((bytes) => Buffer.from(bytes).toString('base64'));
  const list = (of: fc.Arbitrary<readonly [string, string]>) =>
    fc.array(of, { minLength: 1, maxLength: 3 }).map((pairs) => pairs.map(([loose, text]) => [loose, text] as const));
  const param = (name: string, of: fc.Arbitrary<readonly (readonly [string, string])[]>, quotedToo = false) =>
    fc.option(
      of.map((pairs) => {
        const loose = pairs.map(([text]) => text).join(',');
        const text = pairs.map(([, canonical]) => canonical).join(',');
        return [`${name}="${loose}"`, `${name}=${quotedToo ? `"${text}"` : text}`] as const;
      }),
    );
  const protocol = fc.constantFrom(
    ['h2', 'h2'],
    ['h3', 'h3'],
    ['\\104\\050', 'h2'],
    ['a\\\\,b', 'a\\\\,b'],
    ['\\195\\188', '\\195\\188'],
  ) as fc.Arbitrary<readonly [string, string]>;
  const one = (of: fc.Arbitrary<readonly [string, string]>) => of.map((pair) => [pair]);
  const params = fc.tuple(
    param('alpn', list(protocol), true),
    param(
      'port',
      one(fc.integer({ min: 0, max: 65_535 }).map((port) => [`0${port}`.slice(-5), `${Number(`0${port}`.slice(-5))}`])),
    ),
    param('ipv4hint', list(address('A'))),
    param('ech', one(base64.map((text) => [text, text]))),
    param('ipv6hint', list(address('AAAA'))),
    param('key667', one(anyString(9, 1).map(([loose, text]) => [loose.slice(1, -1), text.slice(1, -1)])), true),
  );
  return fc
    .tuple(fc.integer({ min: 1, max: 65_535 }), fc.oneof(anyHost(), fc.constant(['.', '.'] as const)), params)
    .map(([priority, [looseHost, host], all]) => {
      const present = all.filter((one) => one !== null);
      return {
        type,
        loose: [priority, looseHost, ...present.map(([loose]) => loose).reverse()].join(' '),
        canonical: [priority, host, ...present.map(([, text]) => text)].join(' '),
      };
    });
}

function strings(type: string): fc.Arbitrary<RdataCase> {
  const listed = fc.array(anyString(255), { minLength: 1, maxLength: 3 }).map((pairs) => ({
    type,
    loose: pairs.map(([loose]) => loose).join(' \n'),
    canonical: pairs.map(([, canonical]) => canonical).join(' '),
  }));
  const whole = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 400 })
    .filter((text) => !text.startsWith('"'))
    .map((loose) => {
      const octets = Buffer.from(loose, 'utf8');
      const pieces = Array.from({ length: Math.ceil(octets.length / 255) }, (_, index) =>
        octets.subarray(index * 255, index * 255 + 255),
      );
      return { type, loose, canonical: pieces.map((piece) => quoted(piece)[1]).join(' ') };
    });
  return fc.oneof(listed, whole);
}

/** Valid rdata of one of the 17 types. */
export function anyRdata(type: string): fc.Arbitrary<RdataCase> {
  const tag = fc.constantFrom(['Issue', 'issue'], ['issuewild', 'issuewild'], ['X9', 'x9']) as fc.Arbitrary<
    readonly [string, string]
  >;
  switch (type) {
    case 'A':
    case 'AAAA':
      return fields(type, address(type));
    case 'CAA':
      return fields(type, number(255), tag, anyString(300));
    case 'CNAME':
    case 'NS':
    case 'PTR':
      return fields(type, anyHost());
    case 'DS':
      return fields(type, number(65_535), number(255), digest({ 1: 20, 2: 32, 3: 32, 4: 48, 5: 32, 6: 32 }));
    case 'HTTPS':
    case 'SVCB':
      return svcb(type);
    case 'MX':
      return fields(type, number(65_535), fc.oneof(anyHost(), fc.constant(['.', '.'] as const)));
    case 'NAPTR':
      return naptr();
    case 'SOA':
      return soa();
    case 'SPF':
    case 'TXT':
      return strings(type);
    case 'SRV':
      return fields(type, number(65_535), number(65_535), number(65_535), anyHost());
    case 'SSHFP':
      return fields(type, number(255), digest({ 1: 20, 2: 32 }));
    case 'TLSA':
      return fields(type, number(255), number(255), digest({ 1: 32, 2: 64 }));
    default:
      throw new Error(`no arbitrary for ${type}`);
  }
}

const content: fc.Arbitrary<RecordSetContent> = fc.oneof(
  fc
    .record({
      ttlSeconds: fc.constantFrom(60, 300),
      values: fc.uniqueArray(fc.constantFrom('192.0.2.1', '192.0.2.2'), { minLength: 1 }),
    })
    .map(({ ttlSeconds, values }): RecordSetContent => ({ kind: 'values', ttlSeconds, values: values.toSorted() })),
  fc.boolean().map(
    (evaluateTargetHealth): RecordSetContent => ({
      kind: 'alias',
      alias: { hostedZoneId: 'Z1', dnsName: 'x.example.', evaluateTargetHealth },
    }),
  ),
);

/** Record sets with few names, types and contents, each key once, so that changes back to an old value are frequent. */
export function anyRecordSets(): fc.Arbitrary<RecordSet[]> {
  const recordSet = fc.record({
    name: fc.constantFrom('example.', 'a.example.', 'b.a.example.'),
    type: fc.constantFrom('A', 'CNAME', 'TXT'),
    setIdentifier: fc.constantFrom(null, 'one', 'two'),
    content,
  });
  return fc.uniqueArray(recordSet, {
    maxLength: 12,
    selector: ({ name, type, setIdentifier }) => JSON.stringify([name, type, setIdentifier]),
  });
}
