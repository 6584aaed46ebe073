// Types and classes of DNS records by name and number, and which of them Route 53 has. The entries of a name are sorted
// by number. A type that Route 53 does not have is valid too: it is an entry in status, and never part of a batch.
import { didYouMean } from './names/edit-distance.ts';

/** The 17 types of Route 53 (enum RRType of its API). Last verified 2026-11-21. */
export const ROUTE53_TYPES: readonly string[] = [
  ...['A', 'AAAA', 'CAA', 'CNAME', 'DS', 'HTTPS', 'MX', 'NAPTR', 'NS', 'PTR'],
  ...['SOA', 'SPF', 'SRV', 'SSHFP', 'SVCB', 'TLSA', 'TXT'],
];

/** Classes of RFC 1035 §3.2.4 by their mnemonics. Route 53 has only IN. */
export const CLASSES = ['IN', 'CS', 'CH', 'HS'] as const;

/** Runs of consecutive numbers of the IANA registry "Resource Record (RR) TYPEs". Last verified 2026-11-21. */
const NUMBERED: readonly (readonly [first: number, mnemonics: string])[] = [
  [1, 'A NS MD MF CNAME SOA MB MG MR NULL WKS PTR HINFO MINFO MX TXT RP AFSDB X25 ISDN RT NSAP NSAP-PTR SIG KEY PX'],
  [27, 'GPOS AAAA LOC NXT EID NIMLOC SRV ATMA NAPTR KX CERT A6 DNAME SINK OPT APL DS SSHFP IPSECKEY RRSIG NSEC DNSKEY'],
  [49, 'DHCID NSEC3 NSEC3PARAM TLSA SMIMEA'],
  [55, 'HIP NINFO RKEY TALINK CDS CDNSKEY OPENPGPKEY CSYNC ZONEMD SVCB HTTPS DSYNC HHIT BRID'],
  [99, 'SPF UINFO UID GID UNSPEC NID L32 L64 LP EUI48 EUI64'],
  [128, 'NXNAME'],
  [249, 'TKEY TSIG IXFR AXFR MAILB MAILA ANY URI CAA AVC DOA AMTRELAY RESINFO WALLET CLA IPN'],
  [32768, 'TA DLV'],
];

const NUMBERS: ReadonlyMap<string, number> = new Map(
  NUMBERED.flatMap(([first, mnemonics]) =>
    mnemonics.split(' ').map((mnemonic, index): [string, number] => [mnemonic, first + index]),
  ),
);
const ROUTE53_SET: ReadonlySet<string> = new Set(ROUTE53_TYPES);

/** The number of a type in upper case, by mnemonic or as TYPE123 (RFC 3597 §5); null if there is none. */
export function typeNumber(type: string): number | null {
  const known = NUMBERS.get(type);
  if (known !== undefined) return known;
  const generic = /^TYPE([1-9][0-9]{0,4})$/.exec(type);
  const number = Number(generic?.[1] ?? 0);
  return number > 0 && number <= 65_535 ? number : null;
}

/** The end of a message about a word that is no type: what to write. */
export function typeMeant(word: string): string {
  if (/^(?:ALIAS|ANAME)$/i.test(word)) return 'an alias has type A or AAAA';
  return `write one such as A, AAAA, CNAME, MX or TXT${didYouMean(word, ROUTE53_TYPES)}`;
}

/** Types that an answer for a host comes from. A resolver may use one in place of another. */
const OF_HOSTS: ReadonlySet<string> = new Set(['A', 'AAAA', 'CNAME', 'HTTPS', 'SVCB']);

/** What goes together at a name: `A` for A, AAAA, CNAME, HTTPS and SVCB, and each other type by itself. */
export function typeGroup(type: string): string {
  return OF_HOSTS.has(type) ? 'A' : type;
}

/** True when Route 53 has this type, given in upper case. */
export function isRoute53Type(type: string): boolean {
  return ROUTE53_SET.has(type);
}
