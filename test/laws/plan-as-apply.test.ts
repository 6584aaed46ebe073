// The law of plans: what `plan` says is what `apply` then does: the same changes, digests, held deletes, refusals,
// reasons and words, and nothing else in Route 53. For random small clusters and accounts, in any state. Where that
// is not so yet, known-differences.ts says why.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { KNOWN } from './known-differences.ts';
import { differences } from './plan-differences.ts';
import { anyScript, type Script, type Step } from './scripted-world.ts';

/** How often the law is tried; `ZONE53_LAW_RUNS` is a factor. Others than these worlds: another `ZONE53_LAW_SEED`. */
const RUNS = 300 * Number(process.env.ZONE53_LAW_RUNS ?? 1);
const TIMEOUT_MS = 240_000 * Number(process.env.ZONE53_LAW_RUNS ?? 1);
const SEEDS = process.env.ZONE53_LAW_SEED === undefined ? [53, 99] : [Number(process.env.ZONE53_LAW_SEED)];

const anyFinal = fc.record({ acknowledges: fc.boolean(), refreshes: fc.boolean() });

test.each(SEEDS.flatMap((seed) => [false, true].map((takesEqual) => ({ seed, takesEqual }))))(
  'apply does what plan says: seed $seed, takeover.equal $takesEqual',
  async ({ seed, takesEqual }) => {
    const law = fc.asyncProperty(anyScript(takesEqual), anyFinal, async (script, { acknowledges, refreshes }) => {
      const found = await differences(script, { acknowledges, refreshes: refreshes || script.touchesOurs });
      // A known difference may have consequences: one change more or less may hold others.
      fc.pre(!found.some((line) => KNOWN.some(({ isIt }) => isIt.test(line))));
      expect(found).toEqual([]);
    });
    await fc.assert(law, { numRuns: RUNS, seed });
  },
  TIMEOUT_MS,
);

test.each(KNOWN)('is not kept yet: $name', async ({ script, final, isIt }) => {
  const found = await differences(script, final);
  expect(found.filter((line) => isIt.test(line))).not.toEqual([]);
});

const APPLY: Step = { does: 'apply', acknowledges: false, dies: null };

/** Worlds in which the law was broken once. */
test.each<[string, Partial<Script>]>([
  [
    'a record set that stays refused because of a neighbour does not count as one that comes',
    {
      steps: [
        { does: 'declare', name: 'a', kind: 'weighted' },
        { does: 'meddle', name: 'd', what: 'equal' },
        { does: 'declare', name: 'd', kind: 'one' },
        { does: 'declare', name: 'w.s', kind: 'one' },
        APPLY,
        { does: 'declare', name: 'a', kind: 'nothing' },
        { does: 'declare', name: 'w.s', kind: 'nothing' },
      ],
    },
  ],
  [
    'what external-dns put in place of ours is taken over with its TXT record',
    {
      hasRegistry: true,
      touchesOurs: true,
      steps: [
        { does: 'declare', name: 'c', kind: 'cname' },
        APPLY,
        { does: 'meddle', name: 'c', what: 'cname' },
        { does: 'note', name: 'c', owner: 'prod' },
        { does: 'takeover', on: true },
      ],
    },
  ],
  [
    'a deletion that somebody undid does not count, if what stands there is taken over',
    {
      touchesOurs: true,
      steps: [
        { does: 'declare', name: 'd', kind: 'text' },
        APPLY,
        { does: 'declare', name: 'd', kind: 'both' },
        APPLY,
        { does: 'meddle', name: 'd', what: 'text' },
        { does: 'takeover', on: true },
        { does: 'declare', name: 'd', kind: 'text' },
      ],
    },
  ],
  [
    'what is tied to something that was changed by hand waits for it',
    {
      touchesOurs: true,
      steps: [
        { does: 'declare', name: 'c', kind: 'cname' },
        APPLY,
        { does: 'meddle', name: 'c', what: 'cname' },
        { does: 'declare', name: 'c', kind: 'a' },
        APPLY,
      ],
    },
  ],
  [
    'what was changed by hand and was refused with others is not tried alone',
    {
      touchesOurs: true,
      steps: [
        { does: 'declare', name: 'c', kind: 'cname' },
        APPLY,
        { does: 'meddle', name: 'c', what: 'cname' },
        { does: 'declare', name: 'c', kind: 'weighted' },
        APPLY,
        { does: 'declare', name: 'c', kind: 'nothing' },
      ],
    },
  ],
  [
    'what is tied to something that was changed by hand waits for it, whatever else is in the way',
    {
      touchesOurs: true,
      steps: [
        { does: 'meddle', name: 'a', what: 'text' },
        { does: 'declare', name: 'a', kind: 'a' },
        APPLY,
        { does: 'meddle', name: 'a', what: 'other' },
        { does: 'declare', name: 'a', kind: 'cname' },
      ],
    },
  ],
  [
    'what already is as wanted is adopted, and what differs stays',
    {
      takesEqual: true,
      steps: [
        { does: 'meddle', name: 'a', what: 'equal' },
        { does: 'meddle', name: 'b', what: 'other' },
        { does: 'declare', name: 'a', kind: 'both' },
        { does: 'declare', name: 'b', kind: 'a' },
        { does: 'meddle', name: 'd', what: 'equal' },
        { does: 'declare', name: 'd', kind: 'a' },
      ],
    },
  ],
])('apply does what plan says: %s', async (_, told) => {
  const script = { isStrict: false, hasRegistry: false, takesEqual: false, touchesOurs: false, steps: [], ...told };
  expect(await differences(script, { acknowledges: false, refreshes: script.touchesOurs })).toEqual([]);
});
