// Which DNSRecords ask for a name, where they publish, what Route 53 has there, and what is left to do. Reads only.
// Without an API server, the objects come from the ledger.
import type { RecordSet } from '../../dns/record-set.ts';
import { eachItem } from '../../ledger/pages.ts';
import { readableItems } from '../../ledger/skip-unreadable.ts';
import type { ProgrammedReason, Verdict } from '../../objects/conditions.ts';
import { formatRef, type ObjectRef } from '../../objects/object-ref.ts';
import { at, textAt } from '../../objects/plain.ts';
import { dnsRecordsIdOf } from '../../record-sets/hosted-zone-item.ts';
import type { RecordSetItem } from '../../record-sets/record-set-item.ts';
import { readName } from '../../record-sets/store.ts';
import { DNS_RECORD_KIND, type DnsRecord, isServed, readDnsRecord } from '../../sources/gardener/dns-record.ts';
import { joinProblems, parseDnsRecord, secretRefOf } from '../../sources/gardener/spec.ts';
import { readCredentials, readsSecretsOnce } from '../credentials.ts';
import { ownerOf } from '../deps.ts';
import { dnsRecordCodec, dnsRecordsPartition, type Place } from '../items/dns-record-item.ts';
import { attempted } from '../judge-wish.ts';
import { type PlanDnsRecordsDeps, type PlannedDnsRecord, planDnsRecords } from './plan-dns-records.ts';

/** What is known of a DNSRecord that asks for a name. */
export type AskingDnsRecord = {
  readonly object: string;
  readonly accepted: Verdict<'Served' | 'NotServed' | 'InvalidSpec'>;
  readonly programmed: Verdict<ProgrammedReason> | null;
  /** Where its record sets are, or may be; null: nowhere yet. */
  readonly hostedZoneId: string | null;
  /** What its own credentials see there; null: they were not used, or have no permission. */
  readonly seen: { readonly hostedZoneName: string; readonly standing: readonly RecordSet[] } | null;
  /** Its items of this name in the ledger. */
  readonly items: readonly RecordSetItem[];
  /** What serving it would do; null: nothing, or it was not planned. */
  readonly planned: PlannedDnsRecord | null;
  /** It was edited since it was last published, and no operation is requested. */
  readonly isEdited: boolean;
};

type Deps = Omit<PlanDnsRecordsDeps, 'seed' | 'accounts'> & {
  /** Null: there is no API server, and the objects come from the ledger. */
  readonly seed: Pick<PlanDnsRecordsDeps, 'seed' | 'accounts'> | null;
};

/** The DNSRecords that ask for a canonical name and a type (null: any). */
export async function askingDnsRecords(
  deps: Deps,
  name: string,
  type: string | null,
): Promise<readonly AskingDnsRecord[]> {
  if (deps.seed === null) return remembered(deps, name, type);
  const { seed } = deps.seed;
  const asking = (await seed.list(null)).flatMap((object) => {
    const record = readDnsRecord(object);
    return record !== null && asksFor(record, name, type) ? [{ object, record }] : [];
  });
  const keys = new Set(asking.map(({ record }) => formatRef(record.ref)));
  const planning = { ...deps, ...deps.seed };
  const only = ({ ref }: DnsRecord) => keys.has(formatRef(ref));
  const planned = await planDnsRecords(planning, { reads: true, checks: true, only });
  const all: AskingDnsRecord[] = [];
  for (const { object, record } of asking) {
    const own = planned.find((one) => formatRef(one.record.ref) === formatRef(record.ref)) ?? null;
    const hostedZoneId = record.status.zone ?? own?.hostedZoneId ?? null;
    const items = hostedZoneId === null ? [] : await itemsOf(deps, record, hostedZoneId, name);
    const accepted = acceptedOf(deps, record);
    const isEdited = own === null && record.status.observedGeneration !== record.generation;
    const programmed = accepted.reason === 'NotServed' ? null : programmedOf(object, record, items);
    const seen = hostedZoneId === null ? null : await lookAt(planning, record, hostedZoneId, name);
    all.push({
      object: formatRef(record.ref),
      accepted,
      programmed,
      hostedZoneId,
      seen,
      items,
      planned: own,
      isEdited,
    });
  }
  return all;
}

function asksFor(record: DnsRecord, name: string, type: string | null): boolean {
  if (`${textAt(record.spec, 'name')?.toLowerCase().replace(/\.$/, '')}.` !== name) return false;
  const parsed = parseDnsRecord(record);
  const types = parsed.ok ? parsed.spec.recordSets.map((set) => set.type) : [];
  return type === null || textAt(record.spec, 'recordType') === type || types.includes(type);
}

function acceptedOf({ server: { settings } }: Deps, record: DnsRecord): AskingDnsRecord['accepted'] {
  if (!isServed(record, settings)) {
    const { spec } = record;
    const is = `its type is ${JSON.stringify(at(spec, 'type') ?? '')} and its class ${JSON.stringify(at(spec, 'class') ?? 'shoot')}`;
    return { reason: 'NotServed', message: `${is}; served are aws-route53 of ${settings.classes.join(', ')}` };
  }
  const parsed = parseDnsRecord(record);
  if (!parsed.ok) return { reason: 'InvalidSpec', message: joinProblems(parsed.problems) };
  const secretRef = secretRefOf(record);
  return { reason: 'Served', message: `with the Secret ${secretRef?.namespace}/${secretRef?.name}` };
}

function programmedOf(
  object: unknown,
  { status }: DnsRecord,
  items: readonly RecordSetItem[],
): AskingDnsRecord['programmed'] {
  const last = status.lastOperation;
  const description = textAt(object, 'status', 'lastOperation', 'description') ?? '';
  if (last?.state === 'Succeeded' && last.type !== 'Migrate') return { reason: 'Published', message: description };
  const error = textAt(object, 'status', 'lastError', 'description');
  const refusal = items.find((item) => item.refusal !== null)?.refusal ?? null;
  return { reason: refusal?.reason ?? 'Pending', message: error ?? (description || 'nothing was done with it yet') };
}

/** The fields that are not known without an API server. */
const UNASKED = { seen: null, planned: null, isEdited: false };

async function lookAt(
  deps: PlanDnsRecordsDeps,
  record: DnsRecord,
  hostedZoneId: string,
  name: string,
): Promise<AskingDnsRecord['seen']> {
  const secretRef = secretRefOf(record);
  if (secretRef === null) return null;
  const read = await readCredentials(
    deps.server,
    readsSecretsOnce(deps.seed),
    secretRef,
    textAt(record.spec, 'region'),
  );
  if (read.kind === 'failed') return null;
  const { hostedZones } = deps.accounts.open(read.credentials);
  const zone = await attempted(hostedZones.get(hostedZoneId));
  const standing = await attempted(hostedZones.readName(hostedZoneId, name));
  if (!standing.ok || standing.value === null) return null;
  return {
    hostedZoneName: zone.ok && zone.value !== null && 'name' in zone.value ? zone.value.name : '',
    standing: standing.value,
  };
}

async function itemsOf(
  { ledger, server: { clusterId } }: Pick<Deps, 'ledger' | 'server'>,
  record: Pick<DnsRecord, 'ref'>,
  hostedZoneId: string,
  name: string,
): Promise<readonly RecordSetItem[]> {
  const owner = ownerOf(clusterId, record);
  const stored = await readName(ledger, dnsRecordsIdOf(hostedZoneId), name);
  const isOwn = ({ objects, publishedObjects }: RecordSetItem) => [...objects, ...publishedObjects].includes(owner);
  return stored.map(({ item }) => item).filter(isOwn);
}

async function remembered(
  { ledger, server }: Pick<Deps, 'ledger' | 'server'>,
  name: string,
  type: string | null,
): Promise<readonly AskingDnsRecord[]> {
  const all: AskingDnsRecord[] = [];
  for await (const item of eachItem(ledger, dnsRecordsPartition(server.clusterId))) {
    const [{ places } = { places: [] }] = readableItems(dnsRecordCodec, [item]);
    const isAsked = (place: Place) => place.name === name && (type === null || place.types.includes(type));
    const place = places.find(isAsked);
    const [namespace = '', objectName = ''] = item.sort.split('/');
    if (place === undefined) continue;
    const ref: ObjectRef = { kind: DNS_RECORD_KIND.kind, namespace, name: objectName };
    const { hostedZoneId } = place;
    const items = await itemsOf({ ledger, server }, { ref }, hostedZoneId, name);
    const accepted = { reason: 'Served', message: 'as the ledger remembers' } as const;
    const refusal = items.find((one) => one.refusal !== null)?.refusal ?? null;
    const isPublished = items.some(({ published }) => published !== null);
    const reason: ProgrammedReason = refusal?.reason ?? (isPublished ? 'Published' : 'Pending');
    const programmed = { reason, message: refusal?.message ?? 'as the ledger remembers' };
    all.push({ object: formatRef(ref), accepted, programmed, hostedZoneId, items, ...UNASKED });
  }
  return all;
}
