// The fields of the rdata of each type that Route 53 has, in the order of both text and wire. A reader of master files
// needs them to know which words are names relative to the origin, and to read RFC 3597's `\#`.
//
//   name   a domain name                      u8, u16, u32   a number
//   time   a number of 32 bits, in seconds    string         one character string
//   tag    a character string without quotes  strings, rest, hex, params, ipv4, ipv6: all that follows

export type Field = (typeof FIELDS)[number];

const FIELDS = [
  ...(['name', 'u8', 'u16', 'u32', 'time', 'string', 'tag'] as const),
  ...(['strings', 'rest', 'hex', 'params', 'ipv4', 'ipv6'] as const),
];

const LAYOUTS: Readonly<Record<string, readonly Field[]>> = {
  A: ['ipv4'],
  AAAA: ['ipv6'],
  CAA: ['u8', 'tag', 'rest'],
  CNAME: ['name'],
  DS: ['u16', 'u8', 'u8', 'hex'],
  HTTPS: ['u16', 'name', 'params'],
  MX: ['u16', 'name'],
  NAPTR: ['u16', 'u16', 'string', 'string', 'string', 'name'],
  NS: ['name'],
  PTR: ['name'],
  SOA: ['name', 'name', 'u32', 'time', 'time', 'time', 'time'],
  SPF: ['strings'],
  SRV: ['u16', 'u16', 'u16', 'name'],
  SSHFP: ['u8', 'u8', 'hex'],
  SVCB: ['u16', 'name', 'params'],
  TLSA: ['u8', 'u8', 'u8', 'hex'],
  TXT: ['strings'],
};

/** The fields of a type; none if Route 53 does not have it. */
export function layoutOf(type: string): readonly Field[] {
  return LAYOUTS[type] ?? [];
}
