import { request } from 'node:http';
import {
  ChangeResourceRecordSetsCommand,
  CreateHostedZoneCommand,
  GetHostedZoneCommand,
  ListHostedZonesCommand,
  Route53Client,
} from '@aws-sdk/client-route-53';
import { afterEach, describe, expect, it } from 'vitest';
import { change, restarted, testAccount } from '../../../test/fakes/route53-account.ts';
import { type Route53Server, type Route53ServerOptions, startRoute53 } from './server.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

const perSecond = (size: number) => ({ requests: { perSecond: size, size }, changes: null });

async function start(options: Partial<Route53ServerOptions> = {}): Promise<Route53Server> {
  const server = await startRoute53({ state: testAccount().state, limits: null, ...options });
  open.push(server);
  return server;
}

function sdkClient(endpoint: string, maxAttempts = 1): Route53Client {
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const client = new Route53Client({ endpoint, region: 'us-east-1', credentials, maxAttempts });
  open.push({ close: async () => client.destroy() });
  return client;
}

async function ask(server: Route53Server, method: string, path: string, body?: string) {
  const response = await fetch(`${server.url}/2013-04-01/${path}`, { method, ...(body === undefined ? {} : { body }) });
  return { status: response.status, text: await response.text(), id: response.headers.get('x-amzn-requestid') };
}

const batch = (changes: string, comment = '') =>
  `<?xml version="1.0" encoding="UTF-8"?><ChangeResourceRecordSetsRequest xmlns="https://route53.amazonaws.com/doc/2013-04-01/"><ChangeBatch>${comment}<Changes>${changes}</Changes></ChangeBatch></ChangeResourceRecordSetsRequest>`;
const one = (set: string, action = 'CREATE') =>
  `<Change><Action>${action}</Action><ResourceRecordSet>${set}</ResourceRecordSet></Change>`;
const RECORDS =
  '<TTL>60</TTL><ResourceRecords><ResourceRecord><Value>192.0.2.1</Value></ResourceRecord></ResourceRecords>';
const NAMED = '<Name>www.example.com</Name><Type>A</Type>';

describe('the request budget', () => {
  it('answers the sixth request of a second with Throttling, and allows more later', async () => {
    let nowMs = 0;
    const server = await start({ limits: perSecond(5), clock: { nowMs: () => nowMs } });
    const client = sdkClient(server.url);
    const list = () => client.send(new ListHostedZonesCommand({}));
    for (let at = 0; at < 5; at += 1) await list();
    const refusal = await list().catch((error: unknown) => error);
    expect(refusal).toMatchObject({ name: 'Throttling', message: 'Rate exceeded', $metadata: { httpStatusCode: 400 } });
    nowMs += 200;
    await list();
    await expect(list()).rejects.toMatchObject({ name: 'Throttling' });
    nowMs += 60_000;
    for (let at = 0; at < 5; at += 1) await list();
    await expect(list()).rejects.toMatchObject({ name: 'Throttling' });
    expect(server.requests).toEqual({ ListHostedZones: 14, Throttling: 3 });
  });

  it('throttles a batch of more changes than the bucket of changes has, and says nothing about which bucket it was', async () => {
    let nowMs = 0;
    const changes = { perSecond: 2, size: 3 };
    const { state, zoneId } = testAccount();
    const server = await start({ state, limits: { requests: null, changes }, clock: { nowMs: () => nowMs } });
    const send = (count: number, from: number) => {
      const sets = Array.from({ length: count }, (_, index) => one(NAMED.replace('www', `h${from + index}`) + RECORDS));
      return ask(server, 'POST', `hostedzone/${zoneId}/rrset`, batch(sets.join('')));
    };
    expect((await send(4, 0)).text).toContain('<Code>Throttling</Code><Message>Rate exceeded</Message>');
    expect((await send(2, 0)).status).toBe(200);
    expect((await send(2, 10)).status).toBe(400);
    expect((await send(1, 10)).status).toBe(200);
    nowMs += 1_000;
    expect((await send(2, 20)).status).toBe(200);
    expect((await send(1, 30)).status).toBe(400);
  });

  it('has a bucket of its own for actions that AWS limits more', async () => {
    const server = await start({
      limits: { requests: { perSecond: 10, size: 1_000 }, changes: null },
      clock: { nowMs: () => 0 },
    });
    const client = sdkClient(server.url);
    const create = (index: number) =>
      client.send(new CreateHostedZoneCommand({ Name: `z${index}.example`, CallerReference: `${index}` }));
    for (let index = 0; index < 40; index += 1) await create(index);
    await expect(create(40)).rejects.toMatchObject({ name: 'Throttling' });
    await client.send(new ListHostedZonesCommand({}));
  });

  it('makes the SDK retry', async () => {
    let nowMs = 0;
    const clock = { nowMs: () => (nowMs += 600) };
    const server = await start({ limits: perSecond(1), clock });
    const client = sdkClient(server.url, 5);
    for (let at = 0; at < 2; at += 1) await client.send(new ListHostedZonesCommand({}));
    expect(server.requests.Throttling).toBeGreaterThan(0);
  });
});

describe('the two shapes of InvalidChangeBatch', () => {
  const bad = batch(
    one(NAMED.replace('www', '<!-- c -->a..b') + RECORDS) + one(`<Name>a.org</Name><Type>A</Type>${RECORDS}`),
  );
  it('ErrorResponse, which the SDK reads', async () => {
    const { state, zoneId } = testAccount();
    const server = await start({ state });
    const answer = await ask(server, 'POST', `hostedzone/${zoneId}/rrset`, bad);
    expect(answer.status).toBe(400);
    expect(answer.text).toBe(
      `<?xml version="1.0"?>\n<ErrorResponse xmlns="https://route53.amazonaws.com/doc/2013-04-01/"><Error><Type>Sender</Type><Code>InvalidChangeBatch</Code><Message>[FATAL problem: DomainLabelEmpty (Domain label is empty) encountered with 'a..b.example.com', RRSet with DNS name a.org. is not permitted in zone example.com.]</Message></Error><RequestId>${answer.id}</RequestId></ErrorResponse>`,
    );
    const Changes = [
      {
        Action: 'CREATE' as const,
        ResourceRecordSet: { Name: 'a.org', Type: 'A' as const, TTL: 1, ResourceRecords: [{ Value: '192.0.2.1' }] },
      },
    ];
    const command = new ChangeResourceRecordSetsCommand({ HostedZoneId: zoneId, ChangeBatch: { Changes } });
    await expect(sdkClient(server.url).send(command)).rejects.toMatchObject({
      name: 'InvalidChangeBatch',
      message: '[RRSet with DNS name a.org. is not permitted in zone example.com.]',
    });
  });

  it('InvalidChangeBatch, with a list of messages', async () => {
    const { state, zoneId } = testAccount();
    const server = await start({ state, invalidChangeBatchShape: 'InvalidChangeBatch' });
    const answer = await ask(server, 'POST', `hostedzone/${zoneId}/rrset`, bad);
    expect(answer.status).toBe(400);
    expect(answer.text).toBe(
      `<?xml version="1.0"?>\n<InvalidChangeBatch xmlns="https://route53.amazonaws.com/doc/2013-04-01/"><Messages><Message>FATAL problem: DomainLabelEmpty (Domain label is empty) encountered with 'a..b.example.com'</Message><Message>RRSet with DNS name a.org. is not permitted in zone example.com.</Message></Messages><RequestId>${answer.id}</RequestId></InvalidChangeBatch>`,
    );
  });
});

describe('an invalid request is refused, and the server continues', () => {
  const bodies: readonly (readonly [string, string])[] = [
    ['nothing', ''],
    ['text that is not XML', 'hello'],
    ['JSON', '{"ChangeBatch":{}}'],
    ['an element that is not closed', '<ChangeResourceRecordSetsRequest><ChangeBatch>'],
    ['another root', '<DeleteEverything/>'],
    ['two roots', '<ChangeResourceRecordSetsRequest/><ChangeResourceRecordSetsRequest/>'],
    ['no batch', '<ChangeResourceRecordSetsRequest/>'],
    ['an entity declaration', `<!DOCTYPE a [<!ENTITY x "y">]>${batch(one(NAMED + RECORDS))}`],
    [
      'a name that JavaScript reserves',
      '<ChangeResourceRecordSetsRequest><__proto__/></ChangeResourceRecordSetsRequest>',
    ],
    ['no changes', batch('')],
    ['an unknown element', batch(one(`${NAMED}${RECORDS}<Colour>red</Colour>`))],
    ['an element twice', batch(one(`${NAMED}${NAMED}${RECORDS}`))],
    ['no name', batch(one(`<Type>A</Type>${RECORDS}`))],
    ['an empty name', batch(one(`<Name></Name><Type>A</Type>${RECORDS}`))],
    ['no type', batch(one(`<Name>www.example.com</Name>${RECORDS}`))],
    ['an unknown type', batch(one(`<Name>www.example.com</Name><Type>LOC</Type>${RECORDS}`))],
    ['an unknown action', batch(one(NAMED + RECORDS, 'REPLACE'))],
    ['an action in lower case', batch(one(NAMED + RECORDS, 'create'))],
    ['a TTL that is not a number', batch(one(`${NAMED}${RECORDS.replace('60', 'soon')}`))],
    ['a TTL below zero', batch(one(`${NAMED}${RECORDS.replace('60', '-1')}`))],
    ['a TTL of 2^31', batch(one(`${NAMED}${RECORDS.replace('60', '2147483648')}`))],
    ['a weight of 256', batch(one(`${NAMED}<SetIdentifier>a</SetIdentifier><Weight>256</Weight>${RECORDS}`))],
    ['no values', batch(one(`${NAMED}<TTL>1</TTL><ResourceRecords></ResourceRecords>`))],
    [
      'a record without a value',
      batch(one(`${NAMED}<TTL>1</TTL><ResourceRecords><ResourceRecord/></ResourceRecords>`)),
    ],
    [
      'text in place of elements',
      batch(one(`${NAMED}<TTL>1</TTL><ResourceRecords><Value>1</Value></ResourceRecords>`)),
    ],
    ['no TTL', batch(one(`${NAMED}${RECORDS.replace('<TTL>60</TTL>', '')}`))],
    ['neither alias nor values', batch(one(NAMED))],
    [
      'an alias without its flag',
      batch(one(`${NAMED}<AliasTarget><HostedZoneId>Z</HostedZoneId><DNSName>a</DNSName></AliasTarget>`)),
    ],
    [
      'two routing policies',
      batch(one(`${NAMED}<SetIdentifier>a</SetIdentifier><Weight>1</Weight><Region>eu-west-1</Region>${RECORDS}`)),
    ],
    ['a comment of 257 characters', batch(one(NAMED + RECORDS), `<Comment>${'x'.repeat(257)}</Comment>`)],
  ];
  it.each(bodies)('%s is InvalidInput', async (_, body) => {
    const { state, zoneId, keys } = testAccount();
    const server = await start({ state });
    const answer = await ask(server, 'POST', `hostedzone/${zoneId}/rrset`, body);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('<Code>InvalidInput</Code>');
    expect(answer.text).toMatch(/<Message>Invalid (?:XML ; |request: )/);
    expect(keys()).toEqual([]);
    const good = await ask(server, 'POST', `hostedzone/${zoneId}/rrset/`, batch(one(NAMED + RECORDS)));
    expect(good.status).toBe(200);
  });

  it("names the missing element in Route 53's words", async () => {
    const { state, zoneId } = testAccount();
    const server = await start({ state });
    const answer = await ask(server, 'POST', `hostedzone/${zoneId}/rrset`, batch(one(NAMED, 'DELETE')));
    expect(answer.text).toContain(
      '<Message>Invalid request: Expected exactly one of [AliasTarget, all of [TTL, and ResourceRecords], or TrafficPolicyInstanceId], but found none in Change with [Action=DELETE, Name=www.example.com, Type=A, SetIdentifier=null]</Message>',
    );
  });

  it.each([
    ['GET', 'nothing'],
    ['PUT', 'hostedzone'],
    ['DELETE', 'hostedzone'],
    ['GET', '../2012-12-12/hostedzone'],
  ])('%s %s is not an operation', async (method, path) => {
    const answer = await ask(await start(), method, path);
    expect(answer).toMatchObject({ status: 404, text: expect.stringContaining('UnknownOperationException') });
  });

  it.each([
    'hostedzone?maxitems=0',
    'hostedzone?maxitems=x',
    'hostedzone?marker=ZNONE',
    'hostedzonesbyname?hostedzoneid=Z1',
    'hostedzonesbyname?dnsname=a..b',
    'hostedzone/%E0%A4%A',
    'tags/bucket/Z1',
  ])('GET %s is InvalidInput', async (path) => {
    const answer = await ask(await start(), 'GET', path);
    expect(answer).toMatchObject({ status: 400, text: expect.stringContaining('<Code>InvalidInput</Code>') });
  });

  it('a body of more than 8 MiB is refused', async () => {
    const answer = await ask(await start(), 'POST', 'hostedzone', 'x'.repeat(9 * 1024 * 1024));
    expect(answer.status).toBe(413);
  });
});

describe('startRoute53()', () => {
  it('decodes entities and character references, and writes what it got', async () => {
    const { state, zoneId } = testAccount();
    const server = await start({ state });
    const value = '&#34;a &amp; &lt;b&gt; &#x22;&#10;'.replace('&#10;', '');
    const body = batch(one(`<Name>t.example.com</Name><Type>TXT</Type>${RECORDS.replace('192.0.2.1', value)}`));
    expect((await ask(server, 'POST', `hostedzone/${zoneId}/rrset`, body)).status).toBe(200);
    expect(state.recordSetsAt(zoneId, 't.example.com.')[0]?.values).toEqual(['"a & <b> "']);
    expect((await ask(server, 'GET', `hostedzone/${zoneId}/rrset`)).text).toContain(
      '<Value>"a &amp; &lt;b&gt; "</Value>',
    );
  });

  it('names the port that is in use', async () => {
    const { port } = await start();
    await expect(start({ port })).rejects.toThrow(
      `Cannot start Route 53 on 127.0.0.1 port ${port}: the port is taken (EADDRINUSE)`,
    );
  });

  it('answers from a state that it shares with others', async () => {
    const { state, zoneId, apply } = testAccount();
    const server = await start({ state });
    apply(change('CREATE', 'www.example.com', 'A', ['192.0.2.1']));
    const answer = await sdkClient(server.url).send(new GetHostedZoneCommand({ Id: zoneId }));
    expect(answer.HostedZone?.ResourceRecordSetCount).toBe(3);
    expect(server.requests).toEqual({ GetHostedZone: 1 });
  });

  it('closes while connections are kept alive', async () => {
    const server = await startRoute53({ state: testAccount().state, limits: null });
    await ask(server, 'GET', 'hostedzone');
    await server.close();
    await expect(ask(server, 'GET', 'hostedzone')).rejects.toThrow();
  });
});

/** Sends a request with any headers, as fetch() does not allow. */
function raw(
  server: Route53Server,
  method: string,
  headers: Readonly<Record<string, string>>,
  body = '',
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const path = `/2013-04-01/hostedzone/${server.state.zones()[0]?.id}/rrset/`;
    const sent = request({ port: server.port, host: '127.0.0.1', method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

describe('web pages', () => {
  const write = batch(one(`${NAMED}${RECORDS}`));
  it.each<[string, Record<string, string>]>([
    ['another origin', { Origin: 'https://evil.example' }],
    ['an origin of this machine', { Origin: 'http://localhost:3000' }],
    ['no origin of its own', { Origin: 'null' }],
    ['a name that leads here', { Host: 'evil.example:5380' }],
    ['a name that begins like this machine', { Host: '127.0.0.1.evil.example' }],
    ['a name that ends like this machine', { Host: 'evil.localhost' }],
    ['another site', { 'Sec-Fetch-Site': 'cross-site' }],
    ['a page of another port here', { 'Sec-Fetch-Site': 'same-site' }],
  ])('are refused with 403: %s', async (_, headers) => {
    const server = await start({ limits: perSecond(1) });
    for (const [method, body] of [
      ['POST', write],
      ['OPTIONS', ''],
      ['GET', ''],
    ] as const) {
      const { status, text } = await raw(server, method, headers, body);
      expect(status).toBe(403);
      expect(text).toContain('<Code>AccessDenied</Code><Message>Only programs on this machine may ask');
    }
    // None of them counts against the budget, and none has written anything.
    expect(server.requests).toEqual({});
    const [zone] = server.state.zones();
    expect(server.state.recordSetsAt(zone?.id ?? '', 'www.example.com.')).toEqual([]);
  });

  it.each(['127.0.0.1:5380', '127.0.0.1', 'localhost:5380', 'LOCALHOST', '[::1]:5380', '127.0.0.2:1'])(
    'does not take a program that asks %s for one',
    async (Host) => {
      const server = await start();
      expect(await raw(server, 'GET', { Host, 'Sec-Fetch-Site': 'none' })).not.toMatchObject({ status: 403 });
    },
  );

  it('lets the SDK write by either name of this machine', async () => {
    const server = await start();
    for (const endpoint of [server.url, `http://localhost:${server.port}`])
      await sdkClient(endpoint).send(new ListHostedZonesCommand({}));
    expect(server.requests).toEqual({ ListHostedZones: 2 });
  });
});

describe('PUT /health/<id>', () => {
  const say = async ({ url }: Route53Server, id: string, body: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${url}/health/${id}`, { method: 'PUT', body, headers });
    return [answer.status, (await answer.text()).match(/<Code>(\w+)</)?.[1]];
  };

  it('says that a health check fails, and that it is healthy again, without using up the limits', async () => {
    const { state } = testAccount();
    const { id } = state.createHealthCheck('h', { Type: 'TCP' });
    const server = await start({ state, limits: perSecond(1), clock: { nowMs: () => 0 } });
    for (const [body, failing] of [
      ['unhealthy', [id]],
      ['healthy\n', []],
      ['unhealthy', [id]],
    ] as const) {
      expect(await say(server, id, body)).toEqual([204, undefined]);
      expect([...state.failing()]).toEqual(failing);
    }
    state.deleteHealthCheck(id);
    expect([...state.failing()]).toEqual([]);
  });

  it('is answered after it was saved', async () => {
    const { state } = testAccount({ takesUnknownIds: true });
    let saved: readonly string[] | undefined;
    const kept = async () => {
      saved = state.snapshot().failing;
    };
    const server = await start({ state, kept });
    await say(server, 'h1', 'unhealthy');
    expect(saved).toEqual(['h1']);
    expect([...restarted(state).failing()]).toEqual(['h1']);
  });

  it.each([
    ['another word', 'h1', 'sick', {}, [400, 'InvalidInput']],
    ['a health check that does not exist', 'h1', 'unhealthy', {}, [404, 'NoSuchHealthCheck']],
    ['what cannot be an id', 'h_1', 'unhealthy', {}, [404, 'UnknownOperationException']],
    ['a web page', 'h1', 'unhealthy', { origin: 'http://example.org' }, [403, 'AccessDenied']],
  ] as const)('refuses %s', async (_, id, body, headers, expected) => {
    const server = await start();
    expect(await say(server, id, body, headers)).toEqual(expected);
    expect([...server.state.failing()]).toEqual([]);
  });
});
