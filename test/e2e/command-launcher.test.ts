// bin/zone53.mjs on a Node that is too old, or says it is: it must find a newer one, or say how to get one.
import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';
import { expect, test } from 'vitest';
import { testFolder } from '../support/test-folder.ts';

const bin = fileURLToPath(new URL('../../bin/zone53.mjs', import.meta.url));
const pretendOld = `data:text/javascript,Object.defineProperty(process,'version',{value:'v20.20.2'})`;

function runOld(file: string, ...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, ['--import', pretendOld, file, ...argv], (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err });
    });
  });
}

test('bin/zone53.mjs has no syntax newer than 2018 but modules, so that an old Node reads it', async () => {
  const code = await readFile(bin, 'utf8');
  // Both are older in Node than in the language's yearly editions.
  const supported = { 'import-meta': true, 'dynamic-import': true };
  const newest = await transform(code, { target: 'esnext' });
  const oldest = await transform(code, { target: 'es2018', supported });
  expect(oldest.code).toBe(newest.code);
  expect(code).not.toMatch(/from 'node:|\.(at|flatMap|replaceAll|flat|fromEntries|matchAll)\(/);
});

test('in a checkout an old Node runs the command on the one that npm ci brought, exit code and all', async () => {
  expect(await runOld(bin, '--version')).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  expect(await runOld(bin, 'render', '-f', 'nowhere')).toMatchObject({ code: 1 });
});

test('without another Node, the error says which Node is needed and how to install it', async () => {
  const folder = testFolder();
  const alone = path.join(folder, 'node_modules', 'zone53', 'bin', 'zone53.mjs');
  await mkdir(path.dirname(alone), { recursive: true });
  await copyFile(bin, alone);
  const { code, out, err } = await runOld(alone, '--help');
  expect([code, out]).toEqual([1, '']);
  expect(err).toContain('zone53 needs Node 24 or newer, and this is Node v20.20.2.');
  expect(err).toContain('npm install node@24');
});
