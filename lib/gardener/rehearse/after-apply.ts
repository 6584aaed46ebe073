// The results of planned DNSRecords after they were served, from their statuses, and DNSRecords for which a check found
// an error meanwhile.
import { keyOf } from '../../objects/object-ref.ts';
import { at, textAt } from '../../objects/plain.ts';
import type { Seed } from '../../ports/seed/seed.ts';
import { type DnsRecord, isServed, readDnsRecord } from '../../sources/gardener/dns-record.ts';
import type { Server } from '../deps.ts';
import { endOf, type PlannedDnsRecord } from './plan-dns-records.ts';

type ListedRecord = { readonly object: unknown; readonly record: DnsRecord };

const UNDONE = { state: 'Processing', changes: [], error: null } as const;

/**
 * The planned DNSRecords with their results, then others with new errors. A DNSRecord that succeeded has the changes of
 * the plan, any other none.
 */
export async function afterApply(
  seed: Pick<Seed, 'list'>,
  settings: Server['settings'],
  planned: readonly PlannedDnsRecord[],
): Promise<readonly PlannedDnsRecord[]> {
  const listed = new Map<string, ListedRecord>();
  for (const object of await seed.list(null)) {
    const record = readDnsRecord(object);
    if (record !== null) listed.set(keyOf(record.ref), { object, record });
  }
  const ended = planned.map((one) => endedAs(one, listed.get(keyOf(one.record.ref)) ?? null));
  for (const { record } of planned) listed.delete(keyOf(record.ref));
  const others = [...listed.values()].filter(({ record }) => isServed(record, settings));
  return [...ended, ...others.flatMap(failedMeanwhile)];
}

function endedAs(planned: PlannedDnsRecord, now: ListedRecord | null): PlannedDnsRecord {
  if (now === null || now.record.uid !== planned.record.uid) {
    if (planned.operation === 'Delete') return { ...planned, state: 'Succeeded', error: null };
    return { ...planned, ...UNDONE, message: 'It was deleted meanwhile.' };
  }
  if (now.record.resourceVersion === planned.record.resourceVersion)
    return { ...planned, ...UNDONE, message: 'Nothing was done with it: another run works on it.' };
  const end = endOf({ object: now.object, hasStatus: true, told: [planned.message] });
  return { ...planned, ...end, changes: end.state === 'Succeeded' ? planned.changes : [] };
}

/** A DNSRecord without a planned operation for which a check found an error; none if there is no error. */
function failedMeanwhile({ object, record }: ListedRecord): readonly PlannedDnsRecord[] {
  const end = endOf({ object, hasStatus: true, told: [] });
  if (end.state !== 'Error') return [];
  const hostedZoneId = textAt(at(object, 'status'), 'zone');
  return [{ record, operation: 'Reconcile', account: null, hostedZoneId, changes: [], ...end }];
}
