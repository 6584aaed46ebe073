// The package of `npm pack`, in a folder with only the package and its dependencies: the command starts, manifests are
// found, and `zone53/infra` synthesizes with the packed bundles. It is packed from a copy, so that the dist/ of the
// checkout is not changed.
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';

const ROOT = path.join(import.meta.dirname, '..', '..');
const SHIPPED_FROM = [
  'bin',
  'cli',
  'console',
  'crds',
  'docs',
  'events',
  'examples',
  'functions',
  'infra',
  'lib',
  'local',
];
const FILES = ['package.json', 'tsconfig.json', 'tsconfig.build.json', 'CHANGELOG.md', 'README.md', 'LICENSE'];
const run = promisify(execFile);

let folder: string;
let home: string;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'zone53-package-'));
  const copy = path.join(folder, 'copy');
  for (const name of [...SHIPPED_FROM, ...FILES])
    cpSync(path.join(ROOT, name), path.join(copy, name), { recursive: true });
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(copy, 'node_modules'));
  const PATH = `${path.join(ROOT, 'node_modules', '.bin')}${path.delimiter}${process.env.PATH}`;
  await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: copy, env: { ...process.env, PATH } });
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) as string;
  home = path.join(folder, 'home');
  const modules = path.join(home, 'node_modules');
  mkdirSync(path.join(modules, 'zone53'), { recursive: true });
  await run('tar', ['-xzf', path.join(folder, tarball), '--strip-components=1', '-C', path.join(modules, 'zone53')]);
  // Links the dependencies where npm would install them, without asking a registry.
  for (const name of readdirSync(path.join(ROOT, 'node_modules'))) {
    if (!name.startsWith('.')) symlinkSync(path.join(ROOT, 'node_modules', name), path.join(modules, name));
  }
  writeFileSync(path.join(home, 'package.json'), '{ "private": true, "type": "module" }');
});
afterAll(() => rmSync(folder, { recursive: true }));

const command = (...argv: string[]) =>
  run(process.execPath, ['node_modules/zone53/bin/zone53.mjs', ...argv], { cwd: home });

it('the command prints its help', async () => {
  const { stdout } = await command('--help');
  for (const name of ['local', 'render', 'plan', 'apply', 'manifests-for-cluster']) expect(stdout).toContain(name);
});

it('the package has the manifests for a cluster', async () => {
  const { stdout } = await command('manifests-for-cluster', '-o', 'json');
  expect(JSON.parse(stdout).items.map(({ kind }: { kind: string }) => kind)).toEqual([
    'ClusterRole',
    'ClusterRoleBinding',
  ]);
});

it('the package has the page of the console, as it was built', () => {
  const page = readdirSync(path.join(home, 'node_modules', 'zone53', 'dist', 'console'));
  expect(page.toSorted()).toEqual(['app.css', 'app.js', 'icon.svg', 'index.html']);
});

it('zone53/infra synthesizes, with types, and with the bundles of the package', async () => {
  const source = `
import { App, Stack } from 'aws-cdk-lib';
import { Zone53 } from 'zone53/infra';
import { DriftForwarding } from 'zone53/infra/drift-forwarding';
const app = new App({ outdir: 'cdk.out' });
const stack = new Stack(app, 'Dns', { env: { region: 'eu-west-1', account: '111122223333' } });
const zone53 = new Zone53(stack, 'Zone53', {
  roots: [{ zone: 'example.org.' }],
  hostedZones: [{ zone: 'example.org.', id: 'Z0123456789ABCDEFGHIJ' }],
  access: { kind: 'eks', clusterName: 'prod', endpoint: 'https://k8s.example.org', certificateAuthority: 'TFMw' },
  events: { webhook: { auth: 'iam' }, drift: true },
});
new DriftForwarding(app, 'Drift', { env: { region: 'us-east-1', account: '111122223333' }, toRegion: 'eu-west-1' });
const url: string | undefined = zone53.url?.url;
console.log(url === undefined ? 'no URL' : 'a URL', app.synth().stacks.length);
`;
  writeFileSync(path.join(home, 'app.ts'), source);
  const { stdout } = await run(process.execPath, ['app.ts'], { cwd: home });
  expect(stdout.trim()).toBe('a URL 2');
  const assets = readdirSync(path.join(home, 'cdk.out')).filter((name) => name.startsWith('asset.'));
  expect(assets.length).toBeGreaterThanOrEqual(5);
  const settings = [
    '--noEmit',
    '--module',
    'nodenext',
    '--target',
    'es2024',
    '--skipLibCheck',
    '--types',
    'node',
    'app.ts',
  ];
  await run(process.execPath, [path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc'), ...settings], {
    cwd: home,
  });
});

it('zone53/infra is CommonJS for who requires it: an application of cdk init, and its tests in Jest', async () => {
  const source = `
const { App, Stack } = require('aws-cdk-lib');
const { Zone53 } = require('zone53/infra');
const { DriftForwarding } = require('zone53/infra/drift-forwarding');
const app = new App({ outdir: 'cdk.commonjs' });
const stack = new Stack(app, 'Dns', { env: { region: 'eu-west-1', account: '111122223333' } });
new Zone53(stack, 'Zone53', {
  roots: [{ zone: 'example.org.' }],
  hostedZones: [{ zone: 'example.org.', id: 'Z0123456789ABCDEFGHIJ' }],
  access: { kind: 'eks', clusterName: 'prod', endpoint: 'https://k8s.example.org', certificateAuthority: 'TFMw' },
});
new DriftForwarding(app, 'Drift', { env: { region: 'us-east-1', account: '111122223333' }, toRegion: 'eu-west-1' });
console.log(app.synth().stacks.length);
`;
  writeFileSync(path.join(home, 'app.cjs'), source);
  // As in Jest, an ES module cannot be required.
  const { stdout } = await run(process.execPath, ['--no-experimental-require-module', 'app.cjs'], { cwd: home });
  expect(stdout.trim()).toBe('2');
});

it('zone53 template makes a template with the CDK beside the package, and says what is missing without it', async () => {
  const { stdout } = await command('template');
  expect(stdout).toContain('HostedZoneArns:');
  for (const name of ['aws-cdk-lib', 'constructs']) rmSync(path.join(home, 'node_modules', name));
  const failed = await command('template').catch((error: unknown) => error);
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('npm install aws-cdk-lib constructs') });
});
