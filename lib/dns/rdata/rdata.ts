// Parses, validates and sorts the rdata of the 17 types of Route 53. Canonical rdata is one form of the text in zone
// files: names are lower case and absolute, numbers have no leading zeros, hexadecimal is lower case, strings are in
// quotes with decimal escapes. Rdata of any other type is only trimmed, and never published.
import { compareText } from '../names/compare-text.ts';
import { cannotParse } from '../names/quote.ts';
import { parseA, parseAaaa } from './address.ts';
import { parseCaa } from './caa.ts';
import { parseDs, parseSshfp, parseTlsa } from './digest.ts';
import type { ParsedRdata, ParseRdata } from './fields.ts';
import { parseHost, parseMx, parseSrv } from './host.ts';
import { parseNaptr } from './naptr.ts';
import { parseSoa } from './soa.ts';
import { parseSvcb } from './svcb.ts';
import { parseText } from './text.ts';

export type RdataResult =
  | { readonly ok: true; readonly rdata: string }
  | { readonly ok: false; readonly problems: readonly string[] };

const PARSERS: ReadonlyMap<string, ParseRdata> = new Map<string, ParseRdata>([
  ['A', parseA],
  ['AAAA', parseAaaa],
  ['CAA', parseCaa],
  ['CNAME', parseHost],
  ['DS', parseDs],
  ['HTTPS', parseSvcb],
  ['MX', parseMx],
  ['NAPTR', parseNaptr],
  ['NS', parseHost],
  ['PTR', parseHost],
  ['SOA', parseSoa],
  ['SPF', parseText],
  ['SRV', parseSrv],
  ['SSHFP', parseSshfp],
  ['SVCB', parseSvcb],
  ['TLSA', parseTlsa],
  ['TXT', parseText],
]);
/** Maximum octets of rdata: its length field has 16 bits (RFC 1035 §3.2.1). */
const RDATA_OCTETS_MAX = 65_535;
/** Maximum characters of rdata: 65535 octets, each as an escape of four characters, and room for quotes and spaces. */
const TEXT_CHARACTERS_MAX = 8 * RDATA_OCTETS_MAX;

/** Canonical rdata of `type` (upper case), or all problems. Rules: RFC 1035 §3.3, §5.1, and the RFC of each type. */
export function parseRdata(type: string, text: string): RdataResult {
  const problems: string[] = [];
  const parsed = parse(type, text, problems);
  if (parsed !== null && problems.length === 0) return { ok: true, rdata: parsed.text };
  return { ok: false, problems: cannotParse(`${type} rdata`, text, problems) };
}

function parse(type: string, text: string, problems: string[]): ParsedRdata | null {
  if (!text.isWellFormed()) problems.push('it has half a surrogate pair, which is not Unicode text');
  else if (text.length > TEXT_CHARACTERS_MAX)
    problems.push(`it is ${text.length} characters long, more than any rdata can have`);
  else if (text === '' || (!isText(type) && text.trim() === '')) problems.push('it is empty');
  else if (!isText(type) && /[\r\n]/.test(text.trim())) problems.push('it has more than one line');
  if (problems.length > 0) return null;
  const parsed = (PARSERS.get(type) ?? parseUnknown)(text, problems);
  if (parsed !== null && parsed.octets.length > RDATA_OCTETS_MAX) {
    problems.push(`it is ${parsed.octets.length} octets long, more than ${RDATA_OCTETS_MAX}`);
  }
  return parsed;
}

function isText(type: string): boolean {
  return type === 'TXT' || type === 'SPF';
}

function parseUnknown(text: string): ParsedRdata {
  const trimmed = text.trim();
  return { text: trimmed, octets: Buffer.from(trimmed, 'utf8') };
}

/** The order of two canonical rdata of one type: by octets in wire form (RFC 4034 §6.3). Returns <0, 0 or >0. */
export function compareRdata(type: string, a: string, b: string): number {
  if (a === b) return 0;
  return Buffer.compare(wireOf(type, a), wireOf(type, b)) || compareText(a, b);
}

/** Sorts canonical rdata of one type in that order. Parses each value once. */
export function sortRdata(type: string, values: Iterable<string>): string[] {
  const read = [...values].map((rdata) => ({ rdata, wire: wireOf(type, rdata) }));
  const inOrder = read.sort((a, b) => Buffer.compare(a.wire, b.wire) || compareText(a.rdata, b.rdata));
  return inOrder.map(({ rdata }) => rdata);
}

function wireOf(type: string, rdata: string): Uint8Array {
  const problems: string[] = [];
  const parsed = parse(type, rdata, problems);
  return parsed !== null && problems.length === 0 ? parsed.octets : Buffer.from(rdata, 'utf8');
}
