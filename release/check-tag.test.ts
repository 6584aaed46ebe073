// .ci/check-tag in a repository of its own, with real signatures.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const CHECK = path.resolve(import.meta.dirname, '../.ci/check-tag');
const folder = mkdtempSync(path.join(tmpdir(), 'zone53-tag-'));
const env = {
  ...{ PATH: process.env.PATH ?? '', HOME: folder, GIT_CONFIG_NOSYSTEM: '1' },
  ...{ GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@example.org' },
  ...{ GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@example.org' },
};

const git = (...argv: string[]) => execFileSync('git', argv, { cwd: folder, env, stdio: 'pipe', encoding: 'utf8' });
const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text);

function key(name: string): string {
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', path.join(folder, name)]);
  return readFileSync(path.join(folder, `${name}.pub`), 'utf8');
}

function commit(message: string): void {
  git('add', '.github', 'CHANGELOG.md');
  git('commit', '-qm', message);
}

function sign(tag: string, by: string, at = 'main'): void {
  git('-c', 'gpg.format=ssh', '-c', `user.signingkey=${path.join(folder, by)}`, 'tag', '-s', '-m', tag, tag, at);
}

function check(tag: string): string {
  const { status, stdout, stderr } = spawnSync(CHECK, [tag], { cwd: folder, env, encoding: 'utf8' });
  expect(status).toBe(stderr === '' ? 0 : 1);
  return `${stdout}${stderr}`.trim();
}

beforeAll(() => {
  git('init', '-q', '-b', 'main');
  const maintainer = key('maintainer');
  const stranger = key('stranger');
  execFileSync('mkdir', [path.join(folder, '.github')]);
  write('.github/allowed_signers', `a@example.org ${maintainer}`);
  write('CHANGELOG.md', '# Changelog\n\n## 0.2.0 (soon)\n\n## 0.1.0\n');
  commit('one');
  git('checkout', '-qb', 'aside');
  write('.github/allowed_signers', `a@example.org ${stranger}`);
  commit('two');
  git('checkout', '-q', 'main');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a tag of a maintainer at a commit of main makes a release, and so does one of a pre-release', () => {
  for (const tag of ['v0.1.0', 'v0.2.0-rc.1']) {
    sign(tag, 'maintainer');
    expect(check(tag)).toBe(`${tag} is signed, and its commit is in main`);
  }
});

test('every other tag makes none', () => {
  git('tag', 'v1.0.0');
  git('tag', '-am', 'x', 'v1.0.1');
  sign('v1.0.2', 'stranger');
  sign('v1.0.3', 'stranger', 'aside');
  sign('v1.0.4', 'maintainer');
  sign('1.0.5', 'maintainer');
  expect(check('v9.9.9')).toContain('no such tag');
  expect(check('v1.0.0')).toContain('one without a signature');
  expect(check('v1.0.1')).toContain('nobody of .github/allowed_signers has signed it');
  expect(check('v1.0.2')).toContain('nobody of .github/allowed_signers has signed it');
  expect(check('v1.0.3')).toContain('its commit is not in main');
  expect(check('v1.0.4')).toContain('CHANGELOG.md has no heading "## 1.0.4"');
  expect(check('1.0.5')).toContain('the tag of a release is v and its version');
});
