// What starting a command costs, in modules: each command loads what it needs, and compiles it once.
import { execFile } from 'node:child_process';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, test } from 'vitest';
import { cacheFolder } from '../../cli/compile-cache.ts';
import { testFolder } from '../support/test-folder.ts';

const main = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));

/** Writes the URL of each module to standard error as it is loaded. */
const TELLS_MODULES = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  import { writeSync } from 'node:fs';
  registerHooks({ load: (url, context, next) => { writeSync(2, 'loaded ' + url + '\\n'); return next(url, context); } });
`)}`;

let folder: string;
beforeEach(async () => {
  folder = testFolder();
  await writeFile(
    path.join(folder, 'zone.yaml'),
    'apiVersion: kubi.zone/v1alpha1\nkind: Zone\nmetadata: { name: a }\nspec: { domainName: example.org. }\n',
  );
});

type Ran = { readonly code: number; readonly err: string };

function run(argv: readonly string[], flags: readonly string[], env: Record<string, string> = {}): Promise<Ran> {
  const environment = { PATH: process.env.PATH ?? '', ...env };
  const options = { cwd: folder, env: environment, maxBuffer: 64 * 1024 * 1024 };
  return new Promise((resolve) => {
    execFile(process.execPath, [...flags, main, ...argv], options, (error, _out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), err }),
    );
  });
}

/** How many modules of each of these packages a command loads that says nothing else. */
async function loadedOf(packages: readonly string[], argv: readonly string[], env: Record<string, string> = {}) {
  const { err } = await run(argv, ['--import', TELLS_MODULES], env);
  expect(err.replaceAll(/^loaded .*\n/gm, '')).toBe('');
  const urls = [...err.matchAll(/^loaded (.*)$/gm)].map(([, url = '']) => url);
  expect(urls.some((url) => url.endsWith('/cli/program.ts'))).toBe(true);
  return Object.fromEntries(packages.map((name) => [name, urls.filter((url) => url.includes(name)).length]));
}

/** An API server that has one Zone, or a Route 53 without hosted zones. */
async function serving<Result>(work: (url: string) => Promise<Result>): Promise<Result> {
  const server = createServer((request, response) => {
    const isAws = request.url?.startsWith('/2013-04-01/') === true;
    const kind = request.url?.includes('/zones') ? 'zones' : 'records';
    const list = {
      apiVersion: 'kubi.zone/v1alpha1',
      kind: kind === 'zones' ? 'ZoneList' : 'RecordList',
      metadata: { resourceVersion: '1' },
      items: [],
    };
    const groups = { kind: 'APIResourceList', resources: [{ name: kind, kind: kind === 'zones' ? 'Zone' : 'Record' }] };
    const zones =
      '<ListHostedZonesResponse><HostedZones/><IsTruncated>false</IsTruncated><MaxItems>100</MaxItems></ListHostedZonesResponse>';
    response.end(isAws ? zones : JSON.stringify(request.url?.includes('/v1alpha1/') ? list : groups));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.close();
  }
}

test.each([['--help'], ['render', '-f', 'zone.yaml']])('zone53 %s loads no client', async (...argv) => {
  expect(await loadedOf(['@aws-sdk/', '@kubernetes/', 'undici'], argv)).toEqual({
    '@aws-sdk/': 0,
    '@kubernetes/': 0,
    undici: 0,
  });
});

test('zone53 plan loads the client of Route 53 and of no other service', async () => {
  const packages = ['@aws-sdk/client-', '@aws-sdk/client-route-53', '@aws-sdk/lib-', '@kubernetes/'];
  const loaded = await serving((url) =>
    loadedOf(packages, ['plan', '-f', 'zone.yaml'], {
      AWS_ENDPOINT_URL: url,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'a',
      AWS_SECRET_ACCESS_KEY: 'a',
    }),
  );
  expect(loaded['@aws-sdk/client-route-53']).toBeGreaterThan(0);
  expect(loaded['@aws-sdk/client-']).toBe(loaded['@aws-sdk/client-route-53']);
  expect([loaded['@aws-sdk/lib-'], loaded['@kubernetes/']]).toEqual([0, 0]);
});

test('a kubeconfig context is read by two files of the Kubernetes client, without its models', async () => {
  const loaded = await serving(async (server) => {
    const kubeconfig = path.join(folder, 'kubeconfig');
    const cluster = { server, 'insecure-skip-tls-verify': true };
    await writeFile(
      kubeconfig,
      JSON.stringify({
        clusters: [{ name: 'c', cluster }],
        users: [{ name: 'u', user: { token: 't' } }],
        contexts: [{ name: 'one', context: { cluster: 'c', user: 'u' } }],
      }),
    );
    return loadedOf(['@kubernetes/client-node/', '@aws-sdk/'], ['render', '--context', 'one'], {
      KUBECONFIG: kubeconfig,
    });
  });
  expect(loaded).toEqual({ '@kubernetes/client-node/': 2, '@aws-sdk/': 0 });
});

test('a command does not compile again what an earlier command compiled', async () => {
  const compiled = path.join(folder, 'zone53', 'compiled');
  // The files of the cache with their times, not what Node says of them: that is lost where a pipe is full.
  const files = async () => {
    const entries = await readdir(compiled, { recursive: true, withFileTypes: true });
    const names = entries.flatMap((one) => (one.isFile() ? [path.join(one.parentPath, one.name)] : []));
    return Promise.all(names.toSorted().map(async (name) => `${name} ${(await stat(name)).mtimeMs}`));
  };
  await run(['--help'], [], { XDG_CACHE_HOME: folder });
  const first = await files();
  await run(['--help'], [], { XDG_CACHE_HOME: folder });
  expect(first.length).toBeGreaterThan(100);
  expect(await files()).toEqual(first);
  expect(await readdir(compiled)).toHaveLength(1);
});

test('a command runs also if it cannot write its compile cache', async () => {
  await writeFile(path.join(folder, 'zone53'), 'a file where the folder would be');
  expect(await run(['--help'], [], { XDG_CACHE_HOME: folder })).toEqual({ code: 0, err: '' });
});

test.each<[string, Record<string, string>, string]>([
  ['the folder of XDG_CACHE_HOME', { XDG_CACHE_HOME: '/var/cache/me' }, '/var/cache/me/zone53/compiled'],
  ['the usual one if that is not absolute', { XDG_CACHE_HOME: 'me' }, '/home/me/.cache/zone53/compiled'],
  ['the usual one without XDG_CACHE_HOME', {}, '/home/me/.cache/zone53/compiled'],
])('cacheFolder() is %s', (_title, environment, expected) => {
  expect(cacheFolder(environment, '/home/me')).toBe(expected);
});
