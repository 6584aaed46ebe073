// Roles of intents, with moto's STS and Route 53: one hosted zone is in our account, and one in another, which only the
// role of that account may see. moto's STS gives every role to everybody, so a proxy in front of it can refuse.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CreateHostedZoneCommand, ListResourceRecordSetsCommand, Route53Client } from '@aws-sdk/client-route-53';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { assumedRole } from '../../lib/adapters/aws/assumed-role.ts';
import { describeWithEngine, type RunningEngine, startMoto } from '../engines/engines.ts';
import { eventually } from '../engines/kubernetes/apply.ts';
import { appOf, listBody, recordBody } from '../support/intent-client.ts';
import { type Running, startZone53 } from '../support/zone53-command.ts';

const OWN = { accessKeyId: 'test', secretAccessKey: 'test' };
const THEIRS = 'arn:aws:iam::222222222222:role/dns';
/** A role of our own account, which we may not assume. */
const REFUSED = 'arn:aws:iam::123456789012:role/dns';
const UNLISTED = 'arn:aws:iam::444444444444:role/dns';
const DENIAL = `<ErrorResponse><Error><Type>Sender</Type><Code>AccessDenied</Code>
  <Message>User zone53 is not authorized to perform: sts:AssumeRole</Message></Error></ErrorResponse>`;

describeWithEngine('moto', 'roles of intents on moto', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'zone53-roles-'));
  const refused = new Set([REFUSED]);
  const asked: string[] = [];
  const ending: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  let moto: RunningEngine;
  let local: Running;
  let said = '';
  let api = '';

  /** moto's STS behind a proxy that refuses some roles. */
  async function startSts(): Promise<string> {
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks);
      const role = new URLSearchParams(body.toString('utf8')).get('RoleArn') ?? '';
      asked.push(role);
      if (refused.has(role)) return void response.writeHead(403, { 'content-type': 'text/xml' }).end(DENIAL);
      const headers = {
        authorization: request.headers.authorization ?? '',
        'content-type': 'application/x-www-form-urlencoded',
      };
      const answer = await fetch(moto.url, { method: 'POST', headers, body });
      response.writeHead(answer.status, { 'content-type': 'text/xml' }).end(await answer.text());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ending.push(() => server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** A client of moto's Route 53: with `role` as the account of that role, without it as our own account. */
  async function account(role: string | null): Promise<Route53Client> {
    const region = 'us-east-1';
    const own = {
      region: async () => region,
      credentials: async () => OWN,
      clock: { nowMs: Date.now },
      endpoint: moto.url,
    };
    const credentials = role === null ? OWN : await assumedRole(role, own)();
    const client = new Route53Client({ endpoint: moto.url, region, credentials });
    ending.push(() => client.destroy());
    return client;
  }

  async function zoneIn(client: Route53Client, name: string): Promise<string> {
    const made = await client.send(new CreateHostedZoneCommand({ Name: name, CallerReference: name }));
    return (made.HostedZone?.Id ?? '').replace('/hostedzone/', '');
  }

  async function recordSets(client: Route53Client, id: string): Promise<readonly string[]> {
    const { ResourceRecordSets = [] } = await client.send(new ListResourceRecordSetsCommand({ HostedZoneId: id }));
    return ResourceRecordSets.filter(({ Type }) => Type === 'A').map(
      ({ Name, ResourceRecords }) => `${Name} ${ResourceRecords?.map(({ Value }) => Value).join()}`,
    );
  }

  // biome-ignore lint/suspicious/noExplicitAny: the body of an answer, which each test looks into
  async function ask(method: string, target: string, body?: object): Promise<{ status: number; body: any }> {
    const answer = await fetch(`${api}/v2/projects/shop${target}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? null : JSON.parse(text) };
  }

  let own: Route53Client;
  let theirs: Route53Client;
  const ids: Record<string, string> = {};

  beforeAll(async () => {
    moto = await startMoto();
    ending.push(() => moto.close());
    own = await account(null);
    theirs = await account(THEIRS);
    ids.ours = await zoneIn(own, 'example.org.');
    ids.theirs = await zoneIn(theirs, 'theirs.example.');
    ids.refused = await zoneIn(own, 'refused.example.');
    const zones = { 'example.org.': ids.ours, 'theirs.example.': ids.theirs, 'refused.example.': ids.refused };
    const zone = (name: string, index: number) => ({
      apiVersion: 'kubi.zone/v1alpha1',
      kind: 'Zone',
      metadata: { name: `zone-${index}`, namespace: 'platform' },
      spec: { domainName: name, delegations: [{ namespaces: ['shop'], records: [{ pattern: '*' }] }] },
    });
    const items = Object.keys(zones).map(zone);
    writeFileSync(path.join(folder, 'zones.json'), JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    const inAccount: Record<string, string> = { 'theirs.example.': 'theirs', 'refused.example.': 'refused' };
    const hostedZones = Object.entries(zones).map(([zone, id]) => {
      const account = inAccount[zone];
      return { zone, id, ...(account === undefined ? {} : { account }) };
    });
    const config = {
      roots: [{ zone: '*', namespaces: ['platform'] }],
      hostedZones,
      intents: {},
      accounts: { theirs: { role: THEIRS, intents: true }, refused: { role: REFUSED, intents: true } },
      guard: { deletesMax: 1000, deletesShareMax: 1 },
    };
    writeFileSync(path.join(folder, 'zone53.yaml'), JSON.stringify(config));
    const place = { folder, route53: moto.url, env: { AWS_ENDPOINT_URL_STS: await startSts() } };
    local = startZone53(place, ['local', '-f', 'zones.json', '--route53', 'aws', '--intents-port', '0']);
    for (const stream of [local.child.stdout, local.child.stderr])
      stream?.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
    ending.push(async () => {
      local.child.kill('SIGKILL');
      await local.ended;
    });
    await eventually(() => {
      if (local.child.exitCode !== null) throw new Error(said);
      api = /^Intents +(\S+)/m.exec(said)?.[1] ?? '';
      return api !== '';
    }, 120_000);
  }, 180_000);
  afterAll(async () => {
    for (const end of ending.toReversed()) await end();
  });

  /** Creates a record of this name and role, for the services of the logical cloud of the same name. */
  async function record(name: string, role: string | null): Promise<number> {
    const parameters = role === null ? {} : { 'aws-assume-role': role };
    const { status } = await ask('POST', '/dns-update-records', recordBody(name, 'aws', parameters));
    if (status === 201) await ask('POST', `/logical-clouds/${name}/kv-pairs`, listBody(name));
    return status;
  }

  const app = (cloud: string, dnsName: string, address: string) => {
    const clusters = [{ provider: 'edge', cluster: 'one', publicAddresses: [address] }];
    return appOf({}, { logicalCloud: cloud, services: [{ name: cloud, dnsName, ttl: 60, clusters }] });
  };
  const row = async (name: string) => (await ask('GET', `/apps/${name}/status`)).body[0];

  test("a record with a role is published in the role's account, changed there and removed again", {
    timeout: 120_000,
  }, async () => {
    expect(await record('theirs', THEIRS)).toBe(201);
    await ask('POST', '/apps/theirs/instantiate', app('theirs', 'www.theirs.example', '192.0.2.1'));
    await eventually(
      async () => (await recordSets(theirs, ids.theirs ?? '')).join() === 'www.theirs.example. 192.0.2.1',
    );
    await eventually(async () => (await row('theirs')).state === 'Published');
    await ask('POST', '/apps/theirs/instantiate', app('theirs', 'www.theirs.example', '192.0.2.2'));
    await eventually(
      async () => (await recordSets(theirs, ids.theirs ?? '')).join() === 'www.theirs.example. 192.0.2.2',
    );
    expect(asked).toContain(THEIRS);
    expect(await recordSets(own, ids.ours ?? '')).toEqual([]);
    await ask('POST', '/apps/theirs/terminate');
    await eventually(async () => (await recordSets(theirs, ids.theirs ?? '')).length === 0);
  });

  test('a record without a role is published in our own account', { timeout: 120_000 }, async () => {
    await record('ours', null);
    await ask('POST', '/apps/ours/instantiate', app('ours', 'www.example.org', '192.0.2.3'));
    await eventually(async () => (await recordSets(own, ids.ours ?? '')).join() === 'www.example.org. 192.0.2.3');
  });

  test('a role that is not listed is answered 400 with its pointer, and STS is not asked for it', async () => {
    const told = await ask('POST', '/dns-update-records', recordBody('x', 'aws', { 'aws-assume-role': UNLISTED }));
    expect([told.status, told.body.errors[0].pointer]).toEqual([400, '#/spec/external-dns-parameters/aws-assume-role']);
    expect(asked).not.toContain(UNLISTED);
  });

  test('a role that cannot be assumed is an Error of its row until it can be assumed', {
    timeout: 180_000,
  }, async () => {
    await record('refused', REFUSED);
    await ask('POST', '/apps/refused/instantiate', app('refused', 'www.refused.example', '192.0.2.4'));
    await eventually(async () => (await row('refused')).state === 'Error', 60_000);
    const { reason } = await row('refused');
    expect(reason).toContain(`Cannot assume role ${REFUSED}: AccessDenied`);
    await eventually(async () => (await row('ours')).state === 'Published');
    refused.clear();
    // A call that never reached Route 53 is tried again after five minutes, or when the record changes.
    await ask('POST', '/apps/refused/instantiate', app('refused', 'www.refused.example', '192.0.2.5'));
    // A try that began before this edit may still publish the earlier address, and say so.
    await eventually(
      async () => (await recordSets(own, ids.refused ?? '')).join() === 'www.refused.example. 192.0.2.5',
      120_000,
    );
    await eventually(async () => (await row('refused')).state === 'Published');
  });
});
