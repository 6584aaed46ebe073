// Who speaks for a hosted zone: the live Zone that has it as its own; or, once its Zones have left it, the nearest live Zone at or above
// its name that publishes. That one shows what the guard holds there, and its annotation lets it go.
import { hash } from 'node:crypto';
import { parseRef, type ZoneKey } from '../kubizone/objects.ts';
import type { Target } from '../kubizone/place-zones.ts';
import { ancestorsOf } from '../kubizone/resolve-zones.ts';
import { type HostedZoneItem, LedgerVersionError } from './ledger-items.ts';
import { decodeDirectory, directoryKey } from './object-items.ts';
import type { Ledger, LedgerItem, Queues } from './ports.ts';

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

/** The same by the directory; null also where it cannot be read: that costs what is said of the hosted zone, not its publishing. */
export async function readSpeaker(
  ledger: Ledger,
  hostedZone: Pick<HostedZoneItem, 'id' | 'name' | 'cluster'>,
): Promise<Speaker | null> {
  const names = [hostedZone.name, ...ancestorsOf(hostedZone.name)];
  const zones = new Map<string, LiveAt>();
  for (const fqdn of names) {
    const stored = await ledger.get(directoryKey(hostedZone.cluster, fqdn));
    if (stored === null) continue;
    const live = readableDirectory(stored);
    if (live === null) return null;
    zones.set(fqdn, live);
    if (speakerOf(hostedZone, (one) => zones.get(one)) !== null) break;
  }
  return speakerOf(hostedZone, (one) => zones.get(one));
}

function readableDirectory(stored: LedgerItem): LiveAt | null {
  try {
    return decodeDirectory(stored);
  } catch (error) {
    if (error instanceof LedgerVersionError) return null;
    throw error;
  }
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

/**
 * A hosted zone that was left, with what its speaker acknowledges there; the same where that is no news. `annotated`: of every Zone.
 * `used` holds the annotation from when it was heard: while it stands it is no new acknowledgement, and taken away it is forgotten,
 * with the digest that it was for.
 */
export function withHeard(
  item: HostedZoneItem,
  speaker: Speaker,
  annotated: ReadonlyMap<ZoneKey, string | null>,
): HostedZoneItem {
  const { held } = item;
  if (held === null) return item;
  const standing = new Set(annotated.values());
  const forgotten = [...item.used, held.digest].flatMap((digest) => {
    const annotation = annotationFor(item, speaker, digest);
    return item.used.includes(annotation) && !standing.has(annotation) ? [digest, annotation] : [];
  });
  const used = item.used.filter((one) => !forgotten.includes(one));
  const annotation = annotationFor(item, speaker, held.digest);
  const isNews = annotated.get(speaker.zone) === annotation && !used.includes(annotation);
  if (!isNews) return used.length === item.used.length ? item : { ...item, used };
  return { ...item, used: [...used, annotation], acknowledged: [...new Set([...item.acknowledged, held.digest])] };
}
