// The kinds of items in the ledger, by the word before the first `#` of their partition: what reads them, what each is
// about, and what to do about one that cannot be read. A test compares it with the partitions that lib writes.
import { budgetCodec } from '../../lib/adapters/route53/shared-call-budget.ts';
import { directoryCodec } from '../../lib/directory/directory-item.ts';
import { agesCodec } from '../../lib/directory/name-ages-item.ts';
import { pointerCodec } from '../../lib/directory/pointer-item.ts';
import { subtreeCodec } from '../../lib/directory/subtree-task-item.ts';
import { nameOfReversedKey } from '../../lib/dns/names/name.ts';
import { dnsRecordCodec } from '../../lib/gardener/items/dns-record-item.ts';
import { healthChecksCodec, useCodec } from '../../lib/health-checks/health-checks-item.ts';
import { batchCodec, entryCodec } from '../../lib/history/history-item.ts';
import { creationCodec } from '../../lib/hosting/create-hosted-zone.ts';
import { lookupsCodec } from '../../lib/hosting/lookups.ts';
import {
  appCodec,
  claimCodec,
  onceCodec,
  pairCodec,
  recordCodec,
  removalCodec,
  servedCodec,
  servicesCodec,
} from '../../lib/intents/state/items.ts';
import { formatCodec } from '../../lib/ledger/format.ts';
import type { Codec } from '../../lib/ledger/item-codec.ts';
import { kindsCodec } from '../../lib/observe/kinds-noted.ts';
import { namedCodec } from '../../lib/observe/name-index.ts';
import { objectCodec } from '../../lib/observe/object-item.ts';
import { dependentCodec, recheckCodec, relatedCodec } from '../../lib/observe/related/related-items.ts';
import { statusCodec } from '../../lib/observe/status-item.ts';
import type { LedgerKey } from '../../lib/ports/ledger.ts';
import { differenceCodec, readingCodec } from '../../lib/publish/existing/kept-readings.ts';
import { clusterCodec } from '../../lib/record-sets/cluster-item.ts';
import { dirtyCodec } from '../../lib/record-sets/dirty-mark.ts';
import { guardCodec } from '../../lib/record-sets/guard-item.ts';
import { heldCodec } from '../../lib/record-sets/held-name.ts';
import { hostedZoneCodec } from '../../lib/record-sets/hosted-zone-item.ts';
import { recordSetCodec, recordSetOfSortKey } from '../../lib/record-sets/record-set-item.ts';
import { noteCodec } from '../../lib/sweep/last-swept.ts';
import { polledCodec } from '../../lib/sweep/poll-kinds.ts';
import { stateCodec } from '../../lib/sweep/sweep-cursor.ts';

export type ItemKind = {
  readonly codec: Pick<Codec<unknown>, 'read'>;
  /** What the item of this key is about: a name, an object, a hosted zone. */
  readonly concerns: (key: LedgerKey) => string;
  /** What stays as it is while the item cannot be read, as a sentence. */
  readonly costs: string;
  /** What to do if the item is damaged, as a sentence. */
  readonly remedy: string;
};

const ANEW = 'Remove it: zone53 writes it anew.';
const RESTORE = 'Restore it from a backup of the ledger.';
const NAME_STAYS = 'Nothing changes at the name.';
const OBJECT_STAYS = 'What the object published stays as it is.';
const INTENT_STAYS = 'What was published for it stays as it is.';
const NO_HARM = 'Nothing else is affected.';

const name = ({ sort }: LedgerKey) => nameOfReversedKey(sort);
const behind = (mark: string) => (key: LedgerKey) => key.sort.slice(key.sort.lastIndexOf(mark) + 1);
const pointed = ({ sort }: LedgerKey) => nameOfReversedKey(sort.slice(0, sort.indexOf('!')));
const whole = ({ sort }: LedgerKey) => sort;
const lastPart = ({ partition }: LedgerKey) => partition.slice(partition.lastIndexOf('#') + 1);
const object = (key: LedgerKey) => `${lastPart(key)} ${key.sort}`;
const named = (word: string) => (key: LedgerKey) => `${word} ${key.sort}`;

function recordSet({ sort }: LedgerKey): string {
  const { name: at, type, setIdentifier } = recordSetOfSortKey(sort);
  return [at, type, ...(setIdentifier === null ? [] : [setIdentifier])].join(' ');
}

function entry({ sort }: LedgerKey): string {
  const [reversed = '', rest = ''] = sort.split('!');
  return `a change of ${nameOfReversedKey(reversed)} ${rest.split(' ').slice(3).join(' ')}`.trim();
}

function intent(codec: Pick<Codec<unknown>, 'read'>, word: string): ItemKind {
  const remedy = `${RESTORE} If there is none, remove it, and save the intent again.`;
  return { codec, concerns: named(word), costs: INTENT_STAYS, remedy };
}

export const ITEM_KINDS: Readonly<Record<string, ItemKind>> = {
  objects: { codec: objectCodec, concerns: object, costs: OBJECT_STAYS, remedy: ANEW },
  names: { codec: namedCodec, concerns: behind('!'), costs: NAME_STAYS, remedy: ANEW },
  members: { codec: namedCodec, concerns: behind('!'), costs: NAME_STAYS, remedy: ANEW },
  targets: { codec: namedCodec, concerns: behind('!'), costs: OBJECT_STAYS, remedy: ANEW },
  dependents: { codec: dependentCodec, concerns: behind('!'), costs: OBJECT_STAYS, remedy: ANEW },
  related: { codec: relatedCodec, concerns: object, costs: 'Objects that use it stay as they are.', remedy: ANEW },
  rechecks: { codec: recheckCodec, concerns: whole, costs: OBJECT_STAYS, remedy: ANEW },
  ages: {
    codec: agesCodec,
    concerns: name,
    costs: NAME_STAYS,
    remedy: `${RESTORE} If it is removed, every namespace that asks for the name counts as new there.`,
  },
  pointers: { codec: pointerCodec, concerns: pointed, costs: 'The PTR of its address may lack a host.', remedy: ANEW },
  directory: {
    codec: directoryCodec,
    concerns: name,
    costs: 'Nothing changes at the name and below it.',
    remedy: ANEW,
  },
  subtrees: {
    codec: subtreeCodec,
    concerns: ({ sort }) => (sort.startsWith('!') ? `Zone ${sort.slice(1)}` : nameOfReversedKey(sort)),
    costs: 'Names below it may wait for apply, or for the sweep.',
    remedy: 'Remove it, and run zone53 apply or wait for a whole sweep.',
  },
  kinds: {
    codec: kindsCodec,
    concerns: () => 'the kinds of sources of the configuration',
    costs: 'Items of a source that was removed from the configuration may be left in the ledger.',
    remedy: ANEW,
  },
  sweep: { codec: stateCodec, concerns: () => 'the sweep', costs: 'The sweep begins anew.', remedy: ANEW },
  polls: { codec: polledCodec, concerns: () => 'polling', costs: 'The next poll compares everything.', remedy: ANEW },
  sweeps: { codec: noteCodec, concerns: named('hosted zone'), costs: 'Its age is not measured.', remedy: ANEW },
  statuses: { codec: statusCodec, concerns: object, costs: 'The status of the object stays as it is.', remedy: ANEW },
  dnsrecords: { codec: dnsRecordCodec, concerns: named('DNSRecord'), costs: OBJECT_STAYS, remedy: RESTORE },
  recordsets: {
    codec: recordSetCodec,
    concerns: recordSet,
    costs: NAME_STAYS,
    remedy: `${RESTORE} If it is removed, what zone53 published there counts as created by somebody else.`,
  },
  readings: { codec: readingCodec, concerns: name, costs: NO_HARM, remedy: ANEW },
  differences: { codec: differenceCodec, concerns: name, costs: NO_HARM, remedy: ANEW },
  dirty: { codec: dirtyCodec, concerns: name, costs: NAME_STAYS, remedy: ANEW },
  held: {
    codec: heldCodec,
    concerns: name,
    costs: NAME_STAYS,
    remedy: 'Remove it: the guard judges the deletes again.',
  },
  history: { codec: entryCodec, concerns: entry, costs: 'The history does not show it.', remedy: 'Remove it.' },
  batches: {
    codec: batchCodec,
    concerns: (key) => `a batch of hosted zone ${lastPart(key)}`,
    costs: 'The history shows its changes only by their names.',
    remedy: 'Remove it.',
  },
  guard: {
    codec: guardCodec,
    concerns: (key) => `namespace ${key.sort} in hosted zone ${lastPart(key)}`,
    costs: 'Nothing of the namespace is deleted there.',
    remedy: ANEW,
  },
  hostedzones: {
    codec: hostedZoneCodec,
    concerns: named('hosted zone'),
    costs: 'Nothing changes in the hosted zone.',
    remedy: `${RESTORE} If there is none, stop zone53, remove the item, and read the next plan with care: the guard has forgotten what it held.`,
  },
  format: {
    codec: formatCodec,
    concerns: () => 'the format of the ledger',
    costs: 'No command or function uses the ledger.',
    remedy: 'If it is damaged, remove it: zone53 writes it anew.',
  },
  clusters: {
    codec: clusterCodec,
    concerns: named('cluster'),
    costs: 'Its last reading is not shown, and another cluster of its id is not noticed.',
    remedy: ANEW,
  },
  lookups: { codec: lookupsCodec, concerns: () => 'hosted zones that were not found', costs: NO_HARM, remedy: ANEW },
  budget: { codec: budgetCodec, concerns: whole, costs: 'The next call of Route 53 replaces it.', remedy: ANEW },
  creations: {
    codec: creationCodec,
    concerns: name,
    costs: 'No hosted zone is created for the name.',
    remedy: `${RESTORE} Remove it only if Route 53 has the hosted zone already, or has none of that name: otherwise a second one is created.`,
  },
  healthchecks: {
    codec: healthChecksCodec,
    concerns: named('health checks of namespace'),
    costs: 'Record sets that need one of them stay as they are.',
    remedy: `${RESTORE} If it is removed, the health checks that it names stay in Route 53, and others are made.`,
  },
  healthcheckuses: {
    codec: useCodec,
    concerns: ({ sort }) => `a record set of health check ${sort.slice(0, sort.indexOf('!'))}`,
    costs: 'The health check is not deleted.',
    remedy: 'Remove it, if no record set of Route 53 names the health check.',
  },
  intentrecords: intent(recordCodec, 'record'),
  intentpairs: intent(pairCodec, 'key-value pairs'),
  intentapps: intent(appCodec, 'app'),
  intentservices: intent(servicesCodec, 'services of app'),
  intentclaims: intent(claimCodec, 'service'),
  intentserved: { codec: servedCodec, concerns: named('DNSEndpoint'), costs: INTENT_STAYS, remedy: RESTORE },
  intentonce: intent(onceCodec, 'record'),
  intentremovals: { codec: removalCodec, concerns: named('project'), costs: INTENT_STAYS, remedy: ANEW },
};
