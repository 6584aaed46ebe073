// Turns every event into hints; nothing else in it is trusted. An event that is not HTTP was sent by AWS itself, with
// IAM's permission: log batches and bus events. Nobody waits for an answer to these; one that cannot be read is counted
// and dropped. An event without a correlation id gets one here.

import { parseCloudwatchLogs } from '../../events/cloudwatch-logs.ts';
import { parseBusEvent } from '../../events/event-bridge.ts';
import { checkHints } from '../../events/object-hints.ts';
import type { Kind } from '../../lib/objects/kind.ts';
import type { Clock } from '../../lib/ports/clock.ts';
import type { Log } from '../../lib/ports/log.ts';
import { type CauseKind, type Hint, type Queues, withoutUser } from '../../lib/ports/queues.ts';
import { KINDS } from '../../lib/sources/source.ts';
import { type HttpAnswer, isHttp } from '../runtime/http-event.ts';
import { aboutOf, shortReason, tagsOf } from '../runtime/messages.ts';
import type { Meter } from '../runtime/meter.ts';
import { answerHttp } from './answer-http.ts';
import { refuseEvents } from './refuse-event.ts';

/** An older event is a replay, or its clock is wrong. Its time is left out of the latency figure. */
const EVENT_AGE_MS_MAX = 24 * 3_600_000;

const ENDPOINTS = ['admission', 'audit', 'events'] as const;

export type IngestDeps = {
  readonly queues: Pick<Queues, 'hint'>;
  /** The kinds of objects that are read; default: Zone and Record. */
  readonly objects?: readonly Kind[];
  /** The history names users (`history.users`); default: it does not. */
  readonly users?: boolean;
  /** As those of HttpDeps. */
  readonly secrets: (cluster: string | null) => Promise<readonly string[]>;
  readonly clock: Clock;
  /** Makes an id that no other event has. */
  readonly newId: () => string;
  readonly meter: Meter;
  readonly log: Log;
  /** Adds fields to every log line of this invocation from now on. */
  readonly tag: (fields: Readonly<Record<string, unknown>>) => void;
};

/** The handler of the ingest function. Throws when the hints could not be queued: the sender tries again. */
export function handleIngest(deps: IngestDeps) {
  const { clock, meter, log, tag, objects = KINDS } = deps;
  const refuse = refuseEvents(deps);
  const accept = async (read: readonly Hint[], unreadable: readonly string[]) => {
    const { hints: named, problems: impossible } = checkHints(read);
    const problems = [...unreadable, ...impossible];
    if (problems.length > 0) refuse(problems);
    const madeId = deps.newId();
    const hints = named.map((hint) => withCause(deps.users === true ? hint : withoutUser(hint), clock.nowMs(), madeId));
    const messages = hints.map((hint) => ({ kind: 'hint', hint }) as const);
    tag(tagsOf(messages));
    meter('Hints', hints.length);
    await deps.queues.hint(hints);
    if (hints.length > 0) log('info', 'hints queued', { hints: hints.length, ...aboutOf(messages) });
  };
  const nowMs = () => clock.nowMs();
  return async (event: unknown): Promise<HttpAnswer | undefined> => {
    const http = {
      kinds: ENDPOINTS,
      objects,
      secrets: deps.secrets,
      accept,
      refuse: (reason: string) => refuse([reason]),
      lost: () => meter('HintsLost', 1),
      nowMs,
    };
    if (isHttp(event)) return answerHttp(http, event);
    const read = readEvent(objects, event, nowMs());
    if (read === null) refuse(['neither HTTP, nor a log batch, nor an event of a bus']);
    else await accept(read.hints, read.problems);
    return undefined;
  };
}

/** The handler of events of no cluster of the configuration: their sender is not known. */
export function refuseUnknown(
  deps: Pick<IngestDeps, 'clock' | 'meter' | 'log'>,
  lost: 'HintsLost' | 'WritesUnjudged' = 'HintsLost',
) {
  const refuse = refuseEvents(deps);
  const http = {
    ...{ kinds: [], secrets: async () => [], accept: async () => {}, nowMs: () => deps.clock.nowMs() },
    refuse: (reason: string) => refuse([reason]),
    lost: () => deps.meter(lost, 1),
  };
  return async (event: unknown): Promise<HttpAnswer | undefined> => {
    if (isHttp(event)) return answerHttp(http, event);
    refuse(['the event is of no cluster of the configuration: detail.cluster names one']);
    return undefined;
  };
}

/** The hint with a correlation id, and with its time if that can be right. */
function withCause({ atMs, correlationId = '', ...hint }: Hint, nowMs: number, madeId: string): Hint {
  const known = atMs !== undefined && atMs > nowMs - EVENT_AGE_MS_MAX;
  return { ...hint, ...(known ? { atMs: Math.min(atMs, nowMs) } : {}), correlationId: correlationId || madeId };
}

function learned({ hints, problems }: Read, via: CauseKind): Read {
  return { hints: hints.map((hint) => ({ ...hint, via })), problems };
}

type Read = { readonly hints: readonly Hint[]; readonly problems: readonly string[] };

function readEvent(objects: readonly Kind[], event: unknown, nowMs: number): Read | null {
  try {
    if (typeof event !== 'object' || event === null) return null;
    if ('awslogs' in event) return learned(parseCloudwatchLogs(objects, event), 'audit');
    return 'detail-type' in event ? learned(parseBusEvent(objects, event, nowMs), 'watch') : null;
  } catch (error) {
    return { hints: [], problems: [shortReason(error)] };
  }
}
