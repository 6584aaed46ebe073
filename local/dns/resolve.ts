// The answer of an authoritative server (RFC 1034 §4.3.2, wildcards by RFC 4592), as values, without sockets.
//   not in a served zone     REFUSED                      no such name, a wildcard covers it   its records, or NODATA
//   at or below a zone cut   referral with glue, not AA   no such name otherwise               NXDOMAIN + SOA
//   DS at a cut, or at a     the zone above answers       name exists, type does not           NODATA + SOA
//   served child's apex                                   CNAME                                followed if served
// routing.ts chooses among several record sets of one name and type. An alias has the values of its target; one of an
// AWS resource has NODATA and a note that names it. In a private zone an NS set is no cut: resolvers ignore it there.
import { childKey, keyOfRoute53Name, parentKey } from './octet-name.ts';
import { chooseRecordSets } from './routing.ts';
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
  /** Why values are missing from the answer; null if there is nothing to explain. */
  readonly note: string | null;
};

/** What is needed to answer one question. */
type Asked = { readonly index: ZoneIndex; readonly random: () => number; readonly notes: Set<string> };

type Found =
  | { readonly kind: 'records'; readonly records: readonly DnsRecord[] }
  | { readonly kind: 'cname'; readonly record: DnsRecord }
  | { readonly kind: 'noData' }
  | { readonly kind: 'noName' }
  | { readonly kind: 'referral'; readonly cut: string };

type Values = { readonly ttl: number; readonly values: readonly string[] };

const CNAMES_MAX = 16; // as BIND: a longer chain is cut off there
const ALIASES_MAX = 8; // an alias of an alias …; Route 53 itself refuses rings

/** Answers a question of class IN from the zones of the index. `random` yields [0, 1). */
export function resolve(index: ZoneIndex, question: DnsQuestion, random: () => number): Resolution {
  const asked: Asked = { index, random, notes: new Set() };
  const resolution = follow(asked, question);
  return { ...resolution, note: asked.notes.size === 0 ? null : [...asked.notes].join('; ') };
}

function follow(asked: Asked, question: DnsQuestion): Resolution {
  const { index } = asked;
  const answers: DnsRecord[] = [];
  const names = new Set<string>();
  let name = question.name;
  for (;;) {
    const zone = zoneFor(index, name, question.type);
    if (zone === null) return answers.length === 0 ? refused() : answered(answers);
    const found = look(asked, zone, name, question.type);
    if (found.kind !== 'cname') return conclude(asked, zone, found, answers);
    answers.push(found.record);
    names.add(name);
    name = keyOfRoute53Name(found.record.value);
    if (names.has(name) || names.size >= CNAMES_MAX) return answered(answers);
  }
}

/** The zone that answers. DS is in the zone above its name (RFC 4035 §3.1.4.1); if not served, NODATA. */
function zoneFor(index: ZoneIndex, name: string, type: string): IndexedZone | null {
  const above = type === 'DS' ? zoneAtOrAbove(index, parentKey(name)) : null;
  return above ?? zoneAtOrAbove(index, name);
}

function look(asked: Asked, zone: IndexedZone, name: string, type: string): Found {
  const nodes = zone.nodes();
  let closest = zone.name;
  for (const key of pathDown(zone.name, name)) {
    const node = nodes.get(key);
    if (node === undefined) break;
    if (!zone.isPrivate && node.has('NS') && !(key === name && type === 'DS')) return { kind: 'referral', cut: key };
    closest = key;
  }
  const source = nodes.get(closest === name ? name : childKey('*', closest));
  return source === undefined ? { kind: 'noName' } : lookAt(asked, source, name, type);
}

/** The names below `apex` down to `name`, topmost first. */
function pathDown(apex: string, name: string): string[] {
  const path: string[] = [];
  for (let key: string | null = name; key !== null && key !== apex; key = parentKey(key)) path.unshift(key);
  return path;
}

/** The records of the node for `name`, which may be a wildcard's node. */
function lookAt(asked: Asked, node: NameNode, name: string, type: string): Found {
  const types = type === ANY ? [...node.keys()] : [type];
  const records = types.flatMap((one) => recordsOf(asked, node, name, one));
  if (records.length > 0) return { kind: 'records', records };
  const [cname] = recordsOf(asked, node, name, 'CNAME');
  return cname === undefined ? { kind: 'noData' } : { kind: 'cname', record: cname };
}

function recordsOf(asked: Asked, node: NameNode, name: string, type: string): DnsRecord[] {
  const union = valuesOf(asked, node, type, ALIASES_MAX);
  return union === null ? [] : union.values.map((value) => ({ name, type, ttl: union.ttl, value }));
}

/** The values of the record sets that answer, at the lowest TTL, aliases followed; null if there are none. */
function valuesOf(asked: Asked, node: NameNode | undefined, type: string, aliasesLeft: number): Values | null {
  const all = node?.get(type) ?? [];
  const answering = chooseRecordSets(all, (set) => isHealthy(asked.index, set, new Set()), asked.random);
  const sets = answering.flatMap((set) => {
    const one = set.alias === null ? { ttl: set.ttl ?? 0, values: set.values } : aliased(asked, set, aliasesLeft);
    return one === null || one.values.length === 0 ? [] : [one];
  });
  const [first] = sets;
  if (first === undefined) return null;
  if (type === 'CNAME') return { ttl: first.ttl, values: first.values.slice(0, 1) };
  const values = [...new Set(sets.flatMap((set) => set.values))];
  return { ttl: Math.min(...sets.map((set) => set.ttl)), values };
}

/**
 * The values of the alias' target, if a hosted zone of this server has it. The addresses of AWS resources are unknown.
 */
function aliased(asked: Asked, set: RecordSetView, aliasesLeft: number): Values | null {
  const { alias } = set;
  if (alias === null || aliasesLeft === 0) return null;
  const zone = asked.index.byId.get(bareId(alias.hostedZoneId));
  if (zone === undefined) {
    const target = `${alias.dnsName} (${set.type}, hosted zone ${alias.hostedZoneId})`;
    asked.notes.add(`alias of ${target}, which this server cannot look up`);
    return null;
  }
  const node = zone.nodes().get(keyOfRoute53Name(alias.dnsName));
  return valuesOf(asked, node, set.type, aliasesLeft - 1);
}

/**
 * False if the health check fails. False for an alias that evaluates its target's health, if the target is in a served
 * zone and has no healthy record set there. `seen` are the targets that were already looked at.
 */
function isHealthy(index: ZoneIndex, set: RecordSetView, seen: Set<string>): boolean {
  const { alias, type, healthCheckId = null } = set;
  if (healthCheckId !== null && index.failing.has(healthCheckId)) return false;
  if (alias === null || !alias.evaluateTargetHealth) return true;
  const zone = index.byId.get(bareId(alias.hostedZoneId));
  if (zone === undefined) return true;
  const key = keyOfRoute53Name(alias.dnsName);
  const target = `${key} ${bareId(alias.hostedZoneId)}`;
  if (seen.has(target)) return false;
  seen.add(target);
  const sets = zone.nodes().get(key)?.get(type) ?? [];
  return sets.some((one) => isHealthy(index, one, seen));
}

/** The reply once no CNAME leads further: its rcode is that of the last name of the chain (RFC 6604 §3). */
function conclude(
  asked: Asked,
  zone: IndexedZone,
  found: Exclude<Found, { kind: 'cname' }>,
  chain: readonly DnsRecord[],
): Resolution {
  switch (found.kind) {
    case 'records':
      return answered([...chain, ...found.records]);
    case 'noData':
      return { ...answered(chain), authorities: negativeSoa(asked, zone) };
    case 'noName':
      return { ...answered(chain), rcode: 'NXDOMAIN', authorities: negativeSoa(asked, zone) };
    case 'referral':
      // AA is about the first owner name (RFC 1035 §4.1.1), so it stays set when a CNAME of ours led to the cut.
      return { ...answered(chain), aa: chain.length > 0, ...referral(asked, zone, found.cut) };
  }
}

/** The NS at the cut, and the addresses that this zone holds for them: glue (RFC 9471). */
function referral(asked: Asked, zone: IndexedZone, cut: string): Pick<Resolution, 'authorities' | 'additionals'> {
  const nodes = zone.nodes();
  const authorities = recordsOf(asked, nodes.get(cut) ?? new Map(), cut, 'NS');
  const additionals = authorities.flatMap(({ value }) => {
    const host = keyOfRoute53Name(value);
    const node = nodes.get(host) ?? new Map();
    return ['A', 'AAAA'].flatMap((type) => recordsOf(asked, node, host, type));
  });
  return { authorities, additionals };
}

/** The SOA of a negative answer. Its TTL is the lower of its own TTL and its MINIMUM field (RFC 2308 §3). */
function negativeSoa(asked: Asked, zone: IndexedZone): readonly DnsRecord[] {
  return recordsOf(asked, zone.nodes().get(zone.name) ?? new Map(), zone.name, 'SOA').map((soa) => {
    const minimum = Number(soa.value.trim().split(/\s+/).at(-1));
    return { ...soa, ttl: Math.min(soa.ttl, minimum) };
  });
}

function answered(answers: readonly DnsRecord[]): Resolution {
  return { rcode: 'NOERROR', aa: true, answers, authorities: [], additionals: [], note: null };
}

function refused(): Resolution {
  return { rcode: 'REFUSED', aa: false, answers: [], authorities: [], additionals: [], note: null };
}
