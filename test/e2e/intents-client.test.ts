// The OpenAPI document of the intent API, checked with programs of others: a validator accepts it, and a client that
// openapi-typescript generates from it compiles, refuses what the API would refuse, and publishes a name from an empty
// project.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openapi } from '../../lib/intents/http/openapi.ts';
import { describeWithEngine, engine } from '../engines/engines.ts';
import { freePort } from '../engines/kubernetes/guard.ts';
import { type RunningLocal, startLocal } from '../support/running-local.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

/** Source of the client. The compiler fails if the line after a `@ts-expect-error` has no type error. */
const WALK = `
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.js';

declare const process: { readonly argv: readonly string[] };

const client = createClient<paths>({ baseUrl: process.argv[2] ?? '' });
const project = 'shop';
const record: components['schemas']['DnsUpdateRecord'] = {
  metadata: { name: 'public' },
  spec: { provider: 'aws', 'external-dns-parameters': { 'domain-filter': 'shop.example.org', 'aws-batch-change-size': 5 } },
};
// @ts-expect-error there is no such provider
const bind: components['schemas']['DnsUpdateRecord'] = { metadata: { name: 'x' }, spec: { provider: 'bind' } };
// @ts-expect-error a record has a name
const nameless: components['schemas']['DnsUpdateRecord'] = { metadata: {}, spec: { provider: 'aws' } };
void [bind, nameless];

function must<T>(what: string, { data, error }: { data?: T; error?: components['schemas']['Problem'] }): T {
  if (error !== undefined) throw new Error(what + ': ' + error.detail);
  return data as T;
}

const records = '/v2/projects/{project}/dns-update-records';
must('record', await client.POST(records, { params: { path: { project } }, body: record }));
const twice = await client.POST(records, { params: { path: { project } }, body: record });
if (twice.error?.status !== 409) throw new Error('twice is no conflict');
const list = { metadata: { name: 'dns-update-record-list' }, spec: { kv: [{ key1: 'public' }] } };
const cloud = { project, cloud: 'main' };
must('list', await client.POST('/v2/projects/{project}/logical-clouds/{cloud}/kv-pairs', { params: { path: cloud }, body: list }));
const app = { project, app: 'store' };
const clusters = [{ provider: 'edge', cluster: 'one', publicAddresses: ['192.0.2.10'] }];
const services = [{ name: 'www', dnsName: 'www.shop.example.org', ttl: 60, clusters }];
const body = { version: 'v1', profile: 'production', logicalCloud: 'main', services };
must('app', await client.POST('/v2/projects/{project}/apps/{app}/instantiate', { params: { path: app }, body }));
const rows = must('status', await client.GET('/v2/projects/{project}/apps/{app}/status', { params: { path: app } }));
console.log(JSON.stringify(rows.map(({ service, record: by }) => [service, by])));
`;

describeWithEngine(['openapi', 'dig'], 'the OpenAPI document of the intent API', () => {
  const tools = engine('openapi') ?? '';
  const folder = mkdtempSync(path.join(tmpdir(), 'zone53-openapi-'));
  let local: RunningLocal;
  let url: string;

  beforeAll(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    mkdirSync(path.join(folder, 'state'));
    const zone = path.join(ROOT, 'examples/intents/zone.yaml');
    local = await startLocal(path.join(folder, 'state'), '-f', zone, '--intents-port', String(port));
    symlinkSync(path.join(tools, 'node_modules'), path.join(folder, 'node_modules'));
    writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(path.join(folder, 'walk.ts'), WALK);
  });
  afterAll(async () => {
    await local?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('is valid, and a document with a mistake is not', async () => {
    const { Validator } = await import(path.join(tools, 'node_modules/@seriousme/openapi-schema-validator/index.js'));
    const document = (await (await fetch(`${url}/openapi.json`)).json()) as { readonly paths: object };
    expect(document).toEqual(JSON.parse(JSON.stringify(openapi())));
    const judged = await new Validator().validate(document);
    expect(judged).toMatchObject({ valid: true });
    const broken = { ...document, paths: { ...document.paths, '/x': { get: { responses: { 200: {} } } } } };
    expect(await new Validator().validate(broken)).toMatchObject({ valid: false });
  });

  test('gives a client that compiles and walks from an empty project to a name', async () => {
    const node = (program: string, ...args: string[]) =>
      run(process.execPath, [path.join(tools, 'node_modules', program), ...args], { cwd: folder });
    writeFileSync(path.join(folder, 'openapi.json'), JSON.stringify(openapi()));
    await node('openapi-typescript/bin/cli.js', 'openapi.json', '-o', 'schema.d.ts');
    const options = ['--strict', '--target', 'es2022', '--module', 'nodenext', '--skipLibCheck'];
    const compiled = await node('typescript/bin/tsc', 'walk.ts', ...options, '--lib', 'es2022,dom').catch(
      (error) => error,
    );
    expect(compiled.stdout).toBe('');
    const walked = await run(process.execPath, ['walk.js', url], { cwd: folder });
    expect(JSON.parse(walked.stdout)).toEqual([['www', 'public']]);
    await local.until(async () => (await local.answers('www.shop.example.org')).join() === '192.0.2.10');
  });
});
