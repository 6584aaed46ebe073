// Checks every write of a DNSRecord against docs/invariants.md: its finalizers, its annotation, its status.
import { dnsRecordKey } from '../../../lib/gardener/items/dns-record-item.ts';
import type { DnsRecord } from '../../../lib/sources/gardener/dns-record.ts';
import { parseDnsRecord } from '../../../lib/sources/gardener/spec.ts';
import { textOf } from '../record-set-texts.ts';
import { itemOf, landedUnseen, ownerOf, seeksAnew, standingAt, statesOf } from './shadow.ts';
import { fail, type SeedWorld, saw } from './world.ts';

/** A finalizer is about to go: nothing that is ours may be left behind (I21). */
export function checkLetGo(world: SeedWorld, record: DnsRecord, last: readonly string[]): void {
  if (last.length >= record.finalizers.length) return;
  const { name } = record.ref;
  const { lastOperation } = record.status;
  if (lastOperation?.type === 'Migrate' && lastOperation.state === 'Succeeded') {
    saw(world, 'a DNSRecord was migrated');
    world.shadow.migrated.add(name);
    return;
  }
  if (record.deletionTimestamp === null) fail(world, 'I21', `the finalizer of ${name} goes, and nobody deletes it`);
  for (const [key, standing] of world.shadow.standing) {
    const { writer, owner, log } = standing;
    if (writer !== 'us' || owner !== name || log.at(-1) === 'null') continue;
    // Another DNSRecord may ask for the same by now. Then the record set is that one's, and nothing was sent for it.
    const item = itemOf(world, standing.id, standing.set);
    const heir = ownerOf(item);
    if (heir !== null && heir !== name && textOf(item?.desired) === log.at(-1)) {
      standing.owner = heir;
      continue;
    }
    if (!landedUnseen(standing)) fail(world, 'I21', `the finalizer of ${name} goes while ${key} stands for it`);
    standing.writer = 'either';
  }
  saw(world, 'the finalizer of a deleted DNSRecord was removed');
}

/**
 * Annotations that stay until the work is done go only then; those that go first leave a note of what was begun (I20).
 */
export function checkAnnotation(world: SeedWorld, record: DnsRecord): void {
  const asked = record.annotations['gardener.cloud/operation'];
  const { lastOperation } = record.status;
  const name = record.ref.name;
  const isDone = (type: string) => lastOperation?.type === type && lastOperation.state === 'Succeeded';
  if (asked === 'migrate' && !isDone('Migrate'))
    fail(world, 'I20', `${name} is not migrated, and nobody knows any more`);
  if (asked === 'restore' && !isDone('Restore'))
    fail(world, 'I20', `${name} is not restored, and nobody knows any more`);
  const { partition, sort } = dnsRecordKey('seed', record.ref);
  const item = world.shadow.items.get(`${partition} ${sort}`);
  const isNoted = item?.uid === record.uid && item.pending !== null;
  if (asked === 'reconcile' && !isNoted && !isDone('Migrate') && record.deletionTimestamp === null)
    fail(world, 'I20', `the annotation of ${name} goes, and the ledger does not say what was begun`);
  if (asked === 'reconcile' && !isDone('Migrate')) world.asked.set(record.uid, record.generation);
}

/**
 * I12: a record that the status calls published was in that hosted zone, as some state of that generation wanted it.
 */
export function checkStatus(world: SeedWorld, record: DnsRecord): void {
  const { lastOperation, zone, observedGeneration } = record.status;
  world.shadow.writes.statuses += 1;
  if (lastOperation?.type === 'Delete' && lastOperation.state === 'Processing') seeksAnew(world, record.ref.name);
  saw(world, `a DNSRecord: ${lastOperation?.type} ${lastOperation?.state}`);
  const publishes = ['Create', 'Reconcile', 'Restore'].includes(lastOperation?.type ?? '');
  if (!publishes || lastOperation?.state !== 'Succeeded') return;
  const states = statesOf(world, record).filter(({ generation }) => generation === observedGeneration);
  const stood = states.some((state) => {
    const parsed = parseDnsRecord(state);
    if (!parsed.ok || zone === null) return false;
    return parsed.spec.recordSets.every((set) => standingAt(world, zone, set).log.includes(textOf(set.content)));
  });
  if (!stood) fail(world, 'I12', `${record.ref.name} succeeded in ${zone}, and what it asks for never stood there`);
}
