// Facts that docs/deploy.md and docs/security.md must state, because an operator learns them nowhere else before the
// deployment.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { METRICS } from '../../functions/runtime/metric-names.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
const read = (page: string) => readFileSync(path.join(ROOT, 'docs', page), 'utf8').replace(/\s+/g, ' ');
const PAGE = readFileSync(path.join(ROOT, 'docs', 'deploy.md'), 'utf8');
const DEPLOY = read('deploy.md');

/** infra/zone53-props.test.ts holds these numbers. */
test('the page states the quota of concurrent executions, and how many requests a second the reserved ones serve', () => {
  expect(DEPLOY).toContain('ingest 20 and validate 5');
  expect(DEPLOY).toContain('a quota of **126**');
  expect(DEPLOY).toContain('ten requests a second for each reserved execution: 200 for hints, 50 for verdicts');
  expect(DEPLOY).toContain('ingest: 0, validate: 0, sweep: 0');
});

test('the page states that a log group has at most two subscription filters', () => {
  expect(DEPLOY).toContain('A log group has two subscription filters at most, and this takes one');
});

test("the page states that the API server's log may show the address of the webhook", () => {
  expect(read('security.md')).toContain('the log of the API server may show it');
});

test('the page says of lost hints what calls the sweep, what it cannot see, and which second way in loses nothing', () => {
  const section = read('runbook.md').split('## Lost hints ')[1]?.split(' ## ')[0] ?? '';
  for (const said of ['HintsFailed', 'HintsThrottled', 'HintsLost', 'has called a sweep', 'never reached AWS'])
    expect(section).toContain(said);
  expect(section).toContain('apiserver_admission_webhook_fail_open_count');
  expect(section).toMatch(/second way in beside the webhook: the audit log .* or the audit webhook .* tries again/);
});

test('the runbook has a row with every figure, and no other', () => {
  const page = readFileSync(path.join(ROOT, 'docs', 'runbook.md'), 'utf8');
  const section = page.split('\n## Figures\n')[1]?.split('\n## ')[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  const named = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/\w+/g)].map(([name]) => name));
  expect(named).toEqual(Object.keys(METRICS));
});

const ON_MINISTACK = /^\| on MiniStack, .*\| (`.*`) \|$/m.exec(PAGE)?.[1]?.match(/`([^`]+)`/g) ?? [];

test('the page names as tried on MiniStack exactly what its suite runs', () => {
  const suite = ['e2e/cloudformation.test.ts', 'deployed/cloudformation-world.ts']
    .map((file) => readFileSync(path.join(ROOT, 'test', file), 'utf8').replace(/\s+/g, ' '))
    .join(' ');
  const typed: readonly (readonly [said: string, there: string])[] = [
    ['npx cdk bootstrap', "cdk('bootstrap',"],
    ['npx cdk deploy --all --outputs-file', "cdk('deploy', '--all', '--require-approval', 'never', '--outputs-file',"],
    [
      'npx zone53 manifests-for-cluster --outputs outputs.json --context',
      "['manifests-for-cluster', '--outputs', outputsFile, '--context', 'admin', '--yes']",
    ],
    ['npx zone53 plan --table', "world.zone53( 'plan', '--table',"],
    ['npx cdk destroy --all', "world.cdk('destroy', '--all', '--force')"],
  ];
  expect(ON_MINISTACK).toEqual(typed.map(([said]) => `\`${said}\``));
  for (const [said, there] of typed) {
    expect(PAGE.split(said).length).toBeGreaterThan(2);
    expect(suite).toContain(there);
  }
});

test('the page has no marks to learn', () => {
  expect(PAGE).not.toMatch(/[☁◐○]/u);
});

test('the page claims a real account only with the table that npm run acceptance has written', () => {
  const isRun = existsSync(path.join(ROOT, 'docs', 'acceptance.md'));
  expect(DEPLOY.includes('Nobody has run zone53 on a real account yet.')).toBe(!isRun);
  expect(DEPLOY.includes('(acceptance.md)')).toBe(isRun);
});
