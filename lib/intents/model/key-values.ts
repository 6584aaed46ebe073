// Key-value pairs of a logical cloud or a cluster. The pair `dns-update-record-list` names the DNS Update Records that
// services there use.
import * as z from 'zod';
import { type Metadata, metadata, oneSpelling } from './names.ts';

/** The pair that lists DNS Update Records. Other pairs are stored and have no effect. */
export const RECORD_LIST = 'dns-update-record-list';

const ONE_KEY = 'write a mapping with one key, such as { "key1": "dns-update-record-1" }';
const value = z.string('write a text').max(128, 'write at most 128 characters');

/** Refuses a key that zod would leave out of the mapping without a word. */
function withoutProto<S extends z.ZodType>(schema: S) {
  return z.preprocess((pair, context) => {
    if (typeof pair === 'object' && pair !== null && Object.hasOwn(pair, '__proto__'))
      context.addIssue({ code: 'custom', path: ['__proto__'], message: 'write another key' });
    return pair;
  }, schema);
}

export const keyValueBody = z.strictObject(
  {
    metadata,
    spec: z.strictObject(
      {
        kv: z
          .array(
            withoutProto(
              z
                .record(z.string().max(128, 'write at most 128 characters'), value, ONE_KEY)
                .refine((pair) => Object.keys(pair).length === 1, ONE_KEY)
                .meta({ minProperties: 1, maxProperties: 1 }),
            ),
            `write a list: ${ONE_KEY}`,
          )
          .max(10_000, 'write at most 10,000 pairs'),
      },
      'write a mapping with kv',
    ),
  },
  'write a mapping with metadata and spec',
);

export type KeyValues = {
  readonly metadata: Metadata;
  readonly kv: readonly Readonly<Record<string, string>>[];
};

export function buildKeyValues({ metadata: written, spec }: z.output<typeof keyValueBody>): KeyValues {
  return { metadata: oneSpelling(written), kv: spec.kv };
}

/** The records that a pair lists, each once, in alphabetical order. */
export function recordsIn(pair: KeyValues | null): readonly string[] {
  if (pair === null || pair.metadata.name !== RECORD_LIST) return [];
  return [...new Set(pair.kv.flatMap((one) => Object.values(one)))].sort();
}

/** The value of a key, from the first mapping that has it. */
export function valueAt(pair: KeyValues, key: string): string | undefined {
  return pair.kv.find((one) => Object.hasOwn(one, key))?.[key];
}
