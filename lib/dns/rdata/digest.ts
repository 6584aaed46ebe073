// Types that end in hexadecimal: DS (RFC 4034 §5), SSHFP (RFC 4255), TLSA (RFC 6698). If the number before it defines
// the length of the digest, any other length is a problem. Spaces within the hexadecimal are allowed and removed.
import { joinFields, type ParsedRdata, readHex, readNumber, splitFields } from './fields.ts';

/** Octets by digest type (IANA "Delegation Signer (DS) RR Type Digest Algorithms"). Last verified 2026-11-21. */
const DS_OCTETS: Readonly<Record<string, number>> = { 1: 20, 2: 32, 3: 32, 4: 48, 5: 32, 6: 32 };
/** Octets by fingerprint type (RFC 4255 §3.1.2, RFC 6594 §4.1). */
const SSHFP_OCTETS: Readonly<Record<string, number>> = { 1: 20, 2: 32 };
/** Octets by matching type (RFC 6698 §2.1.3). */
const TLSA_OCTETS: Readonly<Record<string, number>> = { 1: 32, 2: 64 };

/** DNSSEC algorithms by mnemonic (RFC 4034 §5.3; IANA "DNS Security Algorithm Numbers"). Last verified 2026-11-21. */
const ALGORITHMS: Readonly<Record<string, string>> = {
  RSAMD5: '1',
  DH: '2',
  DSA: '3',
  RSASHA1: '5',
  'DSA-NSEC3-SHA1': '6',
  'RSASHA1-NSEC3-SHA1': '7',
  RSASHA256: '8',
  RSASHA512: '10',
  'ECC-GOST': '12',
  ECDSAP256SHA256: '13',
  ECDSAP384SHA384: '14',
  ED25519: '15',
  ED448: '16',
};

export function parseDs(text: string, problems: string[]): ParsedRdata | null {
  const fields = splitFields(text, '<key-tag> <algorithm> <digest-type> <digest>', problems, true);
  if (fields === null) return null;
  const [keyTag, algorithm, digestType, digest] = fields as [string, string, string, string];
  return joinFields([
    readNumber(keyTag, 'key tag', 2, problems),
    readNumber(ALGORITHMS[algorithm.toUpperCase()] ?? algorithm, 'algorithm', 1, problems),
    ...typeAndHex(digestType, 'digest type', digest, 'digest', DS_OCTETS, problems),
  ]);
}

export function parseSshfp(text: string, problems: string[]): ParsedRdata | null {
  const fields = splitFields(text, '<algorithm> <type> <fingerprint>', problems, true);
  if (fields === null) return null;
  const [algorithm, type, fingerprint] = fields as [string, string, string];
  return joinFields([
    readNumber(algorithm, 'algorithm', 1, problems),
    ...typeAndHex(type, 'fingerprint type', fingerprint, 'fingerprint', SSHFP_OCTETS, problems),
  ]);
}

export function parseTlsa(text: string, problems: string[]): ParsedRdata | null {
  const fields = splitFields(text, '<usage> <selector> <matching-type> <data>', problems, true);
  if (fields === null) return null;
  const [usage, selector, matchingType, data] = fields as [string, string, string, string];
  return joinFields([
    readNumber(usage, 'usage', 1, problems),
    readNumber(selector, 'selector', 1, problems),
    ...typeAndHex(matchingType, 'matching type', data, 'data', TLSA_OCTETS, problems),
  ]);
}

function typeAndHex(
  type: string,
  typeField: string,
  hex: string,
  hexField: string,
  octetsByType: Readonly<Record<string, number>>,
  problems: string[],
): readonly [ParsedRdata | null, ParsedRdata | null] {
  const number = readNumber(type, typeField, 1, problems);
  return [number, readHex(hex, hexField, octetsByType[number?.text ?? ''], problems)];
}
