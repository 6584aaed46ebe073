// The key `events` of `zone53.yaml`: how a deployment notices changes before the next sweep.
//
//   events: { poll: 60, webhook: { front: url }, auditLog: true, validate: true, bus: true, drift: true }
import * as z from 'zod';
import { FEW, type WebhookScope } from '../../objects/source-settings.ts';
import { flag, namespaces } from './value-schemas.ts';

/** The problem with `events.validate` without a webhook whose senders show a secret. */
const VALIDATE_NEEDS_SECRET =
  'an API server can send a secret to a URL, but cannot sign with IAM: write webhook: { front: url }';

/** The shortest time between two polls, and what `poll: true` means: EventBridge Scheduler's rates are minutes. */
const POLL_SECONDS_MIN = 60;
const POLL_SECONDS = 'write true, false, or 60 or more seconds';

/** What lost events and hand edits left behind is to be repaired within a day. */
export const SWEEP_MINUTES_MAX = 1_440;
export const SWEEP_ONCE_A_DAY = `write ${SWEEP_MINUTES_MAX} minutes or less: a sweep repairs what events missed, at least once a day`;

const FRONTS = ['url', 'httpApi', 'alb', 'none'] as const;
const SENDERS = ['secret', 'iam'] as const;

/** What replaces a word that `webhook` had before it was a mapping. */
const WEBHOOK_WORDS: Readonly<Record<string, string>> = {
  secret: 'write webhook: { front: url }',
  iam: 'write webhook: { front: url, auth: iam }',
  none: 'remove the key',
};

const webhook = z
  .strictObject(
    {
      front: z
        .enum(FRONTS, 'write url, httpApi, alb or none')
        .nullish()
        .describe(
          'What receives the requests. url: a function URL; httpApi: an HTTP API of API Gateway; alb: a target group for a load balancer of yours; none: an endpoint of your own, which invokes the function ingest. Default url.',
        ),
      auth: z
        .enum(SENDERS, `write ${SENDERS.join(' or ')}`)
        .nullish()
        .describe(
          'How senders are known. secret: they show a secret; iam: they sign with IAM, which an API server cannot. Default secret.',
        ),
      kinds: z
        .enum(['few', 'all'], 'write few or all')
        .nullish()
        .describe(
          'The kinds that the webhook of a cluster tells of. few: not EndpointSlices, Pods and Nodes, which are written all day. Default few.',
        ),
      namespaces: namespaces
        .nullish()
        .describe(
          'The namespaces that it tells of. Default: those of the sources, or, where a source reads all, all but kube-system.',
        ),
    },
    { error: ({ input }) => WEBHOOK_WORDS[String(input)] ?? 'write a mapping, such as { front: url }' },
  )
  .describe('An endpoint for webhooks and CloudEvents. Left out: none. {} is enough.');

export const eventsSchema = z
  .strictObject(
    {
      poll: z
        .union([flag, z.int(POLL_SECONDS).min(POLL_SECONDS_MIN, POLL_SECONDS)], POLL_SECONDS)
        .nullish()
        .describe(
          'Ask the API server for changes, by a short watch of each kind: every so many seconds, rounded up to whole minutes. true: every minute. Default true.',
        ),
      auditLog: flag
        .nullish()
        .describe(
          'Read the EKS audit log, which must be on. It is the whole log: some 8.5 GB a day at 200 nodes, 128 dollars a month for CloudWatch. Default false.',
        ),
      webhook: webhook.nullish(),
      validate: flag
        .nullish()
        .describe(
          'Refuse invalid objects at `kubectl apply`. Needs a webhook whose senders show a secret. Default false.',
        ),
      bus: flag.nullish().describe('Create an EventBridge bus for change events. Default false.'),
      drift: flag
        .nullish()
        .describe(
          'Check a hosted zone when CloudTrail reports that somebody else changed it. Needs a trail. Default false.',
        ),
      sweepMinutes: z
        .int('write whole minutes')
        .min(1, 'write 1 or more')
        .max(SWEEP_MINUTES_MAX, SWEEP_ONCE_A_DAY)
        .nullish()
        .describe('Minutes between two sweeps. Default 15.'),
    },
    'write a mapping, such as { webhook: { front: url } }',
  )
  .describe('How a deployment notices changes before the next sweep.');

/** What receives the requests of a webhook. */
export type WebhookFront = (typeof FRONTS)[number];

/** How changes are noticed. `poll`: seconds, whole minutes of them; null: never. `webhook` null: there is none. */
export type EventSettings = {
  readonly poll: number | null;
  readonly auditLog: boolean;
  readonly webhook: ({ readonly front: WebhookFront; readonly auth: (typeof SENDERS)[number] } & WebhookScope) | null;
  readonly validate: boolean;
  readonly bus: boolean;
  readonly drift: boolean;
  readonly sweepMinutes: number;
};

type Written = z.output<typeof eventsSchema>;

export function buildEvents(written: Written | null | undefined): EventSettings {
  const { poll, auditLog, webhook: endpoint, validate, bus, drift, sweepMinutes } = written ?? {};
  return {
    poll: pollSeconds(poll ?? true),
    auditLog: auditLog ?? false,
    webhook:
      endpoint == null
        ? null
        : {
            front: endpoint.front ?? 'url',
            auth: endpoint.auth ?? 'secret',
            kinds: endpoint.kinds ?? FEW.kinds,
            namespaces: endpoint.namespaces ?? FEW.namespaces,
          },
    validate: validate ?? false,
    bus: bus ?? false,
    drift: drift ?? false,
    sweepMinutes: sweepMinutes ?? 15,
  };
}

function pollSeconds(written: boolean | number): number | null {
  if (written === false) return null;
  return written === true ? POLL_SECONDS_MIN : Math.ceil(written / 60) * 60;
}

/** Problems between keys that are valid one by one, by key. */
export function eventProblems(
  { auditLog, webhook, validate }: EventSettings,
  isEks: boolean,
): readonly { readonly key: string; readonly message: string }[] {
  const problems: { key: string; message: string }[] = [];
  if (auditLog && !isEks) {
    const message = 'only EKS writes its audit log to CloudWatch Logs: write webhook: { front: url } instead';
    problems.push({ key: 'auditLog', message });
  }
  if (webhook?.front === 'alb' && webhook.auth === 'iam') {
    const message = 'a load balancer does not check signatures of IAM: write front: url or httpApi, or auth: secret';
    problems.push({ key: 'webhook', message });
  }
  if (validate && webhook?.auth !== 'secret') {
    problems.push({ key: 'validate', message: VALIDATE_NEEDS_SECRET });
  }
  return problems;
}
