// Who speaks for a hosted zone: the live Zone that has it as its own; or, once its Zones have left it, the nearest live Zone at or above
// its name that publishes. That one shows what the guard holds there, and its annotation lets it go.
import { hash } from 'node:crypto';
import { parseRef, type ZoneKey } from '../kubizone/objects.ts';
import type { Target } from '../kubizone/place-zones.ts';
import { ancestorsOf } from '../kubizone/resolve-zones.ts';
import type { HostedZoneItem } from './ledger-items.ts';
import { decodeDirectory, directoryKey } from './object-items.ts';
import type { Ledger, Queues } from './ports.ts';

export type Speaker = { readonly zone: ZoneKey; readonly isOwn: boolean };

type LiveAt = { readonly key: ZoneKey; readonly target: Target };

/** The speaker by the live Zones; null: there is none. */
export function speakerOf(
  { id, name }: Pick<HostedZoneItem, 'id' | 'name'>,
  liveAt: (fqdn: string) => LiveAt | undefined,
): Speaker | null {
  for (const fqdn of [name, ...ancestorsOf(name)]) {
    const zone = liveAt(fqdn);
    if (zone?.target.kind === 'hosted') return { zone: zone.key, isOwn: zone.target.hostedZoneId === id };
  }
  return null;
}

/** The same by the directory. @throws LedgerVersionError */
export async function readSpeaker(
  ledger: Ledger,
  hostedZone: Pick<HostedZoneItem, 'id' | 'name' | 'cluster'>,
): Promise<Speaker | null> {
  const names = [hostedZone.name, ...ancestorsOf(hostedZone.name)];
  const zones = new Map<string, LiveAt>();
  for (const fqdn of names) {
    const stored = await ledger.get(directoryKey(hostedZone.cluster, fqdn));
    if (stored === null) continue;
    zones.set(fqdn, decodeDirectory(stored));
    if (speakerOf(hostedZone, (one) => zones.get(one)) !== null) break;
  }
  return speakerOf(hostedZone, (one) => zones.get(one));
}

/** Has the Zone that speaks for a hosted zone which was left looked at: what the guard holds there is other than before. */
export async function hintSpeaker(ledger: Ledger, queues: Queues, hostedZone: HostedZoneItem): Promise<void> {
  const speaker = await readSpeaker(ledger, hostedZone);
  if (speaker !== null && !speaker.isOwn) await queues.hint([parseRef(`Zone ${speaker.zone}`)]);
}

/**
 * What the speaker is annotated with to acknowledge these deletes: of a hosted zone that was left not their digest, for the same names
 * with the same values may lie in the speaker's own, and be deleted there some day.
 */
export function annotationFor({ id }: Pick<HostedZoneItem, 'id'>, speaker: Speaker | null, digest: string): string {
  return speaker === null || speaker.isOwn ? digest : hash('sha256', `${id} ${digest}`, 'hex');
}

/** A hosted zone that was left, with what its speaker acknowledges there; the same where that is no news. `annotated`: of every Zone. */
export function withHeard(
  item: HostedZoneItem,
  speaker: Speaker,
  annotated: ReadonlyMap<ZoneKey, string | null>,
): HostedZoneItem {
  const { held } = item;
  const standing = new Set(annotated.values());
  // An annotation that was taken away and comes again is a new acknowledgement; one that stays, wherever it does, is not.
  const used = item.used.filter((one) => standing.has(one) || standing.has(annotationFor(item, speaker, one)));
  const isHeard = held !== null && annotated.get(speaker.zone) === annotationFor(item, speaker, held.digest);
  const isNews = isHeard && !used.includes(held.digest) && !item.acknowledged.includes(held.digest);
  if (!isNews && used.length === item.used.length) return item;
  return { ...item, used, acknowledged: isNews ? [...item.acknowledged, held.digest] : item.acknowledged };
}
