// A release, made twice: in folders of other names and depths, and with another umask. Both have the same bytes, and
// each part of it does what it is for. The tarball is what test/e2e/package.test.ts installs.
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FUNCTION_ENVIRONMENT } from '../../functions/runtime/environment.ts';
import { importMs, SAMPLE_ENVIRONMENT } from '../../infra/build-functions.ts';
import { describeWithEngine, engine } from '../engines/engines.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
const VERSION = '1.2.3-rc.4';
const NAMES = Object.keys(FUNCTION_ENVIRONMENT).toSorted();
/** What takes no part in a release. */
const LEFT_OUT = new Set(['.git', 'node_modules', 'dist', 'test', 'bench', 'cdk.out', '.zone53']);
/** Two releases at a time, on a machine that may be busy: half a minute when it is not. */
const MS_MAX = 600_000;
const run = promisify(execFile);

const folder = mkdtempSync(path.join(tmpdir(), 'zone53-release-'));
let release: string;
let again: string;

/** A copy of the checkout below the folder. */
function checkout(name: string, umask: string): string {
  const copy = path.join(folder, name);
  mkdirSync(copy, { recursive: true });
  for (const one of readdirSync(ROOT).filter((entry) => !LEFT_OUT.has(entry)))
    cpSync(path.join(ROOT, one), path.join(copy, one), { recursive: true });
  // As a checkout with this umask.
  execFileSync('chmod', ['-R', `go=${umask === '077' ? '' : 'rX'}`, copy]);
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(copy, 'node_modules'));
  return copy;
}

async function makeRelease(name: string, umask: string): Promise<string> {
  const copy = checkout(name, umask);
  const PATH = `${path.join(ROOT, 'node_modules', '.bin')}${path.delimiter}${process.env.PATH}`;
  const script = `umask ${umask}; exec npm run --silent release -- ${VERSION}`;
  const { stdout } = await run('sh', ['-c', script], { cwd: copy, env: { ...process.env, PATH } });
  return stdout.trimEnd().split('\n').at(-1) as string;
}

function unpack(file: string, to: string): string {
  mkdirSync(path.join(folder, to), { recursive: true });
  execFileSync('python3', ['-m', 'zipfile', '-e', file, path.join(folder, to)]);
  return path.join(folder, to);
}

const read = (name: string) => readFileSync(path.join(release, name), 'utf8');
const sums = () => read('SHA256SUMS').trimEnd().split('\n');

beforeAll(async () => {
  [release, again] = await Promise.all([makeRelease('one', '022'), makeRelease('of/another/name', '077')]);
}, MS_MAX);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('npm run release', () => {
  it('makes the same bytes in another folder', () => {
    expect(release).toBe(path.join(folder, 'one', 'dist', 'release', VERSION));
    expect(readFileSync(path.join(again, 'SHA256SUMS'), 'utf8')).toBe(read('SHA256SUMS'));
    execFileSync('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], { cwd: again });
  });

  it('makes these files, and a sum of each', () => {
    const files = readdirSync(release, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const names = files.map(({ parentPath, name }) => path.relative(release, path.join(parentPath, name)));
    expect(names.toSorted()).toEqual([
      'SHA256SUMS',
      'THIRD-PARTY-LICENSES',
      'bin/zone53-linux-x64',
      `chart/zone53-cluster-${VERSION}.tgz`,
      ...NAMES.map((name) => `functions/${name}.zip`),
      'sbom.cdx.json',
      `zone53-${VERSION}.tgz`,
      'zone53.template.yaml',
    ]);
    expect(sums().map((line) => line.slice(66))).toEqual(names.filter((name) => name !== 'SHA256SUMS').toSorted());
  });

  it('leaves nothing else behind', () => {
    expect(readdirSync(path.dirname(release))).toEqual([VERSION]);
  });

  it('finds a file that is not as it was', () => {
    const broken = path.join(folder, 'broken');
    cpSync(path.join(again, 'functions'), path.join(broken, 'functions'), { recursive: true });
    cpSync(path.join(again, 'functions', 'sweep.zip'), path.join(broken, 'functions', 'ingest.zip'));
    const lines = sums().filter((line) => line.includes('functions/'));
    const input = `${lines.join('\n')}\n`;
    const { status, stdout } = spawnSync('sha256sum', ['--check', '--quiet'], { cwd: broken, input, encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 1, stdout: 'functions/ingest.zip: FAILED\n' });
  });

  it.each(['', 'v1.2.3', '1.2', '1.2.3+x', '../1.2.3', '1.2.3 1.2.4'])('refuses %j', async (words) => {
    const argv = [path.join(ROOT, 'release', 'main.ts'), ...words.split(' ').filter((word) => word !== '')];
    const failed = await run(process.execPath, argv, { cwd: folder }).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^error: .+ npm run release/) });
  });
});

describe('the zips of the functions', () => {
  it.each(NAMES)('%s starts', (name) => {
    const code = unpack(path.join(release, 'functions', `${name}.zip`), `code/${name}`);
    expect(importMs(path.join(code, 'index.mjs'), SAMPLE_ENVIRONMENT)).toBeGreaterThan(0);
    expect(readFileSync(path.join(code, 'index.mjs'), 'utf8')).toMatch(/as handler\b/);
  });
});

describe('the bill of materials', () => {
  type Bill = {
    readonly bomFormat: string;
    readonly serialNumber: string;
    readonly metadata: { readonly component: { readonly 'bom-ref': string; readonly name: string } };
    readonly components: readonly { readonly 'bom-ref': string; readonly name: string; readonly version: string }[];
    readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
  };
  const bill = () => JSON.parse(read('sbom.cdx.json')) as Bill;

  it('is of this version, and refers to nothing that it lacks', () => {
    const { bomFormat, serialNumber, metadata, components, dependencies } = bill();
    const refs = [metadata.component, ...components].map((one) => one['bom-ref']);
    expect(bomFormat).toBe('CycloneDX');
    expect(metadata.component).toMatchObject({ name: 'zone53', 'bom-ref': `zone53@${VERSION}` });
    expect(serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(new Set(refs).size).toBe(refs.length);
    expect(
      dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn]).filter((ref) => !refs.includes(ref)),
    ).toEqual([]);
  });

  it('has every package that is in a zip, and the Node that is in the executable', () => {
    const names = new Set(bill().components.map(({ name }) => name));
    for (const name of NAMES) {
      const code = unpack(path.join(release, 'functions', `${name}.zip`), `bill/${name}`);
      const maps = readdirSync(code).filter((file) => file.endsWith('.map'));
      const text = maps.map((file) => readFileSync(path.join(code, file), 'utf8')).join('\n');
      const inside = [...text.matchAll(/node_modules\/((?:@[^/"]+\/)?[^/"]+)\/(?!node_modules)/g)].map(
        ([, one]) => one,
      );
      expect(inside.length).toBeGreaterThan(0);
      expect([...new Set(inside)].filter((one) => !names.has(one ?? ''))).toEqual([]);
    }
    expect(bill().components).toContainEqual(expect.objectContaining({ name: 'node', version: process.versions.node }));
    expect(names.has('esbuild')).toBe(false);
    for (const name of ['preact', '@preact/signals', '@preact/signals-core']) expect(names, name).toContain(name);
  });

  it('has no package without its license, in the release, in the tarball and in each zip', () => {
    const licenses = read('THIRD-PARTY-LICENSES');
    const titles = new Set(
      [...licenses.matchAll(/^(\S+ \d\S*)(?: \(.+\)|, in the executable)$/gm)].map(([, one]) => one),
    );
    const inside = bill().components.map(({ name, version }) => `${name} ${version}`);
    expect(inside.filter((one) => !titles.has(one))).toEqual([]);
    expect([...titles].filter((one) => /^aws-cdk-lib /.test(one ?? ''))).toHaveLength(1);
    expect(licenses.split('The package has no text of its license').length).toBeLessThan(15);
    const tarball = path.join(release, `zone53-${VERSION}.tgz`);
    const packed = execFileSync('tar', ['-xzOf', tarball, 'package/THIRD-PARTY-LICENSES'], { encoding: 'utf8' });
    expect(packed === licenses).toBe(true);
    for (const name of NAMES) {
      const code = unpack(path.join(release, 'functions', `${name}.zip`), `bill/${name}`);
      expect(readFileSync(path.join(code, 'THIRD-PARTY-LICENSES'), 'utf8') === licenses, name).toBe(true);
    }
  });
});

describe('the executable', () => {
  const zone53 = (...argv: string[]) =>
    run(path.join(release, 'bin', 'zone53-linux-x64'), argv, { cwd: folder, env: { PATH: '', HOME: folder } });
  const QUICKSTART = path.join(ROOT, 'examples', 'quickstart');

  it('knows its version', async () => {
    expect((await zone53('--version')).stdout).toBe(`${VERSION}\n`);
  });

  it('needs no other program', async () => {
    const { stdout } = await zone53('render', '-f', QUICKSTART, '-o', 'json');
    const ours = await run(process.execPath, [
      path.join(ROOT, 'cli', 'main.ts'),
      'render',
      '-f',
      QUICKSTART,
      '-o',
      'json',
    ]);
    expect(JSON.parse(stdout)).toEqual(JSON.parse(ours.stdout));
  });

  it('has the manifests of a cluster inside', async () => {
    const { stdout } = await zone53(
      'manifests-for-cluster',
      '--url',
      'https://x.example/',
      '--secret-file',
      secretFile(),
    );
    expect(stdout).toContain('kind: ValidatingWebhookConfiguration');
  });

  it('makes the template of the release, with the runbook of its version', async () => {
    const { stdout } = await zone53('template');
    expect(stdout).toBe(read('zone53.template.yaml'));
    expect(stdout).toContain(`zone53@${VERSION}/docs/runbook.md#sweep-age`);
  });

  it('makes the template that fits a configuration', async () => {
    const config = path.join(ROOT, 'examples', 'aws', 'zone53.yaml');
    const file = path.join(folder, 'fitted.yaml');
    await zone53('template', '--config', config, '-o', file);
    expect(readFileSync(file, 'utf8')).toContain('hostedzone/Z0123456789ABCDEFGHIJ');
  });

  it('says what is wrong, and exits with 1', async () => {
    const failed = await zone53('render', '-f', 'nowhere').catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('nowhere') });
  });

  function secretFile(): string {
    const file = path.join(folder, 'secret');
    if (!existsSync(file)) execFileSync('sh', ['-c', 'echo a-secret-of-the-test >"$0"', file]);
    return file;
  }
});

describeWithEngine(['helm'], 'the chart of a release', () => {
  it('is a chart of this version for Helm', async () => {
    const helm = async (...argv: string[]) =>
      (await run(engine('helm') ?? '', [...argv, path.join(release, 'chart', `zone53-cluster-${VERSION}.tgz`)])).stdout;
    expect(await helm('show', 'chart')).toMatch(/^name: zone53-cluster\n.*^version: 1\.2\.3-rc\.4$/ms);
    expect(await helm('template', 'x', '--kube-version', '1.36.0')).toContain('name: zones.kubi.zone');
    expect(await helm('lint', '--strict')).toContain('0 chart(s) failed');
  });
});
