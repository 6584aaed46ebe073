// No call is made with another account's role: each account here is a Route 53 of its own that notes whose credentials
// it sees, and STS refuses, or answers late.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { DEFAULT_CONFIG } from '../../ports/config.ts';
import { HostedZonesDeniedError } from '../../ports/hosted-zones.ts';
import { accountClients, withoutWaits } from './account-clients.ts';
import { callBudget } from './call-budget.ts';
import { hostedZonesOfAccounts } from './hosted-zones-of-accounts.ts';
import { route53Client } from './route53-client.ts';

const ROLES = {
  dns: 'arn:aws:iam::111122223333:role/zone53',
  shop: 'arn:aws:iam::444455556666:role/zone53',
  twin: 'arn:aws:iam::111122223333:role/other',
};
const NAMED = new Map(Object.entries(ROLES).map(([account, role]) => [role, account]));

const ending: (() => void)[] = [];
afterEach(() => {
  for (const end of ending.splice(0)) end();
  vi.unstubAllEnvs();
});

/** STS and Route 53 at one address. `calls`: by which credentials which hosted zone was asked for. */
async function openWorld(inLedger: Readonly<Record<string, string>> = {}) {
  const refused = new Set<string>();
  const calls: string[] = [];
  const assumed: { role: string; externalId: string | null; session: string | null }[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    if (request.url === '/') {
      const asked = new URLSearchParams(body);
      const role = asked.get('RoleArn') ?? '';
      const account = NAMED.get(role) ?? '';
      assumed.push({ role, externalId: asked.get('ExternalId'), session: asked.get('RoleSessionName') });
      if (refused.has(account)) {
        response.writeHead(403);
        return void response.end('<Error><Code>AccessDenied</Code><Message>not authorized</Message></Error>');
      }
      return void response.end(
        `<Credentials><AccessKeyId>KEY${account}</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>2099-01-01T00:00:00Z</Expiration></Credentials>`,
      );
    }
    const key = /Credential=KEY(\w+)/.exec(request.headers.authorization ?? '')?.[1] ?? '?';
    const id = /hostedzone\/(\w+)/.exec(request.url ?? '')?.[1] ?? 'all';
    calls.push(`${key} ${id}`);
    response.writeHead(403, { 'content-type': 'text/xml' });
    response.end('<ErrorResponse><Error><Code>AccessDenied</Code><Message>no</Message></Error></ErrorResponse>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const name of ['AWS_ENDPOINT_URL_STS', 'AWS_ENDPOINT_URL_ROUTE_53']) vi.stubEnv(name, url);
  const clock = { nowMs: Date.now };
  const own = route53Client({ region: 'us-east-1', credentials: { accessKeyId: 'KEYown', secretAccessKey: 's' } });
  const accounts = Object.fromEntries(
    Object.entries(ROLES).map(([id, role]) => [id, { role, externalId: id === 'dns' ? 'ours' : null, intents: false }]),
  );
  const config = {
    ...DEFAULT_CONFIG,
    accounts,
    hostedZones: [
      { zone: 'own.example.', id: 'ZOWN' },
      { zone: 'dns.example.', id: 'ZDNS', account: 'dns' },
      { zone: 'shop.example.', id: 'ZSHOP', account: 'shop' },
      { zone: 'twin.example.', id: 'ZTWIN', account: 'twin' },
    ],
  };
  const clients = accountClients(accounts, own, clock);
  const budgets: (string | undefined)[] = [];
  const hostedZones = hostedZonesOfAccounts({
    ...{ config, own, clients },
    budgetOf: (number) => {
      budgets.push(number);
      return callBudget({ ...config.budget, clock, sleep: async () => {} });
    },
    accountInLedger: async (id) => inLedger[id] ?? null,
  });
  ending.push(() => {
    for (const one of [own, ...clients.values()]) one.destroy();
    server.closeAllConnections();
    server.close();
  });
  return { hostedZones, calls, assumed, refused, budgets };
}

const CHANGE = {
  action: 'CREATE',
  recordSet: {
    ...{ name: 'a.example.', type: 'A', setIdentifier: null },
    content: { kind: 'values', ttlSeconds: 60, values: ['192.0.2.1'] },
  },
} as const;

type World = Awaited<ReturnType<typeof openWorld>>;

/** Every kind of call for a hosted zone. All are denied. */
async function askAll({ hostedZones }: World, id: string, role: string | null = null): Promise<void> {
  const denied = (error: unknown) => {
    if (!(error instanceof HostedZonesDeniedError)) throw error;
  };
  expect(await hostedZones.get(id)).toHaveProperty('unreadable');
  await hostedZones.readName(id, 'a.example.').catch(denied);
  await hostedZones.readPage(id, null).catch(denied);
  await hostedZones.protections(id, null).catch(denied);
  await hostedZones.change(id, [CHANGE], 'test', undefined, role);
}

test('each call is made with the role of the account of its hosted zone, and denied there it is made with no other', async () => {
  const world = await openWorld({ ZMADE: 'shop' });
  for (const id of ['ZOWN', 'ZDNS', 'ZSHOP', 'ZTWIN', 'ZMADE', 'ZUNKNOWN']) await askAll(world, id);
  const by = (key: string, id: string) => Array.from({ length: 5 }, () => `${key} ${id}`);
  expect(world.calls).toEqual([
    ...by('own', 'ZOWN'),
    ...by('dns', 'ZDNS'),
    ...by('shop', 'ZSHOP'),
    ...by('twin', 'ZTWIN'),
    ...by('shop', 'ZMADE'),
    ...by('own', 'ZUNKNOWN'),
  ]);
  expect(world.assumed).toContainEqual({ role: ROLES.dns, externalId: 'ours', session: 'zone53' });
  expect(world.assumed).toContainEqual({ role: ROLES.shop, externalId: null, session: 'zone53' });
});

test('by name only the own account is searched', async () => {
  const { hostedZones, calls } = await openWorld();
  await expect(hostedZones.list()).rejects.toThrow('AccessDenied');
  expect(calls).toEqual(['own all']);
});

test('a hosted zone is created in the account that is asked for, and belongs to it from then on', async () => {
  const { hostedZones, calls } = await openWorld();
  await expect(hostedZones.create('new.example.', 'zone53:1', 'shop')).rejects.toThrow('AccessDenied');
  await hostedZones.get('ZNEW', 'shop');
  await hostedZones.readName('ZNEW', 'a.example.').catch(() => {});
  expect(calls).toEqual(['shop all', 'shop ZNEW', 'shop ZNEW']);
});

test('the role that a record set must be written with must be that of the account', async () => {
  const world = await openWorld();
  const { hostedZones, calls } = world;
  const change = (id: string, role: string) => hostedZones.change(id, [CHANGE], 'test', undefined, role);
  expect(await change('ZOWN', ROLES.dns)).toEqual({
    kind: 'refused',
    messages: [
      `hosted zone ZOWN is not written with role ${ROLES.dns}: in the configuration, hostedZones lists it without an account`,
    ],
  });
  expect(await change('ZSHOP', ROLES.dns)).toMatchObject({ kind: 'refused' });
  expect(calls).toEqual([]);
  await change('ZDNS', ROLES.dns);
  expect(calls).toEqual(['dns ZDNS']);
});

test('a role that cannot be assumed is quoted, costs no call of Route 53, and is tried again at once', async () => {
  const world = await openWorld();
  world.refused.add('dns');
  const { hostedZones, calls } = world;
  const refusal = `Cannot assume role ${ROLES.dns}: AccessDenied: not authorized`;
  expect(await hostedZones.get('ZDNS')).toEqual({ unreadable: refusal });
  await expect(hostedZones.readPage('ZDNS', null)).rejects.toThrow(refusal);
  await expect(hostedZones.create('x.example.', 'zone53:1', 'dns')).rejects.toThrow(refusal);
  expect(await hostedZones.change('ZDNS', [CHANGE], 'test')).toEqual({ kind: 'denied', message: refusal });
  expect(calls).toEqual([]);
  await askAll(world, 'ZSHOP');
  world.refused.clear();
  await hostedZones.change('ZDNS', [CHANGE], 'test');
  expect(calls.at(-1)).toBe('dns ZDNS');
});

test('an account that the configuration no longer declares is not asked, with no credentials', async () => {
  const world = await openWorld({ ZOLD: 'former' });
  await askAll(world, 'ZOLD');
  expect(world.calls).toEqual([]);
  expect(await world.hostedZones.get('ZOLD')).toEqual({
    unreadable: 'Cannot assume role of account former: the configuration does not declare the account',
  });
});

test('each AWS account has one budget, also with two roles', async () => {
  const { budgets } = await openWorld();
  expect(budgets.toSorted()).toEqual(['111122223333', '444455556666', undefined]);
});

test('withoutWaits() gives a slow refusal again for a minute, and a quick one not', async () => {
  let nowMs = 0;
  let tookMs = 10_000;
  let asked = 0;
  const assume = withoutWaits(
    async () => {
      asked += 1;
      nowMs += tookMs;
      throw new Error('no answer');
    },
    { nowMs: () => nowMs },
  );
  const ask = () => assume().catch(() => {});
  await ask();
  await ask();
  nowMs += 59_999;
  await ask();
  expect(asked).toBe(1);
  nowMs += 1;
  tookMs = 10;
  await ask();
  await ask();
  expect(asked).toBe(3);
  await Promise.all([ask(), ask()]);
  expect(asked).toBe(4);
});
