// Every answer that a batch and a read may get, from a server that says whatever it is told to.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Route53Client } from '@aws-sdk/client-route-53';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { BatchOutcome, HostedZones } from '../../ports/hosted-zones.ts';
import { OutcomeUnknownError } from '../../ports/outcome-unknown-error.ts';
import { callBudget } from './call-budget.ts';
import { splitMessages } from './call-outcome.ts';
import { route53Client } from './route53-client.ts';
import { route53HostedZones } from './route53-hosted-zones.ts';

const START = { name: 'www.example.', type: 'A', setIdentifier: null };

/** An answer; status 0 breaks the connection, -1 never answers. */
type Answer = { readonly status: number; readonly body: string };
const NAMESPACE = 'xmlns="https://route53.amazonaws.com/doc/2013-04-01/"';
const refusal = (status: number, code: string, message = 'why'): Answer => ({
  status,
  body: `<ErrorResponse ${NAMESPACE}><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error><RequestId>1</RequestId></ErrorResponse>`,
});
const bare = (...messages: string[]): Answer => ({
  status: 400,
  body: `<InvalidChangeBatch ${NAMESPACE}><Messages>${messages.map((m) => `<Message>${m}</Message>`).join('')}</Messages><RequestId>1</RequestId></InvalidChangeBatch>`,
});
const accepted: Answer = {
  status: 200,
  body: `<ChangeResourceRecordSetsResponse ${NAMESPACE}><ChangeInfo><Id>/change/C1</Id><Status>PENDING</Status><SubmittedAt>2026-01-01T00:00:00Z</SubmittedAt></ChangeInfo></ChangeResourceRecordSetsResponse>`,
};

const zone: Answer = {
  status: 200,
  body: `<GetHostedZoneResponse ${NAMESPACE}><HostedZone><Id>/hostedzone/Z1</Id><Name>a\\052b.example.</Name><CallerReference>r</CallerReference><Config><PrivateZone>false</PrivateZone></Config></HostedZone><DelegationSet><NameServers><NameServer>NS-2.awsdns-1.net</NameServer><NameServer>ns-1.awsdns-1.net</NameServer></NameServers></DelegationSet></GetHostedZoneResponse>`,
};

let server: Server;
let url: string;
let answers: Answer[] = [];
let requests = 0;
let taken = 0;
const budget = {
  take: async () => {
    taken += 1;
  },
};

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume();
    requests += 1;
    const { status, body } = (answers.length > 1 ? answers.shift() : answers[0]) ?? accepted;
    if (status === 0) request.socket.destroy();
    else if (status > 0) response.writeHead(status, { 'content-type': 'text/xml' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  requests = 0;
  taken = 0;
});

const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };

function zonesAt(endpoint: string, requestTimeout = 2_000): HostedZones {
  const requestHandler = { requestTimeout, throwOnRequestTimeout: true };
  const client = route53Client({ endpoint, credentials, requestHandler });
  return route53HostedZones(client, budget, { sleep: async () => {}, random: () => 0 });
}

const change = (zones: HostedZones): Promise<BatchOutcome> =>
  zones.change(
    'Z1',
    [
      {
        action: 'CREATE',
        recordSet: {
          name: 'www.example.',
          type: 'A',
          setIdentifier: null,
          content: { kind: 'values', ttlSeconds: 1, values: ['192.0.2.1'] },
        },
      },
    ],
    'comment '.repeat(100),
  );

describe('change()', () => {
  it.each<[string, Answer, BatchOutcome]>([
    ['accepted', accepted, { kind: 'accepted', changeId: 'C1' }],
    ['no change id', { status: 200, body: '' }, { kind: 'unknown', message: 'Route 53 answered without a change id' }],
    [
      'InvalidChangeBatch, one text',
      refusal(400, 'InvalidChangeBatch', '[RRSet a, RRSet b]'),
      { kind: 'refused', messages: ['RRSet a', 'RRSet b'] },
    ],
    ['InvalidChangeBatch, messages', bare('RRSet a', 'b, c'), { kind: 'refused', messages: ['RRSet a', 'b, c'] }],
    [
      'InvalidChangeBatch, one message',
      bare('[RRSet a, RRSet b]'),
      { kind: 'refused', messages: ['RRSet a', 'RRSet b'] },
    ],
    [
      'InvalidInput',
      refusal(400, 'InvalidInput', 'Invalid XML ; x'),
      { kind: 'refused', messages: ['Invalid XML ; x'] },
    ],
    ['NoSuchHealthCheck', refusal(404, 'NoSuchHealthCheck'), { kind: 'refused', messages: ['why'] }],
    [
      'Throttling',
      refusal(400, 'Throttling', 'Rate exceeded'),
      { kind: 'throttled', message: 'Throttling: Rate exceeded' },
    ],
    [
      'ThrottlingException',
      refusal(400, 'ThrottlingException'),
      { kind: 'throttled', message: 'ThrottlingException: why' },
    ],
    [
      'Rate exceeded by another code',
      refusal(400, 'Sender', 'Rate exceeded'),
      { kind: 'throttled', message: 'Sender: Rate exceeded' },
    ],
    [
      'PriorRequestNotComplete',
      refusal(400, 'PriorRequestNotComplete'),
      { kind: 'throttled', message: 'PriorRequestNotComplete: why' },
    ],
    ['NoSuchHostedZone', refusal(404, 'NoSuchHostedZone'), { kind: 'gone', message: 'NoSuchHostedZone: why' }],
    ['AccessDenied', refusal(403, 'AccessDenied'), { kind: 'denied', message: 'AccessDenied: why' }],
    [
      'NotAuthorizedException',
      refusal(401, 'NotAuthorizedException'),
      { kind: 'denied', message: 'NotAuthorizedException: why' },
    ],
    [
      'InvalidClientTokenId',
      refusal(403, 'InvalidClientTokenId'),
      { kind: 'denied', message: 'InvalidClientTokenId: why' },
    ],
    ['ExpiredToken', refusal(403, 'ExpiredToken'), { kind: 'denied', message: 'ExpiredToken: why' }],
    ['a code that nobody knows', refusal(400, 'SomethingNew'), { kind: 'denied', message: 'SomethingNew: why' }],
  ])('%s', async (_, answer, outcome) => {
    answers = [answer];
    expect(await change(zonesAt(url))).toEqual(outcome);
    expect([requests, taken]).toEqual([1, 1]);
  });

  it.each<[string, Answer]>([
    ['500 InternalFailure', refusal(500, 'InternalFailure')],
    ['503 of a proxy', { status: 503, body: '<html>busy' }],
    ['an answer that is no XML', { status: 200, body: 'hello' }],
    ['a 400 that is no XML', { status: 400, body: 'hello' }],
    ['a 403 of a proxy', { status: 403, body: '<html>no</html>' }],
    ['a 404 of a proxy', { status: 404, body: '' }],
    ['a connection that breaks', { status: 0, body: '' }],
    ['no answer in time', { status: -1, body: '' }],
  ])('%s is unknown, and is not sent again', async (_, answer) => {
    answers = [answer];
    expect(await change(zonesAt(url, 200))).toMatchObject({ kind: 'unknown' });
    expect(requests).toBe(1);
  });

  it('a connection that is refused applied nothing: throttled', async () => {
    expect(await change(zonesAt('http://127.0.0.1:9'))).toMatchObject({
      kind: 'throttled',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('a batch whose turn comes too late is not sent: throttled', async () => {
    let nowMs = 0;
    const sleep = async (ms: number) => {
      nowMs += ms;
    };
    const shared = callBudget({ callsPerSecond: 1, reservedForOthers: 0, clock: { nowMs: () => nowMs }, sleep });
    const zones = route53HostedZones(route53Client({ endpoint: url, credentials }), shared);
    answers = [accepted];
    expect(await zones.change('Z1', [], '', 0)).toMatchObject({ kind: 'accepted' });
    expect(await zones.change('Z1', [], '', 999)).toMatchObject({ kind: 'throttled', unsent: true });
    expect(requests).toBe(1);
    expect(await zones.change('Z1', [], '', 1_000)).toMatchObject({ kind: 'accepted' });
    expect(requests).toBe(2);
  });

  it('no credentials: denied', async () => {
    const failing = async () => {
      throw Object.assign(new Error('none'), { name: 'CredentialsProviderError' });
    };
    const zones = route53HostedZones(route53Client({ endpoint: url, credentials: failing }), budget);
    expect(await change(zones)).toMatchObject({ kind: 'denied' });
    expect(requests).toBe(0);
  });

  it('a client that repeats by itself is an Error', async () => {
    const zones = route53HostedZones(new Route53Client({ endpoint: url, region: 'us-east-1', credentials }), budget);
    await expect(change(zones)).rejects.toThrow('route53Client()');
    expect(requests).toBe(0);
  });
});

describe('reads', () => {
  it('get() gives canonical names and repeats what may help, each time with a call of the budget', async () => {
    answers = [refusal(400, 'Throttling'), { status: 503, body: '' }, { status: 0, body: '' }, zone];
    expect(await zonesAt(url).get('Z1')).toEqual({
      id: 'Z1',
      name: 'a*b.example.',
      nameServers: ['ns-1.awsdns-1.net.', 'ns-2.awsdns-1.net.'],
      callerReference: 'r',
    });
    expect([requests, taken]).toEqual([4, 4]);
  });

  it('get() gives up after six attempts, with what Route 53 said', async () => {
    answers = [refusal(400, 'Throttling', 'Rate exceeded')];
    await expect(zonesAt(url).get('Z1')).rejects.toThrow('Cannot read hosted zone "Z1": Throttling: Rate exceeded');
    expect(requests).toBe(6);
  });

  it('get() does not repeat a refusal', async () => {
    answers = [refusal(403, 'AccessDenied', 'no')];
    await expect(zonesAt(url).get('Z1')).rejects.toThrow('Cannot read hosted zone "Z1": AccessDenied: no');
    expect(requests).toBe(1);
  });

  it('readName() does not repeat what makes no sense as absence', async () => {
    answers = [refusal(404, 'NoSuchHostedZone')];
    expect(await zonesAt(url).readName('Z1', 'www.example.')).toBeNull();
    answers = [{ status: 404, body: '' }];
    await expect(zonesAt(url).readName('Z1', 'www.example.')).rejects.toThrow('Cannot read record sets');
  });

  it.each([
    '<ResourceRecordSets/>',
    '<ResourceRecordSets></ResourceRecordSets>',
    '<ResourceRecordSets>\n</ResourceRecordSets>',
  ])('an empty list is one: %j', async (list) => {
    const body = `<ListResourceRecordSetsResponse ${NAMESPACE}>${list}<IsTruncated>false</IsTruncated><MaxItems>300</MaxItems></ListResourceRecordSetsResponse>`;
    answers = [{ status: 200, body }];
    expect(await zonesAt(url).readName('Z1', 'www.example.')).toEqual([]);
  });

  it.each([
    ['record sets', 'ListResourceRecordSets', (zones: HostedZones) => zones.readName('Z1', 'www.example.')],
    ['hosted zones', 'ListHostedZones', (zones: HostedZones) => zones.list()],
  ])('a list of %s that is not there is no empty one', async (_title, operation, call) => {
    const body = `<${operation}Response ${NAMESPACE}><IsTruncated>false</IsTruncated><MaxItems>300</MaxItems></${operation}Response>`;
    answers = [{ status: 200, body }];
    await expect(call(zonesAt(url))).rejects.toThrow('lacks what Route 53 always says');
  });

  it.each([
    ['a name', 'www.example.', 'A', (zones: HostedZones) => zones.readName('Z1', 'www.example.')],
    ['a page', 'www.example.', 'A', (zones: HostedZones) => zones.readPage('Z1', START)],
    ['hosted zones', '', '', (zones: HostedZones) => zones.list()],
    ['hosted zones of a name', '', '', (zones: HostedZones) => zones.create('a.example.', 'r')],
  ])(
    '%s whose next page begins where this one did (%s %s) is not asked for without end',
    async (what, name, type, call) => {
      const nextMarker = '<IsTruncated>true</IsTruncated><NextMarker>Z1</NextMarker><MaxItems>100</MaxItems>';
      const byName = `<HostedZones><HostedZone><Id>/hostedzone/Z1</Id><Name>a.example.</Name><CallerReference>x</CallerReference></HostedZone></HostedZones><IsTruncated>true</IsTruncated><NextDNSName>a.example.</NextDNSName><NextHostedZoneId>Z1</NextHostedZoneId><MaxItems>100</MaxItems>`;
      const bodies: Readonly<Record<string, string>> = {
        'hosted zones': `<ListHostedZonesResponse ${NAMESPACE}><HostedZones></HostedZones>${nextMarker}</ListHostedZonesResponse>`,
        'hosted zones of a name': `<ListHostedZonesByNameResponse ${NAMESPACE}>${byName}</ListHostedZonesByNameResponse>`,
      };
      const next = `<NextRecordName>${name}</NextRecordName><NextRecordType>${type}</NextRecordType>`;
      const page = `<ListResourceRecordSetsResponse ${NAMESPACE}><ResourceRecordSets></ResourceRecordSets><IsTruncated>true</IsTruncated>${next}<MaxItems>300</MaxItems></ListResourceRecordSetsResponse>`;
      const body = { status: 200, body: bodies[what] ?? page };
      answers = what === 'hosted zones of a name' ? [refusal(409, 'HostedZoneAlreadyExists'), body] : [body];
      await expect(call(zonesAt(url))).rejects.toThrow('lacks what Route 53 always says');
    },
  );

  it.each(['', '<html><body>portal</body></html>', '{}', `<ListResourceRecordSetsResponse ${NAMESPACE}/>`])(
    'an answer of 200 that says nothing is no proof of absence: %j',
    async (body) => {
      answers = [{ status: 200, body }];
      const zones = zonesAt(url);
      const calls = [
        () => zones.readName('Z1', 'www.example.'),
        () => zones.readPage('Z1', null),
        () => zones.list(),
        () => zones.get('Z1'),
        () => zones.create('a.example.', 'r'),
      ];
      for (const call of calls) {
        requests = 0;
        await expect(call()).rejects.toThrow(/lacks what Route 53 always says|outcome|XML parse error/i);
        expect(requests).toBe(6);
      }
      answers = [{ status: 200, body }, zone];
      expect(await zones.get('Z1')).toMatchObject({ id: 'Z1' });
    },
  );

  it('a hosted zone without its name servers is half an answer', async () => {
    answers = [{ status: 200, body: zone.body.replace(/<DelegationSet>.*<\/DelegationSet>/, '') }, zone];
    expect((await zonesAt(url).get('Z1'))?.nameServers).toHaveLength(2);
  });

  it('create() without an answer has an unknown outcome', async () => {
    answers = [{ status: 500, body: '' }];
    await expect(zonesAt(url).create('a.example.', 'r')).rejects.toThrow(OutcomeUnknownError);
  });

  it('create() that is refused is an Error', async () => {
    answers = [refusal(400, 'TooManyHostedZones', 'limit')];
    await expect(zonesAt(url).create('a.example.', 'r')).rejects.toThrow('TooManyHostedZones: limit');
  });
});

describe('splitMessages()', () => {
  const EXISTS = "Tried to create resource record set [name='a.example.', type='A'] but it already exists";
  const DUPLICATE = "Duplicate Resource Record: '192.0.2.1'";
  it.each([
    ['one', EXISTS, [EXISTS]],
    ['one in brackets', `[${EXISTS}]`, [EXISTS]],
    ['two', `[${EXISTS}, ${DUPLICATE}]`, [EXISTS, DUPLICATE]],
    ['cut off', `Message was too long, it was truncated. [${EXISTS}, Tried to cre`, [`${EXISTS}, Tried to cre`]],
    [
      'a value with a comma',
      `[Invalid Resource Record: FATAL problem: X encountered with '"a, b"', ${EXISTS}]`,
      [`Invalid Resource Record: FATAL problem: X encountered with '"a, b"'`, EXISTS],
    ],
    ['nothing', '', []],
  ])('%s', (_, text, messages) => {
    expect(splitMessages(text)).toEqual(messages);
  });
});
