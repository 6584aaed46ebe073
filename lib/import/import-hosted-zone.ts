// Reads a hosted zone whole and describes it: `zone53 import`. Writes nothing.
import type { HostedZones } from '../ports/hosted-zones.ts';
import { readWhole } from '../publish/standing/read-standing.ts';
import { type DescribedHostedZone, describeHostedZone } from './describe-hosted-zone.ts';
import { zoneObjectName } from './object-name.ts';

export type ImportOptions = {
  readonly namespace: string;
  /** The name of the Zone; null: made of the hosted zone's. */
  readonly zoneName: string | null;
  readonly progress: (recordSets: number) => void;
};

/** What was imported; `gone`: there is no such hosted zone, or it vanished while it was read. */
export type Imported = (DescribedHostedZone & { readonly apex: string; readonly isPrivate: boolean }) | 'gone';

/** Describes the hosted zone of this id. Throws when Route 53 cannot be read. */
export async function importHostedZone(
  hostedZones: Pick<HostedZones, 'get' | 'readName' | 'readPage'>,
  id: string,
  { namespace, zoneName, progress }: ImportOptions,
): Promise<Imported> {
  const hostedZone = await hostedZones.get(id);
  if (hostedZone === null) return 'gone';
  if ('unreadable' in hostedZone) throw new Error(`Cannot read hosted zone "${id}": ${hostedZone.unreadable}`);
  const { name: apex, isPrivate = false } = hostedZone;
  const recordSets = await readWhole({ hostedZones, id, apex, progress });
  if (recordSets === null) return 'gone';
  const named = { namespace, zoneName: zoneName ?? zoneObjectName(apex), isPrivate };
  return { apex, isPrivate, ...describeHostedZone(apex, recordSets, named) };
}
