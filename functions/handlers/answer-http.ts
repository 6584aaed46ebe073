// The endpoint: three kinds of event by POST. Whatever the answer, an API server sends an admission review once, and
// drops an audit batch that was refused five times. So a refusal of either counts as lost hints.
//
//   POST /admission[/SECRET]   AdmissionReview       200 with the answer, which lets pass unless there is a judge
//   POST /audit[/SECRET]       audit EventList       200
//   POST /events[/SECRET]      CloudEvents           202
//   the same behind /clusters/ID, with the secret of that cluster
//   cannot be read             400
//   sender not known           401
//   another path, or method    404, 405
//   too large, over 1,000 events  413
//   the queue does not answer  500 by throwing: the sender tries again, or the sweep finds it

import { buildAdmissionAnswer, parseAdmissionReview } from '../../events/admission-review.ts';
import { parseAuditEventList } from '../../events/audit-event-list.ts';
import { parseCloudEvents } from '../../events/cloud-event.ts';
import { correlationOf, TooManyEventsError } from '../../events/object-hints.ts';
import type { Kind } from '../../lib/objects/kind.ts';
import type { CauseKind, Hint } from '../../lib/ports/queues.ts';
import type { AdmissionSubject } from '../../lib/report/validate-admission.ts';
import { KINDS } from '../../lib/sources/source.ts';
import { type HttpAnswer, httpEvent, pathOfCluster } from '../runtime/http-event.ts';
import { shortReason } from '../runtime/messages.ts';
import { isKnownSender, isSecret } from '../runtime/sender.ts';
import { UNKNOWN_SENDER } from './refuse-event.ts';

/**
 * How the user agents of an API server's webhooks begin; that of the audit webhook is Go's own. Anybody can send these,
 * so nothing is allowed because of them. Last verified 2026-11-27 (Kubernetes 1.36).
 */
const API_SERVER: ReadonlyMap<string, string> = new Map([
  ['admission', 'kube-apiserver'],
  ['audit', 'Go-http-client'],
]);
/** The largest body that is read: more than an API server sends in one request. Lambda itself takes 6 MB. */
const BODY_OCTETS_MAX = 5 * 1024 * 1024;

export type HttpDeps = {
  /** The secrets of those who send to this path: of a cluster, or of the only one where the path names none (null). */
  readonly secrets: (cluster: string | null) => Promise<readonly string[]>;
  readonly accept: (hints: readonly Hint[], problems: readonly string[]) => Promise<void>;
  readonly refuse: (reason: string) => void;
  /** Called when a request of an API server is refused: it will not send it again, or not often enough. */
  readonly lost?: () => void;
  readonly nowMs: () => number;
  /** The paths that are served. */
  readonly kinds: readonly EventKind[];
  /** The kinds of objects that are read; default: Zone and Record. */
  readonly objects?: readonly Kind[];
  /** The message that refuses a write; null lets it pass. Never throws. Without a judge every write passes. */
  readonly judge?: (subject: AdmissionSubject) => Promise<string | null>;
};

type EventKind = 'admission' | 'audit' | 'events';

/** What the history calls them. Whoever sends CloudEvents about objects watches the API server. */
const VIA: Readonly<Record<EventKind, CauseKind>> = { admission: 'webhook', audit: 'audit', events: 'watch' };

/** Answers one request. Throws when the hints could not be queued. */
export async function answerHttp(deps: HttpDeps, event: unknown): Promise<HttpAnswer> {
  const { method, path, headers, body, isBase64Encoded, iam } = httpEvent.parse(event);
  const { cluster, rest } = pathOfCluster(path);
  const [, kind = '', ...segments] = rest.split('/');
  const secrets = () => deps.secrets(cluster);
  const inPath = await isSecret(segments.join('/'), secrets);
  if (!inPath && !(await isKnownSender({ iam, authorization: headers.authorization }, secrets))) {
    deps.refuse(UNKNOWN_SENDER);
    const agent = API_SERVER.get(kind);
    if (agent !== undefined && headers['user-agent']?.startsWith(agent) === true) deps.lost?.();
    return json(401, { error: 'the sender is not known' });
  }
  if (!isServed(deps, kind) || (segments.length > 1 && !inPath)) return refused(deps, 404, 'no such path');
  if (method !== 'POST') return refused(deps, 405, 'POST only');
  const octets = isBase64Encoded ? Math.floor((body.length / 4) * 3) : Buffer.byteLength(body);
  if (octets > BODY_OCTETS_MAX) return unread(deps, kind, 413, `${BODY_OCTETS_MAX} octets at most`);
  // Without a byte order mark, which JSON may have (RFC 8259, 8.1).
  const text = new TextDecoder().decode(Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'));
  const read = readEvent(kind, deps.objects ?? KINDS, headers, text, deps.nowMs());
  if (!read.ok) return unread(deps, kind, read.status, read.reason);
  const hints = read.hints.map((hint) => ({ ...hint, via: VIA[kind] }));
  await deps.accept(hints, read.problems);
  const { subject, answer } = read;
  return answer(subject === null || deps.judge === undefined ? null : await deps.judge(subject));
}

function isServed({ kinds }: HttpDeps, kind: string): kind is EventKind {
  return kinds.some((served) => served === kind);
}

type Read =
  | {
      readonly ok: true;
      readonly hints: readonly Hint[];
      readonly problems: readonly string[];
      /** What the judge is asked about. */
      readonly subject: AdmissionSubject | null;
      readonly answer: (refusal: string | null) => HttpAnswer;
    }
  | { readonly ok: false; readonly status: 400 | 413; readonly reason: string };

function readEvent(
  kind: EventKind,
  objects: readonly Kind[],
  headers: Readonly<Record<string, string | undefined>>,
  body: string,
  nowMs: number,
): Read {
  try {
    if (kind === 'admission') {
      const { uid, hints: read, subject } = parseAdmissionReview(objects, JSON.parse(body), nowMs);
      // The API server's own id for the request: its log has it too.
      const hints = read.map((hint) => ({ ...hint, ...correlationOf(uid) }));
      const answer = (refusal: string | null) => json(200, buildAdmissionAnswer(uid, refusal));
      return { ok: true, hints, problems: [], subject, answer };
    }
    const [read, answer] =
      kind === 'audit'
        ? [parseAuditEventList(objects, JSON.parse(body)), json(200, {})]
        : [parseCloudEvents(objects, { headers, body }, nowMs), { statusCode: 202, body: '' }];
    return { ok: true, ...read, subject: null, answer: () => answer };
  } catch (error) {
    return { ok: false, status: error instanceof TooManyEventsError ? 413 : 400, reason: shortReason(error) };
  }
}

/** Refuses what a known sender sent. */
function unread(deps: HttpDeps, kind: EventKind, statusCode: number, reason: string): HttpAnswer {
  if (API_SERVER.has(kind)) deps.lost?.();
  return refused(deps, statusCode, reason);
}

function refused(deps: HttpDeps, statusCode: number, reason: string): HttpAnswer {
  deps.refuse(`${statusCode}: ${reason}`);
  return json(statusCode, { error: reason });
}

function json(statusCode: number, body: object): HttpAnswer {
  return { statusCode, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}
