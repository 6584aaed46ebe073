// What an authoritative server says (RFC 1034 §4.3.2, wildcards by RFC 4592), as values: no sockets, no wire.
//   no zone of ours             REFUSED                       name not there, wildcard covers   its records, or NODATA
//   at or under a cut           referral with glue, not AA    name not there otherwise          NXDOMAIN + SOA
//   DS at a cut, or at the      answered by the zone above    CNAME                             followed through our zones
//   apex of a zone served too                                 name there, type not              NODATA + SOA
// Several record sets of one name and type (set identifiers: weighted, by region …) are answered with their union: this
// server routes nobody anywhere. Of such CNAMEs the first by identifier answers, as a name has one CNAME.
import { childKey, keyOfRoute53Name, parentKey } from './octet-name.ts';
import { ANY } from './type-numbers.ts';
import {
  bareId,
  type IndexedZone,
  type NameNode,
  type RecordSetView,
  type ZoneIndex,
  zoneAtOrAbove,
} from './zone-index.ts';

/** `name` is a key (octet-name.ts), `type` a mnemonic, `ANY` or `TYPE123`; the class is IN. */
export type DnsQuestion = { readonly name: string; readonly type: string };

/** `value` in Route 53's syntax; `ttl` in seconds. */
export type DnsRecord = { readonly name: string; readonly type: string; readonly ttl: number; readonly value: string };

export type Resolution = {
  readonly rcode: 'NOERROR' | 'NXDOMAIN' | 'REFUSED';
  readonly aa: boolean;
  readonly answers: readonly DnsRecord[];
  readonly authorities: readonly DnsRecord[];
  readonly additionals: readonly DnsRecord[];
};

type Found =
  | { readonly kind: 'records'; readonly records: readonly DnsRecord[] }
  | { readonly kind: 'cname'; readonly record: DnsRecord }
  | { readonly kind: 'noData' }
  | { readonly kind: 'noName' }
  | { readonly kind: 'referral'; readonly cut: string };

type Values = { readonly ttl: number; readonly values: readonly string[] };

const CNAMES_MAX = 16; // as BIND: a longer chain is cut off there
const ALIASES_MAX = 8; // an alias of an alias …; Route 53 itself refuses rings

/** Answers a question of class IN from the zones of the index. */
export function resolve(index: ZoneIndex, question: DnsQuestion): Resolution {
  const answers: DnsRecord[] = [];
  const asked = new Set<string>();
  let name = question.name;
  for (;;) {
    const zone = zoneFor(index, name, question.type);
    if (zone === null) return answers.length === 0 ? refused() : answered(answers);
    const found = look(index, zone, name, question.type);
    if (found.kind !== 'cname') return conclude(index, zone, found, answers);
    answers.push(found.record);
    asked.add(name);
    name = keyOfRoute53Name(found.record.value);
    if (asked.has(name) || asked.size >= CNAMES_MAX) return answered(answers);
  }
}

/** A DS lies in the zone above its name (RFC 4035 §3.1.4.1); where that is not ours, its own zone says NODATA. */
function zoneFor(index: ZoneIndex, name: string, type: string): IndexedZone | null {
  const above = type === 'DS' ? zoneAtOrAbove(index, parentKey(name)) : null;
  return above ?? zoneAtOrAbove(index, name);
}

function look(index: ZoneIndex, zone: IndexedZone, name: string, type: string): Found {
  const nodes = zone.nodes();
  let closest = zone.name;
  for (const key of pathDown(zone.name, name)) {
    const node = nodes.get(key);
    if (node === undefined) break;
    if (node.has('NS') && !(key === name && type === 'DS')) return { kind: 'referral', cut: key };
    closest = key;
  }
  const source = nodes.get(closest === name ? name : childKey('*', closest));
  return source === undefined ? { kind: 'noName' } : lookAt(index, source, name, type);
}

/** The names below `apex` down to `name`, topmost first. */
function pathDown(apex: string, name: string): string[] {
  const path: string[] = [];
  for (let key: string | null = name; key !== null && key !== apex; key = parentKey(key)) path.unshift(key);
  return path;
}

/** What the node holds for `name`, which it may do as a wildcard. */
function lookAt(index: ZoneIndex, node: NameNode, name: string, type: string): Found {
  const types = type === ANY ? [...node.keys()] : [type];
  const records = types.flatMap((one) => recordsOf(index, node, name, one));
  if (records.length > 0) return { kind: 'records', records };
  const [cname] = recordsOf(index, node, name, 'CNAME');
  return cname === undefined ? { kind: 'noData' } : { kind: 'cname', record: cname };
}

function recordsOf(index: ZoneIndex, node: NameNode, name: string, type: string): DnsRecord[] {
  const union = valuesOf(index, node, type, ALIASES_MAX);
  return union === null ? [] : union.values.map((value) => ({ name, type, ttl: union.ttl, value }));
}

/** The union of a type's record sets with the lowest TTL, aliases followed; null where there is nothing. */
function valuesOf(index: ZoneIndex, node: NameNode | undefined, type: string, aliasesLeft: number): Values | null {
  const sets = (node?.get(type) ?? []).toSorted(byIdentifier).flatMap((set) => {
    const one = set.alias === null ? { ttl: set.ttl ?? 0, values: set.values } : aliased(index, set, aliasesLeft);
    return one === null || one.values.length === 0 ? [] : [one];
  });
  const [first] = sets;
  if (first === undefined) return null;
  if (type === 'CNAME') return { ttl: first.ttl, values: first.values.slice(0, 1) };
  const values = [...new Set(sets.flatMap((set) => set.values))];
  return { ttl: Math.min(...sets.map((set) => set.ttl)), values };
}

/** The target's values where it lies in a hosted zone of ours. What an AWS resource would answer nobody here knows. */
function aliased(index: ZoneIndex, set: RecordSetView, aliasesLeft: number): Values | null {
  if (set.alias === null || aliasesLeft === 0) return null;
  const zone = index.byId.get(bareId(set.alias.hostedZoneId));
  const node = zone?.nodes().get(keyOfRoute53Name(set.alias.dnsName));
  return valuesOf(index, node, set.type, aliasesLeft - 1);
}

function byIdentifier(a: RecordSetView, b: RecordSetView): number {
  const [left, right] = [a.setIdentifier ?? '', b.setIdentifier ?? ''];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The reply once no CNAME leads further: its rcode is that of the last name of the chain (RFC 6604 §3). */
function conclude(
  index: ZoneIndex,
  zone: IndexedZone,
  found: Exclude<Found, { kind: 'cname' }>,
  chain: readonly DnsRecord[],
): Resolution {
  switch (found.kind) {
    case 'records':
      return answered([...chain, ...found.records]);
    case 'noData':
      return { ...answered(chain), authorities: negativeSoa(index, zone) };
    case 'noName':
      return { ...answered(chain), rcode: 'NXDOMAIN', authorities: negativeSoa(index, zone) };
    case 'referral':
      // AA speaks for the first owner name (RFC 1035 §4.1.1), so it stays set when a CNAME of ours led to the cut.
      return { ...answered(chain), aa: chain.length > 0, ...referral(index, zone, found.cut) };
  }
}

/** The NS at the cut, and the addresses that this zone holds for them: glue (RFC 9471). */
function referral(index: ZoneIndex, zone: IndexedZone, cut: string): Pick<Resolution, 'authorities' | 'additionals'> {
  const nodes = zone.nodes();
  const authorities = recordsOf(index, nodes.get(cut) ?? new Map(), cut, 'NS');
  const additionals = authorities.flatMap(({ value }) => {
    const host = keyOfRoute53Name(value);
    const node = nodes.get(host) ?? new Map();
    return ['A', 'AAAA'].flatMap((type) => recordsOf(index, node, host, type));
  });
  return { authorities, additionals };
}

/** The SOA of a negative answer: TTL the lower of its own and its last field (RFC 2308 §3). */
function negativeSoa(index: ZoneIndex, zone: IndexedZone): readonly DnsRecord[] {
  return recordsOf(index, zone.nodes().get(zone.name) ?? new Map(), zone.name, 'SOA').map((soa) => {
    const minimum = Number(soa.value.trim().split(/\s+/).at(-1));
    return { ...soa, ttl: Math.min(soa.ttl, minimum) };
  });
}

function answered(answers: readonly DnsRecord[]): Resolution {
  return { rcode: 'NOERROR', aa: true, answers, authorities: [], additionals: [] };
}

function refused(): Resolution {
  return { rcode: 'REFUSED', aa: false, answers: [], authorities: [], additionals: [] };
}
