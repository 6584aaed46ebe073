// Writes to the ledger what zone53 itself publishes of a project's intents, where the source of DNSEndpoints reads it.
// It compares what should be there with what is, so a run that dies is finished by the next one.

import { swap } from '../../ledger/compare-and-swap.ts';
import { readItem, type Stored } from '../../ledger/item-codec.ts';
import { eachItem } from '../../ledger/pages.ts';
import { readableItems } from '../../ledger/skip-unreadable.ts';
import { sameJson } from '../../objects/same-json.ts';
import { inParallel } from '../../ports/in-parallel.ts';
import { once } from '../../ports/once.ts';
import type { Binding } from '../manifests/bindings.ts';
import { endpointName } from '../manifests/dns-endpoint.ts';
import { projectBindings } from '../manifests/manifests.ts';
import type { Project } from '../manifests/project.ts';
import { askedSets, type EndpointSet, leftOut, servedSets, withoutPrivate } from '../manifests/served.ts';
import { writerBy } from '../manifests/writer.ts';
import { fqdnOf, isPrivate } from '../model/app.ts';
import { eachApp, readApp } from './apps.ts';
import type { IntentState } from './intent-state.ts';
import { type Once, onceCodec, type Served, servedCodec } from './items.ts';
import { readKnown } from './known.ts';
import { all } from './store.ts';

type Wanted = ReadonlyMap<string, Binding>;

/** Whether publishing of a new DNSEndpoint may begin; false: it waits. */
export type MayBegin = (name: string) => Promise<boolean>;

/**
 * The DNSEndpoints to look at, as they were stored before what should be published was read. So if one is stored
 * unchanged when it is written, what is written is not older than what another run wrote.
 */
type Round = {
  readonly known: Project;
  readonly wanted: Wanted;
  readonly stored: ReadonlyMap<string, Stored<Served> | null>;
};

/** Updates a whole project. Returns the names of the DNSEndpoints that changed. */
export async function serveProject(
  state: IntentState,
  project: string,
  mayBegin: MayBegin = async () => true,
): Promise<readonly string[]> {
  return serve(state, project, mayBegin, () => readServed(state, project));
}

/** A whole project: the DNSEndpoints that should be published, and those that are. */
async function readServed(state: IntentState, project: string): Promise<Round> {
  const range = { partition: state.keys.partitions.served, prefix: `${project}/` };
  const served = new Map((await all(state.ledger, range, servedCodec)).map((one) => [one.rest, one]));
  const apps = await Array.fromAsync(eachApp(state, project));
  const known = await readKnown(state, project, apps, recordsOf(served));
  const wanted = ownBindings(projectBindings(known, apps));
  const names = [...wanted.keys(), ...served.keys()];
  return { known, wanted, stored: new Map(names.map((name) => [name, served.get(name) ?? null])) };
}

/** Updates one app, with the objects that it had before. The cost depends on the app, not on its project. */
export async function serveApp(
  state: IntentState,
  project: string,
  app: string,
  objects: readonly string[],
  mayBegin: MayBegin = async () => true,
): Promise<readonly string[]> {
  const names = new Set(objects);
  const read = async (): Promise<Round> => {
    for (;;) {
      const stored = new Map(
        await Promise.all(
          [...names].map(
            async (name) =>
              [name, await readItem(state.ledger, state.keys.served(project, name), servedCodec)] as const,
          ),
        ),
      );
      const live = await readApp(state, project, app);
      const apps = live === null ? [] : [live];
      const known = await readKnown(state, project, apps, recordsOf(stored));
      const wanted = ownBindings(projectBindings(known, apps));
      const more = [...wanted.keys()].filter((name) => !names.has(name));
      if (more.length === 0) return { known, wanted, stored };
      for (const name of more) names.add(name);
    }
  };
  return serve(state, project, mayBegin, read);
}

function recordsOf(stored: ReadonlyMap<string, Stored<Served> | null>): readonly string[] {
  return [...stored.values()].flatMap((one) => one?.item.record ?? []);
}

function ownBindings(bindings: readonly Binding[]): Wanted {
  return new Map(
    bindings
      .filter(({ definition }) => definition?.provider === 'aws')
      .map((binding) => [endpointName(binding.service.name, binding.record), binding]),
  );
}

/** How often what should be published is read again after it was written. */
const ROUNDS_MAX = 10;
/** How many DNSEndpoints are looked at together. A project may have thousands. */
const AT_ONCE = 64;

/**
 * Updates what `read` finds. Of two runs at once, the older one may write last, so what a run has written is compared
 * with what should be published by then.
 */
async function serve(
  state: IntentState,
  project: string,
  mayBegin: MayBegin,
  read: () => Promise<Round>,
): Promise<readonly string[]> {
  const ofProject = once(async () => [...(await readServed(state, project)).stored.keys()]);
  const looked = new Set<string>();
  const changed = new Set<string>();
  /** The names that the round before wrote, with what it wrote them by; undefined: another run was faster. */
  let open: ReadonlyMap<string, unknown> | null = null;
  for (let round = 0; round < ROUNDS_MAX && open?.size !== 0; round += 1) {
    const serving: Serving = { ...(await read()), mayBegin, ofProject };
    const former = open;
    const written = new Map<string, unknown>();
    const serveName = async (name: string) => {
      looked.add(name);
      const basis = basisOf(serving, name);
      const before: unknown = former?.get(name);
      if (former !== null && (!former.has(name) || (before !== undefined && sameJson(before, basis)))) return;
      const outcome = await serveOne(state, name, serving);
      if (outcome === 'same') return;
      changed.add(name);
      written.set(name, outcome === 'overtaken' ? undefined : basis);
    };
    const names = [...serving.stored.keys()];
    await inParallel(
      names.filter((name) => !isOnce(serving, name)),
      AT_ONCE,
      serveName,
    );
    // Each of these writes the same item of its record.
    for (const name of names.filter((one) => isOnce(serving, one))) await serveName(name);
    open = written;
  }
  return [...looked].filter((name) => changed.has(name));
}

/** True for a DNSEndpoint of a record with `once`. */
function isOnce({ known, wanted, stored }: Round, name: string): boolean {
  const before = stored.get(name)?.item;
  const record = wanted.get(name)?.record ?? before?.record ?? '';
  return (known.record(record)?.parameters ?? before?.parameters)?.once === true;
}

/** What decides how a DNSEndpoint is served. */
function basisOf({ known, wanted }: Round, name: string): unknown {
  const binding = wanted.get(name);
  if (binding === undefined) return [];
  const { service, targets, definition, record } = binding;
  return [service, targets, definition, known.revision(record)];
}

/** `ofProject` gives the names of all DNSEndpoints of the project. */
type Serving = Round & { readonly mayBegin: MayBegin; readonly ofProject: () => Promise<readonly string[]> };

/** What is to be stored for a DNSEndpoint; an item without record sets: nothing. `open`: of a record with `once`. */
type Decision = { readonly stored: Stored<Served> | null; readonly item: Served; readonly open: Once | null };

async function decide(
  state: IntentState,
  name: string,
  { known, wanted, stored: all, mayBegin, ofProject }: Serving,
): Promise<Decision> {
  const stored = all.get(name) ?? null;
  const binding = wanted.get(name) ?? null;
  const record = binding?.record ?? stored?.item.record ?? '';
  const parameters = known.record(record)?.parameters ?? stored?.item.parameters ?? {};
  const revision = known.revision(record) ?? stored?.item.revision ?? '';
  const before = stored?.item.sets ?? [];
  const dnsName = binding?.service.dnsName ?? before[0]?.dnsName;
  const tags = parameters['aws-zone-tags'] !== undefined;
  const zone = dnsName === undefined ? null : await state.hostedZoneOf(fqdnOf(dnsName), known.name, { tags });
  const asked = binding === null ? [] : askedSets(known.name, binding, zone);
  const open = parameters.once === true ? await onePublication(state, known.name, record, revision, ofProject) : null;
  // A name that the record's parameters exclude by now is managed no more: its record sets stay.
  const isLeft = binding?.definition != null && leftOut(binding.service.dnsName, binding.definition, zone) !== null;
  const stood = await stillAllowed(state, known.name, before);
  const isNew = asked.length > 0 && stood.length === 0;
  const isHeldBack = isNew && !(await mayBegin(name));
  const isFrozen = isHeldBack || isLeft || (open !== null && !open.objects.includes(name));
  const sets = servedSets(asked, stood, { parameters }, isFrozen);
  return { stored, item: { record, revision, parameters, sets }, open };
}

/** What was published before, without the private addresses of names whose hosted zone is public by now. */
async function stillAllowed({ hostedZoneOf }: IntentState, project: string, before: readonly EndpointSet[]) {
  const inside = before.filter(({ targets }) => targets.some(isPrivate)).map(({ dnsName }) => fqdnOf(dnsName));
  let stood = before;
  for (const name of new Set(inside))
    if ((await hostedZoneOf(name, project))?.isPrivate === false) stood = withoutPrivate(stood, name);
  return stood;
}

async function serveOne(state: IntentState, name: string, serving: Serving): Promise<'same' | 'changed' | 'overtaken'> {
  const { ledger, keys, clock } = state;
  const project = serving.known.name;
  const key = keys.served(project, name);
  const { stored, item, open } = await decide(state, name, serving);
  const before = stored?.item.sets ?? [];
  const notePublished = async () => {
    if (open !== null) await published(state, project, item.record, open, name);
  };
  if (item.sets.length === 0) {
    if (stored === null || before.length === 0) return 'same';
    // If the record has a role, its item is kept: the role also deletes the record sets.
    const gone = { ...stored.item, sets: [], goneAtMs: clock.nowMs() };
    const isWritten =
      writerBy(stored.item.parameters) === null
        ? await ledger.remove(key, stored.revision)
        : (await ledger.put(key, servedCodec.encode(gone), stored.revision)) !== null;
    if (isWritten) await notePublished();
    return isWritten ? 'changed' : 'overtaken';
  }
  if (stored !== null && sameJson(stored.item, item)) {
    // A run that died may have written the sets, and not that this was the one publication.
    if (open?.objects.includes(name) === true) await notePublished();
    return 'same';
  }
  if ((await ledger.put(key, servedCodec.encode(item), stored?.revision ?? null)) === null) return 'overtaken';
  await notePublished();
  return stored === null || !sameJson(before, item.sets) ? 'changed' : 'same';
}

/**
 * The objects that a record with `once` still has to publish. When the first run begins with a version of the record,
 * they are all objects of the project; each is taken off once it was written.
 */
async function onePublication(
  state: IntentState,
  project: string,
  record: string,
  revision: string,
  ofProject: Serving['ofProject'],
): Promise<Once> {
  const { ledger, keys } = state;
  const key = keys.once(project, record);
  const stored = await readItem(ledger, key, onceCodec);
  if (stored?.item.revision === revision) return stored.item;
  const begun: Once = { revision, objects: [...(await ofProject())] };
  const written = await ledger.put(key, onceCodec.encode(begun), stored?.revision ?? null);
  // If the item was written meanwhile, another run may have begun with this version of the record.
  return written === null ? onePublication(state, project, record, revision, ofProject) : begun;
}

async function published({ ledger, keys }: IntentState, project: string, record: string, once: Once, name: string) {
  const change = (item: Once | null) =>
    item?.revision === once.revision ? { ...item, objects: item.objects.filter((one) => one !== name) } : null;
  await swap(ledger, keys.once(project, record), onceCodec, change);
}

/** How long a record's role outlives its DNSEndpoint: deletes that the guard holds may wait for people. */
const GONE_MS = 30 * 86_400_000;

/** Removes items of DNSEndpoints that have not been published for 30 days. */
export async function forgetGone({ ledger, keys, clock }: IntentState): Promise<void> {
  for await (const stored of eachItem(ledger, keys.partitions.served)) {
    const [served] = readableItems(servedCodec, [stored]);
    const goneAtMs = served?.goneAtMs ?? Number.POSITIVE_INFINITY;
    if (clock.nowMs() - goneAtMs > GONE_MS) await ledger.remove(stored, stored.revision);
  }
}
