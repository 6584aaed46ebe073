// Reads a hosted zone whole and describes it: `zone53 import`. Writes nothing.
import type { HostedZone, HostedZones } from '../ports/hosted-zones.ts';
import { readWhole } from '../publish/existing/read-existing.ts';
import { type DescribedHostedZone, describeHostedZone } from './describe-hosted-zone.ts';
import { zoneObjectName } from './object-name.ts';

export type ImportOptions = {
  readonly namespace: string;
  /** The name of the Zone; null: made of the hosted zone's. */
  readonly zoneName: string | null;
  readonly progress: (recordSets: number) => void;
  /** Whether zone53 publishes the SOA of a hosted zone; default: of none. */
  readonly publishesSoa?: (hostedZone: HostedZone) => boolean;
};

/** What was imported; `gone`: there is no such hosted zone, or it vanished while it was read. */
export type Imported = (DescribedHostedZone & FoundBy) | 'gone';

/**
 * How the hosted zone is found. `isShared`: other public hosted zones of this account have its name, so that only its
 * id tells them apart.
 */
type FoundBy = { readonly apex: string; readonly isPrivate: boolean; readonly isShared: boolean };

/** Describes the hosted zone of this id. Throws when Route 53 cannot be read. */
export async function importHostedZone(
  hostedZones: Pick<HostedZones, 'get' | 'list' | 'readName' | 'readPage'>,
  id: string,
  { namespace, zoneName, progress, publishesSoa = () => false }: ImportOptions,
): Promise<Imported> {
  const hostedZone = await hostedZones.get(id);
  if (hostedZone === null) return 'gone';
  if ('unreadable' in hostedZone) throw new Error(`Cannot read hosted zone "${id}": ${hostedZone.unreadable}`);
  const { name: apex, isPrivate = false } = hostedZone;
  const recordSets = await readWhole({ hostedZones, id, apex, progress });
  if (recordSets === null) return 'gone';
  const hasSoa = publishesSoa(hostedZone);
  const named = { namespace, zoneName: zoneName ?? zoneObjectName(apex), isPrivate, hasSoa };
  // Whoever may not list them may import all the same.
  const all = isPrivate ? [] : await hostedZones.list().catch(() => []);
  const isShared = all.filter(({ name }) => name === apex).length > 1;
  return { apex, isPrivate, isShared, ...describeHostedZone(apex, recordSets, named) };
}
