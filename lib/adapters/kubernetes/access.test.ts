import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { RequestOptions } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { kubeconfigContext } from './access.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'zone53-kubeconfig-'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

async function put(name: string, server: string, user: object = {}, context = name): Promise<string> {
  const file = path.join(folder, name);
  const config = {
    clusters: [{ name: 'c', cluster: { server } }],
    users: [{ name: 'u', user: { token: 't', ...user } }],
    contexts: [{ name: context, context: { cluster: 'c', user: 'u' } }],
  };
  await writeFile(file, stringify(config));
  return file;
}

test('kubeconfigContext() sends everything that the kubeconfig impersonates', async () => {
  const file = await put('a', 'https://a', {
    as: 'bob',
    'as-uid': '7',
    'as-groups': ['zone53', 'dev'],
    'as-user-extra': { 'example.org/Scope': ['x', 'y'] },
  });
  const identity = await kubeconfigContext('a', file)();
  const options: RequestOptions = {};
  await identity.applyToHTTPSOptions(options);
  expect(options.headers).toMatchObject({
    'Impersonate-User': 'bob',
    'Impersonate-Uid': '7',
    'Impersonate-Group': ['zone53', 'dev'],
    'Impersonate-Extra-example.org%2Fscope': ['x', 'y'],
  });
  expect(identity.described).toBe('user "u" of the kubeconfig, as bob, group zone53, group dev');
});

test('kubeconfigContext() sends nothing of it where the kubeconfig says nothing', async () => {
  const options: RequestOptions = {};
  await (await kubeconfigContext('a', await put('a', 'https://a'))()).applyToHTTPSOptions(options);
  expect(Object.keys(options.headers ?? {})).toEqual(['Authorization']);
});

test('of the files of KUBECONFIG, as in kubectl, one that is not there is passed over, and the first of a name counts', async () => {
  const [first, second] = [await put('first', 'https://first'), await put('second', 'https://second')];
  vi.stubEnv('KUBECONFIG', [path.join(folder, 'missing'), first, second].join(path.delimiter));
  for (const context of ['first', 'second']) {
    const identity = await kubeconfigContext(context)();
    expect(identity.getCurrentCluster()?.server).toBe('https://first');
  }
});

test('kubeconfigContext() says which file is not there when there is none at all', async () => {
  const missing = path.join(folder, 'missing');
  vi.stubEnv('KUBECONFIG', missing);
  await expect(kubeconfigContext('a')()).rejects.toThrow(
    `Cannot find context "a" in the kubeconfig: there is no file ${missing}`,
  );
});
