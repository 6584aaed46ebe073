// The syntax of one Value for each of Route 53's 17 types. It is written from AWS's developer guide and the RFCs, not
// from our own library, because it tests the values that the library writes. A valid value has a canonical form, by
// which two spellings of one record are found to be duplicates. The text is stored and returned as it was sent.
import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { NOT_QUOTED, parseCharacterStrings, splitFields } from './character-strings.ts';
import { VALUE_CHARACTERS_MAX } from './limits.ts';
import { serviceBinding } from './service-binding.ts';
import { exactly, hexadecimal, hostName, unsigned, ValueProblem } from './value-result.ts';

export type ValueCheck =
  | { readonly ok: true; readonly canonical: string }
  | { readonly ok: false /** Ready for a message of an InvalidChangeBatch. */; readonly problem: string };

type Check = (value: string, fields: readonly string[]) => string;

const DIGEST_OCTETS: Record<string, number> = { 1: 20, 2: 32, 3: 32, 4: 48 };
const FINGERPRINT_OCTETS: Record<string, number> = { 1: 20, 2: 32 };
const ASSOCIATION_OCTETS: Record<string, number> = { 1: 32, 2: 64 };

const CHECKS: Record<string, Check> = {
  A: (value) => {
    if (!isIPv4(value)) throw new ValueProblem('ARRDATAIllegalIPv4Address (Value is not a valid IPv4 address)');
    return value;
  },
  AAAA: (value) => {
    if (!isIPv6(value) || value.includes('%')) {
      throw new ValueProblem('AAAARRDATAIllegalIPv6Address (Value is not a valid IPv6 address)');
    }
    return ipaddr.parse(value).toString();
  },
  CAA: (_, fields) => {
    const [flags = '', tag = '', quoted = ''] = exactly(fields, 3, 'CAA');
    if (!/^[a-zA-Z0-9]{1,255}$/.test(tag))
      throw new ValueProblem('CAARRDATAIllegalTag (Tag is not letters and digits)');
    return `${unsigned(flags, 8, 'CAAFlags')} ${tag.toLowerCase()} ${JSON.stringify(oneString(quoted))}`;
  },
  CNAME: (_, fields) => hostName(exactly(fields, 1, 'CNAME')[0] ?? ''),
  DS: (_, fields) => {
    const [keyTag = '', algorithm = '', digestType = '', digest = ''] = exactly(fields, 4, 'DS');
    const kind = unsigned(digestType, 8, 'DSDigestType');
    const head = `${unsigned(keyTag, 16, 'DSKeyTag')} ${unsigned(algorithm, 8, 'DSAlgorithm')} ${kind}`;
    return `${head} ${hexadecimal(digest, DIGEST_OCTETS[kind], 'DSDigest')}`;
  },
  HTTPS: (_, fields) => serviceBinding(fields, 'HTTPS'),
  MX: (_, fields) => {
    const [preference = '', host = ''] = exactly(fields, 2, 'MX');
    return `${unsigned(preference, 16, 'MXPreference')} ${hostName(host, 'root')}`;
  },
  NAPTR: (_, fields) => naptr(fields),
  NS: (_, fields) => hostName(exactly(fields, 1, 'NS')[0] ?? ''),
  PTR: (_, fields) => hostName(exactly(fields, 1, 'PTR')[0] ?? ''),
  SOA: (_, fields) => {
    const [mname = '', rname = '', ...timers] = exactly(fields, 7, 'SOA');
    return [hostName(mname), hostName(rname), ...timers.map((timer) => unsigned(timer, 32, 'SOATimer'))].join(' ');
  },
  SPF: (value) => JSON.stringify(strings(value)),
  SRV: (_, fields) => {
    const [priority = '', weight = '', port = '', host = ''] = exactly(fields, 4, 'SRV');
    const numbers = [priority, weight, port].map((number) => unsigned(number, 16, 'SRVNumber'));
    return [...numbers, hostName(host, 'root')].join(' ');
  },
  SSHFP: (_, fields) => {
    const [algorithm = '', kind = '', fingerprint = ''] = exactly(fields, 3, 'SSHFP');
    const hash = unsigned(kind, 8, 'SSHFPType');
    const hex = hexadecimal(fingerprint, FINGERPRINT_OCTETS[hash], 'SSHFPFingerprint');
    return `${unsigned(algorithm, 8, 'SSHFPAlgorithm')} ${hash} ${hex}`;
  },
  SVCB: (_, fields) => serviceBinding(fields, 'SVCB'),
  TLSA: (_, fields) => {
    const [usage = '', selector = '', matching = '', data = ''] = exactly(fields, 4, 'TLSA');
    const kind = unsigned(matching, 8, 'TLSAMatchingType');
    const head = `${unsigned(usage, 8, 'TLSAUsage')} ${unsigned(selector, 8, 'TLSASelector')} ${kind}`;
    return `${head} ${hexadecimal(data, ASSOCIATION_OCTETS[kind], 'TLSAData')}`;
  },
  TXT: (value) => JSON.stringify(strings(value)),
};

/** The types that Route 53 supports, sorted. */
export const RECORD_TYPES: readonly string[] = Object.keys(CHECKS).sort();

/** Checks one Value of a type of RECORD_TYPES. A problem has Route 53's text, with the value quoted. */
export function checkValue(type: string, value: string): ValueCheck {
  const check = CHECKS[type];
  if (check === undefined) throw new Error(`Cannot check a value of type ${type}: not a type of Route 53`);
  try {
    if (value.length > VALUE_CHARACTERS_MAX) throw new ValueProblem('CharacterStringTooLong (Value is too long)');
    if (value === '') throw new ValueProblem(`${type}RRDATAEmpty (Value is empty)`);
    return { ok: true, canonical: check(value, splitFields(value)) };
  } catch (error) {
    if (!(error instanceof ValueProblem)) throw error;
    return {
      ok: false,
      problem: `Invalid Resource Record: FATAL problem: ${error.message} encountered with '${value}'`,
    };
  }
}

function strings(value: string): readonly string[] {
  const parsed = parseCharacterStrings(value);
  if (!parsed.ok) throw new ValueProblem(parsed.reason);
  return parsed.strings;
}

function oneString(quoted: string): string {
  const [text, ...more] = strings(quoted);
  if (text === undefined || more.length > 0) throw new ValueProblem(NOT_QUOTED);
  return text;
}

function naptr(fields: readonly string[]): string {
  const [order = '', preference = '', flags = '', service = '', regexp = '', replacement = ''] = exactly(
    fields,
    6,
    'NAPTR',
  );
  const numbers = [order, preference].map((number) => unsigned(number, 16, 'NAPTRNumber'));
  const texts = [flags, service, regexp].map(oneString);
  if (!/^[A-Za-z0-9]*$/.test(texts[0] ?? ''))
    throw new ValueProblem('NAPTRRRDATAIllegalFlags (Flags are not letters and digits)');
  const host = hostName(replacement, 'root');
  if ((texts[2] !== '') === (host !== '.')) {
    throw new ValueProblem('NAPTRRRDATARegexpAndReplacement (Exactly one of regexp and replacement must be given)');
  }
  return [...numbers, ...texts.map((text) => JSON.stringify(text)), host].join(' ');
}
