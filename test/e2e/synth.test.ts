// The app as `cdk` runs it: what is wrong with the configuration is said as docs/deploy.md shows it, and nothing else.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { App } from 'aws-cdk-lib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { synthesize } from '../../infra/app.ts';

const APP = path.join(import.meta.dirname, '../../infra/app.ts');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'zone53-app-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const LACKS = /^Cannot deploy .*zone53\.yaml:\n( {2}\S.*\n)+$/;
const NO_FILE = /^Cannot read .*zone53\.yaml: ENOENT.*: copy examples\/aws\/zone53\.yaml there, or .*\n$/;

test('a file without required keys ends the process with 1', () => {
  const file = path.join(folder, 'zone53.yaml');
  writeFileSync(file, 'aws: {}\n');
  const env = { PATH: process.env.PATH ?? '', CDK_CONTEXT_JSON: JSON.stringify({ config: file }), CDK_OUTDIR: folder };
  const { status, stderr } = spawnSync(process.execPath, [APP], { cwd: folder, env, encoding: 'utf8' });
  expect(stderr).toMatch(LACKS);
  expect(status).toBe(1);
});

test('no file', () => {
  const said: string[] = [];
  const app = new App({ context: { config: path.join(folder, 'zone53.yaml') }, outdir: folder });
  expect(synthesize(app, (text) => said.push(text))).toBe(false);
  expect(said).toEqual([expect.stringMatching(NO_FILE)]);
});
