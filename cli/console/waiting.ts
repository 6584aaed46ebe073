// What the guard holds, as the screen Waiting shows it.
import { ACKNOWLEDGE_ANNOTATION } from '../../lib/objects/annotations.ts';
import { zoneOfKey } from '../../lib/objects/object-ref.ts';
import { type HostedZoneItem, hostedZoneIdOf } from '../../lib/record-sets/hosted-zone-item.ts';
import { withoutHow } from '../print/how-to-release.ts';
import { safeText } from '../print/terminal-text.ts';
import type { Hold } from './answers.ts';
import type { KnownName } from './name-rows.ts';

/** A name that waits for less long is on its way. */
const SOON_MS = 60_000;

/** True for a name about which somebody has to do something, or may wonder. */
export function isWaiting({ row: { reason, since } }: KnownName, nowMs: number): boolean {
  if (reason === 'Published') return false;
  return reason !== 'Pending' || since === null || nowMs - Date.parse(since) >= SOON_MS;
}

/** What is held in a hosted zone: all of it, and by namespace where that has other digests. */
export function holdsIn(hostedZone: HostedZoneItem, kubectl: string): readonly Hold[] {
  const { held, zone, cluster } = hostedZone;
  if (held === null) return [];
  const { namespace: ofZone, name } = zoneOfKey(zone);
  const of = (digest: string) => ({
    digest,
    zone,
    cluster,
    hostedZone: { id: hostedZoneIdOf(hostedZone.id), name: hostedZone.name },
    command: `${kubectl} annotate --overwrite zone -n ${safeText(ofZone)} ${safeText(name)} ${ACKNOWLEDGE_ANNOTATION}=${digest}`,
    annotation: `${ACKNOWLEDGE_ANNOTATION}: ${digest}`,
  });
  const reason = held.reasons.map((text) => withoutHow(text, held.digest)).join(' ');
  const byNamespace = held.holds.filter(({ digest }) => digest !== held.digest);
  return [
    { ...of(held.digest), reason, namespace: null, count: held.count },
    ...byNamespace.map((one) => ({
      ...of(one.digest),
      reason: withoutHow(one.reason, one.digest),
      namespace: one.namespace,
      count: null,
    })),
  ];
}
