// The keys `alarms` and `observability` of `zone53.yaml`, which only the stack needs: whom an alarm tells, from which
// number on, and how much is measured.
import * as z from 'zod';

/** What the number of each alarm counts, and from which on it rings. Null: it depends on other keys. */
export const THRESHOLDS = {
  OldestMessage: { of: 'Seconds that the oldest message of a queue has waited', usual: 1_200 },
  DeadLetters: { of: 'Messages that were given up', usual: 1 },
  SweepAge: { of: 'Seconds since the last whole sweep began', usual: null },
  Unreadable: { of: 'Times that the configuration or the cluster could not be read', usual: 1 },
  Errors: { of: 'Invocations of a function that failed', usual: 1 },
  Throttles: { of: 'Invocations of a function that Lambda throttled', usual: 10 },
  OldestDirty: { of: 'Seconds that the oldest change has waited', usual: 900 },
  OldestUnsettled: { of: 'Seconds for which sweeps have found an object unsettled', usual: 1_200 },
  HeldDeletes: { of: 'Deletes that the guard holds', usual: 1 },
  Refusals: { of: 'Record sets newly refused or held', usual: 1 },
  Throttled: { of: 'Calls that Route 53 throttled', usual: 10 },
  EventsRefused: { of: 'Events that cannot be read, or from unknown senders', usual: 100 },
  MessagesFailed: { of: 'Messages that failed and came back', usual: 10 },
  HintsLost: { of: 'Calls of a webhook whose hint may be lost', usual: 1 },
  WritesUnjudged: { of: 'Writes stored without a verdict', usual: 10 },
  IntentsFailed: { of: 'Answers 5xx of the intent API', usual: 1 },
} as const satisfies Readonly<Record<string, { readonly of: string; readonly usual: number | null }>>;

export type AlarmName = keyof typeof THRESHOLDS;
export type Thresholds = Readonly<Partial<Record<AlarmName, number | false>>>;

const TOPIC_ARN = /^arn:[\w-]+:sns:([\w-]+):\d{12}:\S+$/;
const WANTED_TOPIC = 'write the ARN of an SNS topic, such as arn:aws:sns:eu-west-1:111122223333:alarms';
const topic = z.string(WANTED_TOPIC).regex(TOPIC_ARN, WANTED_TOPIC);

const WANTED_NUMBER = 'write a number from 0 on, or false for no alarm';
const threshold = z.union([z.number(WANTED_NUMBER).min(0, WANTED_NUMBER), z.literal(false)], WANTED_NUMBER);
const thresholds = Object.fromEntries(
  Object.entries(THRESHOLDS).map(([name, { of, usual }]) => [
    name,
    threshold.nullish().describe(`${of}. Default: ${usual ?? 'three times `sweepMinutes`'}.`),
  ]),
);

/** The key `alarms`. */
export const alarmsSchema = z.strictObject(
  {
    page: topic.nullish().describe('The SNS topic of alarms that somebody must look at now. Default: `notify`.'),
    notify: topic.nullish().describe('The SNS topic of alarms that can wait. Default: they notify nobody.'),
    runbook: z
      .url({ protocol: /^https?$/, error: 'write a URL, such as https://wiki.example.org/zone53' })
      .nullish()
      .describe('The address of docs/runbook.md in the descriptions of alarms. Default: that of this version.'),
    thresholds: z
      .strictObject(thresholds, 'write a mapping, such as { Refusals: 20, OldestDirty: false }')
      .nullish()
      .describe('The number from which on each alarm rings; false: there is no such alarm.'),
  },
  'write a mapping, such as { page: arn:aws:sns:…, notify: arn:aws:sns:… }',
);

/** The key `observability`. */
export const observabilitySchema = z.enum(['full', 'lean'], 'write full or lean');

/** The keys as a valid file has them. */
export type AlarmSettings = {
  readonly page?: string;
  readonly notify?: string;
  readonly runbook?: string;
  readonly thresholds?: Thresholds;
};

/** Problems of valid topics in a stack of this region, each with its key. */
export function topicProblems(
  { page, notify }: AlarmSettings,
  region: string,
): readonly { readonly key: string; readonly message: string }[] {
  return Object.entries({ page, notify }).flatMap(([key, arn]) => {
    const other = TOPIC_ARN.exec(arn ?? '')?.[1] ?? region;
    if (other === region) return [];
    const message = `the topic is in ${other}, and alarms can notify only topics of their own region, ${region}: write the ARN of one there`;
    return [{ key, message }];
  });
}
