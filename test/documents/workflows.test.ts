// The workflows call only what can be called here, with few rights, and actions that nobody can exchange.
import { accessSync, constants, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

type Step = { readonly uses?: string; readonly run?: string };
type Job = { readonly steps: readonly Step[]; readonly permissions?: Readonly<Record<string, string>> };
type Workflow = {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
};

const ROOT = path.resolve(import.meta.dirname, '../..');
const FILES = globSync('.github/workflows/*.yml', { cwd: ROOT }).sort();
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const scripts = (JSON.parse(read('package.json')) as { readonly scripts: Readonly<Record<string, string>> }).scripts;
const workflows = FILES.map((file) => ({ file, ...(parse(read(file)) as Workflow) }));
const stepsOf = ({ jobs }: Workflow) => Object.values(jobs).flatMap(({ steps }) => steps);

test('there is one for each push, and one for a release', () => {
  expect(FILES).toEqual(['.github/workflows/ci.yml', '.github/workflows/release.yml']);
});

test.each(workflows)('$file may write nothing but what its jobs name', ({ on, permissions }) => {
  expect(permissions).toEqual({ contents: 'read' });
  expect(Object.keys(on)).not.toContain('pull_request_target');
});

test('what a pull request runs has no rights', () => {
  for (const workflow of workflows.filter(({ on }) => 'pull_request' in on)) {
    expect(Object.values(workflow.jobs).map((job) => job.permissions)).toEqual([undefined]);
    expect(read(workflow.file)).not.toContain('secrets.');
  }
});

test.each(workflows)('$file names each action by its commit', (workflow) => {
  const used = stepsOf(workflow).flatMap(({ uses }) => uses ?? []);
  expect(used.length).toBeGreaterThan(0);
  for (const one of used) expect(one).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
});

test.each(workflows)('$file runs what is here, and takes no name from an event into a script', (workflow) => {
  const runs = stepsOf(workflow).flatMap(({ run }) => run ?? []);
  for (const run of runs) {
    for (const [, name] of run.matchAll(/npm run ([\w-]+)/g)) expect(scripts).toHaveProperty(name ?? '');
    for (const [file] of run.matchAll(/\.ci\/[\w-]+/g)) accessSync(path.join(ROOT, file), constants.X_OK);
    for (const [inserted] of run.matchAll(/\$\{\{.*?\}\}/g))
      expect(inserted).toMatch(/contains\(github\.ref_name, '-'\)/);
  }
  expect(runs).toContain('.ci/run');
});

test('a release is checked, tested and built before anything is published', () => {
  const { build, publish } = (workflows.find(({ file }) => file.endsWith('release.yml')) as Workflow).jobs;
  const order = ['.ci/check-tag', '.ci/run', 'npm run release', 'attest-build-provenance', 'upload-artifact'];
  const texts = build?.steps.map(({ uses, run }) => uses ?? run ?? '') ?? [];
  const found = order.map((text) => texts.findIndex((one) => one.includes(text)));
  expect(found).toEqual(found.toSorted((a, b) => a - b));
  expect(found).not.toContain(-1);
  expect(build?.permissions).not.toHaveProperty('contents', 'write');
  expect(publish).toMatchObject({ needs: 'build', environment: 'release' });
  expect(publish?.steps.map(({ run }) => run).join('\n')).toMatch(/sha256sum[\s\S]*npm publish .*--provenance/);
});
