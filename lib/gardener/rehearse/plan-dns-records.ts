// Plans what serving the DNSRecords of a seed would do now. The same code serves them, with ports that only read: its
// writes to the ledger, the API server and Route 53 stay in memory. So a plan shows exactly what a run does.
import { compareText } from '../../dns/names/compare-text.ts';
import type { Change } from '../../dns/plan-changes.ts';
import { type RecordSet, recordSetId, sameContent } from '../../dns/record-set.ts';
import { UnreadableItemError } from '../../ledger/item-codec.ts';
import { orUnread } from '../../ledger/skip-unreadable.ts';
import { formatRef, keyOf } from '../../objects/object-ref.ts';
import { at, textAt, textsAt } from '../../objects/plain.ts';
import type { Clock } from '../../ports/clock.ts';
import { inParallel } from '../../ports/in-parallel.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { NO_QUEUES } from '../../ports/queues.ts';
import { dnsRecordsIdOf } from '../../record-sets/hosted-zone-item.ts';
import { findingOf } from '../../record-sets/judge-reading.ts';
import type { RecordSetItem } from '../../record-sets/record-set-item.ts';
import { readName } from '../../record-sets/store.ts';
import { overlayLedger } from '../../rehearse/overlay-ledger.ts';
import { type Recorder, type RehearsedChange, rehearsedAccounts } from '../../rehearse/rehearsed-accounts.ts';
import { type DnsRecord, type Operation, readDnsRecord } from '../../sources/gardener/dns-record.ts';
import { decide } from '../../sources/gardener/lifecycle.ts';
import { secretRefOf } from '../../sources/gardener/spec.ts';
import { isOursToServe } from '../begin.ts';
import { type DnsRecordDeps, ownerOf, type Server } from '../deps.ts';
import { type DnsRecordItem, ofObject, readDnsRecordItem } from '../items/dns-record-item.ts';
import { isRestacked } from '../prepare.ts';
import { serveDnsRecords } from '../serve.ts';
import { waitSeconds } from '../turn.ts';
import { gatherInTurns } from '../turns.ts';
import { rehearsedSeed, type Written } from './rehearsed-seed.ts';

/** A change in Route 53, with its account and hosted zone. */
type DnsRecordChange = Change & {
  /** The SHA-256 of the access key id or role of the account. */
  readonly account: string;
  readonly hostedZoneId: string;
  /** What Route 53 has there that is not ours. */
  readonly standing: 'none' | 'equal' | 'foreign';
  readonly message: string;
};

export type PlannedDnsRecord = {
  readonly record: DnsRecord;
  readonly operation: Operation;
  /** What `lastOperation.state` would be. `Processing`: the result is not known yet, and `message` says why. */
  readonly state: 'Succeeded' | 'Error' | 'Processing';
  /** The first account that would be opened; null: none. */
  readonly account: string | null;
  readonly hostedZoneId: string | null;
  readonly changes: readonly DnsRecordChange[];
  readonly error: { readonly codes: readonly string[]; readonly message: string } | null;
  readonly message: string;
};

export type PlanDnsRecordsDeps = Pick<DnsRecordDeps, 'ledger' | 'seed' | 'accounts' | 'newHolder'> & {
  readonly clock: Clock;
  readonly server: Pick<Server, 'clusterId' | 'settings'>;
};

export type PlanDnsRecordsOptions = {
  /** Reads Route 53 where something would be changed. */
  readonly reads: boolean;
  /** Also checks DNSRecords for which no operation is requested. */
  readonly checks: boolean;
  /** Which DNSRecords to plan; default: all. */
  readonly only?: (record: DnsRecord) => boolean;
};

/** How many groups of DNSRecords are planned at once. A group has the DNSRecords of one Secret. */
const AT_ONCE = 16;

/** Plans the DNSRecords for which there is something to do, sorted by namespace and name. Writes nothing. */
export async function planDnsRecords(
  deps: PlanDnsRecordsDeps,
  { reads, checks, only = () => true }: PlanDnsRecordsOptions,
): Promise<readonly PlannedDnsRecord[]> {
  const accounts = rehearsedAccounts(deps.accounts, reads);
  const over = { below: deps, ledger: overlayLedger(deps.ledger), seed: rehearsedSeed(deps.seed) };
  const all = (await deps.seed.list(null)).flatMap((object) => readDnsRecord(object) ?? []).filter(only);
  const planned: PlannedDnsRecord[] = [];
  const groups = Map.groupBy(all, (record) => {
    const secretRef = secretRefOf(record);
    return secretRef === null ? '' : `${secretRef.namespace}/${secretRef.name}`;
  });
  await inParallel(groups.values(), AT_ONCE, async (group) => {
    // One after the other, so that of two DNSRecords with one name the second sees the first.
    for (const record of group) {
      const one = await orUnread(() => planOne({ ...over, recorder: accounts.record() }, record, checks));
      if (one !== null) planned.push(one instanceof UnreadableItemError ? unreadDnsRecord(record, one) : one);
    }
  });
  return planned.sort((a, b) => compareText(keyOf(a.record.ref), keyOf(b.record.ref)));
}

/** A DNSRecord of which an item of the ledger cannot be read: nothing is done for it. */
function unreadDnsRecord(record: DnsRecord, { message }: UnreadableItemError): PlannedDnsRecord {
  const nothing = { operation: 'Reconcile', account: null, hostedZoneId: null, changes: [], message: '' } as const;
  return { record, ...nothing, state: 'Error', error: { codes: [], message } };
}

type Rehearsal = {
  readonly below: PlanDnsRecordsDeps;
  readonly ledger: Ledger;
  readonly seed: ReturnType<typeof rehearsedSeed>;
  readonly recorder: Recorder;
};

async function planOne(rehearsal: Rehearsal, record: DnsRecord, checks: boolean): Promise<PlannedDnsRecord | null> {
  const { below, ledger, seed, recorder } = rehearsal;
  const { settings } = below.server;
  const { ref } = record;
  const stored = await readDnsRecordItem(below, ref);
  if (!isOursToServe(record, stored?.item ?? null, settings)) return null;
  const item = ofObject(stored?.item ?? null, record.uid);
  const decision = decide(record, settings, item.pending, item.failure?.isOfCheck, isRestacked(record, item));
  if (decision.kind !== 'run' && !checks) return null;
  const deps: DnsRecordDeps = {
    ...{ ...below, ledger, seed, accounts: recorder.accounts },
    log: () => {},
    queues: NO_QUEUES,
    server: { ...below.server, holder: below.newHolder() },
    clock: { nowMs: () => below.clock.nowMs(), sleep: async () => {} },
  };
  await serveDnsRecords(deps, gatherInTurns(), [ref], { isHurried: true, checks });
  const written = seed.written(ref);
  const operation = decision.kind === 'run' ? decision.operation : 'Reconcile';
  const changes = await changesOf(rehearsal, record);
  const places = (await readDnsRecordItem(deps, ref))?.item.places ?? [];
  const hostedZoneId = recorder.hostedZoneIds.at(-1) ?? places.at(-1)?.hostedZoneId ?? null;
  const where = { account: recorder.opened[0] ?? null, hostedZoneId };
  if (written === null || decision.kind === 'drop') {
    const isWaiting = decision.kind === 'run' && waitSeconds(deps, item) !== null;
    // Nothing is done: its shoot has failed, or a check found no error.
    if (!isWaiting && changes.length === 0) return null;
    const message = isWaiting ? 'Another run works on it.' : '';
    return {
      record,
      operation,
      ...where,
      state: isWaiting ? 'Processing' : 'Succeeded',
      changes,
      error: null,
      message,
    };
  }
  return { record, operation, ...where, changes, ...endOf(written) };
}

/** The result of serving an object, from the status that would be written. */
export function endOf({ object, hasStatus, told }: Written) {
  const message = told.join(' ');
  const status = at(object, 'status');
  const zone = textAt(status, 'zone');
  const stands = zone === null ? {} : { hostedZoneId: zone };
  // A record that was never published is released without a status.
  const state = hasStatus ? textAt(status, 'lastOperation', 'state') : 'Succeeded';
  if (state === 'Succeeded') return { ...stands, state, error: null, message } as const;
  if (state === 'Error') {
    const error = {
      codes: textsAt(status, 'lastError', 'codes'),
      message: textAt(status, 'lastError', 'description') ?? '',
    };
    return { ...stands, state, error, message } as const;
  }
  const unknown = 'Not known yet: another run is at the hosted zone, or the budget of the account is used up.';
  return { ...stands, state: 'Processing', error: null, message: unknown } as const;
}

/** What would change in Route 53, and which existing record sets would become ours unchanged. */
async function changesOf(rehearsal: Rehearsal, record: DnsRecord): Promise<readonly DnsRecordChange[]> {
  const { below, recorder } = rehearsal;
  const objects = [formatRef(record.ref)];
  const groups = Map.groupBy(recorder.changes, (one) => `${one.hostedZoneId} ${recordSetId(one.recordSet)}`);
  const changes: DnsRecordChange[] = [];
  for (const group of groups.values()) {
    const [first] = group;
    const change = first === undefined ? null : foldedChange(group);
    if (first === undefined || change === null) continue;
    const { account, hostedZoneId, recordSet } = first;
    const known = await itemOf(below.ledger, hostedZoneId, recordSet);
    changes.push({ ...change, objects, account, hostedZoneId, ...describeFound(known, change.before) });
  }
  return [...changes, ...(await adoptedBy(rehearsal, record, changes))];
}

/** The changes of one record set in several batches, as one change; null if they cancel out. */
function foldedChange(group: readonly RehearsedChange[]): Omit<Change, 'objects'> | null {
  const [first] = group;
  const last = group.at(-1);
  if (first === undefined || last === undefined) return null;
  const { name, type, setIdentifier } = first.recordSet;
  const before = first.action === 'DELETE' ? first.recordSet.content : null;
  const after = last.action === 'DELETE' ? null : last.recordSet.content;
  if (sameContent(before, after)) return null;
  const action = before === null ? 'create' : after === null ? 'delete' : 'update';
  return { action, name, type, setIdentifier, before, after };
}

function describeFound(
  item: RecordSetItem | null,
  before: Change['before'],
): Pick<DnsRecordChange, 'standing' | 'message'> {
  if (before === null) return { standing: 'none', message: '' };
  const standing = item === null ? 'foreign' : findingOf(item, before);
  if (standing === 'ours' || standing === 'landed') return { standing: 'none', message: '' };
  const message =
    standing === 'drifted'
      ? 'Somebody changed it since it was published; sources.dnsRecords.takeover puts it right.'
      : 'It was not created by zone53; sources.dnsRecords.takeover takes it over.';
  return { standing: 'foreign', message };
}

async function itemOf(
  ledger: Pick<Ledger, 'get' | 'query'>,
  hostedZoneId: string,
  { name, type }: Pick<RecordSet, 'name' | 'type'>,
): Promise<RecordSetItem | null> {
  const stored = await readName(ledger as Ledger, dnsRecordsIdOf(hostedZoneId), name);
  return stored.find(({ item }) => item.type === type)?.item ?? null;
}

async function adoptedBy(
  { below, ledger, recorder }: Rehearsal,
  record: DnsRecord,
  changes: readonly DnsRecordChange[],
): Promise<readonly DnsRecordChange[]> {
  const owner = ownerOf(below.server.clusterId, record);
  const stored = await readDnsRecordItem({ ...below, ledger }, record.ref);
  const places: DnsRecordItem['places'] = stored?.item.places ?? [];
  const adopted: DnsRecordChange[] = [];
  for (const { hostedZoneId, name, account } of places) {
    for (const { item } of await readName(ledger, dnsRecordsIdOf(hostedZoneId), name)) {
      const { type, setIdentifier, published } = item;
      const isChanged = changes.some(
        (one) => one.hostedZoneId === hostedZoneId && recordSetId(one) === recordSetId(item),
      );
      if (published === null || isChanged || !item.publishedObjects.includes(owner)) continue;
      const before = await itemOf(below.ledger, hostedZoneId, item);
      const isKnown = before !== null && ['ours', 'landed'].includes(findingOf(before, published));
      if (isKnown) continue;
      adopted.push({
        ...{ action: 'adopt', name, type, setIdentifier, before: published, after: published },
        ...{ objects: [formatRef(record.ref)], account: account ?? recorder.opened[0] ?? '', hostedZoneId },
        ...{ standing: 'equal', message: '' },
      });
    }
  }
  return adopted;
}
