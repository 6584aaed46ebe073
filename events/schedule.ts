// What EventBridge Scheduler sends to the sweep function. The payload is ours: the construct writes it into the
// schedule (infra/event-sources.ts) and it says which of the two regular tasks is due. A person may send the same by
// hand. The alarm on lost hints calls the function too, in CloudWatch's own words: a sweep finds what they would have
// told.
//
//   { "zone53": "sweep" }                                every object and every hosted zone
//   { "zone53": "sweep", "hostedZoneId": "Z0123…" }      one hosted zone against Route 53
//   { "zone53": "measure" }                              ages and counts, for the dashboard and the alarms
import * as z from 'zod';

const payload = z.discriminatedUnion('zone53', [
  z.strictObject({ zone53: z.literal('sweep'), hostedZoneId: z.string().min(1).max(32).optional() }),
  z.strictObject({ zone53: z.literal('measure') }),
]);

/** What is due. */
export type Due = { readonly kind: 'sweep'; readonly hostedZoneId: string | null } | { readonly kind: 'measure' };

/**
 * What CloudWatch sends for an alarm action (User Guide, "Using Amazon CloudWatch alarms"). Last verified 2026-11-22.
 */
const alarm = z.object({
  source: z.literal('aws.cloudwatch'),
  alarmData: z.object({ state: z.object({ value: z.literal('ALARM') }) }),
});

/** Parses a schedule's payload, or an alarm's. Throws when it is neither. */
export function parseSchedule(value: unknown): Due {
  if (alarm.safeParse(value).success) return { kind: 'sweep', hostedZoneId: null };
  const parsed = payload.safeParse(value);
  if (!parsed.success) throw new Error(`Cannot parse scheduled event: ${z.prettifyError(parsed.error)}`);
  const due = parsed.data;
  return due.zone53 === 'sweep' ? { kind: 'sweep', hostedZoneId: due.hostedZoneId ?? null } : { kind: 'measure' };
}
