// Writes a report to an object: label, status and Event. It writes nothing that is there already, so that reports never
// cause reports, and never creates an object that is gone.
import { isDeepStrictEqual } from 'node:util';
import { ACKNOWLEDGE_ANNOTATION, TAKEOVER_ANNOTATION } from '../../objects/annotations.ts';
import { type Condition, timeText } from '../../objects/conditions.ts';
import type { Kind } from '../../objects/kind.ts';
import { formatRef, type ObjectRef } from '../../objects/object-ref.ts';
import { type Mapping, mapping } from '../../objects/plain.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ListedObject, ObjectStatus } from '../../ports/cluster.ts';
import type { Log } from '../../ports/log.ts';
import {
  applyStatusRequest,
  buildStatus,
  conditionsOf,
  type ExistingObject,
  existingAsListed,
  labelPatch,
  lastStatusManager,
  readExisting,
  removeStrayRequest,
  reportText,
  saysAlready,
} from './apply-status.ts';
import type { ServedKinds } from './discover-kinds.ts';
import { foreignStatusRequest, saidAs } from './foreign-status.ts';
import {
  hasStatus,
  isAbsence,
  isFaultOfObject,
  isRefused,
  KubernetesError,
  type KubernetesRequest,
} from './http/kubernetes-error.ts';
import type { KubernetesTransport } from './http/transport.ts';
import { LEFT_ALONE_MS, type OwnWrites, type Reports, type Written, writeOwn } from './own-writes.ts';
import { FIELD_MANAGER, kindNamed, objectPath, texts } from './read-object.ts';
import { eventsOf, recordEvent } from './record-event.ts';
import type { WatchedObjects } from './watched-objects.ts';

/** The dependencies of a report. */
export type Reporter = {
  readonly clusterId: string;
  readonly kinds: readonly Kind[];
  readonly transport: KubernetesTransport;
  readonly clock: Clock;
  /** Remembers every write of a report, so that a watch can skip it. */
  readonly ownWrites?: OwnWrites;
  /** Logs that somebody else replaces our status again and again. */
  readonly log?: Log;
  readonly served: ServedKinds;
  readonly reports: Reports;
  /** The objects that a watch shows; absent: there is no watch in this process. */
  readonly watched?: WatchedObjects;
};

/** Null if there is no object of this name: a 404 with that name, not one for the type or the path. */
export async function getObject(transport: KubernetesTransport, kind: Kind, ref: ObjectRef): Promise<unknown> {
  try {
    return await transport.send({
      action: `read ${formatRef(ref)}`,
      method: 'GET',
      path: objectPath(kind, ref),
      rule: { group: kind.group, resource: kind.resource, verb: 'get' },
    });
  } catch (error) {
    if (isAbsence(error, ref)) return null;
    throw error;
  }
}

/**
 * The outcome of a write. `changed`: the object has changed since it was read. `gone`: it is gone, or its type has no
 * subresource `status`: both are a 404 with the object's name. `unwritable`: the API server refuses any write of the
 * object, because its stored spec does not match the CRD, it is as large as etcd takes, or its type has no status. Then
 * only the Event is written. `left`: somebody else replaces the status again and again, and it is left to them for a
 * while.
 */
type Outcome = 'written' | 'changed' | 'gone' | 'unwritable' | 'left';

/** The result of a report. */
type Reported = { readonly outcome: Outcome; readonly existing: ExistingObject };

/** A report that is being written, to an object of this kind. */
type Work = {
  readonly options: Reporter;
  readonly kind: Kind;
  readonly ref: ObjectRef;
  readonly status: ObjectStatus;
  readonly nowMs: number;
  /** Called with the object before each try to write it. */
  readonly begins: (existing: ExistingObject) => Promise<void>;
};

/** Tries to write to an object that others write at the same time. */
const TRIES_MAX = 5;

/** Writes a report to an object. Throws `KubernetesError`. */
export async function report(
  options: Reporter,
  ref: ObjectRef,
  status: ObjectStatus,
  before: Pick<ObjectStatus, 'conditions'> | null,
  listed?: ListedObject,
): Promise<void> {
  const { transport, clock, clusterId, kinds } = options;
  const kind = await options.served.find(kindNamed(kinds, ref.kind));
  if (kind === null || kind.status === 'none') return;
  const nowMs = clock.nowMs();
  const tell = async ({ metadata }: ExistingObject, told: readonly Mapping[] | readonly Condition[]) => {
    for (const event of eventsOf(told, status.conditions))
      await recordEvent(transport, clusterId, { kind, ref, metadata }, event, nowMs, before !== null);
  };
  let toldOf: unknown = null;
  let refused: unknown = null;
  // Only the object itself shows what was told before its first report. So the Event comes before the status: after a
  // process that died in between, or a write without an answer, the next try records the same Event.
  const begins = async (existing: ExistingObject) => {
    if (before !== null || existing.metadata.uid === toldOf) return;
    toldOf = existing.metadata.uid;
    // Conditions of others in a status are not ours.
    await tell(existing, kind.status === 'subresource' ? conditionsOf(existing.status) : []).catch((error: unknown) => {
      if (!isRefused(error)) throw error;
      refused = error;
    });
  };
  const work = { options, kind, ref, status, nowMs, begins };
  const reported = (await reportAsListed(work, listed)) ?? (await reportAsWatched(work)) ?? (await reportAsRead(work));
  if (refused !== null) throw refused;
  if (before === null || reported === null || reported.outcome === 'left') return;
  await tell(reported.existing, before.conditions);
}

/**
 * Reports with the object as it was just listed, without reading it again. Null: the object must be read, because it is
 * newer now, or because a list lacks what is needed (a Zone's size, the status of other kinds).
 */
async function reportAsListed(work: Work, listed: ListedObject | undefined): Promise<Reported | null> {
  const { kind, status } = work;
  if (listed === undefined || kind.status !== 'subresource' || status.zone !== undefined) return null;
  const existing = existingAsListed(listed);
  await work.begins(existing);
  const outcome = await writeReport(work, existing);
  return isStale(outcome) ? null : { outcome, existing };
}

/** Reports with the object as a watch has shown it. Null: the object must be read. */
async function reportAsWatched(work: Work): Promise<Reported | null> {
  const { kind, ref, options } = work;
  const shown = kind.status === 'subresource' ? (options.watched?.last(ref) ?? null) : null;
  if (shown === null) return null;
  const existing = readExisting(shown);
  await work.begins(existing);
  const outcome = await writeReport(work, existing);
  return isStale(outcome) ? null : { outcome, existing };
}

function isStale(outcome: Outcome | null): boolean {
  return outcome === 'changed' || outcome === 'gone';
}

/** Reports with the object as it is now, and again if others write it meanwhile. Null: it is gone. */
async function reportAsRead(work: Work): Promise<Reported | null> {
  const { options, kind, ref } = work;
  let before: Mapping = {};
  let outcome: Outcome | null = null;
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    const answer = await getObject(options.transport, kind, ref);
    if (answer === null) return null;
    const existing = readExisting(answer);
    // Another object has the name now. It has a report of its own.
    if (tries > 1 && existing.metadata.uid !== before.uid) return null;
    // It is not gone, and nobody changed it: its type has no subresource `status`.
    if (outcome === 'gone' && existing.metadata.resourceVersion === before.resourceVersion)
      return { outcome: 'unwritable', existing };
    before = existing.metadata;
    await work.begins(existing);
    const own = kind.status === 'subresource';
    outcome = own ? await writeReport(work, existing) : await writeForeign(work, answer, tries);
    if (!isStale(outcome)) return { outcome, existing };
  }
  throw new KubernetesError(`Cannot report to ${formatRef(ref)}: others changed it at each of ${TRIES_MAX} tries`, {
    status: 409,
  });
}

/** Writes label and status, each if it is wrong. If only the label is refused, the status is written all the same. */
async function writeReport(work: Work, existing: ExistingObject): Promise<Outcome> {
  const { options, kind, ref, status, nowMs } = work;
  const write = (request: KubernetesRequest) => writeObject(options, ref, request, existing.metadata);
  const wanted = buildStatus(status, existing, timeText(nowMs));
  // Such as by a policy on labels, which does not concern the status.
  let refused: unknown = null;
  const writeLabel = (request: KubernetesRequest) =>
    write(request).catch((error: unknown) => {
      if (!isRefused(error) || isFaultOfObject(error)) throw error;
      refused = error;
      return { kind: 'written', object: { metadata: existing.metadata } } as const;
    });
  try {
    const says = saysAlready(existing.status, wanted);
    const text = reportText(wanted);
    if (!says && !(await mayWrite(work, existing, text))) return 'left';
    const label = labelPatch(kind, ref, existing, status.parent);
    let { resourceVersion } = existing.metadata;
    if (label !== null) {
      const labelled = await writeLabel(label);
      if (labelled.kind !== 'written') return labelled.kind;
      resourceVersion = mapping(labelled.object.metadata).resourceVersion;
    }
    if (!says) {
      const written = await write(applyStatusRequest(kind, ref, resourceVersion, wanted));
      if (written.kind !== 'written') return written.kind;
      options.reports.written(String(existing.metadata.uid), text);
      const removal = removeStrayRequest(kind, ref, mapping(written.object.status), wanted);
      if (removal !== null) await write(removal);
    }
    if (refused !== null) throw refused;
    return 'written';
  } catch (error) {
    if (isFaultOfObject(error)) return 'unwritable';
    throw error;
  }
}

/** Writes our condition into the status of a kind that is not ours. */
async function writeForeign(work: Work, read: unknown, tries: number): Promise<Outcome> {
  const { options, kind, ref, status, nowMs } = work;
  const object = mapping(read);
  const request = foreignStatusRequest(kind, ref, object, status, timeText(nowMs));
  if (request === null) return 'written';
  const text = saidAs(object, status);
  if (!(await mayWrite(work, readExisting(read), text))) return 'left';
  try {
    const metadata = mapping(object.metadata);
    const written = await writeObject(options, ref, request, metadata);
    if (written.kind !== 'written') return written.kind;
    options.reports.written(String(metadata.uid), text);
    return 'written';
  } catch (error) {
    if (isFaultOfObject(error)) return 'unwritable';
    // Another controller changed the shared list: a failed test of a JSON patch is a 422.
    if (hasStatus(error, 422) && kind.status === 'parents') return tries < TRIES_MAX ? 'changed' : 'unwritable';
    throw error;
  }
}

/** False while the object is left to another writer of its status. The first time, this is logged and recorded. */
async function mayWrite(
  { options: { transport, clusterId, log, reports }, kind, ref, nowMs }: Work,
  existing: ExistingObject,
  text: string,
): Promise<boolean> {
  const verdict = reports.judge(String(existing.metadata.uid), text, nowMs);
  if (verdict !== 'begins') return verdict === 'write';
  const manager = lastStatusManager(existing);
  const [who, remedy] =
    manager === FIELD_MANAGER
      ? ['another zone53', 'Let only one zone53 run beside a cluster.']
      : ['somebody', 'Stop that writer: the status belongs to zone53.'];
  const message = `The status of ${formatRef(ref)} is replaced again and again by ${who} (field manager ${manager ?? 'unknown'}). This zone53 (clusterId ${clusterId}) leaves it alone for ${LEFT_ALONE_MS / 60_000} minutes. ${remedy}`;
  log?.('warn', message);
  const told = { type: 'Reported', status: 'False', reason: 'StatusContested', message } as const;
  await recordEvent(transport, clusterId, { kind, ref, metadata: existing.metadata }, told, nowMs);
  return false;
}

/** True if the written object has no edit of others since it was read. */
function isOursAlone(written: Mapping, read: Mapping): boolean {
  const asked = (metadata: Mapping) => {
    const { [TAKEOVER_ANNOTATION]: takeover, [ACKNOWLEDGE_ANNOTATION]: acknowledged } = texts(metadata.annotations);
    return [metadata.generation, metadata.deletionTimestamp, takeover, acknowledged];
  };
  return isDeepStrictEqual(asked(written), asked(read));
}

/** Writes an object. A version with edits of others is not remembered as ours. */
function writeObject(reporter: Reporter, ref: ObjectRef, request: KubernetesRequest, read: Mapping): Promise<Written> {
  return writeOwn(reporter, ref, request, (metadata) => isOursAlone(metadata, read));
}
