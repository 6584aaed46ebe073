// The numbers of the 17 record types that Route 53 supports (IANA "DNS Parameters"), and the names that the resolver
// uses for QTYPEs. Any other type is `TYPE123` (RFC 3597 §5): it can be asked for and never matches.

const NUMBERS: Readonly<Record<string, number>> = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  SRV: 33,
  NAPTR: 35,
  DS: 43,
  SSHFP: 44,
  TLSA: 52,
  SVCB: 64,
  HTTPS: 65,
  SPF: 99,
  CAA: 257,
};

/** QTYPE `*`, which dig calls ANY. */
export const ANY = 'ANY';
const ANY_NUMBER = 255;

const MNEMONICS = new Map(Object.entries(NUMBERS).map(([mnemonic, number]) => [number, mnemonic]));

/** The number of one of Route 53's types; throws on another. */
export function numberOfType(type: string): number {
  const number = NUMBERS[type];
  if (number === undefined) throw new Error(`Cannot number record type ${JSON.stringify(type)}: not one of Route 53's`);
  return number;
}

/** The resolver's name of a QTYPE. */
export function typeOfNumber(number: number): string {
  return number === ANY_NUMBER ? ANY : (MNEMONICS.get(number) ?? `TYPE${number}`);
}
