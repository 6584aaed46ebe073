// Records Kubernetes Events (events.k8s.io/v1), one for each transition of a condition, for `kubectl describe`. The
// name of an Event derives from the object and what happened, so a repetition is the same Event, counted as a series.
// We may create and patch Events but not read them; a patch that changes nothing returns the Event with its count.
import { hash as hashOf } from 'node:crypto';
import { type Condition, isTold } from '../../objects/conditions.ts';
import { apiKindOf, apiVersionOf, type Kind } from '../../objects/kind.ts';
import { formatRef, type ObjectRef } from '../../objects/object-ref.ts';
import { type Mapping, mapping } from '../../objects/plain.ts';
import { KubernetesError, type KubernetesRequest } from './http/kubernetes-error.ts';
import type { KubernetesTransport } from './http/transport.ts';

const CONTROLLER = 'zone53';
/** Limits of events.k8s.io/v1 (ValidateEventCreate). Last verified 2026-11-21. */
const NOTE_OCTETS_MAX = 1024;
const INSTANCE_CHARACTERS_MAX = 128;
const NAME_CHARACTERS_MAX = 253;
/** Tries to raise the count if others write the Event too; after these, the count is one too low. */
const COUNT_TRIES = 3;

export type EventSubject = { readonly kind: Kind; readonly ref: ObjectRef; readonly metadata: Mapping };

/** What an Event reports: a condition, or that somebody else writes the status (`Reported`). */
export type Told = {
  readonly type: Condition['type'] | 'Reported';
  readonly status: Condition['status'];
  readonly reason: string;
  readonly message: string;
};

const ACTIONS: Readonly<Record<Told['type'], string>> = {
  Accepted: 'Adopt',
  Programmed: 'Publish',
  Propagated: 'Propagate',
  Reported: 'Report',
};

/** Conditions whose status or reason changed, and new conditions, of those that become Events. */
export function transitions(
  before: readonly Mapping[] | readonly Condition[],
  after: readonly Condition[],
): readonly Condition[] {
  return after.filter(isTold).filter((condition) => {
    const old = before.find(({ type }) => type === condition.type);
    return old?.status !== condition.status || old.reason !== condition.reason;
  });
}

/**
 * The Events of a report: one for each transition. For an object that had no status `before` it is a single one: with
 * type and reason of what failed, or else of the result, and a note with the other condition.
 */
export function eventsOf(
  before: readonly Mapping[] | readonly Condition[],
  after: readonly Condition[],
): readonly Told[] {
  const moved = transitions(before, after);
  if (before.length > 0 || moved.length < 2) return moved;
  const lead = moved.find(isWarning) ?? moved.findLast(({ reason }) => reason !== 'Pending') ?? moved[0];
  if (lead === undefined) return [];
  const others = moved.filter((one) => one !== lead).map(({ reason, message }) => `${reason}: ${message}`);
  return [{ ...lead, message: [lead.message, ...others].join('; ') }];
}

/**
 * Records one transition. An Event that the API server does not want (isUnwanted) is not an error. `counts` false: an
 * Event that is there already may be that of this very transition, and is not counted.
 */
export async function recordEvent(
  transport: KubernetesTransport,
  clusterId: string,
  subject: EventSubject,
  condition: Told,
  nowMs: number,
  counts = true,
): Promise<void> {
  const { type, status, reason, message } = condition;
  const event = { action: ACTIONS[type], reason, message, type: isWarning(condition) ? 'Warning' : 'Normal' } as const;
  await recordTold(transport, clusterId, subject, { ...event, identity: [type, status] }, nowMs, counts);
}

/** The content of an Event. Same `identity`, reason and message: same Event. */
type Said = {
  readonly action: string;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly identity?: readonly string[];
};

export async function recordTold(
  transport: KubernetesTransport,
  clusterId: string,
  subject: EventSubject,
  said: Said,
  nowMs: number,
  counts = true,
): Promise<void> {
  const at = occurrenceTime(nowMs);
  const body = buildEvent(clusterId, subject, said, at);
  try {
    await transport.send({
      ...eventRequest(subject.ref, 'create'),
      method: 'POST',
      path: eventsPath(subject.ref),
      body,
      unread: true,
    });
  } catch (error) {
    if (!(error instanceof KubernetesError)) throw error;
    if (error.status !== 409) {
      if (error.status !== 404 && !isUnwanted(error)) throw error;
    } else if (counts) await countAgain(transport, subject.ref, body.metadata.name, at);
  }
}

/**
 * True if trying again is of no use: the namespace is being deleted, has a quota of Events, or the admission plugin
 * EventRateLimit has had enough of them. The report is complete without its Event.
 */
function isUnwanted(error: unknown): boolean {
  return (
    error instanceof KubernetesError && /is being terminated|exceeded quota|limit reached on type/.test(error.message)
  );
}

async function countAgain(transport: KubernetesTransport, ref: ObjectRef, name: string, at: string): Promise<void> {
  const patch = (body: unknown): Promise<unknown> =>
    transport.send({
      ...eventRequest(ref, 'patch'),
      method: 'PATCH',
      path: `${eventsPath(ref)}/${name}`,
      contentType: 'application/merge-patch+json',
      body,
    });
  for (let tries = 1; tries <= COUNT_TRIES; tries += 1) {
    try {
      const existing = mapping(await patch({}));
      const { resourceVersion } = mapping(existing.metadata);
      const { count, lastObservedTime } = mapping(existing.series);
      // This occurrence is there already: the answer to its request was lost.
      if (existing.eventTime === at || lastObservedTime === at) return;
      const series = { count: Number(count ?? 1) + 1, lastObservedTime: at };
      await patch({ metadata: { resourceVersion }, series });
      return;
    } catch (error) {
      const status = error instanceof KubernetesError ? error.status : null;
      // The Event has expired: after an hour without a repetition there is no series.
      if (status === 404 || isUnwanted(error)) return;
      if (status !== 409) throw error;
    }
  }
}

function buildEvent(clusterId: string, { kind, ref, metadata }: EventSubject, said: Said, at: string) {
  const { uid, resourceVersion } = metadata;
  const content = [uid, ...(said.identity ?? [said.type]), said.reason, said.message];
  const hash = hashOf('sha256', JSON.stringify(content), 'hex').slice(0, 16);
  const name = `${ref.name.slice(0, NAME_CHARACTERS_MAX - 17).replace(/[^a-z0-9]+$/, '')}.${hash}`;
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name, namespace: namespaceOf(ref) },
    eventTime: at,
    reportingController: CONTROLLER,
    reportingInstance: clusterId.slice(0, INSTANCE_CHARACTERS_MAX) || 'default',
    action: said.action,
    reason: said.reason,
    type: said.type,
    note: cutNote(said.message || said.reason),
    regarding: {
      apiVersion: apiVersionOf(kind),
      kind: apiKindOf(kind),
      namespace: ref.namespace,
      name: ref.name,
      uid,
      resourceVersion,
    },
  };
}

/** A condition that is normally False at first is not a warning. */
function isWarning({ status, reason }: Told): boolean {
  return status === 'False' && reason !== 'Pending' && reason !== 'HostedElsewhere';
}

let occurrences = 0;

/**
 * The time of an occurrence in RFC 3339, with microseconds, as events.k8s.io requires. The microseconds are a count: so
 * no two occurrences of this process have the same time, and each finds itself in an Event.
 */
function occurrenceTime(nowMs: number): string {
  occurrences = (occurrences + 1) % 1_000;
  return new Date(nowMs).toISOString().replace('Z', `${String(occurrences).padStart(3, '0')}Z`);
}

function cutNote(text: string): string {
  const octets = Buffer.from(text);
  if (octets.length <= NOTE_OCTETS_MAX) return text;
  return `${octets.toString('utf8', 0, NOTE_OCTETS_MAX - 3).replace(/\uFFFD+$/, '')}…`;
}

/** The namespace of an Event: for an object without one, `default` (ValidateEventCreate). */
function namespaceOf({ namespace }: ObjectRef): string {
  return namespace === '' ? 'default' : namespace;
}

function eventsPath(ref: ObjectRef): string {
  return `/apis/events.k8s.io/v1/namespaces/${encodeURIComponent(namespaceOf(ref))}/events`;
}

function eventRequest(ref: ObjectRef, verb: 'create' | 'patch'): Pick<KubernetesRequest, 'action' | 'rule'> {
  const action = `${verb === 'create' ? 'create' : 'count'} an Event about ${formatRef(ref)}`;
  return { action, rule: { group: 'events.k8s.io', resource: 'events', verb } };
}
