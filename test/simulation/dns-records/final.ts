// What must hold of a simulated seed in the end, when all accounts answer, all Secrets exist and nobody acts any more:
// Q6 of docs/invariants.md.
import type { RecordSet } from '../../../lib/dns/record-set.ts';
import { dnsRecordKey } from '../../../lib/gardener/items/dns-record-item.ts';
import type { ObjectRef } from '../../../lib/objects/object-ref.ts';
import type { DnsRecord } from '../../../lib/sources/gardener/dns-record.ts';
import { chooseHostedZone } from '../../../lib/sources/gardener/hosted-zone.ts';
import { parseDnsRecord } from '../../../lib/sources/gardener/spec.ts';
import { textOf } from '../record-set-texts.ts';
import { standingAt, statesOf } from './shadow.ts';
import { type AccountName, fail, HOSTED_ZONES, type SeedWorld } from './world.ts';

/** Checks every DNSRecord, the record sets in Route 53, and what is left in the ledger. */
export function checkSeedEnd(world: SeedWorld, when: string): void {
  const records = world.api.all();
  for (const record of records) {
    const wrong = problemOf(world, record);
    if (wrong !== null) fail(world, 'Q6', `${when}: ${record.ref.name} ${wrong}: ${JSON.stringify(record)}`);
  }
  for (const [key, { writer, owner, log }] of world.shadow.standing) {
    const record = records.find(({ ref }) => ref.name === owner);
    if (writer !== 'us' || log.at(-1) === 'null') continue;
    if (record === undefined || !mayStand(world, record, key))
      fail(world, 'Q6', `${when}: ${key} still stands for ${owner}, which does not ask for it`);
  }
  for (const [key, item] of world.shadow.items) {
    if (!key.startsWith('dnsrecords#')) continue;
    const record = records.find(({ ref }) => key === keyText(ref));
    if (record === undefined) fail(world, 'Q6', `${when}: the ledger still has ${key}: ${JSON.stringify(item)}`);
    else if (item.pending !== null && !isLeftAlone(record)) fail(world, 'Q6', `${when}: ${key} is still under way`);
  }
}

/** A run that gave up on a migrated object, because another run was faster, may leave a note that nothing reads. */
function isLeftAlone({ annotations, status }: DnsRecord): boolean {
  return annotations['gardener.cloud/operation'] === 'wait-for-state' || status.lastOperation?.type === 'Migrate';
}

function keyText(ref: ObjectRef): string {
  const { partition, sort } = dnsRecordKey('seed', ref);
  return `${partition} ${sort}`;
}

/** What it asked for in the generation that its status tells of, in any state of that generation. */
function askedFor(world: SeedWorld, record: DnsRecord): readonly (readonly RecordSet[])[] {
  const states = statesOf(world, record).filter(({ generation }) => generation === record.status.observedGeneration);
  return states.flatMap((state) => {
    const parsed = parseDnsRecord(state);
    return parsed.ok ? [parsed.spec.recordSets] : [];
  });
}

function stands(world: SeedWorld, id: string, name: string, sets: readonly RecordSet[]): boolean {
  return sets.every((set) => {
    const { log, writer, owner } = standingAt(world, id, set);
    const isMine = writer === 'either' || (writer === 'us' && owner === name);
    return log.at(-1) === textOf(set.content) && isMine;
  });
}

/** An object that did not succeed may have any of its own record sets in Route 53. */
function mayStand(world: SeedWorld, record: DnsRecord, key: string): boolean {
  const { zone, lastOperation } = record.status;
  if (lastOperation?.state !== 'Succeeded') return true;
  const states = askedFor(world, record);
  const asked = states.filter((sets) => zone !== null && stands(world, zone, record.ref.name, sets)).flat();
  return asked.some(({ name, type }) => key === `${zone} ${name} ${type}`);
}

/** What is wrong with an object; null: nothing. */
function problemOf(world: SeedWorld, record: DnsRecord): string | null {
  const { annotations, status, deletionTimestamp, ref } = record;
  const { lastOperation, zone } = status;
  const asked = annotations['gardener.cloud/operation'];
  if (waits(record)) return null;
  if (deletionTimestamp !== null) return 'is still there, and is deleted';
  if (asked === 'reconcile' || asked === 'migrate') return 'still asks for something';
  if (lastOperation === null) return 'was never looked at';
  if (lastOperation.state === 'Processing') return 'is still under way';
  if (lastOperation.type === 'Migrate') return null;
  const askedGeneration = world.asked.get(record.uid) ?? 0;
  if ((status.observedGeneration ?? 0) < askedGeneration) return `was asked to serve generation ${askedGeneration}`;
  if (lastOperation.state === 'Error') return reasonOf(world, record) === null ? 'failed, and nothing is wrong' : null;
  if (asked === 'restore') return 'was restored, and still asks for it';
  if (world.api.hasLastError(ref.name)) return 'succeeded, and has an error';
  if (zone === null) return 'succeeded nowhere';
  return askedFor(world, record).some((sets) => stands(world, zone, ref.name, sets))
    ? null
    : `succeeded, and does not stand in ${zone}`;
}

/** Why an object cannot be published as it is now; null: it can. */
function reasonOf(world: SeedWorld, record: DnsRecord): string | null {
  const parsed = parseDnsRecord(record);
  if (!parsed.ok) return 'its spec is wrong';
  const { name, recordSets, zone } = parsed.spec;
  const account = accountOf(record);
  const known = zone ?? record.status.zone;
  const choice = known === null ? chooseHostedZone(name, HOSTED_ZONES[account]) : { ok: true as const, id: known };
  if (!choice.ok) return 'no hosted zone';
  const hostedZone = HOSTED_ZONES[account].find(({ id }) => id === choice.id);
  if (hostedZone === undefined) return 'the hosted zone is of another account';
  if (!name.endsWith(hostedZone.name)) return 'it is not in its hosted zone';
  const isCname = recordSets.some(({ type }) => type === 'CNAME');
  const types = new Set(recordSets.map(({ type }) => type));
  // The Zone wants it, and publishes it again when it sweeps.
  for (const [key, item] of world.shadow.items)
    if (key.startsWith(`recordsets#${choice.id} `) && item.name === name && item.published !== null)
      return 'a Zone has it';
  const isTied = (type: string) => types.has(type) || isCname || type === 'CNAME';
  if (wasFirst(world, record, choice.id, name, isTied)) return 'another DNSRecord was first';
  for (const standing of world.shadow.standing.values()) {
    const { id, set, writer, owner, log } = standing;
    if (id !== choice.id || set.name !== name || log.at(-1) === 'null') continue;
    const isMine = writer === 'us' && owner === record.ref.name;
    if (!isTied(set.type) || isMine) continue;
    if (writer === 'stranger' && world.settings.takeover && types.has(set.type)) continue;
    return `${set.type} stands there`;
  }
  return null;
}

/**
 * Another DNSRecord has published there and is still there. It keeps the name while its Secret is of another account,
 * and cannot see that somebody has deleted what it published; and while it waits for its state, when nothing is done
 * for it, not even about a call of which nobody knows whether it landed.
 */
function wasFirst(
  { api, shadow }: SeedWorld,
  record: DnsRecord,
  id: string,
  name: string,
  isTied: (type: string) => boolean,
): boolean {
  const others = api.all().filter((one) => one.uid !== record.uid);
  const isElsewhere = (one: DnsRecord) => !HOSTED_ZONES[accountOf(one)].some((zone) => zone.id === id);
  const named = (some: readonly DnsRecord[]) =>
    new Set(some.map(({ ref }) => `DNSRecord seed/${ref.namespace}/${ref.name}`));
  const [elsewhere, waiting] = [named(others.filter(isElsewhere)), named(others.filter(waits))];
  return [...shadow.items].some(([key, item]) => {
    if (!key.startsWith(`recordsets#${id}/dnsrecords `) || item.name !== name) return false;
    const [owner] = [...(item.objects as readonly string[]), ...(item.publishedObjects as readonly string[])];
    if (!isTied(String(item.type)) || owner === undefined) return false;
    const mayStand = item.published !== null || item.intent !== null;
    return (item.published !== null && elsewhere.has(owner)) || (mayStand && waiting.has(owner));
  });
}

function waits({ annotations }: DnsRecord): boolean {
  return annotations['gardener.cloud/operation'] === 'wait-for-state';
}

/** Whose hosted zones its Secret opens. */
function accountOf({ spec }: DnsRecord): AccountName {
  return (spec as { readonly secretRef: { readonly name: string } }).secretRef.name.endsWith('b') ? 'b' : 'a';
}
