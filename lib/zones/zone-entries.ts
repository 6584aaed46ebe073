// Zone.status.entries: the SOA; the adopted entries; then, for each adopted sub-zone by name, its apex NS and the glue.
// Sorted as RFC 4034 §6.1 and §6.3 say. Identical entries appear once, each with its own TTL.

import { describeEntry, type Entry, type ValueEntry } from '../dns/entry.ts';
import { compareText } from '../dns/names/compare-text.ts';
import { compareNames } from '../dns/names/name.ts';
import { realName } from '../dns/names/view.ts';
import { compareRdata } from '../dns/rdata/rdata.ts';
import { typeNumber } from '../dns/record-type.ts';
import type { ZoneSpec } from './parse-zone.ts';

/** The entries of a sub-zone that its parent shows. */
export type SubZoneEntries = {
  readonly fqdn: string;
  readonly nameServers: readonly Entry[];
  readonly glue: readonly Entry[];
};

/** The SOA of a Zone's entries: `ns.<fqdn> noc.<fqdn> <serial> <refresh> <retry> <expire> <negativeResponseCache>`. */
export function buildSoaEntry(fqdn: string, spec: ZoneSpec, serial: number): ValueEntry {
  const { refresh, retry, expire, negativeResponseCache } = spec;
  const name = realName(fqdn);
  const rdata = `ns.${name} noc.${name} ${serial} ${refresh} ${retry} ${expire} ${negativeResponseCache}`;
  return { fqdn, type: 'SOA', class: 'IN', ttl: spec.ttl, rdata };
}

/** Every entry of a Zone but the SOA, in order. */
export function buildEntries(adopted: readonly Entry[], subZones: readonly SubZoneEntries[]): readonly Entry[] {
  const sections = [
    adopted.toSorted(compareEntries),
    ...subZones
      .toSorted((a, b) => compareNames(a.fqdn, b.fqdn))
      .flatMap(({ nameServers, glue }) => [nameServers.toSorted(compareEntries), glue.toSorted(compareEntries)]),
  ];
  return uniqueEntries(subZones.length === 0 ? (sections[0] ?? []) : sections.flat(), subZones.length > 0);
}

/** Canonical order: name, type number, rdata, then class, TTL and routing, so that it is total. Aliases come last. */
function compareEntries(a: Entry, b: Entry): number {
  return (
    compareNames(a.fqdn, b.fqdn) ||
    (typeNumber(a.type) ?? 0) - (typeNumber(b.type) ?? 0) ||
    compareContents(a, b) ||
    compareText(a.class, b.class) ||
    (a.ttl ?? 0) - (b.ttl ?? 0) ||
    compareText(a.routing?.setIdentifier ?? '', b.routing?.setIdentifier ?? '') ||
    compareText(JSON.stringify(describeEntry(a)), JSON.stringify(describeEntry(b)))
  );
}

function compareContents(a: Entry, b: Entry): number {
  if ('alias' in a || 'alias' in b) {
    if ('alias' in a && 'alias' in b) return compareNames(a.alias.target, b.alias.target);
    return 'alias' in a ? 1 : -1;
  }
  const isIn = a.class === 'IN' && b.class === 'IN';
  return isIn ? compareRdata(a.type, a.rdata, b.rdata) : compareText(a.rdata, b.rdata);
}

/** Each entry once. With `several` sorted lists, the same entry may be in two of them. */
function uniqueEntries(entries: readonly Entry[], several: boolean): readonly Entry[] {
  if (!several)
    return entries.filter((entry, index) => index === 0 || compareEntries(entries[index - 1] as Entry, entry) !== 0);
  const seen = new Set<string>();
  return entries.filter((entry) => {
    const key = JSON.stringify(describeEntry(entry));
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
