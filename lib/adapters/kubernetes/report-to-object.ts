// A report written to an object: label, status, Event. It writes nothing that stands there already, so that reports
// never feed themselves, and never makes an object that is gone.
import { isDeepStrictEqual } from 'node:util';
import { ACKNOWLEDGE_ANNOTATION, TAKEOVER_ANNOTATION } from '../../objects/annotations.ts';
import type { Kind } from '../../objects/kind.ts';
import { formatRef, type ObjectRef } from '../../objects/object-ref.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ListedObject, ObjectStatus } from '../../ports/cluster.ts';
import type { Log } from '../../ports/log.ts';
import {
  applyStatusRequest,
  buildStatus,
  conditionsOf,
  labelPatch,
  lastStatusManager,
  readStanding,
  removeConditionsRequest,
  reportText,
  type StandingObject,
  saysAlready,
  standingAsListed,
  strayConditions,
} from './apply-status.ts';
import type { ServedKinds } from './discover-kinds.ts';
import { foreignStatusRequest, saidAs } from './foreign-status.ts';
import { isFaultOfSpec, KubernetesError, type KubernetesRequest } from './kubernetes-error.ts';
import type { OwnWrites, rememberReports } from './own-writes.ts';
import { FIELD_MANAGER, kindNamed, type Mapping, mapping, objectPath, texts } from './read-object.ts';
import { eventsOf, recordEvent } from './record-event.ts';
import type { KubernetesTransport } from './transport.ts';

/** Who reports. */
export type Reporter = {
  readonly clusterId: string;
  /** Every kind that is read. */
  readonly kinds: readonly Kind[];
  readonly transport: KubernetesTransport;
  readonly clock: Clock;
  /** Told of every write of a report: a watch can pass over those. */
  readonly ownWrites?: OwnWrites;
  /** Told of a status that somebody else writes again and again in place of ours. */
  readonly log?: Log;
  readonly served: ServedKinds;
  readonly reports: ReturnType<typeof rememberReports>;
};

/**
 * null when the server says that there is no object of this name: a 404 that names it, not one for the type or the
 * path.
 */
export async function getObject(transport: KubernetesTransport, kind: Kind, ref: ObjectRef): Promise<unknown> {
  try {
    return await transport.send({
      action: `read ${ref.kind} ${ref.namespace}/${ref.name}`,
      method: 'GET',
      path: objectPath(kind, ref),
      rule: { group: kind.group, resource: kind.resource, verb: 'get' },
    });
  } catch (error) {
    if (isAbsence(error, ref)) return null;
    throw error;
  }
}

function isAbsence(error: unknown, ref: ObjectRef): boolean {
  return error instanceof KubernetesError && error.status === 404 && error.objectName === ref.name;
}

/** What a report came to; `told`: the conditions that stood before. */
type Reported = {
  readonly outcome: 'written' | 'gone' | 'unwritable' | 'left';
  readonly standing: StandingObject;
  readonly told: readonly Mapping[];
};

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
  const reported =
    (await reportAsListed(options, kind, ref, status, nowMs, listed)) ??
    (await reportAsRead(options, kind, ref, status, nowMs));
  if (reported === null || reported.outcome === 'gone' || reported.outcome === 'left') return;
  const { standing, told } = reported;
  for (const event of eventsOf(before?.conditions ?? told, status.conditions)) {
    await recordEvent(transport, clusterId, { kind, ref, metadata: standing.metadata }, event, nowMs);
  }
}

/**
 * By the object as it was just listed, which is not read again. The first write is for that version alone. Null: it is
 * to be read, because it is newer now, or because more counts than a listing keeps (a Zone's size, the status of other
 * kinds).
 */
async function reportAsListed(
  options: Reporter,
  kind: Kind,
  ref: ObjectRef,
  status: ObjectStatus,
  nowMs: number,
  listed: ListedObject | undefined,
): Promise<Reported | null> {
  if (listed === undefined || kind.status !== 'subresource' || status.zone !== undefined) return null;
  const standing = standingAsListed(listed);
  const outcome = await writeReport(options, kind, ref, status, standing, nowMs);
  return outcome === 'gone' ? null : { outcome, standing, told: conditionsOf(standing.status) };
}

async function reportAsRead(
  options: Reporter,
  kind: Kind,
  ref: ObjectRef,
  status: ObjectStatus,
  nowMs: number,
): Promise<Reported | null> {
  const answer = await getObject(options.transport, kind, ref);
  if (answer === null) return null;
  const standing = readStanding(answer);
  if (kind.status === 'subresource')
    return {
      outcome: await writeReport(options, kind, ref, status, standing, nowMs),
      standing,
      told: conditionsOf(standing.status),
    };
  // What others write into a status is no word of ours.
  return { outcome: await writeForeign(options, kind, ref, status, answer, nowMs), standing, told: [] };
}

/**
 * Label and status, each where it is not right yet. `unwritable`: the stored spec is of another shape than the type
 * (made before it), so that the API server takes no write of the object, not even of its status; the Event is all there
 * is then. `left`: somebody else writes another status again and again, and it is left to them for a while.
 */
async function writeReport(
  options: Reporter,
  kind: Kind,
  ref: ObjectRef,
  status: ObjectStatus,
  standing: StandingObject,
  nowMs: number,
): Promise<'written' | 'gone' | 'unwritable' | 'left'> {
  const write = (request: KubernetesRequest) => writeObject(options, ref, request, standing.metadata);
  const wanted = buildStatus(status, standing, new Date(nowMs).toISOString().replace(/\.\d+Z$/, 'Z'));
  try {
    if (!saysAlready(standing.status, wanted)) {
      if (!(await mayWrite(options, kind, ref, standing, reportText(wanted), nowMs))) return 'left';
    }
    const label = labelPatch(kind, ref, standing, status.parent);
    if (label !== null && (await write(label)) === null) return 'gone';
    if (saysAlready(standing.status, wanted)) return 'written';
    // After the label the object has another version.
    const asListed = label === null ? standing.asListed : undefined;
    const written = await write(applyStatusRequest(kind, ref, { uid: standing.metadata.uid, ...asListed }, wanted));
    if (written === null) return 'gone';
    const stray = strayConditions(mapping(written.status), wanted);
    if (stray.length > 0) await write(removeConditionsRequest(kind, ref, mapping(written.status), stray));
    return 'written';
  } catch (error) {
    if (isFaultOfSpec(error)) return 'unwritable';
    throw error;
  }
}

/** How often a status that others write meanwhile is read again. */
const FOREIGN_TRIES = 5;

/** What is said in the status of a kind that is not ours. */
async function writeForeign(
  options: Reporter,
  kind: Kind,
  ref: ObjectRef,
  status: ObjectStatus,
  read: unknown,
  nowMs: number,
): Promise<'written' | 'gone' | 'unwritable' | 'left'> {
  const now = new Date(nowMs).toISOString().replace(/\.\d+Z$/, 'Z');
  let answer = read;
  for (let attempt = 0; attempt < FOREIGN_TRIES && answer !== null; attempt += 1) {
    const object = mapping(answer);
    const request = foreignStatusRequest(kind, ref, object, status, now);
    if (request === null) return 'written';
    if (attempt === 0 && !(await mayWrite(options, kind, ref, readStanding(answer), saidAs(object, status), nowMs)))
      return 'left';
    try {
      return (await writeObject(options, ref, request, mapping(object.metadata))) === null ? 'gone' : 'written';
    } catch (error) {
      // The list of all controllers moved under us: a JSON patch whose test fails is a 422.
      if (!(error instanceof KubernetesError) || error.status !== 422 || kind.status !== 'parents') {
        if (isFaultOfSpec(error)) return 'unwritable';
        throw error;
      }
    }
    answer = await getObject(options.transport, kind, ref);
  }
  return answer === null ? 'gone' : 'unwritable';
}

/**
 * False while the object is left to somebody who writes another status again and again; the first time, that is told.
 */
async function mayWrite(
  { transport, clusterId, log, reports }: Reporter,
  kind: Kind,
  ref: ObjectRef,
  standing: StandingObject,
  report: string,
  nowMs: number,
): Promise<boolean> {
  const verdict = reports.judge(String(standing.metadata.uid), report, nowMs);
  if (verdict !== 'begins') return verdict === 'write';
  const manager = lastStatusManager(standing);
  const who = manager === FIELD_MANAGER ? 'another zone53' : 'somebody';
  const message = `The status of ${formatRef(ref)} is replaced again and again by ${who} (field manager ${manager ?? 'unknown'}). This zone53 (clusterId ${clusterId}) leaves it alone for 10 minutes. Let only one zone53 run beside a cluster.`;
  log?.('warn', message);
  const told = { type: 'Reported', status: 'False', reason: 'StatusContested', message } as const;
  await recordEvent(transport, clusterId, { kind, ref, metadata: standing.metadata }, told, nowMs);
  return false;
}

/**
 * True when a written object carries nobody's edit since it was read: a write that changes nothing comes back with
 * whatever version stands, and that may be somebody else's.
 */
function isOursAlone(written: Mapping, read: Mapping): boolean {
  const asked = (metadata: Mapping) => {
    const { [TAKEOVER_ANNOTATION]: takeover, [ACKNOWLEDGE_ANNOTATION]: acknowledged } = texts(metadata.annotations);
    return [metadata.generation, metadata.deletionTimestamp, takeover, acknowledged];
  };
  return isDeepStrictEqual(asked(written), asked(read));
}

/** The object as written; null when it is gone meanwhile, or another of the same name stands there. */
async function writeObject(
  { transport, ownWrites }: Reporter,
  ref: ObjectRef,
  request: KubernetesRequest,
  read: Mapping,
): Promise<Mapping | null> {
  const ended = ownWrites?.begin(ref);
  let version: string | null = null;
  try {
    const written = mapping(await transport.send(request));
    const metadata = mapping(written.metadata);
    if (typeof metadata.resourceVersion === 'string' && isOursAlone(metadata, read)) version = metadata.resourceVersion;
    return written;
  } catch (error) {
    if (isAbsence(error, ref) || (error instanceof KubernetesError && error.status === 409)) return null;
    throw error;
  } finally {
    ended?.(version);
  }
}
