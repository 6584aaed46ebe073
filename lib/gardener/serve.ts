// Serves a batch of DNSRecords. Everything is read anew, everything may be done twice, and a run that dies anywhere is carried on by
// the next, for the ledger says what was begun and the object what is still to be written. Accounts do not wait for one another.
//
//   begin     pending, annotation and finalizer, Processing      begin.ts
//   prepare   spec, Secret, credentials                          prepare.ts
//   settle    hosted zone, wishes, one run of publish            settle.ts
//   finish    status, finalizer or annotation, the ledger        finish.ts
import type { ObjectRef } from '../objects/object-ref.ts';
import { formatRef } from '../objects/object-ref.ts';
import type { HostedZone } from '../ports/hosted-zones.ts';
import { inParallel } from '../ports/in-parallel.ts';
import type { Account } from '../ports/seed/accounts.ts';
import { chooseHostedZone } from '../sources/gardener/hosted-zone.ts';
import { hostedZoneId } from '../sources/gardener/spec.ts';
import { type BeginOptions, begin } from './begin.ts';
import { type DnsRecordDeps, misconfigured, type Outcome, type Ready, type Work } from './deps.ts';
import { changeDnsRecord, type DnsRecordItem, type Place, withPlace } from './dns-record-item.ts';
import { finish, letGo } from './finish.ts';
import { prepare, readsSecretsOnce } from './prepare.ts';
import { type Asked, attempted, failureOf, type Settled, settle } from './settle.ts';
import type { Gather } from './turns.ts';

/** Objects begun at once. */
const AT_ONCE = 16;

/** Serves these DNSRecords. Throws when anything is left undone that no later hint is on its way for. */
export async function serveDnsRecords(
  deps: DnsRecordDeps,
  gather: Gather,
  refs: readonly ObjectRef[],
  options: BeginOptions = {},
): Promise<void> {
  const errors: unknown[] = [];
  const caught = async (work: Promise<void>) => work.catch((error: unknown) => void errors.push(error));
  const ready: Ready[] = [];
  const secrets = readsSecretsOnce(deps.seed);
  const ending: Promise<void>[] = [];
  const once = new Map(refs.map((ref) => [formatRef(ref), ref]));
  await inParallel(once.values(), AT_ONCE, (ref) =>
    caught(
      (async () => {
        const work = await begin(deps, ref, options);
        if (work === null) return;
        if (work.operation === 'Migrate') return finish(deps, work, { kind: 'done', zone: null, left: null });
        if (work.operation === 'Delete' && !needsCalls(deps, work)) return endWithoutCalls(deps, work);
        const prepared = await prepare(deps, secrets, work);
        if (prepared.kind === 'ready') ready.push(prepared.ready);
        else await finish(deps, work, prepared);
      })(),
    ),
  );
  for (const group of Map.groupBy(ready, accountKey).values()) ending.push(caught(serveAccount(deps, gather, group)));
  await Promise.all(ending);
  if (errors.length > 0) throw errors[0];
}

/** Where nothing was ever published there is nothing to take away; with takeover, what stands is. */
function needsCalls({ settings }: DnsRecordDeps, { item, record }: Work): boolean {
  return (
    item.places.length > 0 || (settings.takeover && record.status.created !== 'False' && knownZone(record) !== null)
  );
}

async function endWithoutCalls(deps: DnsRecordDeps, work: Work): Promise<void> {
  if (work.record.status.created === 'False') return letGo(deps, work);
  const message = 'Nothing is known to be published for it: what may stand at its name in Route 53 is left as it is.';
  return finish(deps, work, { kind: 'done', zone: null, left: message });
}

function accountKey({ credentials, secretRef }: Ready): string {
  return `${secretRef.namespace}/${secretRef.name} ${credentials.region}`;
}

type Placed = { readonly ready: Ready; readonly hostedZoneId: string | null };

async function serveAccount(deps: DnsRecordDeps, gather: Gather, group: readonly Ready[]): Promise<void> {
  const [first] = group;
  if (first === undefined) return;
  const account = deps.accounts.open(first.credentials);
  let listing: ReturnType<typeof attempted<readonly HostedZone[]>> | null = null;
  const list = () => {
    // What comes while the account is listed shares the next listing.
    listing ??= gather(account.hostedZones, `listing ${account.id}`, [], () => attempted(account.hostedZones.list()));
    return listing;
  };
  const placed: Placed[] = [];
  for (const ready of group) {
    const place = await placeOf(ready, list);
    if (place.kind === 'place') placed.push({ ready, hostedZoneId: place.hostedZoneId });
    else await finish(deps, ready.work, place);
  }
  const groups = Map.groupBy(placed, (one) => one.hostedZoneId ?? '');
  await Promise.all([...groups.values()].map((some) => serveHostedZone(deps, gather, account, some)));
}

type PlaceOf = { readonly kind: 'place'; readonly hostedZoneId: string | null } | Exclude<Outcome, { kind: 'done' }>;

/** The hosted zone that it belongs into; null: a deletion, which goes by what was published. */
async function placeOf(
  { spec, work }: Ready,
  list: () => ReturnType<typeof attempted<readonly HostedZone[]>>,
): Promise<PlaceOf> {
  // Deletions in one hosted zone go together.
  const [only, ...others] = work.item.places;
  if (spec === null) return { kind: 'place', hostedZoneId: others.length === 0 ? (only?.hostedZoneId ?? null) : null };
  const known = spec.zone ?? knownZone(work.record);
  if (known !== null) return { kind: 'place', hostedZoneId: known };
  const zones = await list();
  if (!zones.ok) return failureOf(zones.error);
  const choice = chooseHostedZone(spec.name, zones.value);
  return choice.ok ? { kind: 'place', hostedZoneId: choice.id } : misconfigured(choice.problem);
}

function knownZone({ status }: Work['record']): string | null {
  return status.zone === null ? null : hostedZoneId(status.zone);
}

async function serveHostedZone(
  deps: DnsRecordDeps,
  gather: Gather,
  account: Account,
  placed: readonly Placed[],
): Promise<void> {
  const id = placed[0]?.hostedZoneId ?? null;
  if (id === null) {
    for (const { ready } of placed) await finish(deps, ready.work, await withdraw(deps, gather, account, ready));
    return;
  }
  const asked: Asked[] = [];
  const works = new Map<string, Work>();
  for (const { ready } of placed) {
    const noted = await notePlace(deps, account, ready, id);
    works.set(ready.work.owner, noted);
    asked.push(wishOf(deps, noted, ready, id));
  }
  const settled = await settle(deps, gather, account, id, asked);
  for (const { ready } of placed) {
    const work = works.get(ready.work.owner) ?? ready.work;
    const outcome = settled.get(work.owner) ?? { kind: 'later' as const };
    const ended =
      outcome.kind === 'done' ? await leaveOthers(deps, gather, account, work, ready, id, outcome) : outcome;
    await finish(deps, work, ended);
  }
}

/** Written before anything is: a run that dies leaves where to look. */
async function notePlace(deps: DnsRecordDeps, account: Account, ready: Ready, hostedZoneId: string): Promise<Work> {
  const { work, spec } = ready;
  if (spec === null || work.kind === 'check') return work;
  const types = spec.recordSets.map(({ type }) => type);
  const item = await changeDnsRecord(deps.ledger, deps.clusterId, work.record, (now) => ({
    ...now,
    account: account.id,
    places: withPlace(now.places, { hostedZoneId, name: spec.name, types }),
  }));
  return { ...work, item };
}

function wishOf(
  { settings }: DnsRecordDeps,
  { owner, item, kind, operation }: Work,
  { spec }: Ready,
  id: string,
): Asked {
  const name = spec?.name ?? '';
  const isHere = (place: Place) => place.hostedZoneId === id && (spec === null || place.name === name);
  const known = item.places.find(isHere);
  const { takeover } = settings;
  const wish = { owner, takeover, checks: kind === 'check' };
  if (spec === null) return { ...wish, ...removalOf(known, item, takeover) };
  const adopts = operation === 'Restore' ? 'equal' : 'nothing';
  return { ...wish, name, types: known?.types ?? [], recordSets: spec.recordSets, adopts };
}

/** What is taken away at a place: with takeover also what has become of the type that the spec names. */
function removalOf(
  place: Place | undefined,
  { identity }: DnsRecordItem,
  takeover: boolean,
): Pick<Asked, 'name' | 'types' | 'recordSets' | 'adopts'> {
  const { name = '', types = [] } = place ?? {};
  const more = takeover && identity !== null && identity.name === name ? [identity.recordType] : [];
  return { name, types: [...new Set([...types, ...more])], recordSets: [], adopts: takeover ? 'all' : 'nothing' };
}

/** The record stands: what it left elsewhere goes now, and what it is from now on is noted. */
async function leaveOthers(
  deps: DnsRecordDeps,
  gather: Gather,
  account: Account,
  work: Work,
  { spec }: Ready,
  hostedZoneId: string,
  { left }: Extract<Settled, { kind: 'done' }>,
): Promise<Outcome> {
  const settled: Outcome = { kind: 'done', zone: null, left };
  if (spec === null || work.kind === 'check') return settled;
  const here = { hostedZoneId, name: spec.name, types: spec.recordSets.map(({ type }) => type).sort() };
  const isHere = (place: Place) => place.hostedZoneId === here.hostedZoneId && place.name === here.name;
  const gone = await removePlaces(
    deps,
    gather,
    account,
    work,
    work.item.places.filter((one) => !isHere(one)),
  );
  if (gone.kind !== 'done') return gone;
  const identity = { name: spec.name, recordType: spec.recordType };
  await changeDnsRecord(deps.ledger, deps.clusterId, work.record, (now) => ({ ...now, places: [here], identity }));
  return { kind: 'done', zone: hostedZoneId, left: gone.left };
}

/** Takes away all that was published. */
async function withdraw(deps: DnsRecordDeps, gather: Gather, account: Account, { work }: Ready): Promise<Outcome> {
  const places = work.item.places.length > 0 ? work.item.places : placesToTake(work);
  return removePlaces(deps, gather, account, work, places);
}

/** Of a record that somebody else's controller published: where it says that it stands. */
function placesToTake({ record }: Work): readonly Place[] {
  const zone = knownZone(record);
  const { name, recordType } = record.spec as { readonly name?: unknown; readonly recordType?: unknown };
  if (zone === null || typeof name !== 'string' || typeof recordType !== 'string') return [];
  return [{ hostedZoneId: zone, name: `${name}.`, types: [recordType] }];
}

async function removePlaces(
  deps: DnsRecordDeps,
  gather: Gather,
  account: Account,
  { owner, item }: Work,
  places: readonly Place[],
): Promise<Outcome> {
  const left: string[] = [];
  const { takeover } = deps.settings;
  for (const place of places) {
    const asked = { owner, takeover, checks: false, ...removalOf(place, item, takeover) };
    const outcome = (await settle(deps, gather, account, place.hostedZoneId, [asked])).get(owner);
    if (outcome === undefined || outcome.kind === 'later') return { kind: 'later' };
    if (outcome.kind === 'failed') return outcome;
    if (outcome.left !== null) left.push(outcome.left);
  }
  return { kind: 'done', zone: null, left: left.length === 0 ? null : left.join(' ') };
}
