// What EventBridge Scheduler sends to the sweep function. The payload is zone53's own: the construct writes it into the
// schedule (infra/event-sources.ts), and it says which of the two regular tasks is due. A person may send the same by
// hand. The alarm on lost hints calls the function too, with CloudWatch's own payload: a sweep finds the changes that
// the lost hints were about.
//
//   { "zone53": "sweep" }                                every object and every hosted zone
//   { "zone53": "sweep", "hostedZoneId": "Z0123…" }      one hosted zone against Route 53
//   { "zone53": "measure" }                              ages and counts, for the dashboard and the alarms
import * as z from 'zod';

const payload = z.discriminatedUnion('zone53', [
  z.strictObject({ zone53: z.literal('sweep'), hostedZoneId: z.string().min(1).max(32).optional() }),
  z.strictObject({ zone53: z.literal('measure') }),
]);

/** The task that is due. */
export type Due = { readonly kind: 'sweep'; readonly hostedZoneId: string | null } | { readonly kind: 'measure' };

/** CloudWatch's payload of an alarm action ("Using Amazon CloudWatch alarms"). Last verified 2026-11-22. */
const alarm = z.object({
  source: z.literal('aws.cloudwatch'),
  alarmData: z.object({ state: z.object({ value: z.literal('ALARM') }) }),
});

/** True for an alarm's payload: something has just been missed, perhaps behind a sweep that is under way. */
export function isAlarm(value: unknown): boolean {
  return alarm.safeParse(value).success;
}

/** True for the payload of the schedule of sweeps. */
export function isRegularSweep(value: unknown): boolean {
  const parsed = payload.safeParse(value);
  return parsed.success && parsed.data.zone53 === 'sweep' && parsed.data.hostedZoneId === undefined;
}

/** Parses a schedule's payload, or an alarm's. Throws if it is neither. */
export function parseSchedule(value: unknown): Due {
  if (isAlarm(value)) return { kind: 'sweep', hostedZoneId: null };
  const parsed = payload.safeParse(value);
  if (!parsed.success) throw new Error(`Cannot parse scheduled event: ${z.prettifyError(parsed.error)}`);
  const due = parsed.data;
  return due.zone53 === 'sweep' ? { kind: 'sweep', hostedZoneId: due.hostedZoneId ?? null } : { kind: 'measure' };
}
