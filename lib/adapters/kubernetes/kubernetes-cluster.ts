// A Kubernetes API server as the `Cluster` of the use cases. What it cannot know it never makes up: an object is absent
// only when the server says that there is none of that name, a list is whole or an error, and a type that the server does
// not know is an error too. Reports write nothing that stands there already, so that they never feed themselves.
import { isDeepStrictEqual } from 'node:util';
import { ACKNOWLEDGE_ANNOTATION, TAKEOVER_ANNOTATION } from '../../objects/annotations.ts';
import type { Kind } from '../../objects/kind.ts';
import { formatRef, type ObjectRef } from '../../objects/object-ref.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Cluster, ClusterObject, ObjectStatus, Observation, ReadRemark } from '../../ports/cluster.ts';
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
  strayConditions,
} from './apply-status.ts';
import { isNoSuchType, notServed, type ServedKinds, servedKinds } from './discover-kinds.ts';
import { foreignStatusRequest } from './foreign-status.ts';
import { KubernetesError } from './kubernetes-error.ts';
import { listAll, listPage } from './list-objects.ts';
import { type OwnWrites, rememberReports } from './own-writes.ts';
import { FIELD_MANAGER, kindNamed, type Mapping, mapping, objectPath, readObject, texts } from './read-object.ts';
import { recordEvent, transitions } from './record-event.ts';
import type { KubernetesRequest } from './request.ts';
import type { KubernetesTransport } from './transport.ts';

/** How to make one. */
export type KubernetesClusterOptions = {
  readonly clusterId: string;
  /** Every kind that is read. */
  readonly kinds: readonly Kind[];
  readonly transport: KubernetesTransport;
  readonly clock: Clock;
  /** Told of every write of a report: a watch can pass over those. */
  readonly ownWrites?: OwnWrites;
  /** Told of a status that somebody else writes again and again in place of ours. */
  readonly log?: Log;
};

type Reporter = KubernetesClusterOptions & {
  readonly served: ServedKinds;
  readonly reports: ReturnType<typeof rememberReports>;
};

/** A cluster over an API server. Throws `KubernetesError`. */
export function kubernetesCluster(options: KubernetesClusterOptions): Cluster {
  const { clusterId, kinds, transport } = options;
  const writing = new Map<string, Promise<unknown>>();
  const served = servedKinds(transport, options.clock);
  const reporter: Reporter = { ...options, served, reports: rememberReports() };
  return {
    clusterId,
    list: async () => {
      const objects: ClusterObject[] = [];
      const remarks: ReadRemark[] = [];
      for (const kind of kinds.filter(({ factsOf }) => factsOf === undefined)) {
        const found = await asServed(served, kind, async (as) => (await listAll(transport, as)).objects);
        if (found === null) remarks.push({ level: 'warning', file: kind.kind, line: 0, message: notServed(kind) });
        else objects.push(...found);
      }
      return { objects, problems: [], remarks, unreadable: new Set() };
    },
    listPage: async (name, namespace, cursor, label = null) => {
      const kind = kindNamed(kinds, name);
      const read = await asServed(served, kind, async (as) => ({
        page: await listPage(transport, as, namespace, cursor, label),
      }));
      // Nothing may be concluded from what nobody can read.
      return read === null ? { objects: [], next: null, unreadable: new Set([kind.kind]) } : read.page;
    },
    get: async (ref) => {
      const kind = kindNamed(kinds, ref.kind);
      const seen = await asServed(served, kind, (as) => observe(transport, as, ref));
      return seen ?? { kind: 'unknown', message: notServed(kind) };
    },
    report: (ref, status, before) =>
      inTurn(writing, formatRef(ref), (waited) => report(reporter, ref, status, waited ? null : before)),
  };
}

/**
 * Reports of one object one after the other: two that overlap would both see the transition, and tell it twice. One that
 * waited goes by what the object says by then.
 */
async function inTurn(
  writing: Map<string, Promise<unknown>>,
  id: string,
  work: (waited: boolean) => Promise<void>,
): Promise<void> {
  const earlier = writing.get(id);
  const turn =
    earlier === undefined
      ? work(false)
      : earlier.then(
          () => work(true),
          () => work(false),
        );
  writing.set(id, turn);
  try {
    await turn;
  } finally {
    if (writing.get(id) === turn) writing.delete(id);
  }
}

async function observe(transport: KubernetesTransport, kind: Kind, ref: ObjectRef): Promise<Observation> {
  const answer = await getObject(transport, kind, ref);
  return answer === null ? { kind: 'absent' } : { kind: 'present', object: readObject(kind, answer) };
}

/** Does something with a kind as it is served; null: it is not. One that left, or came in another version, is looked for once more. */
async function asServed<T>(served: ServedKinds, kind: Kind, work: (as: Kind) => Promise<T>): Promise<T | null> {
  for (let attempt = 0; ; attempt += 1) {
    const as = await served.find(kind);
    if (as === null) return null;
    try {
      return await work(as);
    } catch (error) {
      // Of our own kinds it is an error that says what to install.
      if (attempt > 0 || kind.status === 'subresource' || !isNoSuchType(error)) throw error;
      served.forget(kind);
    }
  }
}

/** null when the server says that there is no object of this name: a 404 that names it, not one for the type or the path. */
async function getObject(transport: KubernetesTransport, kind: Kind, ref: ObjectRef): Promise<unknown> {
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

async function report(
  options: Reporter,
  ref: ObjectRef,
  status: ObjectStatus,
  before: ObjectStatus | null,
): Promise<void> {
  const { transport, clock, clusterId, kinds } = options;
  const kind = await options.served.find(kindNamed(kinds, ref.kind));
  if (kind === null || kind.status === 'none') return;
  const answer = await getObject(transport, kind, ref);
  if (answer === null) return;
  const standing = readStanding(answer);
  const nowMs = clock.nowMs();
  const outcome =
    kind.status === 'subresource'
      ? await writeReport(options, kind, ref, status, standing, nowMs)
      : await writeForeign(options, kind, ref, status, answer, nowMs);
  if (outcome === 'gone' || outcome === 'left') return;
  // What others write into a status is no word of ours.
  const told = before?.conditions ?? (kind.status === 'subresource' ? conditionsOf(standing.status) : []);
  for (const condition of transitions(told, status.conditions)) {
    await recordEvent(transport, clusterId, { kind, ref, metadata: standing.metadata }, condition, nowMs);
  }
}

/**
 * Label and status, each where it is not right yet. `unwritable`: the stored spec is of another shape than the type (made
 * before it), so that the API server takes no write of the object, not even of its status; the Event is all there is then.
 * `left`: somebody else writes another status again and again, and it is left to them for a while.
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
      const verdict = options.reports.judge(String(standing.metadata.uid), reportText(wanted), nowMs);
      if (verdict === 'begins') await tellOfFight(options, kind, ref, standing, nowMs);
      if (verdict !== 'write') return 'left';
    }
    const label = labelPatch(kind, ref, standing.metadata, status.parent);
    if (label !== null && (await write(label)) === null) return 'gone';
    if (saysAlready(standing.status, wanted)) return 'written';
    const written = await write(applyStatusRequest(kind, ref, standing.metadata.uid, wanted));
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
): Promise<'written' | 'gone' | 'unwritable'> {
  const now = new Date(nowMs).toISOString().replace(/\.\d+Z$/, 'Z');
  let answer = read;
  for (let attempt = 0; attempt < FOREIGN_TRIES && answer !== null; attempt += 1) {
    const object = mapping(answer);
    const request = kind.status === 'events' ? null : foreignStatusRequest(kind, ref, object, status, now);
    if (request === null) return 'written';
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

async function tellOfFight(
  { transport, clusterId, log }: Reporter,
  kind: Kind,
  ref: ObjectRef,
  standing: StandingObject,
  nowMs: number,
): Promise<void> {
  const manager = lastStatusManager(standing);
  const who = manager === FIELD_MANAGER ? 'another zone53' : 'somebody';
  const message = `The status of ${formatRef(ref)} is replaced again and again by ${who} (field manager ${manager ?? 'unknown'}). This zone53 (clusterId ${clusterId}) leaves it alone for 10 minutes. Let only one zone53 run beside a cluster.`;
  log?.('warn', message);
  const told = { type: 'Reported', status: 'False', reason: 'StatusContested', message } as const;
  await recordEvent(transport, clusterId, { kind, ref, metadata: standing.metadata }, told, nowMs);
}

/** True when a write of ours, which never touches the spec, was refused for what the spec holds. */
function isFaultOfSpec(error: unknown): boolean {
  if (!(error instanceof KubernetesError)) return false;
  if (error.status === 422) return error.fields.some((field) => field === 'spec' || field.startsWith('spec.'));
  return /failed to create typed (live|patch) object.*\.spec/s.test(error.message);
}

/**
 * True when a written object carries nobody's edit since it was read: a write that changes nothing comes back with whatever
 * version stands, and that may be somebody else's.
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
  { transport, ownWrites }: KubernetesClusterOptions,
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
