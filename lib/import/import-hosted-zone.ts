// Reads a hosted zone whole and describes it: `zone53 import`. Writes nothing.
import { errorMessage } from '../objects/plain.ts';
import type { HostedZone, HostedZones } from '../ports/hosted-zones.ts';
import { readWhole } from '../publish/existing/read-existing.ts';
import { type DescribedOwn, type DescribeOptions, describeOwn } from './describe-own.ts';

export type ImportOptions = DescribeOptions & {
  readonly progress: (recordSets: number) => void;
  /** Whether zone53 publishes the SOA of a hosted zone; default: of none. */
  readonly publishesSoa?: (hostedZone: HostedZone) => boolean;
};

/**
 * What was imported; `gone`: there is no such hosted zone, or it vanished while it was read. `unlisted`: why what is
 * protected could not be listed; null: it was.
 */
export type Imported = (DescribedOwn & FoundBy & { readonly unlisted: string | null }) | 'gone';

/**
 * How the hosted zone is found. `isShared`: other public hosted zones of this account have its name, so that only its
 * id tells them apart.
 */
type FoundBy = { readonly apex: string; readonly isPrivate: boolean; readonly isShared: boolean };

/** Describes the hosted zone of this id. Throws when Route 53 cannot be read. */
export async function importHostedZone(
  hostedZones: Pick<HostedZones, 'get' | 'list' | 'readName' | 'readPage' | 'protections'>,
  id: string,
  options: ImportOptions,
): Promise<Imported> {
  const { progress, publishesSoa = () => false } = options;
  const hostedZone = await hostedZones.get(id);
  if (hostedZone === null) return 'gone';
  if ('unreadable' in hostedZone) throw new Error(`Cannot read hosted zone "${id}": ${hostedZone.unreadable}`);
  const { name: apex, isPrivate = false } = hostedZone;
  const recordSets = await readWhole({ hostedZones, id, apex, progress });
  if (recordSets === null) return 'gone';
  // Whoever may not list them may import all the same.
  const all = isPrivate ? [] : await hostedZones.list().catch(() => []);
  const isShared = all.filter(({ name }) => name === apex).length > 1;
  const listed = (await hostedZones.protections(id, null).catch(errorMessage)) ?? [];
  const [protections, unlisted] = typeof listed === 'string' ? [[], listed] : [listed, null];
  const facts = { protections, isPrivate, hasSoa: publishesSoa(hostedZone) };
  return { apex, isPrivate, isShared, unlisted, ...describeOwn(apex, recordSets, options, facts) };
}
