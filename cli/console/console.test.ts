// The API over a real ledger: `zone53 apply` has published into the local Route 53, met a foreign record set, and holds
// deletes. Every answer has the shape of its schema.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ChangeResourceRecordSetsCommand, ListHostedZonesCommand } from '@aws-sdk/client-route-53';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type * as z from 'zod';
import { localRoute53Client } from '../../lib/adapters/route53/route53-client.ts';
import { systemClock } from '../../lib/adapters/system/system-time.ts';
import { DEFAULT_CONFIG } from '../../lib/ports/config.ts';
import { openLocalRoute53 } from '../../local/route53/api/open-local-route53.ts';
import { stubRoute53 } from '../../test/support/apply-request.ts';
import { runHere } from '../../test/support/run-here.ts';
import {
  type ChangeAnswer,
  type ChangesAnswer,
  type ContentAnswer,
  changesAnswer,
  type EntryAnswer,
  type HistoryAnswer,
  historyAnswer,
  hostedZoneAnswer,
  hostedZonesAnswer,
  mayAnswer,
  type NamesAnswer,
  nameAnswer,
  namesAnswer,
  problemAnswer,
  statusAnswer,
  type WaitingAnswer,
  waitingAnswer,
  zonesAnswer,
} from './answers.ts';
import { runConsole } from './run-console.ts';

/** A value and a comment as somebody writes them who hopes for a browser or a terminal. */
const HOSTILE = '<img src=x onerror=alert(1)>\\027[31m';

const folder = mkdtempSync(path.join(tmpdir(), 'zone53-console-'));
const manifests = path.join(folder, 'dns');
const state = path.join(folder, 'state');
const ending = new AbortController();
let calls: () => number;
let route53Url: string;
let running: Promise<void> = Promise.resolve();
let closeRoute53: () => Promise<void> = async () => {};
let url: URL;

function zoneText(): string {
  return `apiVersion: kubi.zone/v1alpha1
kind: Zone
metadata: { name: org, namespace: dns }
spec:
  domainName: example.org.
  delegations:
    - namespaces: [team-a]
      records: [{ pattern: "*" }]
    - namespaces: [team-b]
      records: [{ pattern: "*.b", types: [TXT] }]
`;
}

function recordText(name: string, type: string, rdata: string, namespace = 'team-a'): string {
  return `---
apiVersion: kubi.zone/v1alpha1
kind: Record
metadata: { name: ${name.split('.')[0]}, namespace: ${namespace} }
spec: { domainName: ${name}, type: ${type}, rdata: ${JSON.stringify(rdata)} }
`;
}

function write(records: readonly string[]): void {
  mkdirSync(manifests, { recursive: true });
  writeFileSync(path.join(manifests, 'dns.yaml'), [zoneText(), ...records].join(''));
}

const host = (index: number) => recordText(`h${index}.example.org.`, 'A', `192.0.2.${index}`);
const HOSTS = Array.from({ length: 12 }, (_, index) => host(index));
const OTHERS = [
  recordText('taken.example.org.', 'A', '192.0.2.99'),
  recordText('odd.example.org.', 'TXT', `"${HOSTILE}"`),
  recordText('denied.example.org.', 'A', '192.0.2.98', 'team-b'),
];

beforeAll(async () => {
  const route53 = await openLocalRoute53(path.join(folder, 'route53.json'), 0);
  closeRoute53 = route53.close;
  route53Url = route53.url;
  stubRoute53(route53Url);
  const config = path.join(folder, 'zone53.yaml');
  writeFileSync(config, 'createHostedZones: all\n');
  const apply = () => runHere('apply', '-f', manifests, '--state', state, '--config', config, '--yes');
  write([]);
  expect((await apply()).code).toBe(0);
  const client = localRoute53Client(route53.url);
  const listed = await client.send(new ListHostedZonesCommand({}));
  const foreign = {
    Name: 'taken.example.org.',
    Type: 'A' as const,
    TTL: 60,
    ResourceRecords: [{ Value: '198.51.100.1' }],
  };
  await client.send(
    new ChangeResourceRecordSetsCommand({
      HostedZoneId: listed.HostedZones?.[0]?.Id,
      ChangeBatch: { Changes: [{ Action: 'CREATE', ResourceRecordSet: foreign }] },
    }),
  );
  client.destroy();
  write([...HOSTS, ...OTHERS]);
  await apply();
  write([...HOSTS.slice(0, 4), ...OTHERS]);
  await apply();
  calls = () => Object.values(route53.requests).reduce((sum, count) => sum + count, 0);
  const printed: string[] = [];
  running = runConsole({
    ...{ config: DEFAULT_CONFIG, clock: systemClock, log: () => {}, progress: () => {}, source: null },
    store: { kind: 'folder', folder: state },
    ...{ port: 0, tokenFile: null, opens: false, print: (line: string) => printed.push(line), signal: ending.signal },
  });
  await vi.waitFor(() => expect(printed).toHaveLength(1), { timeout: 20_000 });
  expect(printed[0]).toMatch(/^Console http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{43}$/);
  url = new URL(printed[0]?.split(' ')[1] ?? '');
}, 60_000);

// Each test begins without what others have put into the environment.
beforeEach(() => stubRoute53(route53Url));

afterAll(async () => {
  ending.abort();
  await running;
  vi.unstubAllEnvs();
  await closeRoute53();
  rmSync(folder, { recursive: true, force: true });
});

/** Asks with the token, and checks the shape. */
async function ask<Schema extends z.ZodType>(schema: Schema, question: string): Promise<z.output<Schema>> {
  const response = await fetch(`${url.origin}/api/v1/${question}`, { headers: bearer() });
  const body: unknown = await response.json();
  expect(response.status, JSON.stringify(body)).toBe(200);
  return schema.parse(body);
}

function bearer() {
  return { authorization: `Bearer ${url.searchParams.get('token')}` };
}

/** The status, and what is wrong. */
async function refused(question: string): Promise<readonly [number, string]> {
  const response = await fetch(`${url.origin}/api/v1/${question}`, { headers: bearer() });
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  const { status, detail } = problemAnswer.parse(await response.json());
  expect(status).toBe(response.status);
  return [status, detail];
}

describe('names', () => {
  test('has each name once, sorted from the right, with what became of it', async () => {
    const { names, after } = await ask(namesAnswer, 'names');
    expect(after).toBeNull();
    expect(names.map(({ name, reason }) => `${name} ${reason}`)).toEqual([
      'example.org. Published',
      ...['h0', 'h1', 'h10', 'h11', 'h2', 'h3', 'h4', 'h5', 'h6', 'h7', 'h8', 'h9'].map(
        (label) => `${label}.example.org. ${/^h[0-3]$/.test(label) ? 'Published' : 'HeldByGuard'}`,
      ),
      'odd.example.org. Published',
      'taken.example.org. ForeignRecord',
      'denied.example.org. DelegationDenied',
    ]);
    expect(names.find(({ name }) => name === 'h1.example.org.')).toMatchObject({
      ...{ types: ['A'], values: ['192.0.2.1'], objects: ['Record team-a/h1'], zone: 'dns/org', view: 'public' },
      ...{ cluster: 'default', since: null, hostedZone: { name: 'example.org.' } },
    });
    expect(names.at(-1)).toMatchObject({ hostedZone: null, objects: ['Record team-b/denied'] });
  });

  test.each([
    ['query=H1', ['h1.example.org.', 'h10.example.org.', 'h11.example.org.']],
    ['query=team-a/h1+example', ['h1.example.org.', 'h10.example.org.', 'h11.example.org.']],
    ['query=192.0.2.3', ['h3.example.org.']],
    ['query=nosuch', []],
    ['namespace=team-b', ['denied.example.org.']],
    ['namespace=team-b&query=h1', []],
    ['namespace=nosuch', []],
    ['query=&namespace=&limit=&after=&query=odd', ['odd.example.org.']],
  ])('%s', async (question, expected) => {
    const { names } = await ask(namesAnswer, `names?${question}`);
    expect(names.map(({ name }) => name)).toEqual(expected);
  });

  test('pages of any size have all names, each once', async () => {
    const { names: all } = await ask(namesAnswer, 'names?limit=999999999');
    for (const limit of [1, 4, 5, all.length]) {
      const found: string[] = [];
      let after: string | null = '';
      while (after !== null) {
        const page: NamesAnswer = await ask(namesAnswer, `names?limit=${limit}&after=${after}`);
        expect(page.names.length).toBeLessThanOrEqual(limit);
        found.push(...page.names.map(({ name }) => name));
        after = page.after;
      }
      expect(found).toEqual(all.map(({ name }) => name));
    }
  });
});

test.each([
  'names',
  'waiting',
  'zones',
  'hosted-zones',
  'status',
  'history',
  'changes',
  'may?namespace=a&name=b.org&type=A',
])('%s makes no call of Route 53', async (question) => {
  const before = calls();
  await fetch(`${url.origin}/api/v1/${question}`, { headers: bearer() });
  expect(calls()).toBe(before);
});

describe('a name', () => {
  test('is explained, with what Route 53 has and its history', async () => {
    const before = calls();
    const answer = await ask(nameAnswer, 'names/taken.example.org');
    expect(calls()).toBeGreaterThan(before);
    expect(answer).toMatchObject({
      ...{ name: 'taken.example.org.', zone: 'dns/org', unread: null },
      objects: [{ object: 'Record team-a/taken', programmed: { reason: 'ForeignRecord' } }],
      route53: [{ owner: 'foreign', content: { ttl: 60, values: ['198.51.100.1'] } satisfies ContentAnswer }],
      rows: [{ reason: 'ForeignRecord' }],
    });
    const pending: readonly ChangeAnswer[] = answer.pending;
    expect(pending).toMatchObject([{ action: 'create', standing: 'foreign' }]);
  });

  test('may be held, unknown, or have a text for a browser', async () => {
    expect(await ask(nameAnswer, 'names/h7.example.org.')).toMatchObject({ held: [{ action: 'delete' }] });
    expect(await ask(nameAnswer, 'names/nosuch.example.net')).toMatchObject({ zone: null, objects: [], rows: [] });
    const { route53, history } = await ask(nameAnswer, 'names/odd.example.org');
    expect(route53).toMatchObject([{ content: { values: [`"${HOSTILE}"`] } }]);
    const entries: readonly EntryAnswer[] = history;
    expect(entries).toMatchObject([{ action: 'create', name: 'odd.example.org.' }]);
  });

  test('that is no name is no question', async () => {
    expect(await refused('names/a..b')).toEqual([400, expect.stringContaining('label 2 is empty')]);
    expect(await refused('names/%ff')).toEqual([400, expect.any(String)]);
    expect(await refused(`names/${encodeURIComponent('<script>')}`)).toEqual([400, expect.any(String)]);
    expect((await refused('names/'))[0]).toBe(404);
    expect((await refused('names/a/b'))[0]).toBe(404);
  });
});

test('waiting has the hold with its digest and the line to copy, and what is refused', async () => {
  const { holds, names } = await ask(waitingAnswer, 'waiting');
  expect(holds).toEqual([
    {
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      reason: expect.stringContaining('8 of 13 record sets'),
      zone: 'dns/org',
      hostedZone: { id: expect.any(String), name: 'example.org.' },
      cluster: 'default',
      namespace: null,
      count: 8,
      command: `kubectl annotate --overwrite zone -n dns org zone53.dev/acknowledge-plan=${holds[0]?.digest}`,
      annotation: `zone53.dev/acknowledge-plan: ${holds[0]?.digest}`,
    },
  ]);
  const reasons = Object.groupBy(names, ({ reason }) => reason);
  expect(Object.entries(reasons).map(([reason, all]) => [reason, all?.length])).toEqual([
    ['HeldByGuard', 8],
    ['ForeignRecord', 1],
    ['DelegationDenied', 1],
  ]);
  const first: WaitingAnswer = await ask(waitingAnswer, 'waiting?limit=3');
  const second = await ask(waitingAnswer, `waiting?limit=3&after=${first.after}`);
  expect([first.holds.length, first.names.length, second.holds.length, second.names.length]).toEqual([1, 3, 0, 3]);
});

test('zones has the delegations, and what they decide is answered with the rule', async () => {
  const { zones } = await ask(zonesAnswer, 'zones');
  expect(zones).toMatchObject([
    {
      ...{ namespace: 'dns', name: 'org', fqdn: 'example.org.', parent: null, live: true, cluster: 'default' },
      hostedZone: { name: 'example.org.' },
      delegations: [
        { namespaces: ['team-a'] },
        { namespaces: ['team-b'], records: [{ pattern: '*.b', types: ['TXT'] }] },
      ],
    },
  ]);
  const may = (question: string) => ask(mayAnswer, `may?${question}`);
  expect(await may('namespace=team-b&name=x.b.example.org&type=txt&view=public')).toMatchObject({
    ...{ allowed: true, zone: 'dns/org', reason: 'Adopted' },
    rule: { index: 1, namespaces: ['team-b'] },
  });
  expect(await may('namespace=team-b&name=x.b.example.org&type=A')).toMatchObject({
    ...{ allowed: false, zone: 'dns/org', reason: 'DelegationDenied', rule: null },
    message: expect.stringContaining('but only for type TXT'),
  });
  expect(await may('namespace=team-b&name=example.net&type=A')).toMatchObject({
    ...{ allowed: false, zone: null, reason: 'ParentNotFound', rule: null },
  });
});

test('a hosted zone has its rows, those of the ledger or when asked those of Route 53', async () => {
  const { hostedZones } = await ask(hostedZonesAnswer, 'hosted-zones');
  expect(hostedZones).toMatchObject([{ name: 'example.org.', zone: 'dns/org', held: 8, published: 13, made: true }]);
  const id = hostedZones[0]?.id;
  const before = calls();
  const known = await ask(hostedZoneAnswer, `hosted-zones/${id}?limit=2`);
  expect(calls()).toBe(before);
  expect(known.counts).toEqual({ zone53: 14, externalDns: 0, foreign: 1, drifted: 0 });
  expect(known.guard).toEqual({ published: 13, deletedLastHour: 0, deletesMax: 100, deletesShareMax: 0.3 });
  const next = await ask(hostedZoneAnswer, `hosted-zones/${id}?limit=2&after=${known.after}`);
  expect([...known.rows, ...next.rows].map(({ name, type }) => `${name} ${type}`)).toEqual([
    ...['example.org. SOA', 'h0.example.org. A', 'h1.example.org. A', 'h10.example.org. A'],
  ]);
  const read = await ask(hostedZoneAnswer, `hosted-zones/${id}?read=true`);
  expect(calls()).toBeGreaterThan(before);
  expect(read.unread).toBeNull();
  expect(read.rows.find(({ name }) => name === 'taken.example.org.')).toMatchObject({
    ...{ owner: 'foreign', content: { values: ['198.51.100.1'] } },
  });
  expect(read.rows.find(({ type }) => type === 'NS')).toMatchObject({ owner: 'route53' });
  expect(await refused('hosted-zones/ZNOSUCH')).toEqual([404, 'The ledger has no hosted zone ZNOSUCH.']);
});

test('history answers what the command answers', async () => {
  const all: HistoryAnswer = await ask(historyAnswer, 'history?limit=999');
  expect(all.entries.length).toBeGreaterThan(13);
  expect(await ask(historyAnswer, 'history?name=h1.example.org&limit=1&since=1h')).toMatchObject({
    ...{ entries: [{ name: 'h1.example.org.', action: 'create' }], more: false },
  });
  const held = await ask(historyAnswer, 'history?object=Record+team-a/h1&namespace=team-a&cluster=default');
  expect(held.entries).toHaveLength(1);
  expect((await ask(historyAnswer, 'history?hosted-zone=ZNOSUCH')).entries).toEqual([]);
  expect((await ask(historyAnswer, 'history?until=2020-01-31T12:00:00Z')).entries).toEqual([]);
});

test('history goes on behind a page, also in the midst of a batch, and is CSV if asked for', async () => {
  const all = await ask(historyAnswer, 'history');
  const seen: EntryAnswer[] = [];
  for (let after: string | null = ''; after !== null; ) {
    const page: z.output<typeof historyAnswer> = await ask(historyAnswer, `history?limit=2&after=${after}`);
    expect(page.entries.length).toBeLessThanOrEqual(2);
    seen.push(...page.entries);
    ({ after } = page);
  }
  expect(seen).toEqual(all.entries);
  const batches = [...Map.groupBy(all.entries, ({ at }) => at).values()];
  expect(Math.max(...batches.map(({ length }) => length))).toBeGreaterThan(2);
  const path = `${url.origin}/api/v1/history?format=csv&name=h1.example.org`;
  const csv = await fetch(path, { headers: bearer() });
  expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect((await csv.text()).split('\r\n')).toMatchObject([
    expect.stringMatching(/^at,name,type,/),
    expect.stringMatching(/,h1\.example\.org\.,A,,create,/),
    '',
  ]);
});

test('status has the cluster, and what waits there', async () => {
  const status = await ask(statusAnswer, 'status');
  expect(status).toMatchObject({
    ...{ ledger: `folder ${state}`, historyDays: 90, problems: [], budget: null },
    clusters: [{ id: 'default', hostedZones: 1, held: 8, lastReading: expect.stringMatching(/^20\d\d-/) }],
  });
});

test.each([
  ['names?limit=0', 'limit: Write a number from 1 on.'],
  ['names?limit=-1', 'limit: Write a number from 1 on.'],
  ['names?limit=ten', 'limit: Write a number from 1 on.'],
  ['names?limit=1.5', 'limit: Write a number from 1 on.'],
  ['waiting?limit=0', 'limit: Write a number from 1 on.'],
  ['zones?limit=x', 'limit: Write a number from 1 on.'],
  ['hosted-zones?limit=x', 'limit: Write a number from 1 on.'],
  ['history?limit=x', 'limit: Write a number from 1 on.'],
  ['names?after=x', '"after" must be that of an earlier answer.'],
  ['names?nosuch=1', expect.stringContaining('nosuch')],
  ['may?namespace=team-a&name=a.example.org', expect.stringContaining('type: ')],
  ['may?namespace=team-a&name=a.example.org&type=NOSUCH', expect.stringContaining('type: ')],
  ['may?namespace=team-a&name=a..org&type=A', expect.stringContaining('name: ')],
  ['may?namespace=Team_A&name=a.org&type=A', expect.stringContaining('namespace: ')],
  ['may?namespace=team-a&name=a.org&type=A&view=x', expect.stringContaining('view: ')],
  ['history?since=yesterday', expect.stringContaining('since: ')],
  ['history?since=1h&until=2h', '"since" must be before "until".'],
  ['history?after=x', 'after: Write the "after" of an earlier answer.'],
  ['history?object=www', expect.stringContaining('object: ')],
  ['history?name=a..b', expect.stringContaining('name: ')],
  ['changes?since=now', expect.stringContaining('since: ')],
])('%s is no question', async (question, detail) => {
  expect(await refused(question)).toEqual([400, detail]);
});

test.each(['', 'nosuch', 'status/', 'status/x', 'toString', 'names/x/', 'hosted-zones/'])(
  '/api/v1/%s is not found',
  async (path) => {
    expect((await refused(path))[0]).toBe(404);
  },
);

test('a change of the folder is told, and the next answers have it', async () => {
  const { now, names } = await ask(changesAnswer, 'changes');
  expect(names).toEqual([]);
  expect(await ask(changesAnswer, `changes?since=${now}`)).toMatchObject({ names: [], more: false, waiting: false });
  write([...HOSTS, ...OTHERS, recordText('new.example.org.', 'A', '192.0.2.200')]);
  const config = path.join(folder, 'zone53.yaml');
  await runHere('apply', '-f', manifests, '--state', state, '--config', config, '--yes');
  const told: string[] = [];
  let [since, more, waiting] = [now, true, false];
  while (more) {
    const answer: ChangesAnswer = await ask(changesAnswer, `changes?since=${since}`);
    told.push(...answer.names);
    waiting ||= answer.waiting;
    ({ now: since, more } = answer);
  }
  expect([told, waiting]).toEqual([expect.arrayContaining(['new.example.org.']), true]);
  expect((await ask(namesAnswer, 'names?query=new')).names).toMatchObject([{ reason: 'Published' }]);
  expect((await ask(waitingAnswer, 'waiting')).holds).toEqual([]);
  expect(await ask(changesAnswer, `changes?since=${since}`)).toMatchObject({ names: [], more: false, waiting: false });
});
