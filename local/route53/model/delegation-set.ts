// The four name servers that Route 53 gives a hosted zone, one in each of four top-level domains, and the SOA and NS
// record sets that every new zone starts with.
import type { LocalRecordSet } from '../records/record-set.ts';

const GROUPS = [
  { first: 0, suffix: 'com' },
  { first: 512, suffix: 'net' },
  { first: 1024, suffix: 'org' },
  { first: 1536, suffix: 'co.uk' },
];

/** Four name servers without the trailing dot, as a DelegationSet lists them. `random` yields [0, 1). */
export function assignNameServers(random: () => number): string[] {
  const below = (limit: number) => Math.floor(random() * limit);
  return GROUPS.map(({ first, suffix }) => {
    const part = String(below(64)).padStart(2, '0');
    return `ns-${first + below(512)}.awsdns-${part}.${suffix}`;
  });
}

/** The NS set of every private hosted zone. Resolvers never query these servers. */
export const PRIVATE_NAME_SERVERS: readonly string[] = [
  'ns-1536.awsdns-00.co.uk',
  'ns-0.awsdns-00.com',
  'ns-1024.awsdns-00.org',
  'ns-512.awsdns-00.net',
];

/** The record sets that a new hosted zone has: NS (TTL 172800) and SOA (TTL 900). */
export function apexRecordSets(zoneName: string, nameServers: readonly string[]): LocalRecordSet[] {
  const simple = { name: zoneName, setIdentifier: null, alias: null, routing: null };
  const soa = `${nameServers[0]}. awsdns-hostmaster.amazon.com. 1 7200 900 1209600 86400`;
  return [
    { ...simple, type: 'NS', ttl: 172_800, values: nameServers.map((server) => `${server}.`) },
    { ...simple, type: 'SOA', ttl: 900, values: [soa] },
  ];
}
