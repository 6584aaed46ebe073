// EventBridge events: those of our own bus, whose detail is a CloudEvent in structured form or a bare reference to an
// object, and those of CloudTrail about Route 53, which AWS delivers only in us-east-1:
//
//   ChangeResourceRecordSets, DeleteHostedZone   drift: look at that hosted zone
//   the same, by our own publisher               nothing: zone53 would react to itself. With a role of intents, others
//                                                may use it too: then the name of the session tells
//   the same, so large that CloudTrail left out  drift: look at every hosted zone
//   its parameters
//   a call that failed, and everything else      nothing
//
// AWS advises against reconstructing a hosted zone from CloudTrail. So zone53 uses only the id of the hosted zone.
import * as z from 'zod';
import type { Kind } from '../lib/objects/kind.ts';
import { ROLE_SESSION } from '../lib/ports/hosted-zones.ts';
import { type ParsedEvents, parseCloudEvent, targetsOf } from './cloud-event.ts';
import { correlationOf } from './object-hints.ts';

const envelope = z.object({
  id: z.string().nullish(),
  source: z.string().min(1),
  'detail-type': z.string().min(1),
  time: z.string().nullish(),
  detail: z.unknown(),
});

const call = z.object({
  eventName: z.string(),
  eventTime: z.string().nullish(),
  errorCode: z.string().nullish(),
  userIdentity: z
    .object({
      arn: z.string().nullish(),
      sessionContext: z.object({ sessionIssuer: z.object({ arn: z.string().nullish() }).nullish() }).nullish(),
    })
    .nullish(),
  requestParameters: z
    .object({
      hostedZoneId: z.string().nullish(),
      id: z.string().nullish(),
      omitted: z.union([z.boolean(), z.string()]).nullish(),
    })
    .nullish(),
});

/**
 * Somebody else changed a hosted zone. `hostedZoneId` null: CloudTrail does not say which. It leaves out the parameters
 * of a call if they exceed 100 KB, as with several hundred record sets ("CloudTrail record contents"). Last verified
 * 2026-11-26. `by`: who, for the log; `correlationId`: the event's own, if it has one.
 */
export type Drift = {
  readonly hostedZoneId: string | null;
  readonly atMs: number;
  readonly by: string | null;
  readonly correlationId?: string;
};

const WATCHED: ReadonlySet<string> = new Set(['ChangeResourceRecordSets', 'DeleteHostedZone']);
const HOSTED_ZONE_ID = /^(?:\/?hostedzone\/)?([A-Za-z0-9]{1,32})$/;

/** True for CloudTrail's events of Route 53. */
export function isRoute53Call(value: unknown): boolean {
  const parsed = envelope.safeParse(value);
  return parsed.success && parsed.data.source === 'aws.route53';
}

/** Parses an event of our own bus. Throws if it is not an EventBridge event. */
export function parseBusEvent(kinds: readonly Kind[], value: unknown, nowMs: number): ParsedEvents {
  const parsed = envelope.safeParse(value);
  if (!parsed.success) throw new Error(`Cannot parse EventBridge event: ${z.prettifyError(parsed.error)}`);
  const { id, detail, time } = parsed.data;
  if (typeof detail === 'object' && detail !== null && 'specversion' in detail)
    return parseCloudEvent(kinds, detail, nowMs);
  const atMs = Date.parse(time ?? '');
  const more = { atMs: Number.isNaN(atMs) ? nowMs : atMs, ...correlationOf(id) };
  return { hints: targetsOf(kinds, detail).map((target) => ({ ...target, ...more })), problems: [] };
}

/**
 * Parses CloudTrail's event of a Route 53 call; null if the call is not drift. `ownRoles`: ARNs of zone53's roles.
 * `assumedRoles`: ARNs of roles that zone53 uses in sessions of its own. Throws if it is not such an event.
 */
export function parseRoute53Call(
  value: unknown,
  ownRoles: readonly string[],
  nowMs: number,
  assumedRoles: readonly string[] = [],
): Drift | null {
  const parsed = envelope.extend({ detail: call }).safeParse(value);
  if (!parsed.success) throw new Error(`Cannot parse CloudTrail event: ${z.prettifyError(parsed.error)}`);
  const { id, detail } = parsed.data;
  const { eventName, eventTime, errorCode, userIdentity, requestParameters } = detail;
  if (!WATCHED.has(eventName) || (errorCode ?? '') !== '') return null;
  const issuer = userIdentity?.sessionContext?.sessionIssuer?.arn ?? null;
  if (issuer !== null && ownRoles.includes(issuer)) return null;
  const isOwnSession = userIdentity?.arn?.endsWith(`/${ROLE_SESSION}`) === true;
  if (issuer !== null && isOwnSession && assumedRoles.includes(issuer)) return null;
  const written = requestParameters?.hostedZoneId ?? requestParameters?.id ?? '';
  const hostedZoneId = HOSTED_ZONE_ID.exec(written)?.[1] ?? null;
  if (hostedZoneId === null && `${requestParameters?.omitted}` !== 'true') {
    throw new Error(`Cannot parse CloudTrail event: it names no hosted zone but ${JSON.stringify(written)}`);
  }
  const atMs = Date.parse(eventTime ?? '');
  const by = userIdentity?.arn ?? issuer;
  return { hostedZoneId, atMs: Number.isNaN(atMs) ? nowMs : atMs, by, ...correlationOf(id) };
}
