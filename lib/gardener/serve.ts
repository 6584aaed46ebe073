// Serves a batch of DNSRecords. Everything is read again, and every step may be repeated. If a run dies, the next one
// continues: the ledger has the pending operation, and the object shows what is not written yet. Accounts are served in
// parallel.
//
//   begin     pending, annotation and finalizer, Processing      begin.ts
//   prepare   spec, Secret, credentials                          prepare.ts
//   publish   hosted zone, wishes, one run of publish            publish-wishes.ts
//   finish    status, finalizer or annotation, the ledger        finish.ts
import { parseName } from '../dns/names/name.ts';
import type { ObjectRef } from '../objects/object-ref.ts';
import { formatRef } from '../objects/object-ref.ts';
import type { HostedZone } from '../ports/hosted-zones.ts';
import { inParallel } from '../ports/in-parallel.ts';
import { once } from '../ports/once.ts';
import type { Account } from '../ports/seed/accounts.ts';
import { chooseHostedZone } from '../sources/gardener/hosted-zone.ts';
import { hostedZoneId, type SecretRef } from '../sources/gardener/spec.ts';
import { RECORD_TYPES } from '../sources/gardener/values.ts';
import { type BeginOptions, begin } from './begin.ts';
import { readsSecretsOnce } from './credentials.ts';
import { type DnsRecordDeps, misconfigured, type Outcome, type Ready, type Work } from './deps.ts';
import { finish, releaseUnpublished } from './finish.ts';
import { changeDnsRecord, type Place, withPlace } from './items/dns-record-item.ts';
import { type Asked, attempted, failureOf, type WishOutcome } from './judge-wish.ts';
import { lookElsewhere } from './look-elsewhere.ts';
import { prepare } from './prepare.ts';
import { publishWishes } from './publish-wishes.ts';
import { isOurs, sendsUntilMs } from './turn.ts';
import type { Gather } from './turns.ts';
import { removalOf, type Serving, withdraw } from './withdraw.ts';

/** How many objects are begun at once. */
const AT_ONCE = 16;

/** Serves these DNSRecords. Throws if something is left undone and no hint for it is on its way. */
export async function serveDnsRecords(
  deps: DnsRecordDeps,
  gather: Gather,
  refs: readonly ObjectRef[],
  options: BeginOptions,
): Promise<void> {
  const errors: unknown[] = [];
  const caught: Serving['caught'] = async (work) => work().catch((error: unknown) => void errors.push(error));
  const ready: Ready[] = [];
  const secrets = readsSecretsOnce(deps.seed);
  const serving: Serving = { deps, gather, secrets, caught };
  const once = new Map(refs.map((ref) => [formatRef(ref), ref]));
  await inParallel(once.values(), AT_ONCE, (ref) =>
    caught(async () => {
      const work = await begin(deps, ref, options);
      if (work === null) return;
      if (work.operation === 'Migrate') return finish(deps, work, { kind: 'done', zone: null, left: null });
      if (work.operation === 'Delete' && !needsCalls(deps, work)) return endWithoutCalls(deps, work);
      const prepared = await prepare(deps, secrets, work);
      if (prepared.kind === 'ready') ready.push(prepared.ready);
      else await finish(deps, work, prepared);
    }),
  );
  const groups = Map.groupBy(ready, accountKey);
  await Promise.all([...groups.values()].map((group) => caught(() => serveAccount(serving, group))));
  if (errors.length > 0) throw errors[0];
}

/**
 * False for a deletion that needs no call: nothing was published. With takeover, what Route 53 has is deleted anyway.
 */
function needsCalls({ server: { settings } }: DnsRecordDeps, { item, record }: Work): boolean {
  return (
    item.places.length > 0 || (settings.takeover && record.status.created !== 'False' && knownZone(record) !== null)
  );
}

async function endWithoutCalls(deps: DnsRecordDeps, work: Work): Promise<void> {
  if (work.record.status.created === 'False') return releaseUnpublished(deps, work);
  const message =
    'Nothing is known to be published for it. If Route 53 has a record set at its name, that is left unchanged.';
  return finish(deps, work, { kind: 'done', zone: null, left: message });
}

function accountKey({ credentials, secretRef }: Ready): string {
  return `${secretRef.namespace}/${secretRef.name} ${credentials.region}`;
}

type Placed = { readonly ready: Ready; readonly hostedZoneId: string | null };

async function serveAccount(serving: Serving, group: readonly Ready[]): Promise<void> {
  const { deps, gather, caught } = serving;
  const [first] = group;
  if (first === undefined) return;
  const account = deps.accounts.open(first.credentials);
  // Batches that need the list while it is being read share the next listing.
  const list = once(() =>
    gather(account.hostedZones, `listing ${account.id}`, [], () => attempted(account.hostedZones.list())),
  );
  const placed: Placed[] = [];
  for (const ready of group)
    await caught(async () => {
      const place = await placeOf(ready, account, list);
      if (place.kind === 'place') placed.push({ ready, hostedZoneId: place.hostedZoneId });
      else await finish(deps, ready.work, place);
    });
  const groups = Map.groupBy(placed, (one) => one.hostedZoneId ?? '');
  // If one fails, the others end first: until then nobody else may serve their objects.
  await inParallel(groups.values(), groups.size, (some) => serveHostedZone(serving, account, some));
}

type PlaceOf = { readonly kind: 'place'; readonly hostedZoneId: string | null } | Exclude<Outcome, { kind: 'done' }>;

/** The hosted zone for the record; null for a deletion whose places are handled one by one. */
async function placeOf(
  { spec, work, secretRef }: Ready,
  account: Account,
  list: () => ReturnType<typeof attempted<readonly HostedZone[]>>,
): Promise<PlaceOf> {
  // Deletions in one hosted zone are made together.
  const [only, ...others] = work.item.places;
  if (spec === null) {
    const isAlone = only !== undefined && others.length === 0 && isOfSecret(only, secretRef, account);
    return { kind: 'place', hostedZoneId: isAlone ? only.hostedZoneId : null };
  }
  const known = spec.zone ?? knownZone(work.record);
  if (known !== null) return { kind: 'place', hostedZoneId: known };
  const zones = await list();
  if (!zones.ok) return failureOf(zones.error);
  const choice = chooseHostedZone(spec.name, zones.value);
  return choice.ok ? { kind: 'place', hostedZoneId: choice.id } : misconfigured(choice.problem);
}

/** True if the object's own Secret published there, with the same key. */
function isOfSecret(place: Place, { namespace, name }: SecretRef, { id }: Account): boolean {
  const isSame = place.secretRef === null || (place.secretRef.namespace === namespace && place.secretRef.name === name);
  return isSame && (place.account === null || place.account === id);
}

function knownZone({ status }: Work['record']): string | null {
  return status.zone === null ? null : hostedZoneId(status.zone);
}

/** If the status of one cannot be written, the others are finished all the same. */
async function serveHostedZone(serving: Serving, account: Account, placed: readonly Placed[]): Promise<void> {
  const { deps, gather, caught } = serving;
  const id = placed[0]?.hostedZoneId ?? null;
  if (id === null) {
    for (const { ready } of placed)
      await caught(async () => finish(deps, ready.work, await withdraw(serving, account, ready, placesOf(ready))));
    return;
  }
  const noted: { readonly ready: Ready; readonly wish: Asked }[] = [];
  for (const { ready } of placed)
    await caught(async () => {
      const work = await notePlace(deps, account, ready, id);
      if (work === null) return finish(deps, ready.work, { kind: 'later' });
      noted.push({ ready: { ...ready, work }, wish: wishOf(deps, work, ready, id) });
    });
  const asked = noted.map(({ wish }) => wish);
  const outcomes = await publishWishes(deps, gather, account, id, asked);
  for (const { ready, wish } of noted)
    await caught(async () => {
      const first = outcomes.get(wish.owner) ?? { kind: 'later' as const };
      const outcome = await lookElsewhere(serving, account, ready, { hostedZoneId: id, wish, first });
      const ended = outcome.kind === 'done' ? await leaveOthers(serving, account, ready, id, outcome) : outcome;
      await finish(deps, ready.work, ended);
    });
}

/**
 * Saves the place before anything is published there. If the run dies, the next one knows where to look. Null: it is no
 * longer our turn.
 */
async function notePlace(
  deps: DnsRecordDeps,
  account: Account,
  ready: Ready,
  hostedZoneId: string,
): Promise<Work | null> {
  const { work, spec, secretRef } = ready;
  if (spec === null || work.kind === 'check') return work;
  const types = spec.recordSets.map(({ type }) => type);
  const place = { hostedZoneId, name: spec.name, types, secretRef, account: account.id };
  const item = await changeDnsRecord(deps, work.record, (now) =>
    isOurs(deps, now) ? { ...now, places: withPlace(now.places, place) } : now,
  );
  return isOurs(deps, item) ? { ...work, item } : null;
}

function wishOf(
  { server: { settings } }: DnsRecordDeps,
  { owner, item, kind, operation }: Work,
  { spec }: Ready,
  id: string,
): Asked {
  const name = spec?.name ?? '';
  const isHere = (place: Place) => place.hostedZoneId === id && (spec === null || place.name === name);
  const known = item.places.find(isHere);
  const { takeover } = settings;
  const doubts = item.failure !== null;
  const wish = { owner, takeover, doubts, untilMs: sendsUntilMs(item) };
  if (spec === null) return { ...wish, ...removalOf(known, item, takeover) };
  const does = kind === 'check' ? 'check' : operation === 'Restore' ? 'adopt equal' : 'write';
  return { ...wish, name, types: known?.types ?? [], recordSets: spec.recordSets, does };
}

/** After the record was published: deletes what it has at other places, and saves its place and identity. */
async function leaveOthers(
  serving: Serving,
  account: Account,
  ready: Ready,
  hostedZoneId: string,
  { left }: Extract<WishOutcome, { kind: 'done' }>,
): Promise<Outcome> {
  const { spec, work, secretRef } = ready;
  const done: Outcome = { kind: 'done', zone: null, left };
  if (spec === null || work.kind === 'check') return done;
  const types = spec.recordSets.map(({ type }) => type).sort();
  const asked: Place = { hostedZoneId, name: spec.name, types, secretRef, account: account.id };
  const isHere = (place: Place) => place.hostedZoneId === hostedZoneId && place.name === spec.name;
  const others = work.item.places.filter((one) => !isHere(one));
  // If the content was unchanged, nothing was sent with the present Secret. So the place keeps the Secret that
  // published.
  const here: Place = { ...asked, ...work.item.places.find(isHere), types };
  const gone = await withdraw(serving, account, ready, others);
  if (gone.kind !== 'done') return gone;
  const identity = { name: spec.name, recordType: spec.recordType };
  await changeDnsRecord(serving.deps, work.record, (now) =>
    isOurs(serving.deps, now) ? { ...now, places: [here], identity } : now,
  );
  return { kind: 'done', zone: hostedZoneId, left: gone.left };
}

/** Where record sets of the object may exist. */
function placesOf({ work }: Ready): readonly Place[] {
  return work.item.places.length > 0 ? work.item.places : placesToTake(work);
}

/** For a record that another controller published: the place that its status names. */
function placesToTake({ record }: Work): readonly Place[] {
  const zone = knownZone(record);
  const { name, recordType } = record.spec as { readonly name?: unknown; readonly recordType?: unknown };
  const type = RECORD_TYPES.find((one) => one === recordType);
  if (zone === null || typeof name !== 'string' || type === undefined) return [];
  // The other controller also publishes a name that ends in a dot.
  const parsed = parseName(name, { wildcard: true });
  if (!parsed.ok) return [];
  return [{ hostedZoneId: zone, name: parsed.name, types: [type], secretRef: null, account: null }];
}
