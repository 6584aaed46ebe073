// Lists the Zones without a hosted zone, one line each, with the number of objects that wait for it. All objects that
// wait for one hosted zone have the same message.
import { formatPlace } from '../../lib/adapters/manifests/format-problem.ts';
import type { RecordOutput } from '../../lib/report/describe-cluster.ts';
import type { ClusterOutput } from './output.ts';
import { counted, type Paint, safeText } from './terminal-text.ts';

type ResolvedCluster = Pick<ClusterOutput, 'zones' | 'records' | 'sources'>;

/** A Zone that has no hosted zone, and what waits for one. */
type Missing = {
  readonly zone: RecordOutput | null;
  /** `HostedZoneNotFound` or `AccountRefused`. */
  readonly reason: string;
  readonly message: string;
  readonly zones: number;
  readonly records: number;
};

/** Each missing hosted zone once, in the order of the Zones. */
function missingHostedZones({ zones, records: own, sources }: ResolvedCluster): readonly Missing[] {
  const records = [...own, ...sources.flatMap(({ endpoints }) => endpoints)];
  const zonesBy = Map.groupBy(zones, complaintOf);
  const recordsBy = Map.groupBy(records, complaintOf);
  const messages = new Set([...zonesBy.keys(), ...recordsBy.keys()]);
  return [...messages].flatMap((message) => {
    if (message === null) return [];
    const ofZones = zonesBy.get(message) ?? [];
    // The Zone with the shortest name; the others are below it.
    const [zone = null] = ofZones.toSorted((a, b) => (a.fqdn ?? '').length - (b.fqdn ?? '').length);
    const reason = [...ofZones, ...(recordsBy.get(message) ?? [])].flatMap((one) => complaintIn(one)?.reason ?? [])[0];
    return [
      {
        zone,
        reason: reason ?? '',
        message,
        zones: Math.max(0, ofZones.length - 1),
        records: recordsBy.get(message)?.length ?? 0,
      },
    ];
  });
}

/** The message of an object that has no hosted zone to be published into; null for any other object. */
function complaintOf(object: Pick<RecordOutput, 'conditions'>): string | null {
  return complaintIn(object)?.message ?? null;
}

function complaintIn({ conditions }: Pick<RecordOutput, 'conditions'>) {
  return conditions.find(lacksItsHostedZone) ?? null;
}

/** True for a condition that says: there is no hosted zone, or its account cannot be used. */
export function lacksItsHostedZone({ reason }: Pick<RecordOutput['conditions'][number], 'reason'>): boolean {
  return reason === 'HostedZoneNotFound' || reason === 'AccountRefused';
}

/** True when any object has no hosted zone to be published into. */
export function lacksHostedZone({ zones, records, sources }: ResolvedCluster): boolean {
  const endpoints = sources.flatMap((source) => source.endpoints);
  return [...zones, ...records, ...endpoints].some((object) => complaintOf(object) !== null);
}

/** The key `missingHostedZones` of `plan -o json`; absent if none is missing. */
export function jsonMissing(resolved: ResolvedCluster | undefined): object {
  const missing = resolved === undefined ? [] : missingHostedZones(resolved);
  if (missing.length === 0) return {};
  return {
    missingHostedZones: missing.map(({ zone, message, zones, records }) => ({
      zone: zone === null ? null : `${zone.namespace}/${zone.name}`,
      name: zone?.fqdn ?? null,
      ...{ zones, records, message },
    })),
  };
}

/** Two lines for each missing hosted zone; empty when none is missing. */
export function printMissing(resolved: ResolvedCluster, paint: Paint): string {
  const lines = missingHostedZones(resolved).map((missing) => {
    const { zone, reason, message } = missing;
    const place = zone?.origin === undefined ? '' : `${formatPlace(zone.origin)}: `;
    const who = zone === null ? 'A Zone' : `${place}Zone ${zone.namespace}/${zone.name} (${zone.fqdn})`;
    const head = `${paint('yellow', '!')} ${safeText(who)}: Programmed=False, ${paint('bold', reason)}: ${waiting(missing)}`;
    return `${head}\n    ${safeText(message)}\n`;
  });
  return lines.join('');
}

/** "3 Records wait", for the last line; empty when none is missing. */
export function summarizeMissing(resolved: ResolvedCluster | undefined): string {
  const missing = resolved === undefined ? [] : missingHostedZones(resolved);
  if (missing.length === 0) return '';
  const records = missing.reduce((sum, one) => sum + one.records, 0);
  return ` ${counted(missing.length, 'hosted zone')} missing, for which ${counted(records, 'Record')} ${records === 1 ? 'waits' : 'wait'}.`;
}

function waiting({ zones, records }: Missing): string {
  const parts = [...(zones === 0 ? [] : [counted(zones, 'Zone')]), counted(records, 'Record')];
  return `${parts.join(' and ')} ${zones === 0 && records === 1 ? 'waits' : 'wait'} for a hosted zone`;
}
