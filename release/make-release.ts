// Makes dist/release/VERSION/ from a copy of the sources, so that no other build and no place of the checkout gets
// in. The same sources, Node and npm make the same bytes. What is half made never has the name of a release.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { helmChart } from '../cli/setup/helm-chart.ts';
import { type ArchiveFile, tarball, zip } from './archive.ts';
import { buildExecutable } from './build-executable.ts';
import { buildSbom } from './sbom.ts';
import { thirdPartyLicenses } from './third-party-licenses.ts';

const ROOT = path.join(import.meta.dirname, '..');
/** What the package is built from. */
const SOURCES = [
  ...['bin', 'cli', 'console', 'crds', 'docs', 'events', 'examples', 'functions', 'infra', 'lib', 'local'],
  ...['tsconfig.json', 'tsconfig.build.json', 'CHANGELOG.md', 'README.md', 'LICENSE'],
];

const LICENSES = 'THIRD-PARTY-LICENSES';

type Manifest = { readonly version: string; readonly devDependencies: Readonly<Record<string, string>> };

/** The reason for which this process cannot make a release; null: there is none. */
export function machineProblem(): string | null {
  const { node } = readJson<Manifest>(path.join(ROOT, 'package.json')).devDependencies;
  if (process.platform !== 'linux' || process.arch !== 'x64')
    return `A release is made on Linux on x64, and this is ${process.platform} on ${process.arch}`;
  if (process.version === `v${node}`) return null;
  return `A release is made with Node ${node}, and this is ${process.version}: run "npm ci", then "npm run release"`;
}

/** Makes the release and returns its folder. `say` is told of each step. */
export async function makeRelease(version: string, say: (step: string) => void): Promise<string> {
  const releases = path.join(ROOT, 'dist', 'release');
  mkdirSync(releases, { recursive: true });
  const work = mkdtempSync(path.join(releases, `.${version}-`));
  process.umask(0o022);
  try {
    const made = path.join(work, 'made');
    await makeAll(version, copySources(version, path.join(work, 'source')), made, say);
    const done = path.join(releases, version);
    rmSync(done, { recursive: true, force: true });
    renameSync(made, done);
    return done;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function makeAll(version: string, source: string, made: string, say: (step: string) => void): Promise<void> {
  mkdirSync(made);
  say(LICENSES);
  const licenses = thirdPartyLicenses(source);
  for (const folder of [source, made]) write(folder, LICENSES, licenses);
  say(`zone53-${version}.tgz`);
  execFileSync('npm', ['pack', '--silent', '--pack-destination', made], { cwd: source, stdio: 'pipe' });
  say('functions/*.zip');
  const bundles = path.join(source, 'dist', 'bundles');
  for (const name of readdirSync(bundles)) {
    const files = [...filesIn(path.join(bundles, name)), { name: LICENSES, bytes: Buffer.from(licenses) }];
    write(made, `functions/${name}.zip`, zip(files));
  }
  say(`chart/zone53-cluster-${version}.tgz`);
  write(made, `chart/zone53-cluster-${version}.tgz`, tarball(chartFiles(version, source)));
  say('zone53.template.yaml');
  const command = path.join(source, 'cli', 'main.ts');
  execFileSync(process.execPath, [command, 'template', '-o', path.join(made, 'zone53.template.yaml')], {
    stdio: 'pipe',
  });
  say('bin/zone53-linux-x64');
  const shipped = ['crds', 'dist/console'].flatMap((folder) =>
    filesIn(path.join(source, folder)).map(({ name }) => `${folder}/${name}`),
  );
  const executable = path.join(made, 'bin', 'zone53-linux-x64');
  await buildExecutable(source, ['package.json', ...shipped], path.join(source, 'dist', 'executable'), executable);
  say('sbom.cdx.json');
  write(made, 'sbom.cdx.json', buildSbom(source, process.versions.node));
  say('SHA256SUMS');
  write(made, 'SHA256SUMS', filesIn(made).map(sumLine).join(''));
}

/** Copies what the package is built from, with the version of the release. */
function copySources(version: string, folder: string): string {
  for (const name of SOURCES) cpSync(path.join(ROOT, name), path.join(folder, name), { recursive: true });
  sameRights(folder);
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
  const manifest = readJson<Manifest>(path.join(ROOT, 'package.json'));
  write(folder, 'package.json', `${JSON.stringify({ ...manifest, version }, null, 2)}\n`);
  const lock = readJson<{ readonly packages: Readonly<Record<string, object>> }>(path.join(ROOT, 'package-lock.json'));
  const packages = { ...lock.packages, '': { ...lock.packages[''], version } };
  write(folder, 'package-lock.json', `${JSON.stringify({ ...lock, version, packages }, null, 2)}\n`);
  return folder;
}

/** The tarball has the rights of its files, which depend on the umask of the checkout; who may run a file does not. */
function sameRights(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const at = path.join(entry.parentPath, entry.name);
    const isRun = entry.isDirectory() || (statSync(at).mode & 0o100) !== 0;
    chmodSync(at, isRun ? 0o755 : 0o644);
  }
}

function chartFiles(version: string, source: string): readonly ArchiveFile[] {
  const shipped = (name: string) => readFileSync(path.join(source, 'crds', name), 'utf8');
  const files = helmChart(version, {
    crds: [shipped('zones.yaml'), shipped('records.yaml')],
    rbac: shipped('rbac.yaml'),
    webhook: shipped('examples/admission-webhook.yaml'),
  });
  return [...files].map(([name, text]) => ({ name: `zone53-cluster/${name}`, bytes: Buffer.from(text) }));
}

/** The files below a folder, by their path in it, in order. */
function filesIn(folder: string): readonly ArchiveFile[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.join(parentPath, name))
    .map((file) => ({ name: path.relative(folder, file), bytes: readFileSync(file) }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** A line as `sha256sum -c` reads it. */
function sumLine({ name, bytes }: ArchiveFile): string {
  return `${createHash('sha256').update(bytes).digest('hex')}  ${name}\n`;
}

function write(folder: string, name: string, content: string | Uint8Array): void {
  mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
  writeFileSync(path.join(folder, name), content);
}

function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(file, 'utf8')) as T;
}
