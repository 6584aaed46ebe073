// The app as `cdk` runs it: what is wrong with the configuration is said as docs/deploy.md shows it, and nothing else.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const APP = path.join(import.meta.dirname, 'app.ts');

test.each([
  ['a file that lacks what it needs', 'aws: {}\n', /^Cannot deploy .*zone53\.yaml:\n( {2}\S.*\n)+$/],
  ['no file', null, /^Cannot read .*zone53\.yaml: ENOENT.*: copy examples\/aws\/zone53\.yaml there, or .*\n$/],
])('%s', (_title, source, said) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'zone53-app-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'zone53.yaml');
  if (source !== null) writeFileSync(file, source);
  const env = { PATH: process.env.PATH ?? '', CDK_CONTEXT_JSON: JSON.stringify({ config: file }), CDK_OUTDIR: folder };
  const { status, stderr } = spawnSync(process.execPath, [APP], { cwd: folder, env, encoding: 'utf8' });
  expect(stderr).toMatch(said);
  expect(status).toBe(1);
});
