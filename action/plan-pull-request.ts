// The script of action.yml: plans what a pull request changes, and keeps one comment on it up to date. The files are
// those of the pull request, so nothing that they say is run: the configuration is that of the base branch, and this
// code is that of the action.
import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { appendFile, mkdir, mkdtemp, readdir, realpath, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const COMMAND = path.join(import.meta.dirname, '..', 'bin', 'zone53.mjs');
/** The first line of our comment. */
const MARK = '<!-- zone53 plan -->';
const PAGE = 100;

type Settings = {
  /** The folder of the checkout. */
  readonly checkout: string;
  /** An empty folder of ours. */
  readonly temporary: string;
  readonly files: readonly string[];
  /** The path of the configuration in the base branch. */
  readonly config: string;
  readonly failOn: string;
  readonly flags: readonly string[];
  readonly baseBranch: string;
  /** The merge of pull request and base branch, which GitHub makes. */
  readonly mergeCommit: string;
  readonly comments: Comments;
};

/** Where the comment is. `author`: whose comments are ours. */
type Comments = {
  readonly url: string;
  readonly one: string;
  readonly token: string;
  readonly author: string;
};

class ActionError extends Error {}

function variable(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new ActionError(`${name} is not set`);
  return value;
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
}

async function readSettings(): Promise<Settings> {
  const event = variable('GITHUB_EVENT_NAME');
  if (event !== 'pull_request')
    throw new ActionError(`this action runs for pull_request, not for ${event}: docs/pull-requests.md says why`);
  const number = /^refs\/pull\/(\d+)\//.exec(variable('GITHUB_REF'))?.[1] ?? '';
  const issues = `${variable('GITHUB_API_URL')}/repos/${variable('GITHUB_REPOSITORY')}/issues`;
  return {
    checkout: await realpath(process.cwd()),
    temporary: await mkdtemp(path.join(variable('RUNNER_TEMP'), 'zone53-')),
    files: linesOf(variable('ZONE53_FILES')),
    config: variable('ZONE53_CONFIG'),
    failOn: process.env.ZONE53_FAIL_ON ?? '',
    flags: linesOf(process.env.ZONE53_ARGS ?? ''),
    baseBranch: variable('GITHUB_BASE_REF'),
    mergeCommit: variable('GITHUB_SHA'),
    comments: {
      url: `${issues}/${number}/comments`,
      one: `${issues}/comments`,
      token: variable('ZONE53_TOKEN'),
      author: variable('ZONE53_COMMENT_AUTHOR'),
    },
  };
}

async function git({ checkout }: Pick<Settings, 'checkout'>, ...words: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('git', ['-C', checkout, ...words], { maxBuffer: 2 ** 26 });
  return stdout.trim();
}

/** The tip of the base branch, and the commit that the pull request is compared with. */
async function fetchBase(settings: Settings): Promise<{ readonly tip: string; readonly base: string }> {
  const { baseBranch, mergeCommit } = settings;
  const branch = `refs/heads/${baseBranch}`;
  const head = await git(settings, 'rev-parse', 'HEAD');
  const [header = ''] = (await git(settings, 'cat-file', '-p', 'HEAD')).split('\n\n');
  const parents = [...header.matchAll(/^parent (\w+)$/gm)].map(([, parent = '']) => parent);
  const [first] = parents;
  if (head === mergeCommit && parents.length === 2 && first !== undefined) {
    await git(settings, 'fetch', '--quiet', '--no-tags', '--depth=1', 'origin', branch);
    const tip = await git(settings, 'rev-parse', 'FETCH_HEAD');
    if (tip !== first) await git(settings, 'fetch', '--quiet', '--no-tags', '--depth=1', 'origin', first);
    return { tip, base: first };
  }
  const isShallow = (await git(settings, 'rev-parse', '--is-shallow-repository')) === 'true';
  await git(settings, 'fetch', '--quiet', '--no-tags', ...(isShallow ? ['--unshallow'] : []), 'origin', branch);
  const tip = await git(settings, 'rev-parse', 'FETCH_HEAD');
  return { tip, base: await git(settings, 'merge-base', 'HEAD', tip) };
}

/** Writes the configuration of the base branch to a file of ours. */
async function writeConfig(settings: Settings, tip: string): Promise<string> {
  const { config, temporary } = settings;
  const file = path.join(temporary, 'zone53.yaml');
  const found = await git(settings, 'ls-tree', '--name-only', tip, '--', config);
  if (found === '') say('warning', `${config} is not in the base branch: planning with the defaults`);
  await writeFile(file, found === '' ? '{}\n' : await git(settings, 'show', `${tip}:${found}`));
  return file;
}

/** The given paths as they are in the base; an empty folder if it has none of them. */
async function basePaths(settings: Settings, base: string): Promise<readonly string[]> {
  const folder = path.join(settings.temporary, 'base');
  await git(settings, 'worktree', 'add', '--quiet', '--detach', folder, base);
  const found = settings.files.map((file) => path.join(folder, file)).filter(existsSync);
  if (found.length > 0) return found;
  const empty = path.join(settings.temporary, 'empty');
  await mkdir(empty);
  return [empty];
}

/**
 * Throws if something to be read is outside of the checkout, or in `.git`, by a link: an error message could show it.
 */
async function refuseOutside(checkout: string, at: string, seen: Set<string>): Promise<void> {
  const real = await realpath(at).catch(() => null);
  if (real === null || seen.has(real)) return;
  seen.add(real);
  const below = path.relative(checkout, real);
  const [first] = below.split(path.sep);
  if (first === '..' || first === '.git' || path.isAbsolute(below))
    throw new ActionError(`${JSON.stringify(path.relative(checkout, at))} leads out of the files of the checkout`);
  if (!(await stat(real)).isDirectory()) return;
  for (const name of await readdir(real)) {
    if (below !== '' || name !== '.git') await refuseOutside(checkout, path.join(real, name), seen);
  }
}

/** Runs the command. What it logs may come from the pull request, so GitHub must not take it for commands. */
async function plan(words: readonly string[]): Promise<{ readonly code: number; readonly out: string }> {
  const token = randomUUID();
  say('stop-commands', token);
  const child = spawn(process.execPath, [COMMAND, 'plan', ...words], { stdio: ['ignore', 'pipe', 1] });
  const out: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => out.push(chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  say(token, '');
  return { code: code ?? 1, out: Buffer.concat(out).toString('utf8') };
}

/** A command of GitHub's runner. */
function say(command: string, text: string): void {
  process.stdout.write(
    `::${command}::${text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')}\n`,
  );
}

async function ask<Answer>({ token }: Comments, method: string, url: string, body?: string): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${token}`, accept: 'application/vnd.github+json', 'user-agent': 'zone53' },
    ...(body !== undefined && { body: JSON.stringify({ body }) }),
  });
  if (!response.ok) throw new ActionError(`${method} ${url}: ${response.status} ${response.statusText}`);
  return (await response.json()) as Answer;
}

type Comment = {
  readonly id: number;
  readonly body?: string | null;
  readonly user?: { readonly login: string } | null;
};

/** Our comment. Anybody may write its first line, so the author counts, too. */
async function findComment(comments: Comments): Promise<Comment | null> {
  for (let page = 1; ; page += 1) {
    const all = await ask<readonly Comment[]>(comments, 'GET', `${comments.url}?per_page=${PAGE}&page=${page}`);
    const found = all.find(({ body, user }) => user?.login === comments.author && body?.startsWith(MARK) === true);
    if (found !== undefined) return found;
    if (all.length < PAGE) return null;
  }
}

async function writeComment(comments: Comments, text: string): Promise<void> {
  const body = `${MARK}\n${text}`;
  const found = await findComment(comments);
  if (found === null) await ask(comments, 'POST', comments.url, body);
  else if (found.body !== body) await ask(comments, 'PATCH', `${comments.one}/${found.id}`, body);
}

/** Codes that are no failure: 2 and 3 say what is there, and `--fail-on` says what of it is not wanted. */
const PASSES = [0, 2, 3];

async function main(): Promise<number> {
  const settings = await readSettings();
  const { files, failOn, flags, comments, checkout } = settings;
  const seen = new Set<string>();
  for (const file of files) await refuseOutside(checkout, path.join(checkout, file), seen);
  const { tip, base } = await fetchBase(settings);
  const config = await writeConfig(settings, tip);
  const input = [
    ...files.flatMap((file) => ['-f', file]),
    ...(await basePaths(settings, base)).flatMap((file) => ['--base', file]),
  ];
  const judged = failOn === '' ? [] : ['--fail-on', failOn];
  const { code, out } = await plan([...input, ...flags, ...judged, '--config', config, '-o', 'markdown']);
  await git(settings, 'worktree', 'remove', '--force', path.join(settings.temporary, 'base'));
  const text = out === '' ? `## DNS plan\n\nThere is no plan. The log of the job says why (exit code ${code}).\n` : out;
  await appendFile(variable('GITHUB_STEP_SUMMARY'), text);
  await appendFile(variable('GITHUB_OUTPUT'), `exit-code=${code}\n`);
  await writeComment(comments, text).catch((error: unknown) =>
    say('warning', `The plan is in the summary of this job, and not in a comment: ${String(error)}`),
  );
  return PASSES.includes(code) ? 0 : code;
}

try {
  process.exitCode = await main();
} catch (error) {
  say('error', error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
