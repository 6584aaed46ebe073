// The script of action.yml on a real checkout of a pull request, with our strict Route 53. Only GitHub's comments are
// a double.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type CommandAccount, startCommandAccount } from '../support/command-account.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const SCRIPT = path.join(ROOT, 'action/plan-pull-request.ts');
const CONFIG = 'soa: never\nroots: [{ zone: example.org., namespaces: [default] }]\n';
const ZONE = `apiVersion: kubi.zone/v1alpha1
kind: Zone
metadata: { name: org }
spec: { domainName: example.org., delegations: [{ records: [{ pattern: "*" }] }] }
`;
const record = (name: string, rdata = '192.0.2.1', type = 'A') => `apiVersion: kubi.zone/v1alpha1
kind: Record
metadata: { name: ${name} }
spec: { domainName: ${name}.example.org., type: ${type}, rdata: ${JSON.stringify(rdata)} }
`;

type Comment = { readonly id: number; body: string; readonly user: { readonly login: string } };

let account: CommandAccount;
let comments: Comment[];
let calls: string[];
let api: Server;
/** Status of an answer to a write, in place of success. */
let refusal: number | null;

beforeEach(async () => {
  account = await startCommandAccount();
  account.createZone('example.org.');
  [comments, calls, refusal] = [[], [], null];
  api = createServer(answer);
  await once(api.listen(0, '127.0.0.1'), 'listening');
  for (const folder of ['origin', 'checkout', 'runner']) mkdirSync(at(folder));
  git('init', '--quiet', '--initial-branch=main');
  commit({ 'zone53.yaml': CONFIG, 'dns/zone.yaml': ZONE, 'dns/www.yaml': record('www') });
  git('switch', '--quiet', '--create', 'feature');
});

afterEach(async () => {
  api.close();
  await account.end();
});

const at = (...parts: string[]) => path.join(account.folder, ...parts);

function git(...words: string[]): string {
  const as = ['-c', 'user.name=t', '-c', 'user.email=t@example.org', '-c', 'commit.gpgsign=false'];
  return execFileSync('git', ['-C', at('origin'), ...as, ...words], { encoding: 'utf8', stdio: 'pipe' }).trim();
}

/** Commits these files; null removes one. */
function commit(files: Readonly<Record<string, string | null>>): void {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(at('origin', file)), { recursive: true });
    if (text === null) rmSync(at('origin', file));
    else writeFileSync(at('origin', file), text);
  }
  git('add', '--all');
  git('commit', '--quiet', '--message', 'parent of all');
}

/** Merges the branch into main as GitHub does for a pull request, and returns the commit. */
function merge(): string {
  git('switch', '--quiet', '--detach', 'main');
  git('merge', '--quiet', '--no-ff', '--message', 'Merge', 'feature');
  const merged = git('rev-parse', 'HEAD');
  git('update-ref', 'refs/pull/7/merge', merged);
  return merged;
}

async function answer(request: Parameters<Parameters<typeof createServer>[1] & object>[0], response: ServerAnswer) {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { method = '', url = '' } = request;
  calls.push(`${method} ${url} ${request.headers.authorization}`);
  const text = Buffer.concat(chunks).toString('utf8');
  const body = text === '' ? '' : (JSON.parse(text) as { body: string }).body;
  const page = Number(/[?&]page=(\d+)/.exec(url)?.[1] ?? 1);
  const one = comments.find(({ id }) => url.endsWith(`/comments/${id}`));
  if (method !== 'GET' && refusal !== null) response.statusCode = refusal;
  else if (method === 'POST') comments.push({ id: comments.length + 1, body, user: { login: 'github-actions[bot]' } });
  else if (method === 'PATCH' && one !== undefined) one.body = body;
  response.end(JSON.stringify(method === 'GET' ? comments.slice((page - 1) * 100, page * 100) : {}));
}

type ServerAnswer = Parameters<Parameters<typeof createServer>[1] & object>[1];

type Ended = { readonly code: number | null; readonly log: string; readonly summary: string; readonly output: string };

/** Checks out a commit as actions/checkout does, without its past, and runs the script there. */
async function run(sha: string, env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  rmSync(at('checkout'), { recursive: true });
  const clone = ['clone', '--quiet', '--no-checkout', '--depth=1', `file://${at('origin')}`, at('checkout')];
  execFileSync('git', clone, { stdio: 'pipe' });
  const inside = (...words: string[]) => execFileSync('git', ['-C', at('checkout'), ...words], { stdio: 'pipe' });
  inside('fetch', '--quiet', '--depth=1', 'origin', sha);
  inside('checkout', '--quiet', '--detach', sha);
  for (const file of ['summary', 'output']) writeFileSync(at(file), '');
  const child = spawn(process.execPath, [SCRIPT], {
    cwd: at('checkout'),
    env: {
      ...{ PATH: process.env.PATH ?? '', AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' },
      ...{ AWS_REGION: 'us-east-1', AWS_ENDPOINT_URL_ROUTE_53: account.place.route53 },
      ...{ GITHUB_EVENT_NAME: 'pull_request', GITHUB_REF: 'refs/pull/7/merge', GITHUB_BASE_REF: 'main' },
      ...{ GITHUB_SHA: sha, GITHUB_REPOSITORY: 'o/r', RUNNER_TEMP: at('runner') },
      GITHUB_API_URL: `http://127.0.0.1:${(api.address() as AddressInfo).port}`,
      ...{ GITHUB_STEP_SUMMARY: at('summary'), GITHUB_OUTPUT: at('output') },
      ...{ ZONE53_FILES: 'dns\n', ZONE53_CONFIG: 'zone53.yaml', ZONE53_FAIL_ON: 'held,invalid,foreign' },
      ...{ ZONE53_TOKEN: 'secret', ZONE53_COMMENT_AUTHOR: 'github-actions[bot]', ZONE53_ARGS: '' },
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  const read = (file: string) => readFileSync(at(file), 'utf8');
  return { code, log: Buffer.concat(chunks).toString('utf8'), summary: read('summary'), output: read('output') };
}

describe('the action', () => {
  it('plans what the branch changes, and keeps one comment up to date', async () => {
    commit({ 'dns/new.yaml': record('new') });
    const first = await run(merge());
    expect([first.code, first.output, first.log]).toEqual([0, 'exit-code=0\n', expect.any(String)]);
    expect(first.summary).toContain('| create | `new.example.org.` |');
    expect(first.summary).not.toContain('www.example.org');
    expect(comments.map(({ body }) => body)).toEqual([`<!-- zone53 plan -->\n${first.summary}`]);
    expect(calls.every((call) => call.includes('/repos/o/r/issues/') && call.endsWith('Bearer secret'))).toBe(true);

    git('switch', '--quiet', 'feature');
    commit({ 'dns/new.yaml': record('newer') });
    const second = await run(merge());
    expect(comments.map(({ body }) => body)).toEqual([`<!-- zone53 plan -->\n${second.summary}`]);
    expect(second.summary).toContain('`newer.example.org.`');
    expect(existsSync(at('checkout', '.git', 'worktrees'))).toBe(false);
  });

  it('finds its comment behind a hundred others, and takes no comment of somebody else for it', async () => {
    const theirs = '<!-- zone53 plan -->\nmine';
    for (let id = 1; id <= 150; id += 1) comments.push({ id, body: theirs, user: { login: 'mallory' } });
    comments.push({ id: 151, body: '<!-- zone53 plan -->\nold', user: { login: 'github-actions[bot]' } });
    commit({ 'dns/new.yaml': record('new') });
    const { summary } = await run(merge());
    expect(comments.filter(({ body }) => body !== theirs)).toMatchObject([
      { id: 151, body: `<!-- zone53 plan -->\n${summary}` },
    ]);
  });

  it('takes the configuration of the base branch, and not that of the pull request', async () => {
    commit({
      'zone53.yaml': 'no: configuration\nroots: []\n',
      'dns/other.yaml': ZONE.replaceAll('org', 'net'),
    });
    const { code, summary } = await run(merge());
    expect(code).toBe(4);
    expect(summary).toContain('RootNotAllowed');
  });

  it('fails for what the branch makes wrong, and not for what was wrong before', async () => {
    git('switch', '--quiet', 'main');
    commit({ 'dns/bad.yaml': record('bad', 'no address') });
    git('switch', '--quiet', 'feature');
    commit({ 'dns/new.yaml': record('new') });
    expect((await run(merge())).code).toBe(0);
    git('switch', '--quiet', 'feature');
    commit({ 'dns/worse.yaml': record('worse', 'no address') });
    const worse = await run(merge());
    expect([worse.code, worse.output]).toEqual([4, 'exit-code=4\n']);
    expect(comments[0]?.body).toMatch(/`Record default\/worse` \(`dns\/worse\.yaml:\d+`\), InvalidSpec/);
    expect(comments[0]?.body).not.toContain('Record default/bad');
    git('switch', '--quiet', 'feature');
    commit({ 'dns/torn.yaml': 'apiVersion: [' });
    expect((await run(merge())).code).toBe(1);
  });

  it('works where the branch itself is checked out: with the base where it began', async () => {
    commit({ 'dns/new.yaml': record('new') });
    git('switch', '--quiet', 'main');
    commit({ 'dns/later.yaml': record('later'), 'zone53.yaml': `${CONFIG}guard: { deletesMax: 7 }\n` });
    const { code, summary } = await run(git('rev-parse', 'feature'));
    expect(code).toBe(0);
    expect(summary).toContain('new.example.org.');
    expect(summary).not.toContain('later.example.org.');
  });

  it('takes a folder that the base does not have as empty there', async () => {
    commit({ 'more/new.yaml': record('new') });
    const { code, summary } = await run(merge(), { ZONE53_FILES: 'more', ZONE53_FAIL_ON: '' });
    expect([code, summary.includes('`Record default/new`')]).toEqual([0, true]);
  });

  it('lets nothing in the files be a command of the runner, or Markdown', async () => {
    const evil = '"`@everyone` | <b>x</b>"';
    commit({
      'dns/new.yaml': record('new', evil, 'TXT'),
      'dns/::error::x.yaml': 'apiVersion: [',
      'dns/n.yaml': 'kind: "##[error]"',
    });
    const { log, summary, code } = await run(merge());
    expect(code).toBe(1);
    const [, token] = /^::stop-commands::(\S+)$/m.exec(log) ?? [];
    const [before, inside, after] = log.split(new RegExp(`^::(?:stop-commands::)?${token}(?:::)?$`, 'm'));
    expect(inside).toContain('::error::x.yaml');
    expect(`${before}${after}`).not.toContain('error');
    expect(summary).toContain('``"`@everyone` \\| <b>x</b>"``');
  });

  it.each([
    ['a file outside', '/etc/hostname'],
    ['the folder of git', '../.git/config'],
    ['a folder outside', '../../runner'],
  ])('reads no file through a link that leads to %s', async (_, target) => {
    symlinkSync(target, at('origin', 'dns', 'link.yaml'));
    commit({});
    const { code, log, summary } = await run(merge());
    expect([code, summary, comments]).toEqual([1, '', []]);
    expect(log).toContain('::error::"dns/link.yaml" leads out of the files of the checkout');
  });

  it('runs for no other event, and says why', async () => {
    const { code, log } = await run(merge(), { GITHUB_EVENT_NAME: 'pull_request_target' });
    expect([code, calls]).toEqual([1, []]);
    expect(log).toContain('not for pull_request_target: docs/pull-requests.md says why');
  });

  it('warns where it may not comment: the plan is in the summary', async () => {
    refusal = 403;
    commit({ 'dns/new.yaml': record('new') });
    const { code, log, summary } = await run(merge());
    expect(code).toBe(0);
    expect(summary).toContain('new.example.org.');
    expect(log).toMatch(/::warning::The plan is in the summary of this job.*403/);
  });
});

it('action.yml gives the script each variable that it reads, by the environment only', () => {
  const action = parse(readFileSync(path.join(ROOT, 'action.yml'), 'utf8'));
  const steps = action.runs.steps as readonly { run?: string; env?: Record<string, string> }[];
  const given = Object.keys(steps.at(-1)?.env ?? {});
  const read = readFileSync(SCRIPT, 'utf8').match(/ZONE53_\w+/g) ?? [];
  expect(new Set([...read, 'ZONE53_ACTION'])).toEqual(new Set(given));
  for (const { run: script = '' } of steps) expect(script).not.toContain('${{');
  const inputs = new Set(Object.values(steps.at(-1)?.env ?? {}).map((text) => /inputs\.([\w-]+)/.exec(text)?.[1]));
  expect(inputs.difference(new Set([undefined]))).toEqual(new Set(Object.keys(action.inputs)));
});
