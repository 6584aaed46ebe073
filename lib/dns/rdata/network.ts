// Networks in CIDR notation (RFC 4632 §3.1, RFC 4291 §2.3), and which addresses are in one. An address such as
// ::ffff:10.0.0.1 leads to 10.0.0.1, so the networks of IPv4 have it too (RFC 4291 §2.5.5.2).
import { quote } from '../names/quote.ts';
import { readIpv4, readIpv6 } from './address.ts';

/** A network. `octets`: its first address; `bits`: the length of its prefix. */
export type Network = { readonly text: string; readonly octets: readonly number[]; readonly bits: number };

const WRITE_NETWORK = 'write a network such as 10.0.0.0/8 or fd00::/8';
const MAPPED = [...Array<number>(10).fill(0), 255, 255];

/** Parses a network. Bits after the prefix are a problem: who wrote them may have meant another prefix. */
export function parseNetwork(
  text: string,
): { readonly ok: true; readonly network: Network } | { readonly ok: false; readonly problem: string } {
  const slash = text.indexOf('/');
  const address = slash === -1 ? null : octetsOf(text.slice(0, slash));
  const written = text.slice(slash + 1);
  const bits = /^(?:0|[1-9][0-9]{0,2})$/.test(written) ? Number(written) : Number.NaN;
  if (address === null || !(bits <= address.length * 8)) return { ok: false, problem: WRITE_NETWORK };
  const octets = address.map((octet, index) => octet & maskAt(index, bits));
  const first = formatAddress(octets);
  if (octets.some((octet, index) => octet !== address[index]))
    return {
      ok: false,
      problem: `${quote(text)} has bits after its prefix; write ${first}/${bits}, or a longer prefix`,
    };
  return { ok: true, network: { text: `${first}/${bits}`, octets, bits } };
}

/** True if the network has the address, which is canonical rdata of an A or AAAA. */
export function isInNetwork({ octets, bits }: Network, address: string): boolean {
  const own = octetsOf(address) ?? [];
  const mapped = MAPPED.every((octet, index) => own[index] === octet) ? own.slice(MAPPED.length) : [];
  return [own, mapped].some(
    (one) =>
      one.length === octets.length &&
      octets.every((octet, index) => octet === ((one[index] ?? 0) & maskAt(index, bits))),
  );
}

/** The bits of an octet that a prefix of this length has. */
function maskAt(index: number, bits: number): number {
  const count = Math.min(Math.max(bits - index * 8, 0), 8);
  return (0xff << (8 - count)) & 0xff;
}

function octetsOf(address: string): readonly number[] | null {
  const parsed = readIpv4(address) ?? readIpv6(address);
  return parsed === null ? null : [...parsed.octets];
}

function formatAddress(octets: readonly number[]): string {
  if (octets.length === 4) return octets.join('.');
  const groups = Array.from({ length: 8 }, (_, at) =>
    (((octets[2 * at] ?? 0) << 8) | (octets[2 * at + 1] ?? 0)).toString(16),
  );
  return readIpv6(groups.join(':'))?.text ?? '';
}
