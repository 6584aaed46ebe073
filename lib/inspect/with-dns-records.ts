// Adds the DNSRecords that ask for a name to its explanation. They belong to no Zone. When no Zone covers the name, the
// hosted zone and the advice are those of the DNSRecords.
import { compareRecordSets } from '../dns/plan-changes.ts';
import { recordSetId } from '../dns/record-set.ts';
import type { AskingDnsRecord } from '../gardener/rehearse/explain-dns-records.ts';
import { publishedSets } from './explain-name.ts';
import type { ExistingSet, Explanation } from './explanation.ts';

/** The explanation with the DNSRecords added. */
export function withDnsRecords(explained: Explanation, asking: readonly AskingDnsRecord[]): Explanation {
  if (asking.length === 0) return explained;
  const objects = asking.map(({ object, accepted, programmed }) => ({
    object,
    type: null,
    accepted,
    programmed,
    parent: null,
  }));
  const [first] = asking.filter(({ hostedZoneId }) => hostedZoneId !== null);
  const isOnly = explained.hostedZone === null && explained.objects.length === 0;
  const hostedZone =
    isOnly && first !== undefined
      ? { id: first.hostedZoneId, name: first.seen?.hostedZoneName ?? '' }
      : explained.hostedZone;
  const here = asking.filter(({ hostedZoneId }) => hostedZoneId !== null && hostedZoneId === hostedZone?.id);
  const { type } = explained;
  const items = here.flatMap((one) => one.items);
  const route53 = isOnly ? existingSets(explained, first) : explained.route53;
  return {
    ...explained,
    hostedZone,
    objects: [...explained.objects, ...objects],
    route53: route53.map((set) => (isTheirs(here, explained.name, set) ? { ...set, owner: 'zone53' as const } : set)),
    published: [...explained.published, ...publishedSets(items.filter((item) => type === null || item.type === type))],
    pending: [...explained.pending, ...pendingOf(explained, asking)],
    advice: explained.objects.length > 0 ? explained.advice : adviceOn(asking),
  };
}

/** True when the record set is published for one of the DNSRecords. */
function isTheirs(asking: readonly AskingDnsRecord[], name: string, set: ExistingSet): boolean {
  const id = recordSetId({ ...set, name });
  return asking.some(({ items }) => items.some((item) => item.published !== null && recordSetId(item) === id));
}

function existingSets({ type }: Explanation, asking: AskingDnsRecord | undefined): readonly ExistingSet[] {
  return (asking?.seen?.standing ?? [])
    .filter((set) => type === null || set.type === type)
    .toSorted(compareRecordSets)
    .map((set) => {
      const { type: ofSet, setIdentifier, content } = set;
      return { type: ofSet, setIdentifier, content, owner: 'foreign' as const };
    });
}

function pendingOf({ name, type }: Explanation, asking: readonly AskingDnsRecord[]): Explanation['pending'] {
  return asking
    .flatMap(({ planned }) => planned?.changes ?? [])
    .filter((change) => change.name === name && (type === null || change.type === type));
}

/** The advice for the first DNSRecord that is not in order. */
function adviceOn(asking: readonly AskingDnsRecord[]): string {
  return asking.map(adviceOnOne).find((text) => text !== null) ?? 'Nothing to do: Route 53 has what is desired.';
}

function adviceOnOne({ object, accepted, programmed, planned, isEdited }: AskingDnsRecord): string | null {
  if (accepted.reason === 'NotServed') return `${object} is not served by zone53: ${accepted.message}.`;
  if (accepted.reason === 'InvalidSpec') return `${object} is not accepted (InvalidSpec): ${accepted.message}.`;
  if (planned?.error != null) return `${object} fails with ${planned.error.codes.join(', ')}: ${planned.error.message}`;
  if (planned !== null && planned.message !== '') return `${object}: ${planned.message}`;
  if (planned !== null) return `${object} is to be published or deleted (${planned.operation}): the next run does it.`;
  if (isEdited)
    return `${object} was edited since it was published: annotate it with gardener.cloud/operation=reconcile to publish the edit.`;
  if (programmed !== null && programmed.reason !== 'Published') return `${object}: ${programmed.message}`;
  return null;
}
