// `zone53 history` over a state folder: what it finds, in three forms, and that nothing of a tenant acts in a terminal.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStateFolder } from '../../lib/adapters/ledger/state-folder.ts';
import { batchCodec, batchKey, entryCodec, entryKey, type HistoryEntry } from '../../lib/history/history-item.ts';
import { hostedZoneCodec, hostedZoneItemKey, newHostedZoneItem } from '../../lib/record-sets/hosted-zone-item.ts';
import { runHere } from '../../test/support/run-here.ts';

const NOW = '2026-03-01T12:00:00Z';
const HOUR_MS = 3_600_000;

const a = (...values: string[]) => ({ kind: 'values' as const, ttlSeconds: 300, values });

/** An entry so many hours ago. */
function entry(hours: number, of: Partial<HistoryEntry>): HistoryEntry {
  return {
    ...{ atMs: Date.parse(NOW) - hours * HOUR_MS, epoch: 7, batch: 1, name: 'www.example.org.', type: 'A' },
    ...{ setIdentifier: null, action: 'update', before: a('192.0.2.1'), after: a('192.0.2.2') },
    ...{ objects: ['Record team-a/www'], zone: 'team-a/org', cluster: 'prod', view: 'public' },
    ...{ hostedZoneName: 'example.org.', changeId: 'C1', message: '' },
    cause: { kind: 'webhook', atMs: Date.parse(NOW) - hours * HOUR_MS, user: null, digest: null },
    ...of,
  };
}

const ENTRIES = [
  entry(3, { action: 'create', before: null, after: a('192.0.2.1') }),
  entry(2, { cause: { kind: 'webhook', atMs: null, user: '=\u001b[31meve', digest: null } }),
  entry(1, { name: 'below.www.example.org.', objects: ['Record team-b/x'], action: 'delete', after: null }),
  entry(24 * 91, { name: 'old.example.org.' }),
];

const folder = mkdtempSync(join(tmpdir(), 'zone53-history-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeAll(async () => {
  const { ledger, close } = await openStateFolder(folder);
  const zone = newHostedZoneItem({ id: 'Z1', name: 'example.org.', zone: 'team-a/org', nameServers: [] });
  await ledger.put(hostedZoneItemKey('Z1'), hostedZoneCodec.encode({ ...zone, gone: true }), null);
  for (const one of ENTRIES) {
    await ledger.put(entryKey('Z1', one, one), entryCodec.encode(one), null);
    const { atMs, epoch, batch, name, type, setIdentifier } = one;
    const item = { atMs, epoch, batch, sets: [[name, type ?? '', setIdentifier] as [string, string, string | null]] };
    await ledger.put(batchKey('Z1', one), batchCodec.encode(item), null);
  }
  await close();
});

const ask = (...argv: readonly string[]) => runHere('history', '--state', folder, '--now', NOW, ...argv);

async function found(...argv: readonly string[]): Promise<string[]> {
  const { code, out, err } = await ask('-o', 'json', ...argv);
  expect([code, err]).toEqual([0, '']);
  const { entries } = JSON.parse(out) as { entries: { at: string; action: string; name: string }[] };
  return entries.map(({ at, action, name }) => `${at.slice(11, 13)} ${action} ${name}`);
}

const [CREATE, UPDATE, DELETE] = [
  '09 create www.example.org.',
  '10 update www.example.org.',
  '11 delete below.www.example.org.',
] as const;

describe('zone53 history', () => {
  test.each([
    [[], [DELETE, UPDATE, CREATE]],
    [['www.example.org'], [UPDATE, CREATE]],
    [['--object', 'Record team-b/x'], [DELETE]],
    [
      ['--namespace', 'team-a'],
      [UPDATE, CREATE],
    ],
    [['--cluster', 'prod', '--limit', '1'], [DELETE]],
    [['--cluster', 'other'], []],
    [
      ['--hosted-zone', 'Z1', '--since', '2h'],
      [DELETE, UPDATE],
    ],
    [['--until', '2026-03-01T10:00:00Z'], [CREATE]],
    [['--since', '2026-03-01T10:00:00Z', '--until', '2026-03-01T11:00:00Z'], [UPDATE]],
    [['--hosted-zone', 'Z2'], []],
  ])('%j', async (argv, expected) => {
    expect(await found(...argv)).toEqual(expected);
  });

  test('has the JSON of the contract', async () => {
    const { out } = await ask('-o', 'json', 'www.example.org', '--limit', '1');
    expect(JSON.parse(out)).toEqual({
      entries: [
        {
          ...{ at: '2026-03-01T10:00:00.000Z', name: 'www.example.org.', type: 'A', setIdentifier: null },
          action: 'update',
          before: { ttl: 300, values: ['192.0.2.1'] },
          after: { ttl: 300, values: ['192.0.2.2'] },
          ...{ objects: ['Record team-a/www'], zone: 'team-a/org', cluster: 'prod', view: 'public' },
          hostedZone: { id: 'Z1', name: 'example.org.' },
          ...{ batch: 'epoch 7', changeId: 'C1' },
          cause: { kind: 'webhook', at: null, user: '=\u001b[31meve', digest: null },
          message: '',
        },
      ],
      more: true,
    });
  });

  test('prints a diff, without the escapes of a tenant', async () => {
    const { out, code } = await ask('www.example.org');
    expect(code).toBe(0);
    expect(out.split('\n')).toEqual([
      '~ 2026-03-01T10:00:00.000Z update www.example.org. A  # Record team-a/www',
      '      by webhook of user =\\u{1b}[31meve; hosted zone Z1, cluster prod, epoch 7, change C1',
      '-     ttl 300, 192.0.2.1',
      '+     ttl 300, 192.0.2.2',
      '+ 2026-03-01T09:00:00.000Z create www.example.org. A  # Record team-a/www',
      '      by webhook; hosted zone Z1, cluster prod, epoch 7, change C1',
      '+     ttl 300, 192.0.2.1',
      '',
    ]);
  });

  test('writes CSV, always with the header, and no formula', async () => {
    const { out } = await ask('www.example.org', '--limit', '1', '-o', 'csv');
    expect(out.split('\r\n')).toEqual([
      'at,name,type,setIdentifier,action,before,after,objects,zone,cluster,view,hostedZone.id,hostedZone.name,batch,changeId,cause.kind,cause.at,cause.user,cause.digest,message',
      "2026-03-01T10:00:00.000Z,www.example.org.,A,,update,www.example.org. 300 IN A 192.0.2.1,www.example.org. 300 IN A 192.0.2.2,Record team-a/www,team-a/org,prod,public,Z1,example.org.,epoch 7,C1,webhook,,'=\\u{1b}[31meve,,",
      '',
    ]);
    expect((await ask('nobody.example.org', '-o', 'csv')).out.split('\r\n')).toHaveLength(2);
  });

  test('says so if there is nothing, and refuses what is no question', async () => {
    expect(await ask('nobody.example.org')).toMatchObject({
      code: 0,
      out: 'The ledger has no entry of nobody.example.org. that matches. Entries are kept for 90 days.\n',
    });
    expect(await ask('--since', '1h', '--until', '2h')).toMatchObject({
      code: 1,
      err: expect.stringMatching('--since must be before'),
    });
    for (const argv of [
      ['--limit', '0'],
      ['--limit', '10001'],
      ['--since', 'yesterday'],
      ['--object', 'www'],
    ])
      expect(await ask(...argv)).toMatchObject({ code: 1, out: '' });
  });
});
