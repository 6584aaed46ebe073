import { stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { smallDigest as digest, smallPlan as plan } from '../../test/support/output-samples.ts';
import { testFolder } from '../../test/support/test-folder.ts';
import type { PlanOutput } from '../print/output.ts';
import { UsageError } from '../print/usage-error.ts';
import { matchReviewed, type Reviewed, readReviewed, writePlanFile } from './reviewed-plan.ts';

let folder: string;
beforeEach(() => {
  folder = testFolder();
});
test('readReviewed() takes one file or digests, and no file of another kind', async () => {
  const other = 'b'.repeat(64);
  expect(await readReviewed([digest, other])).toEqual({ kind: 'digests', digests: new Set([digest, other]) });
  await expect(readReviewed([digest, 'plan.json'])).rejects.toThrow(UsageError);
  const file = path.join(folder, 'plan.json');
  for (const text of ['', '[]', '{"hostedZones":[{}]}']) {
    await writeFile(file, text);
    await expect(readReviewed([file])).rejects.toThrow('it was not written by');
  }
  await expect(writePlanFile(folder, plan)).rejects.toThrow('Cannot write plan');
});

test('writePlanFile() leaves no part of a plan that it could not write', async () => {
  const file = path.join(folder, 'plan.json');
  const broken = {
    objects: [],
    get type(): string {
      throw new Error('broken');
    },
  };
  const changes = [broken as never];
  const hostedZones = plan.hostedZones.map((one) => ({ ...one, changes }));
  await expect(writePlanFile(file, { ...plan, hostedZones })).rejects.toThrow('Cannot write plan');
  await expect(stat(file)).rejects.toThrow('ENOENT');
});

test('readReviewed() takes a file with a byte order mark', async () => {
  const file = path.join(folder, 'plan.json');
  await writeFile(file, `\uFEFF${JSON.stringify(plan)}`);
  expect((await readReviewed([file])).kind).toBe('plan');
});

const zones = (entries: Record<string, string>, changes = 1): PlanOutput => ({
  errors: [],
  hostedZones: Object.entries(entries).map(([name, one]) => ({
    ...(plan.hostedZones[0] as PlanOutput['hostedZones'][number]),
    id: null,
    name,
    digest: one,
    changes: plan.hostedZones[0]?.changes.slice(0, changes) ?? [],
  })),
});

test.each<[string, Reviewed, PlanOutput, string[] | RegExp]>([
  ['the same plan', { kind: 'plan', digests: new Map([['a.', '1']]) }, zones({ 'a.': '1' }), ['a.']],
  [
    'another digest',
    { kind: 'plan', digests: new Map([['a.', '1']]) },
    zones({ 'a.': '2' }),
    /a\. has other changes now/,
  ],
  ['changes more', { kind: 'plan', digests: new Map() }, zones({ 'a.': '1' }), /a\. has changes now/],
  [
    'changes less',
    { kind: 'plan', digests: new Map([['a.', '1']]) },
    zones({ 'a.': '1' }, 0),
    /a\. has no changes any more/,
  ],
  ['one digest of two', { kind: 'digests', digests: new Set(['1']) }, zones({ 'a.': '1', 'b.': '2' }), ['a.']],
  ['a digest of none', { kind: 'digests', digests: new Set(['3']) }, zones({ 'a.': '1' }), /digest 3 now/],
])('matchReviewed() with %s', (_, reviewed, now, expected) => {
  const matched = matchReviewed(reviewed, now);
  const chosen = matched.ok ? now.hostedZones.filter(({ name }) => matched.isChosen({ id: `Z${name}`, name })) : [];
  if (matched.ok) expect(chosen.map(({ name }) => name)).toEqual(expected);
  else expect(matched.problems.join()).toMatch(expected as RegExp);
});

describe('a Zone that was given another hosted zone of its name', () => {
  const [old, next] = ['1'.repeat(64), '2'.repeat(64)];
  const moved = (digests: readonly string[]): PlanOutput => ({
    errors: [],
    hostedZones: digests.flatMap((digest, index) =>
      zones({ 'a.': digest }).hostedZones.map((one) => ({ ...one, id: `Z${index + 1}` })),
    ),
  });

  test('matchReviewed() chooses only the hosted zone of the digest', () => {
    const matched = matchReviewed({ kind: 'digests', digests: new Set([next]) }, moved([old, next]));
    expect(['Z1', 'Z2'].filter((id) => matched.ok && matched.isChosen({ id, name: 'a.' }))).toEqual(['Z2']);
  });

  test('matchReviewed() refuses the same changes in another hosted zone', async () => {
    const file = path.join(folder, 'plan.json');
    await writePlanFile(file, moved([old]));
    const [other] = moved(['', old]).hostedZones.slice(1);
    const now: PlanOutput = { errors: [], hostedZones: other === undefined ? [] : [other] };
    expect(matchReviewed(await readReviewed([file]), now)).toMatchObject({ ok: false });
  });

  test('matchReviewed() finds a difference in either hosted zone', async () => {
    const file = path.join(folder, 'plan.json');
    await writePlanFile(file, moved([old, next]));
    const reviewed = await readReviewed([file]);
    expect(matchReviewed(reviewed, moved([old, next]))).toMatchObject({ ok: true });
    for (const digests of [[old, '3'], ['3', next], [next, old], [old]])
      expect(matchReviewed(reviewed, moved(digests))).toMatchObject({
        problems: ['a. has other changes now than in the plan, or Route 53 has something else at their names'],
      });
  });
});

test('matchReviewed() compares what serving each DNSRecord would do, and where', async () => {
  const served = (values: readonly string[], name = 'api', message = ''): PlanOutput => {
    const { action, ...change } = {
      ...(plan.hostedZones[0]?.changes[0] as PlanOutput['hostedZones'][0]['changes'][0]),
    };
    const changes = [{ ...change, action, before: { ttl: 60, values }, hostedZone: 'Z1', account: 'sha' }];
    const where = { operation: 'Reconcile', state: 'Succeeded' as const, account: 'sha', hostedZone: 'Z1' };
    return {
      errors: [],
      hostedZones: [],
      dnsRecords: [{ namespace: 's', name, ...where, changes, error: null, message }],
    };
  };
  const file = path.join(folder, 'plan.json');
  await writePlanFile(file, served(['192.0.2.1']));
  const reviewed = await readReviewed([file]);
  expect(matchReviewed(reviewed, served(['192.0.2.1'], 'api', 'said otherwise'))).toMatchObject({ ok: true });
  expect(matchReviewed(reviewed, served(['192.0.2.9']))).toMatchObject({
    problems: [expect.stringContaining('DNSRecord s/api has other changes now')],
  });
  expect(matchReviewed(reviewed, { errors: [], hostedZones: [] })).toMatchObject({
    problems: ['DNSRecord s/api has no changes any more'],
  });
  expect(matchReviewed(reviewed, served(['192.0.2.1'], 'other')).ok).toBe(false);
});
