import { readFile, writeFile } from 'node:fs/promises';
import type { RequestOptions } from 'node:https';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { testFolder } from '../../../../test/support/test-folder.ts';
import { type KubernetesIdentity, kubeconfigContext } from './access.ts';

let folder: string;
beforeEach(() => {
  folder = testFolder();
});
afterEach(async () => {
  vi.unstubAllEnvs();
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

test('kubeconfigContext() sends no impersonation that the kubeconfig does not have', async () => {
  const options: RequestOptions = {};
  await (await kubeconfigContext('a', await put('a', 'https://a'))()).applyToHTTPSOptions(options);
  expect(Object.keys(options.headers ?? {})).toEqual(['Authorization']);
});

test('kubeconfigContext() skips a missing file of KUBECONFIG, and takes the first entry of a name, as kubectl does', async () => {
  const [first, second] = [await put('first', 'https://first'), await put('second', 'https://second')];
  vi.stubEnv('KUBECONFIG', [path.join(folder, 'missing'), first, second].join(path.delimiter));
  for (const context of ['first', 'second']) {
    const identity = await kubeconfigContext(context)();
    expect(identity.getCurrentCluster()?.server).toBe('https://first');
  }
});

test('kubeconfigContext() names the missing file when there is no kubeconfig at all', async () => {
  const missing = path.join(folder, 'missing');
  vi.stubEnv('KUBECONFIG', missing);
  await expect(kubeconfigContext('a')()).rejects.toThrow(
    `Cannot find context "a" in the kubeconfig: there is no file ${missing}`,
  );
});

/** Everything that is sent with a request in a context of this cluster and this user. */
async function optionsOf(cluster: object, user: object): Promise<RequestOptions> {
  return applied(await identityOf(cluster, user));
}

async function identityOf(cluster: object, user: object): Promise<KubernetesIdentity> {
  const file = path.join(folder, 'one');
  const config = {
    clusters: [{ name: 'c', cluster: { server: 'https://a', ...cluster } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'one', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'one',
  };
  await writeFile(file, stringify(config));
  return kubeconfigContext(null, file)();
}

async function applied(identity: KubernetesIdentity): Promise<RequestOptions> {
  const options: RequestOptions = {};
  await identity.applyToHTTPSOptions(options);
  return options;
}

const base64 = (text: string) => Buffer.from(text).toString('base64');

test.each<[string, object, object, object]>([
  ['a token', {}, { token: 't' }, { headers: { Authorization: 'Bearer t' } }],
  ['a user with a password', {}, { username: 'bob', password: 'p' }, { auth: 'bob:p' }],
  ['nobody', {}, {}, { headers: {} }],
  ['insecure-skip-tls-verify', { 'insecure-skip-tls-verify': true }, {}, { rejectUnauthorized: false }],
  ['tls-server-name', { 'tls-server-name': 'inside.example.org' }, {}, { servername: 'inside.example.org' }],
  [
    'certificates in the file',
    { 'certificate-authority-data': base64('ca') },
    { 'client-certificate-data': base64('cert'), 'client-key-data': base64('key') },
    { ca: Buffer.from('ca'), cert: Buffer.from('cert'), key: Buffer.from('key') },
  ],
])('kubeconfigContext() knows %s', async (_title, cluster, user, expected) => {
  expect(await optionsOf(cluster, user)).toMatchObject(expected);
});

test('kubeconfigContext() names the file that cannot be parsed, on one line', async () => {
  const file = path.join(folder, 'broken');
  await writeFile(file, 'contexts: [');
  vi.stubEnv('KUBECONFIG', file);
  await expect(kubeconfigContext('a')()).rejects.toThrow(
    /^Cannot read kubeconfig ".*broken": Flow sequence [^\n]* at line 1, column 12$/,
  );
});

test('kubeconfigContext() reads certificates in files beside the kubeconfig, at each request', async () => {
  for (const name of ['ca.pem', 'cert.pem', 'key.pem']) await writeFile(path.join(folder, name), name);
  const user = { 'client-certificate': path.join(folder, 'cert.pem'), 'client-key': './key.pem' };
  const identity = await identityOf({ 'certificate-authority': 'ca.pem' }, user);
  const expected = { ca: Buffer.from('ca.pem'), cert: Buffer.from('cert.pem'), key: Buffer.from('key.pem') };
  expect(await applied(identity)).toMatchObject(expected);
  await writeFile(path.join(folder, 'ca.pem'), 'renewed');
  expect(await applied(identity)).toMatchObject({ ...expected, ca: Buffer.from('renewed') });
});

test('kubeconfigContext() runs an exec plugin, with its environment, once while its token is valid', async () => {
  const asked = path.join(folder, 'asked');
  const says = (status: object) => JSON.stringify({ kind: 'ExecCredential', status });
  const script = 'echo x >> "$ASKED"; echo "$SAYS"';
  const exec = (status: object) => ({
    exec: {
      command: 'sh',
      args: ['-c', script],
      env: [
        { name: 'ASKED', value: asked },
        { name: 'SAYS', value: says(status) },
      ],
    },
  });
  const certificate = { clientCertificateData: 'cert', clientKeyData: 'key' };
  const identity = await identityOf({}, exec({ token: 't', ...certificate }));
  for (let times = 0; times < 2; times += 1)
    expect(await applied(identity)).toMatchObject({
      headers: { Authorization: 'Bearer t' },
      cert: 'cert',
      key: 'key',
    });
  expect(await readFile(asked, 'utf8')).toBe('x\n');
  const expired = await identityOf({}, exec({ token: 't', expirationTimestamp: '2020-01-01T00:00:00Z' }));
  for (let times = 0; times < 2; times += 1) await applied(expired);
  expect(await readFile(asked, 'utf8')).toBe('x\nx\nx\n');
});

test('kubeconfigContext() refuses to send credentials over plain http, unless the kubeconfig turns TLS off', async () => {
  await expect(optionsOf({ server: 'http://a' }, { token: 't' })).rejects.toThrow(
    'Cannot use context "one": its server http://a is plain http. Use https, or say insecure-skip-tls-verify: true',
  );
  const open = { server: 'http://a', 'insecure-skip-tls-verify': true };
  expect(await optionsOf(open, { token: 't' })).toMatchObject({ headers: { Authorization: 'Bearer t' } });
});

test.each(['http://proxy:3128', 'socks5://proxy:1080'])(
  'kubeconfigContext() goes through proxy-url %s',
  async (url) => {
    const identity = await identityOf({ 'proxy-url': url }, { token: 't' });
    expect(identity.getCurrentCluster()?.proxyUrl).toBe(url);
    const { agent, headers } = await applied(identity);
    expect(agent?.constructor.name).toMatch(/ProxyAgent$/);
    expect(headers).toMatchObject({ Authorization: 'Bearer t' });
  },
);

test('kubeconfigContext() reads a tokenFile beside the kubeconfig, and before its token, as kubectl does', async () => {
  await writeFile(path.join(folder, 'mounted'), 'of a file\n');
  const user = { token: 't', tokenFile: 'mounted' };
  expect((await optionsOf({}, user)).headers).toEqual({ Authorization: 'Bearer of a file' });
  expect((await optionsOf({ 'proxy-url': 'http://proxy:3128' }, user)).headers).toMatchObject({
    Authorization: 'Bearer of a file',
  });
  await writeFile(path.join(folder, 'mounted'), 'renewed');
  expect((await optionsOf({}, { tokenFile: 'mounted' })).headers).toEqual({ Authorization: 'Bearer renewed' });
});

test('kubeconfigContext() names a tokenFile that does not exist, and reads none of another user', async () => {
  const file = path.join(folder, 'missing');
  await expect(optionsOf({}, { tokenFile: file })).rejects.toThrow(`no such file or directory, open '${file}'`);
  const config = await put('a', 'https://a');
  const text = (await readFile(config, 'utf8')).replace(
    'users:\n',
    `users:\n  - name: v\n    user: { tokenFile: ${file} }\n`,
  );
  await writeFile(config, text);
  expect((await applied(await kubeconfigContext('a', config)())).headers).toEqual({ Authorization: 'Bearer t' });
});

test.each<[string, object, object, string | RegExp]>([
  [
    'a tokenFile that is missing',
    {},
    { tokenFile: '/no/token' },
    /^Cannot read the tokenFile "\/no\/token" of user "u" in/,
  ],
  [
    'an empty tokenFile',
    {},
    { tokenFile: '/dev/null' },
    'as user "u" of the kubeconfig: its tokenFile "/dev/null" is empty',
  ],
  [
    'a server that is no URL',
    { server: 'a:6443' },
    {},
    'Cannot use context "one": its server "a:6443" is not a URL such',
  ],
  ['a proxy-url that is none', { 'proxy-url': '::' }, {}, 'Cannot use context "one": its proxy-url "::" is not a URL'],
  ...(
    [
      [{ command: 'no-such', installHint: 'See x\n' }, 'the exec plugin "no-such" of user "u" is not installed: See x'],
      [{ command: 'false' }, 'the exec plugin "false" of user "u" failed: it printed no reason'],
      [{ command: 'sh', args: ['-c', 'echo sign in >&2; exit 1'] }, /"sh" of user "u" failed: sign in$/],
      [{ command: 'echo', args: ['hello'] }, 'printed something else than JSON'],
      [{ command: 'echo', args: ['{}'] }, 'printed no credentials'],
      [{}, 'the exec plugin "" of user "u" failed: No command was specified'],
    ] as const
  ).map(([exec, said]): [string, object, object, string | RegExp] => [`a plugin: ${said}`, {}, { exec }, said]),
])('kubeconfigContext() says what is wrong with %s', async (_title, cluster, user, said) => {
  await expect(optionsOf(cluster, user)).rejects.toThrow(said);
});

test('kubeconfigContext() names a user that the kubeconfig does not have', async () => {
  const file = await put('a', 'https://a');
  await writeFile(file, (await readFile(file, 'utf8')).replace('user: u', 'user: v'));
  await expect(kubeconfigContext('a', file)()).rejects.toThrow('Cannot find user "v" of context "a" in the kubeconfig');
});

test('kubeconfigContext() runs a plugin beside the kubeconfig, and says what is asked of it, as kubectl does', async () => {
  const script = `#!/bin/sh\necho '{"status": {"token": "'$(echo "$KUBERNETES_EXEC_INFO" | base64 -w 0)'"}}'`;
  await writeFile(path.join(folder, 'plugin'), script, { mode: 0o755 });
  const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: './plugin', provideClusterInfo: true };
  const { headers } = await optionsOf({ 'certificate-authority-data': base64('ca') }, { exec });
  const token = String((headers as { Authorization: string }).Authorization).replace('Bearer ', '');
  expect(JSON.parse(Buffer.from(token, 'base64').toString('utf8'))).toEqual({
    apiVersion: 'client.authentication.k8s.io/v1',
    kind: 'ExecCredential',
    spec: {
      interactive: false,
      cluster: { server: 'https://a', 'certificate-authority-data': base64('ca'), 'insecure-skip-tls-verify': false },
    },
  });
});

test('kubeconfigContext() runs an auth-provider', async () => {
  const tokenFile = path.join(folder, 'token');
  await writeFile(tokenFile, 'of a file');
  const options = await optionsOf({}, { 'auth-provider': { name: 'tokenFile', config: { tokenFile } } });
  expect(options.headers).toMatchObject({ Authorization: 'Bearer of a file' });
});

test('kubeconfigContext() names what a cluster entry lacks', async () => {
  await expect(optionsOf({ server: '' }, {})).rejects.toThrow('clusters[0].cluster.server is missing');
});
