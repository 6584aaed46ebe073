// The command as a process: the exit code a shell sees, what a pipe gets, and what a reader that goes away costs.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import * as accountUseCases from '../../cli/account/use-cases.ts';
import * as consoleUseCases from '../../cli/console/use-cases.ts';
import { processTerminal, type Terminal } from '../../cli/print/terminal.ts';
import { runProgram } from '../../cli/program.ts';
import * as useCases from '../../cli/run/use-cases.ts';

const bin = fileURLToPath(new URL('../../bin/zone53.mjs', import.meta.url));
const zone = (name: string, domain: string) =>
  `apiVersion: kubi.zone/v1alpha1\nkind: Zone\nmetadata: { name: ${name} }\nspec: { domainName: ${domain} }\n`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'zone53-main-'));
  await writeFile(path.join(folder, 'good.yaml'), zone('example', 'example.org.'));
  await writeFile(path.join(folder, 'invalid.yaml'), zone('partial', 'partial'));
  await writeFile(path.join(folder, 'broken.yaml'), `${zone('a', 'a.example.')}---\na: [`);
  const many = Array.from({ length: 2000 }, (_, n) => zone(`z${n}`, `z${n}.example.`)).join('---\n');
  await writeFile(path.join(folder, 'many.yaml'), many);
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

type Result = { readonly code: number; readonly out: string; readonly err: string };

function zone53(argv: readonly string[], environment: Record<string, string> = {}, input = ''): Promise<Result> {
  return new Promise((resolve) => {
    const env = { PATH: process.env.PATH ?? '', ...environment };
    const child = execFile(process.execPath, [bin, ...argv], { cwd: folder, env }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err });
    });
    child.stdin?.end(input);
  });
}

test.each<[string[], number]>([
  [['render', '-f', 'good.yaml'], 0],
  [['render', '-f', 'nowhere'], 1],
])('zone53 %j exits with %i', async (argv, code) => {
  expect(await zone53(argv)).toMatchObject({ code });
});

test.runIf(existsSync('/dev/full'))(
  'a result that cannot be written is one line of error, and exit code 1',
  async () => {
    const full = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, [bin, 'render', '-f', 'good.yaml'], {
      cwd: folder,
      stdio: ['ignore', full, 'pipe'],
    });
    closeSync(full);
    const [[code], err] = await Promise.all([once(child, 'close'), text(child.stderr as Readable)]);
    expect([code, err]).toEqual([1, expect.stringMatching(/^error: Cannot write the result: ENOSPC[^\n]*\n$/)]);
  },
);

test.each<[string[], number]>([
  [['render', '-f', 'good.yaml', '--strict'], 0],
  [['render', '-f', 'invalid.yaml'], 0],
  [['render', '-f', 'invalid.yaml', '--strict'], 1],
  [['render', '-f', 'broken.yaml'], 1],
  [['render'], 1],
  [['--help'], 0],
])('runProgram(%j) is %i', async (argv, code) => {
  const quiet: Terminal = { ...processTerminal(), write: () => {}, writeError: () => {} };
  const inFolder = argv.map((word) => (word.endsWith('.yaml') ? path.join(folder, word) : word));
  expect(await runProgram(inFolder, quiet, { ...useCases, ...accountUseCases, ...consoleUseCases })).toBe(code);
});

test.each([
  ['nosuch/plan.json', /^error: Cannot write plan "nosuch\/plan.json": there is no such file or folder\n$/],
  ['good.yaml/plan.json', /^error: Cannot write plan "good.yaml\/plan.json": [^\n]+\n$/],
  ['.', /^error: Cannot write plan ".": it is a folder\n$/],
])('zone53 plan --out %s is an error before anything is planned', async (file, message) => {
  const { code, out, err } = await zone53(['plan', '-f', 'nowhere', '--out', file]);
  expect([code, out, err]).toEqual([1, '', expect.stringMatching(message)]);
});

test('zone53 render -o json prints all other objects when a document cannot be parsed', async () => {
  const argv = ['render', '-f', 'broken.yaml', '-o', 'json', '--now', '2026-01-31T12:00:00Z'];
  const { code, out, err } = await zone53(argv);
  expect(code).toBe(1);
  const world = JSON.parse(out);
  expect(world.zones.map((one: { name: string; serial: number }) => [one.name, one.serial])).toEqual([
    ['a', 2026013100],
  ]);
  expect(world.errors).toMatchObject([{ file: 'broken.yaml', line: 6 }]);
  expect(err).toBe('');
});

test('zone53 render reads standard input, and prints errors on standard error', async () => {
  const { code, out, err } = await zone53(['render', '-f', '-'], {}, `${zone('x', 'x.example.')}---\na: 1\na: 2\n`);
  expect(code).toBe(1);
  expect(out).toContain('x.example.');
  expect(err).toMatch(/^error: standard input:7:1: Cannot parse YAML: the key is there twice .*\n$/);
});

test('zone53 prints colours with FORCE_COLOR, and none into a pipe', async () => {
  expect((await zone53(['render', '-f', 'good.yaml'])).out).not.toContain('\u001b');
  expect((await zone53(['render', '-f', 'good.yaml'], { FORCE_COLOR: '1' })).out).toContain('\u001b[1m');
});

test('zone53 ends without an error when the reader of its output ends', async () => {
  const child = spawn(process.execPath, [bin, 'render', '-f', 'many.yaml'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const errors: Buffer[] = [];
  child.stderr.on('data', (data: Buffer) => errors.push(data));
  child.stdout.once('data', () => child.stdout.destroy());
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect([code, Buffer.concat(errors).toString()]).toEqual([0, '']);
});

const pretendOld = `data:text/javascript,Object.defineProperty(process,'version',{value:'v20.20.2'})`;

test.each<[string, string[], Record<string, string>, NodeJS.Signals]>([
  ['the launcher on an old Node is killed', ['--import', pretendOld, bin], {}, 'SIGKILL'],
  ['the shell of an npx is ended', ['sh'], { npm_command: 'exec' }, 'SIGTERM'],
])('zone53 local ends, and its servers with it, when %s', async (_, starter, environment, signal) => {
  const ports = ['--dns-port', '0', '--route53-port', '0'];
  const local = ['local', '-f', 'good.yaml', '--state', path.join(folder, `state-${signal}`), ...ports];
  const [command, argv] =
    starter[0] === 'sh'
      ? ['sh', ['-c', `"$@"; exit $?`, 'sh', process.execPath, bin, ...local]]
      : [process.execPath, [...starter, ...local]];
  const env = { PATH: process.env.PATH ?? '', ...environment };
  const child = spawn(command, argv, { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const served = new Promise<string>((resolve) => {
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const url = /Route 53 {2}(\S+)/.exec(text)?.[1];
      if (url !== undefined) resolve(url);
    });
  });
  const url = await served;
  expect((await fetch(url)).status).toBeGreaterThan(0);
  child.kill(signal);
  await vi.waitFor(async () => expect(await fetch(url).catch(() => null)).toBeNull(), {
    timeout: 10_000,
    interval: 100,
  });
});
