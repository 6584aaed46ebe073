// Parses the values of a DNSRecord into canonical rdata, with the problems of each. Gardener allows any address in an A
// and any text in a TXT; what Route 53 would refuse is a problem here, before anything is sent.
import { readIpv4, readIpv6 } from '../../dns/rdata/address.ts';
import { parseRdata, type RdataResult } from '../../dns/rdata/rdata.ts';
import { parseRoute53Rdata } from '../../route53/escapes.ts';
import { valueTooLong } from '../../route53/record-set-limits.ts';
import { domainNameProblems } from './domain-name.ts';
import { invalid } from './field-errors.ts';

export const RECORD_TYPES = ['A', 'AAAA', 'CNAME', 'TXT'] as const;
export type DnsRecordType = (typeof RECORD_TYPES)[number];

/** Parses one value of `spec.values`; `path` is its place in the object. */
export function parseValue(type: DnsRecordType, path: string, value: string): RdataResult {
  switch (type) {
    case 'A':
    case 'AAAA':
      return checked(type, path, value, addressProblems(type, path, value));
    case 'CNAME':
      return checked(type, path, value, domainNameProblems(path, value));
    case 'TXT':
      return parseTxt(path, value);
  }
}

function checked(type: DnsRecordType, path: string, value: string, problems: readonly string[]): RdataResult {
  if (problems.length > 0) return { ok: false, problems };
  const parsed = parseRdata(type, value);
  const tooLong = parsed.ok ? valueTooLong(type, parsed.rdata) : null;
  if (tooLong !== null) return { ok: false, problems: [invalid(path, value, tooLong)] };
  return parsed.ok ? parsed : { ok: false, problems: parsed.problems.map((problem) => invalid(path, value, problem)) };
}

function addressProblems(type: 'A' | 'AAAA', path: string, value: string): readonly string[] {
  const isIpv4 = readIpv4(value) !== null;
  if (!isIpv4 && readIpv6(value) === null) {
    return [invalid(path, value, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)')];
  }
  if (isIpv4 === (type === 'A')) return [];
  const detail =
    type === 'A'
      ? 'a record of type A holds IPv4 addresses; an IPv6 address needs a DNSRecord of type AAAA'
      : 'a record of type AAAA holds IPv6 addresses; an IPv4 address needs a DNSRecord of type A';
  return [invalid(path, value, detail)];
}

/** A quoted text is in the format of Route 53, with octal escapes; any other text is one string as it is. */
function parseTxt(path: string, value: string): RdataResult {
  if (value === '') return { ok: false, problems: [invalid(path, value, 'a TXT value must not be empty')] };
  const isQuoted = value.length > 1 && value.startsWith('"') && value.endsWith('"');
  if (!isQuoted) return checked('TXT', path, `"${value.replace(/["\\]/g, '\\$&')}"`, []);
  const rdata = parseRoute53Rdata('TXT', value);
  return checked('TXT', path, rdata, []);
}
