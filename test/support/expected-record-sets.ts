// The record sets that Route 53 must have, from the output of `render` and the list of hosted zones alone: the entries
// of each Zone, in its own hosted zone or in that of its nearest ancestor that has one, and the NS of each sub-zone
// that has one. Names and values in these tests are plain ASCII, so that Route 53's form of them is the canonical one.
import { render } from '../../cli/run/use-cases.ts';
import { DEFAULT_CONFIG } from '../../lib/ports/config.ts';

/** `name type` → `ttl value,value` with the values sorted. */
export type RecordSets = ReadonlyMap<string, string>;

export type HostedZoneName = { readonly fqdn: string; readonly nameServers: readonly string[] };

/** The record sets of every hosted zone by its name, without the SOA and the NS of its own apex. */
export async function expectedRecordSets(
  manifests: string,
  hostedZones: readonly HostedZoneName[],
): Promise<ReadonlyMap<string, RecordSets>> {
  const config = { ...DEFAULT_CONFIG, hostedZones: hostedZones.map(({ fqdn }) => ({ zone: fqdn, id: 'Z1' })) };
  const quiet = { log: () => {}, progress: () => {}, clock: { nowMs: () => 0 } };
  const { zones } = await render({ ...quiet, config, source: { kind: 'manifests', paths: [manifests] } });
  const live = zones.flatMap((zone) =>
    zone.fqdn === null || zone.hash === null ? [] : [{ ...zone, fqdn: zone.fqdn }],
  );
  const hostingOf = (name: string) =>
    hostedZones.filter(({ fqdn }) => name === fqdn || name.endsWith(`.${fqdn}`)).toSorted(byLength)[0]?.fqdn;
  const expected = new Map(hostedZones.map(({ fqdn }) => [fqdn, new Map<string, string>()]));
  const entries = live.flatMap((zone) =>
    zone.entries.flatMap((entry) => ('rdata' in entry ? [{ ...entry, hosting: hostingOf(zone.fqdn) }] : [])),
  );
  for (const [key, group] of Map.groupBy(entries, ({ hosting, fqdn, type }) => `${hosting} ${fqdn} ${type}`)) {
    const [hosting = '', name = '', type = ''] = key.split(' ');
    if (type === 'SOA' || (type === 'NS' && name === hosting)) continue;
    const values = group.map(({ rdata }) => rdata);
    expected.get(hosting)?.set(`${name} ${type}`, showRecordSet(Math.min(...group.map(({ ttl }) => ttl)), values));
  }
  for (const zone of live) {
    const own = hostedZones.find(({ fqdn }) => fqdn === zone.fqdn);
    const parent = zones.find(({ namespace, name }) => `${namespace}/${name}` === zone.parent);
    if (own === undefined || parent?.fqdn == null) continue;
    const into = expected.get(hostingOf(parent.fqdn) ?? '');
    const ttl = zone.entries.find(({ type }) => type === 'SOA')?.ttl ?? 0;
    if (into?.has(`${own.fqdn} NS`) === false) into.set(`${own.fqdn} NS`, showRecordSet(ttl, own.nameServers));
  }
  return expected;
}

/** TTL and values in one line. Host names get their trailing dot if it is missing. */
export function showRecordSet(ttl: number | null | undefined, values: readonly string[]): string {
  const dotted = values.map((value) => (/^[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z]+$/.test(value) ? `${value}.` : value));
  return `${ttl} ${[...new Set(dotted)].toSorted().join(',')}`;
}

function byLength(a: HostedZoneName, b: HostedZoneName): number {
  return b.fqdn.length - a.fqdn.length;
}
