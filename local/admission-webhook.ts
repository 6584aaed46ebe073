// The admission webhook on this machine: an API server sends every change here before it stores it. With `judge`, the
// webhook refuses changes that the rules refuse; without it, every change is allowed at once. A hint carries the
// version before the change, so that reconcile reads the object again until the change is stored.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { stringify } from 'yaml';
import { buildAdmissionAnswer, JUDGE_MS_MAX, parseAdmissionReview } from '../events/admission-review.ts';
import { checkHints } from '../events/object-hints.ts';
import { inTime } from '../lib/adapters/system/with-deadline.ts';
import type { Kind } from '../lib/objects/kind.ts';
import { errorMessage } from '../lib/objects/plain.ts';
import { FEW } from '../lib/objects/source-settings.ts';
import type { Clock } from '../lib/ports/clock.ts';
import type { Hint } from '../lib/ports/queues.ts';
import type { AdmissionSubject } from '../lib/report/validate-admission.ts';
import { namespaceSelector, sourcesWebhook, WEBHOOK_TIMEOUT_SECONDS } from '../lib/sources/cluster-needs.ts';
import { KINDS } from '../lib/sources/source.ts';
import { close, listen, readBody } from './http-server.ts';
import { selfSigned } from './self-signed-certificate.ts';

/** How to serve it. */
export type WebhookOptions = {
  /** The port; 0 takes any free one. */
  readonly port: number;
  /**
   * The name or IPv4 address by which the API server reaches this machine. Any other than 127.0.0.1 opens the port to
   * the network, so the path then ends in a secret, which is only in the configuration.
   */
  readonly host: string;
  readonly clock: Clock;
  /** The kinds of objects that are read; default: Zone and Record. */
  readonly objects?: readonly Kind[];
  readonly onHints: (hints: readonly Hint[]) => void;
  /**
   * Returns the message with which a change is refused, or null to allow it. When it fails or takes too long, the
   * change is allowed. Without it (null), every change is allowed.
   */
  readonly judge: ((subject: AdmissionSubject, isLate: () => boolean) => Promise<string | null>) | null;
};

export type Webhook = {
  readonly url: string;
  /** The ValidatingWebhookConfiguration that makes an API server call this webhook, YAML. */
  readonly configuration: string;
  close(): Promise<void>;
};

const PATH = '/admission';
const SECRET_OCTETS = 24;
/** An AdmissionReview has an object twice, and etcd stores at most 1.5 MiB of one. */
const BODY_OCTETS_MAX = 8 * 1024 * 1024;

/** Serves the webhook. Throws when the port is taken. */
export async function startWebhook(options: WebhookOptions): Promise<Webhook> {
  const { host, clock } = options;
  const { cert, key } = selfSigned(host, clock.nowMs());
  const isHere = host === '127.0.0.1' || host === 'localhost';
  const path = isHere ? PATH : `${PATH}/${randomBytes(SECRET_OCTETS).toString('base64url')}`;
  const server = createServer({ cert, key }, (request, response) => {
    void answer(request, path, options).then(({ status, body }) => send(response, status, body));
  });
  const port = await listen(server, 'the webhook', options.port, isHere ? '127.0.0.1' : '0.0.0.0');
  const url = `https://${host}:${port}${path}`;
  return {
    url,
    configuration: stringify(webhookConfiguration(url, cert, options.objects ?? KINDS), { lineWidth: 0 }),
    close: () => close(server),
  };
}

type Answer = { readonly status: number; readonly body: object };

async function answer(
  request: IncomingMessage,
  path: string,
  { clock, onHints, judge, objects = KINDS }: WebhookOptions,
): Promise<Answer> {
  if (request.method !== 'POST' || !isSame(request.url?.split('?')[0] ?? '', path)) {
    const remedy =
      path === PATH ? `this is POST ${PATH}` : 'apply the configuration that zone53 local wrote at its start';
    return { status: 404, body: { message: `Cannot serve ${request.method} ${PATH}: ${remedy}` } };
  }
  try {
    const lateMs = clock.nowMs() + JUDGE_MS_MAX;
    const isLate = () => clock.nowMs() > lateMs;
    const { uid, hints, subject } = parseAdmissionReview(objects, JSON.parse(await readText(request)), clock.nowMs());
    const refusal =
      judge === null || subject === null
        ? null
        : await inTime(judge(subject, isLate), JUDGE_MS_MAX, null).catch(() => null);
    const { hints: possible } = checkHints(hints);
    if (refusal === null && possible.length > 0) onHints(possible);
    return { status: 200, body: buildAdmissionAnswer(uid, refusal) };
  } catch (error) {
    const status = error instanceof BodyTooLargeError ? 413 : 400;
    return { status, body: { message: errorMessage(error) } };
  }
}

/** Compares in constant time, as a part of the path may be a secret. */
function isSame(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text, 'utf8').digest();
  return timingSafeEqual(digest(a), digest(b));
}

class BodyTooLargeError extends Error {}

async function readText(request: IncomingMessage): Promise<string> {
  const body = await readBody(request, BODY_OCTETS_MAX);
  if (typeof body !== 'number') return body.toString('utf8');
  throw new BodyTooLargeError(`Cannot read the request: it has more than ${BODY_OCTETS_MAX} octets`);
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** crds/examples/admission-webhook.yaml, with this address; a test keeps the two the same. */
function webhookConfiguration(url: string, cert: string, objects: readonly Kind[]): object {
  const clientConfig = { url, caBundle: Buffer.from(cert).toString('base64') };
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'zone53-local' },
    webhooks: [
      {
        name: 'hints.zone53.dev',
        admissionReviewVersions: ['v1'],
        sideEffects: 'NoneOnDryRun',
        failurePolicy: 'Ignore',
        timeoutSeconds: WEBHOOK_TIMEOUT_SECONDS,
        clientConfig,
        namespaceSelector: namespaceSelector(FEW),
        rules: [
          {
            apiGroups: ['kubi.zone'],
            apiVersions: ['v1alpha1'],
            operations: ['CREATE', 'UPDATE', 'DELETE'],
            resources: ['zones', 'records'],
            scope: 'Namespaced',
          },
        ],
        matchConditions: [
          { name: 'not-our-own-label', expression: "!('zone53' in request.userInfo.groups)" },
          {
            name: 'something-changed',
            expression: [
              "request.operation != 'UPDATE' || object.spec != oldObject.spec",
              '|| object.metadata.?annotations != oldObject.metadata.?annotations',
              '|| object.metadata.?labels != oldObject.metadata.?labels',
              '|| has(object.metadata.deletionTimestamp) != has(oldObject.metadata.deletionTimestamp)',
              '|| object.metadata.?finalizers != oldObject.metadata.?finalizers',
            ].join(' '),
          },
        ],
      },
      ...sourcesWebhook(objects, clientConfig, { ...FEW, kinds: 'all' }),
    ],
  };
}
