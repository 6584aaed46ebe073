// What people see of a long plan, of a part of one, and of an apply whose plan they have seen.
import { expect, test } from 'vitest';
import { filterPlan } from './filter-plan.ts';
import type { ApplyOutput, ChangeOutput, HostedZoneOutput, PlanOutput } from './output.ts';
import { applyPieces } from './print-apply.ts';
import { jsonPlan, printPlan } from './print-plan.ts';
import { plainPaint } from './terminal-text.ts';

const DIGEST = 'd'.repeat(64);

function change(
  action: ChangeOutput['action'],
  name: string,
  namespace = 'p',
  more: Partial<ChangeOutput> = {},
): ChangeOutput {
  const content = { ttl: 60, values: ['192.0.2.1'] };
  const sides = { before: action === 'create' ? null : content, after: action === 'delete' ? null : content };
  return { action, name, type: 'A', setIdentifier: null, ...sides, objects: [`Record ${namespace}/r`], ...more };
}

function planOf(changes: readonly ChangeOutput[], more: Partial<HostedZoneOutput<ChangeOutput>> = {}): PlanOutput {
  const hostedZone = { id: 'Z1', name: 'e.', zone: 'p/e', digest: 'v1', held: false, reasons: [], changes, ...more };
  return { hostedZones: [hostedZone], errors: [] };
}

const MANY = [
  change('delete', 'gone.e.', 'p', { why: 'Record p/r is gone' }),
  change('create', 'taken.e.', 'p', { standing: 'foreign', message: 'It stands.' }),
  ...Array.from({ length: 300 }, (_, at) => change('create', `n${at}.e.`, `team-${at % 2}`)),
];

test('printPlan() sums up a long plan by namespace, and shows what may surprise', () => {
  const text = printPlan(planOf(MANY), plainPaint);
  expect(text).toContain('- gone.e. A  # Record p/r is gone\n');
  expect(text).toContain('+ taken.e. A');
  expect(text).not.toContain('+ n7.e. A');
  expect(text).toContain('  and 300 more; --all shows every line. In all:\n');
  expect(text).toContain('    namespace p: 1 to delete, 1 to create\n    namespace team-0: 150 to create\n');
  expect(text).toContain('301 to create');
  const all = printPlan(planOf(MANY), plainPaint, { all: true });
  expect(all).toContain('+ n7.e. A');
  expect(all).not.toContain('--all');
});

test('printPlan() has the commands that release what is held on lines of their own', () => {
  const reason = `5 record sets are held until they are acknowledged: annotate Zone p/e with zone53.dev/acknowledge-plan: ${DIGEST}, or run zone53 apply with --acknowledge ${DIGEST}.`;
  const held = planOf([change('delete', 'gone.e.')], {
    held: true,
    heldDigest: DIGEST,
    reasons: ['Too many.', reason],
  });
  expect(printPlan(held, plainPaint)).toContain(`! ${reason}\n`);
  const text = printPlan(held, plainPaint, { release: (zone, digest) => [`zone53 apply ${zone} ${digest}`] });
  expect(text).toContain(
    `! Too many.\n! 5 record sets are held until acknowledged.\n! To release them:\n    zone53 apply p/e ${DIGEST}\n`,
  );
});

test('applyPieces() shows only what differs from a plan that was shown, and counts deletes as deleted', () => {
  const outcome = (one: ChangeOutput, of: 'published' | 'foreign', message = 'Published.') => ({
    ...one,
    outcome: of,
    message,
  });
  const changes = [
    outcome(change('delete', 'gone.e.'), 'published'),
    outcome(change('create', 'new.e.'), 'published'),
    outcome(change('create', 'taken.e.'), 'foreign', 'It stands.'),
  ];
  const hostedZone = { id: 'Z1', name: 'e.', zone: 'p/e', digest: 'v1', held: false, reasons: [], changes };
  const output: ApplyOutput = { zones: [], records: [], sources: [], errors: [], hostedZones: [hostedZone] };
  const text = [...applyPieces(output, plainPaint, { wasShown: true })].join('');
  expect(text).toContain('+ taken.e. A');
  expect(text).toContain('foreign: It stands.');
  for (const name of ['gone.e.', 'new.e.']) expect(text).not.toContain(name);
  expect(text).toContain('1 published, 1 deleted, 1 foreign.');
  const whole = [...applyPieces(output, plainPaint)].join('');
  expect(whole).toContain('- gone.e. A  # Record p/r\n-     ttl 60\n-     192.0.2.1\n      deleted\n');
  expect(whole).toContain('+ new.e. A');
});

test('filterPlan() shows a part, says how much more there is, and leaves the digest alone', () => {
  const shown = filterPlan(planOf(MANY), { zone: 'gone.e.', namespace: null });
  expect(shown.hostedZones[0]).toMatchObject({ digest: 'v1', changes: [{ name: 'gone.e.' }] });
  expect(printPlan(shown, plainPaint)).toContain(
    '! 301 other changes of this hosted zone are not shown, by --zone or --namespace.',
  );
  const team = filterPlan(planOf(MANY), { zone: 'e.', namespace: 'team-1' });
  expect(team.hostedZones[0]?.changes).toHaveLength(150);
  const none = filterPlan(planOf(MANY), { zone: null, namespace: 'nobody' });
  expect(none.hostedZones).toEqual([]);
  expect(printPlan(none, plainPaint)).toContain(
    'No changes. 302 changes elsewhere, not shown by --zone or --namespace.',
  );
});

test('filterPlan() keeps what was changed by hand in the part, and the JSON has the problems of the whole', () => {
  const drift = { type: 'A', setIdentifier: null, published: null, message: 'was changed' };
  const drifts = [
    { ...drift, name: 'a.e.', objects: ['Record p/a'] },
    { ...drift, name: 'b.e.', objects: ['Record q/b'] },
  ];
  const plan = planOf([], { drifts, notes: ['a.e. A was changed', 'b.e. A was changed'], isUnread: true });
  const shown = filterPlan(plan, { zone: null, namespace: 'q' });
  expect(shown.hostedZones).toMatchObject([{ drifts: [{ name: 'b.e.' }], notes: ['b.e. A was changed'] }]);
  const none = filterPlan(plan, { zone: null, namespace: 'r' });
  expect([none.hostedZones, jsonPlan(none, plan)]).toMatchObject([[], { problems: [{ object: 'Zone p/e' }] }]);
});
