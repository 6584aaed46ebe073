// Hosted zones of several accounts with moto's STS and Route 53, which keeps accounts apart by the role that a session
// assumed. A proxy before both can refuse a role or delay the answer about it, and notes who calls Route 53 for which
// hosted zone.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { CreateHostedZoneCommand, ListResourceRecordSetsCommand, Route53Client } from '@aws-sdk/client-route-53';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { assumedRole } from '../../lib/adapters/aws/assumed-role.ts';
import { describeWithEngine, type RunningEngine, startMoto } from '../engines/engines.ts';
import { eventually } from '../engines/kubernetes/apply.ts';
import { appliedOf, serving, startZone53, zone53 } from '../support/zone53-command.ts';

const OWN = { accessKeyId: 'test', secretAccessKey: 'test' };
const ROLES = {
  dns: 'arn:aws:iam::222222222222:role/zone53',
  shop: 'arn:aws:iam::333333333333:role/zone53',
} as const;
const NAMES = { own: 'own.example.', dns: 'dns.example.', shop: 'shop.example.' } as const;
type Account = keyof typeof NAMES;
const ACCOUNTS = ['own', 'dns', 'shop'] as const;
const DENIAL = `<ErrorResponse><Error><Type>Sender</Type><Code>AccessDenied</Code>
  <Message>User zone53 is not authorized to perform: sts:AssumeRole</Message></Error></ErrorResponse>`;

describeWithEngine('moto', 'several accounts on moto', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'zone53-accounts-'));
  const ending: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  const ids: Record<string, string> = {};
  const clients: Partial<Record<Account, Route53Client>> = {};
  /** What STS does about a role; absent: it gives it. */
  const sts = new Map<string, 'refuses' | 'is silent'>();
  /** The roles by the access keys that STS gave for them. */
  const keys = new Map<string, string>([[OWN.accessKeyId, 'own']]);
  /** Each call of Route 53 for a hosted zone: who made it, and for which. */
  const calls: string[] = [];
  const externalIds = new Set<string>();
  let moto: RunningEngine;
  let url = '';

  async function startProxy(): Promise<string> {
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks);
      const asked = new URLSearchParams(request.url === '/' ? body.toString('utf8') : '');
      const role = asked.get('RoleArn');
      if (role !== null) {
        externalIds.add(`${role} ${asked.get('ExternalId')} ${asked.get('RoleSessionName')}`);
        if (sts.get(role) === 'refuses')
          return void response.writeHead(403, { 'content-type': 'text/xml' }).end(DENIAL);
        if (sts.get(role) === 'is silent') await after(30_000, undefined, { ref: false });
      }
      const key = /Credential=([^/]+)/.exec(request.headers.authorization ?? '')?.[1] ?? '';
      const id = /\/hostedzone\/(\w+)/.exec(request.url ?? '')?.[1];
      if (id !== undefined) calls.push(`${keys.get(key) ?? key} ${id}`);
      const headers = {
        authorization: request.headers.authorization ?? '',
        'content-type': request.headers['content-type'] ?? '',
      };
      const sent = body.length === 0 ? {} : { body };
      const answer = await fetch(`${moto.url}${request.url}`, { method: request.method ?? 'GET', headers, ...sent });
      const text = await answer.text();
      const given = /<AccessKeyId>([^<]+)/.exec(text)?.[1];
      if (role !== null && given !== undefined)
        keys.set(given, Object.entries(ROLES).find(([, arn]) => arn === role)?.[0] ?? role);
      response.writeHead(answer.status, { 'content-type': 'text/xml' }).end(text);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ending.push(() => {
      server.closeAllConnections();
      server.close();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async function clientOf(account: Account): Promise<Route53Client> {
    const region = 'us-east-1';
    const world = {
      region: async () => region,
      credentials: async () => OWN,
      clock: { nowMs: Date.now },
      endpoint: moto.url,
    };
    const credentials = account === 'own' ? OWN : await assumedRole(ROLES[account], world)();
    const client = new Route53Client({ endpoint: moto.url, region, credentials });
    ending.push(() => client.destroy());
    return client;
  }

  async function published(account: Account): Promise<readonly string[]> {
    const command = new ListResourceRecordSetsCommand({ HostedZoneId: ids[account] ?? '' });
    const { ResourceRecordSets = [] } = (await clients[account]?.send(command)) ?? {};
    return ResourceRecordSets.filter(({ Type }) => Type === 'A').map(
      ({ Name, ResourceRecords }) => `${Name} ${ResourceRecords?.map(({ Value }) => Value).join()}`,
    );
  }

  const metadata = (name: string) => ({ name, namespace: 'platform' });
  /** Writes a Zone and a Record for each account; `address`: that of the Records; null: there are none. */
  function writeObjects(address: string | null) {
    const items = ACCOUNTS.flatMap((account) => {
      const spec = {
        domainName: NAMES[account],
        delegations: [{ namespaces: ['platform'], records: [{ pattern: '*' }] }],
      };
      const zone = { apiVersion: 'kubi.zone/v1alpha1', kind: 'Zone', metadata: metadata(account), spec };
      const record = { domainName: `www.${NAMES[account]}`, type: 'A', rdata: address };
      const of = {
        apiVersion: 'kubi.zone/v1alpha1',
        kind: 'Record',
        metadata: metadata(`www-${account}`),
        spec: record,
      };
      return address === null ? [zone] : [zone, of];
    });
    writeFileSync(path.join(folder, 'objects.json'), JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  }

  function writeConfig(listed: readonly Account[] = ACCOUNTS) {
    const hostedZones = listed.map((account) => ({
      ...{ zone: NAMES[account], id: ids[account] },
      ...(account === 'own' ? {} : { account }),
    }));
    const accounts = { dns: { role: ROLES.dns, externalId: 'ours' }, shop: { role: ROLES.shop } };
    const config = { roots: [{ zone: '*' }], accounts, hostedZones, guard: { deletesMax: 1000, deletesShareMax: 1 } };
    writeFileSync(path.join(folder, 'zone53.yaml'), JSON.stringify(config));
  }

  const place = () => ({ folder, route53: url, env: { AWS_ENDPOINT_URL_STS: url } });
  const apply = async (...more: readonly string[]) => {
    const ran = await zone53(place(), ['apply', '-f', 'objects.json', '--yes', '-o', 'json', ...more]);
    return { ...ran, applied: appliedOf(ran) };
  };

  const conditionOf = (
    output: {
      readonly zones: readonly {
        readonly name: string;
        readonly conditions: readonly { type: string; status: string; reason: string; message: string }[];
      }[];
    } | null,
    zone: string,
  ) => {
    const found = output?.zones.find(({ name }) => name === zone)?.conditions.find(({ type }) => type === 'Programmed');
    return `${found?.status} ${found?.reason} ${found?.message}`;
  };

  /** Every call for a hosted zone was made by its own account. */
  const strangers = () => {
    const right = new Set(ACCOUNTS.map((account) => `${account} ${ids[account]}`));
    return calls.filter((call) => !right.has(call));
  };

  beforeAll(async () => {
    moto = await startMoto();
    ending.push(() => moto.close());
    url = await startProxy();
    for (const account of ACCOUNTS) {
      const client = await clientOf(account);
      clients[account] = client;
      const made = await client.send(new CreateHostedZoneCommand({ Name: NAMES[account], CallerReference: account }));
      ids[account] = (made.HostedZone?.Id ?? '').replace('/hostedzone/', '');
    }
  }, 120_000);
  afterAll(async () => {
    for (const end of ending.toReversed()) await end();
  });

  test('a refused role and a silent STS stop their own hosted zones, and the next apply publishes them', {
    timeout: 180_000,
  }, async () => {
    writeObjects('192.0.2.1');
    writeConfig();
    sts.set(ROLES.dns, 'refuses');
    sts.set(ROLES.shop, 'is silent');
    const planned = await zone53(place(), ['plan', '-f', 'objects.json', '-o', 'json']);
    expect(planned.code).toBe(1);
    const { missingHostedZones } = JSON.parse(planned.out) as { missingHostedZones: readonly { zone: string }[] };
    expect(missingHostedZones.map(({ zone }) => zone)).toEqual(['platform/dns', 'platform/shop']);
    const first = await apply();
    expect(first.code).toBe(1);
    expect(conditionOf(first.applied, 'own')).toMatch(/^True Published/);
    expect(conditionOf(first.applied, 'dns')).toContain(
      `False AccountRefused hosted zone ${ids.dns} is in account dns, which cannot be used: Cannot assume role ${ROLES.dns}: AccessDenied: User zone53 is not authorized`,
    );
    expect(conditionOf(first.applied, 'shop')).toContain(`Cannot assume role ${ROLES.shop}: STS does not answer`);
    expect(await published('own')).toEqual(['www.own.example. 192.0.2.1']);
    expect([await published('dns'), await published('shop')]).toEqual([[], []]);
    sts.clear();
    const second = await apply();
    expect([second.code, second.err]).toEqual([0, '']);
    for (const account of ACCOUNTS) {
      expect(conditionOf(second.applied, account)).toMatch(/^True Published/);
      expect(await published(account)).toEqual([`www.${NAMES[account]} 192.0.2.1`]);
    }
    expect(externalIds).toContain(`${ROLES.dns} ours zone53`);
    expect(externalIds).toContain(`${ROLES.shop} null zone53`);
    expect(strangers()).toEqual([]);
  });

  test('local publishes an edit into both accounts, each with its role', { timeout: 120_000 }, async () => {
    const running = startZone53(place(), ['local', '-f', 'objects.json', '--route53', 'aws', '--state', 'local-state']);
    let said = '';
    for (const stream of [running.child.stdout, running.child.stderr])
      stream?.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
    try {
      await eventually(() => serving(said) !== null, 60_000);
      // Another ledger published what stands, so these are new names.
      const record = { domainName: 'new.dns.example.', type: 'A', rdata: '192.0.2.7' };
      const items = [
        { apiVersion: 'kubi.zone/v1alpha1', kind: 'Record', metadata: metadata('new-dns'), spec: record },
        {
          apiVersion: 'kubi.zone/v1alpha1',
          kind: 'Record',
          metadata: metadata('new-shop'),
          spec: { ...record, domainName: 'new.shop.example.' },
        },
      ];
      const before = JSON.parse(readFileSync(path.join(folder, 'objects.json'), 'utf8'));
      writeFileSync(
        path.join(folder, 'objects.json'),
        JSON.stringify({ ...before, items: [...before.items, ...items] }),
      );
      await eventually(async () => (await published('dns')).includes('new.dns.example. 192.0.2.7'), 30_000);
      await eventually(async () => (await published('shop')).includes('new.shop.example. 192.0.2.7'), 30_000);
    } finally {
      running.child.kill('SIGKILL');
      await running.ended;
    }
    expect(strangers()).toEqual([]);
  });

  test('what is published in a hosted zone that is no longer listed stays there, is foreign, and a warning says so', {
    timeout: 120_000,
  }, async () => {
    writeObjects(null);
    writeConfig(['own', 'dns']);
    calls.splice(0);
    const { err } = await apply();
    expect(err).toContain(
      `hosted zone ${ids.shop} (shop.example.) of account shop is no longer in hostedZones of the configuration: what is published there stays, and zone53 forgets it`,
    );
    expect(await published('own')).toEqual([]);
    expect(await published('shop')).toContain('www.shop.example. 192.0.2.1');
    expect(calls.filter((call) => call.endsWith(ids.shop ?? '?'))).toEqual([]);
    writeObjects('192.0.2.9');
    writeConfig();
    const again = await apply();
    const shop = again.applied?.records.find(({ name }) => name === 'www-shop');
    expect(shop?.conditions.find(({ type }) => type === 'Programmed')?.reason).toBe('ForeignRecord');
    expect(strangers()).toEqual([]);
  });
});
