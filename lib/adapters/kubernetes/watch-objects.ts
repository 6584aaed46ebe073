// Watches an API server and sends hints about objects that may have changed. A watch resumes where it was cut. If the
// server no longer has that version (410), anything may have changed, so the hint names all objects of the kind; so
// does the first hint. A watch may miss events; the sweep does not.
//
//   ADDED, MODIFIED, DELETED  a hint for that object, except for writes of our own reports
//   BOOKMARK                  notes the version
//   ERROR 410                 starts again from now, with a hint for all objects
//   cut, idle, refused        reported to `onProblem` until a watch is open again; a server that is away, once for all
//                             kinds
//   ended at once             the same, or one request would follow the other without a pause
// The pause grows with each failure, until an event comes or a watch was open for a while.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Kind } from '../../objects/kind.ts';
import { keyOf, type ObjectRef } from '../../objects/object-ref.ts';
import { errorMessage, type Mapping, mapping } from '../../objects/plain.ts';
import { backoff } from '../../ports/backoff.ts';
import type { Changes, ClusterObject } from '../../ports/cluster.ts';
import type { Hint } from '../../ports/queues.ts';
import { isNoSuchType, type ServedKinds, servedKind } from './discover-kinds.ts';
import { hasStatus, isUnreachable, KubernetesError, type KubernetesRequest } from './http/kubernetes-error.ts';
import type { KubernetesTransport } from './http/transport.ts';
import { currentVersion } from './list-objects.ts';
import type { OwnWrites } from './own-writes.ts';
import { listPath, readObject } from './read-object.ts';
import type { WatchedObjects } from './watched-objects.ts';

export type KubernetesWatchOptions = {
  readonly kinds: readonly Kind[];
  readonly transport: KubernetesTransport;
  /** Ends the watch. */
  readonly signal: AbortSignal;
  readonly onHints: (hints: readonly Hint[]) => void;
  /** Called when a watch cannot continue, and with null when all that had this problem can again. */
  readonly onProblem: (message: string | null) => void;
  /** The versions in which the kinds are served; default: those that the kinds name. */
  readonly served?: ServedKinds;
  /** The writes of our own reports. */
  readonly ownWrites?: Pick<OwnWrites, 'has'>;
  /** Is shown the objects of the events. */
  readonly watched?: Pick<WatchedObjects, 'show'>;
  /** For how long the server is asked to keep a watch open, in seconds; default 290. */
  readonly openSeconds?: number;
};

const OPEN_SECONDS = 290;
/** Bookmarks come about every minute, so a connection that is silent for longer is dead. */
const IDLE_MS_MAX = 130_000;
/** A watch that ends sooner and without an event has failed. */
const OPEN_MS_MIN = 1_000;
const pauseMs = backoff(250, 5_000);
/** How long a poll asks the server to keep its watch open, and how long it waits at most. */
const POLL_SECONDS = 1;
const POLL_MS_MAX = 20_000;

/** Watches every kind until the signal is aborted. Never throws. */
export async function watchKubernetes(options: KubernetesWatchOptions): Promise<void> {
  const teller = problemTeller(options.onProblem);
  await Promise.all(options.kinds.map((kind) => watchKind(kind, options, teller)));
}

/** The problem that all kinds share: the server is stopped, starts, or is too busy. Each try fails in other words. */
const AWAY = 'away';

function isAway(error: unknown): boolean {
  if (!(error instanceof KubernetesError)) return false;
  if (error.status === null) return isUnreachable(error);
  return error.status === 429 || error.status >= 500;
}

/** Tells a problem when the first kind has it, and null when the last kind that had it is watched again. */
function problemTeller(onProblem: KubernetesWatchOptions['onProblem']) {
  const problems = new Map<string, string>();
  const isTold = (problem: string) => [...problems.values()].includes(problem);
  return {
    failed: ({ kind }: Kind, error: unknown) => {
      const message = errorMessage(error);
      const problem = isAway(error) ? AWAY : message;
      if (!isTold(problem)) onProblem(message);
      problems.set(kind, problem);
    },
    opened: ({ kind }: Kind) => {
      const problem = problems.get(kind);
      problems.delete(kind);
      if (problem !== undefined && !isTold(problem)) onProblem(null);
    },
  };
}

type ProblemTeller = ReturnType<typeof problemTeller>;

async function watchKind(kind: Kind, options: KubernetesWatchOptions, teller: ProblemTeller): Promise<void> {
  const { transport, signal, onHints } = options;
  const position: Position = { version: null };
  let failures = 0;
  while (!signal.aborted) {
    try {
      if (position.version === null) {
        position.version = await currentVersion(transport, await inServedVersion(kind, options));
        onHints([{ kind: kind.kind, namespace: null, name: null }]);
      }
      const onOpen = () => teller.opened(kind);
      const onWorks = () => {
        failures = 0;
      };
      await watchOnce(await inServedVersion(kind, options), position, options, { onOpen, onWorks });
    } catch (error) {
      if (signal.aborted) return;
      failures += 1;
      if (hasStatus(error, 410)) position.version = null;
      else {
        if (isNoSuchType(error)) options.served?.forget(kind);
        if (!(await isRightlyMissing(kind, options))) teller.failed(kind, error);
      }
      await pause(pauseMs(failures), signal);
    }
  }
}

/** True if the kind is not served and may be missing: nobody need be told, and it may come later. */
async function isRightlyMissing(kind: Kind, { served }: KubernetesWatchOptions): Promise<boolean> {
  return served?.mayLack(kind) === true && (await served.find(kind).catch(() => kind)) === null;
}

async function inServedVersion(kind: Kind, { served }: KubernetesWatchOptions): Promise<Kind> {
  return served === undefined ? kind : servedKind(served, kind);
}

/** The version that a watch has reached; null if it has none, or the server no longer has it. */
type Position = { version: string | null };

/** What is done when the server accepts a watch, and when the watch works. */
type Progress = { readonly onOpen: () => void; readonly onWorks: () => void };

async function watchOnce(
  kind: Kind,
  position: Position,
  options: KubernetesWatchOptions,
  { onOpen, onWorks }: Progress,
): Promise<void> {
  const { transport, signal, onHints, ownWrites, watched } = options;
  const begunMs = performance.now();
  let events = 0;
  const from = { resourceVersion: position.version ?? '', openSeconds: options.openSeconds ?? OPEN_SECONDS };
  for await (const event of watchEvents(transport, kind, from, signal, onOpen)) {
    const { type, metadata, resourceVersion } = event;
    const { namespace, name } = metadata;
    position.version = resourceVersion;
    events += 1;
    onWorks();
    const within = kind.scope === 'cluster' ? '' : namespace;
    if (type === 'BOOKMARK' || typeof within !== 'string' || typeof name !== 'string') continue;
    const hint = { kind: kind.kind, namespace: within, name, atMs: Date.now() };
    const ours = type === 'DELETED' ? false : (ownWrites?.has(hint, resourceVersion) ?? false);
    // What others say of an object is never taken in place of a reading, so it need not be kept.
    if (kind.factsOf === undefined)
      watched?.show(hint, type === 'DELETED' ? null : event.object, event.octets, ours === false);
    if (ours === false) onHints([hint]);
    else if (ours !== true) void ours.then((isOurs) => isOurs || onHints([hint]));
  }
  if (events === 0 && performance.now() - begunMs < OPEN_MS_MIN && !signal.aborted) throw endedAtOnce(kind);
  onWorks();
}

function endedAtOnce({ resource }: Kind): KubernetesError {
  return new KubernetesError(`Cannot watch ${resource}: the server ended the watch at once`, { status: null });
}

/** An event of a watch, untrusted but for its version. `type`: `ADDED`, `MODIFIED`, `DELETED` or `BOOKMARK`. */
type WatchEvent = {
  readonly type: unknown;
  readonly object: Mapping;
  readonly metadata: Mapping;
  readonly resourceVersion: string;
  readonly octets: number;
};

/** The events of a kind since a version, until the server ends the watch. Throws `KubernetesError`; 410: too old. */
async function* watchEvents(
  transport: KubernetesTransport,
  kind: Kind,
  { resourceVersion, openSeconds }: { readonly resourceVersion: string; readonly openSeconds: number },
  signal: AbortSignal,
  onOpen?: () => void,
): AsyncGenerator<WatchEvent> {
  const request = watchRequest(kind, resourceVersion, openSeconds);
  for await (const line of transport.lines(request, IDLE_MS_MAX, signal, onOpen)) {
    const event = mapping(parseLine(line, kind));
    const object = mapping(event.object);
    if (event.type === 'ERROR') throw watchError(kind, object);
    const metadata = mapping(object.metadata);
    const version = metadata.resourceVersion;
    if (typeof version !== 'string') throw watchError(kind, object);
    yield { type: event.type, object, metadata, resourceVersion: version, octets: line.length };
  }
}

/**
 * What has changed of a kind since a version: a watch that the server ends after a second. Each object is as its last
 * event shows it. Null if the server no longer has that version. `since` null: the version of now, without changes.
 * Throws `KubernetesError`.
 */
export async function changesSince(
  transport: KubernetesTransport,
  kind: Kind,
  since: string | null,
): Promise<Changes | null> {
  if (since === null) return { version: await currentVersion(transport, kind), objects: [], deleted: [] };
  const seen = new Map<string, ClusterObject | null>();
  const refs = new Map<string, ObjectRef>();
  let version = since;
  const begunMs = performance.now();
  try {
    const from = { resourceVersion: since, openSeconds: POLL_SECONDS };
    for await (const event of watchEvents(transport, kind, from, AbortSignal.timeout(POLL_MS_MAX))) {
      version = event.resourceVersion;
      if (event.type === 'BOOKMARK') continue;
      const object = readObject(kind, event.object);
      const key = keyOf(object.ref);
      refs.set(key, object.ref);
      seen.set(key, event.type === 'DELETED' ? null : object);
    }
  } catch (error) {
    if (hasStatus(error, 410)) return null;
    throw error;
  }
  if (version === since && performance.now() - begunMs < OPEN_MS_MIN / 2) throw endedAtOnce(kind);
  const deleted = [...refs].flatMap(([key, ref]) => (seen.get(key) === null ? [ref] : []));
  return { version, objects: [...seen.values()].filter((object) => object !== null), deleted };
}

function parseLine(line: string, kind: Kind): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    const shown = JSON.stringify(line.slice(0, 100));
    throw new KubernetesError(`Cannot watch ${kind.resource}: a line is not JSON: ${shown}`, { status: null }, cause);
  }
}

function watchError(kind: Kind, status: Mapping): KubernetesError {
  const message = `Cannot watch ${kind.resource}: ${String(status.message ?? 'an event without metadata')}`;
  const reason = typeof status.reason === 'string' ? status.reason : null;
  return new KubernetesError(message, { status: typeof status.code === 'number' ? status.code : null, reason });
}

function watchRequest(kind: Kind, resourceVersion: string, openSeconds: number): KubernetesRequest {
  const { resource, group } = kind;
  return {
    action: `watch ${resource}`,
    method: 'GET',
    path: listPath(kind),
    query: { watch: '1', allowWatchBookmarks: 'true', timeoutSeconds: String(openSeconds), resourceVersion },
    rule: { group, resource, verb: 'watch' },
  };
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}
