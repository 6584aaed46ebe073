// What only a whole cluster shows, with its manifests: `render` and `plan` say it, and statuses do not.
import { parseName } from '../dns/names/name.ts';
import { isZone, keyOf, type ZoneKey } from '../objects/object-ref.ts';
import type { ClusterObject, Listing } from '../ports/cluster.ts';
import { once } from '../ports/once.ts';
import { blameZones, type ZoneManifest } from '../zones/blame-zones.ts';
import { noteHidden, type StandingDelegation } from '../zones/note-hidden.ts';
import type { ResolvedCluster } from '../zones/resolve-cluster.ts';

/** The cluster with notes on what no resolver sees, and with the refused Zones that others need. */
export function seenTogether(
  resolved: ResolvedCluster,
  listing: Pick<Listing, 'objects'>,
  standing: readonly StandingDelegation[] = [],
): ResolvedCluster {
  return blameZones(noteHidden(resolved, standing), zoneManifests(listing));
}

/** What is said of a Zone, valid or not. The objects are gone through when the first is asked for. */
function zoneManifests({ objects }: Pick<Listing, 'objects'>): (zone: ZoneKey) => ZoneManifest | undefined {
  const zones = once(
    () => new Map(objects.flatMap((object) => (isZone(object.ref) ? [[keyOf(object.ref), object]] : []))),
  );
  return (key) => {
    const zone = zones().get(key);
    return zone === undefined ? undefined : manifestOf(zone);
  };
}

function manifestOf({ ref, spec, origin }: ClusterObject): ZoneManifest {
  const said = (typeof spec === 'object' ? spec : null) as { domainName?: unknown; zoneRef?: unknown } | null;
  const target = (typeof said?.zoneRef === 'object' ? said.zoneRef : null) as {
    name?: unknown;
    namespace?: unknown;
  } | null;
  return {
    meant: target === null && typeof said?.domainName === 'string' ? meantBy(said.domainName) : null,
    zoneRef:
      typeof target?.name === 'string'
        ? `${typeof target.namespace === 'string' ? target.namespace : ref.namespace}/${target.name}`
        : null,
    place: origin === null ? null : `${origin.file === '-' ? 'standard input' : origin.file}:${origin.line}`,
  };
}

/** The name of a Zone without a zoneRef: its last dot may be missing, and there may be spaces around it. */
function meantBy(text: string): string | null {
  const name = text.trim();
  const parsed = parseName(name.endsWith('.') ? name : `${name}.`);
  return parsed.ok ? parsed.name : null;
}
