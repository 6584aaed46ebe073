// `zone53 ledger check` knows every kind of item that lib writes, finds it wherever it is, and says what it is about.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { memoryLedger } from '../../lib/adapters/ledger/memory-ledger.ts';
import { openStateFolder } from '../../lib/adapters/ledger/state-folder.ts';
import type { JsonObject } from '../../lib/ports/ledger.ts';
import { runHere } from '../../test/support/run-here.ts';
import { testFolder } from '../../test/support/test-folder.ts';
import { checkLedger } from './check-ledger.ts';
import { ITEM_KINDS } from './ledger-items.ts';

const LIB = join(import.meta.dirname, '..', '..', 'lib');
const SOURCES = readdirSync(LIB, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => readFileSync(join(LIB, file), 'utf8'));

/** A key of each kind, and what its item is about. The test fails for a kind that is not here. */
const SAMPLES: Readonly<Record<string, readonly [partition: string, sort: string, concerns: string]>> = {
  objects: ['objects#default#Ingress', 'a/web', 'Ingress a/web'],
  names: ['names#default', 'e www !Record a/www', 'Record a/www'],
  members: ['members#default#a/z', 'www !Record a/www', 'Record a/www'],
  targets: ['targets#default', 'e www !Record a/alias', 'Record a/alias'],
  dependents: ['dependents#default#Node', '*?!Service a/web', 'Service a/web'],
  related: ['related#default#Node', '/one', 'Node /one'],
  rechecks: ['rechecks#default', 'Service a/web', 'Service a/web'],
  ages: ['ages#default#zones', 'e www ', 'www.e.'],
  pointers: ['pointers#default', 'e www !1.2.0.192.in-addr.arpa.', 'www.e.'],
  directory: ['directory#default', 'e ', 'e.'],
  subtrees: ['subtrees#default', '!a/z', 'Zone a/z'],
  kinds: ['kinds#default', 'custom', 'the kinds of sources of the configuration'],
  sweep: ['sweep#default', 'state', 'the sweep'],
  polls: ['polls#default', 'versions', 'polling'],
  sweeps: ['sweeps#default', 'Z1', 'hosted zone Z1'],
  statuses: ['statuses#default#Record', 'a/www', 'Record a/www'],
  dnsrecords: ['dnsrecords#default', 'shoot--a/b', 'DNSRecord shoot--a/b'],
  recordsets: ['recordsets#Z1', 'e www A blue', 'www.e. A blue'],
  readings: ['readings#Z1', 'e www ', 'www.e.'],
  differences: ['differences#Z1', 'e www ', 'www.e.'],
  dirty: ['dirty#Z1', 'e www ', 'www.e.'],
  history: ['history#Z1', 'e www !1 2 3 A ', 'a change of www.e. A'],
  batches: ['batches#Z1', '1 2 3', 'a batch of hosted zone Z1'],
  held: ['held#Z1', 'e www ', 'www.e.'],
  guard: ['guard#default#Z1', 'team-a', 'namespace team-a in hosted zone Z1'],
  hostedzones: ['hostedzones', 'Z1', 'hosted zone Z1'],
  clusters: ['clusters', 'default', 'cluster default'],
  format: ['format', 'ledger', 'the format of the ledger'],
  lookups: ['lookups#default', 'sub-zones', 'hosted zones that were not found'],
  budget: ['budget', 'route53', 'route53'],
  creations: ['creations#default', 'e ', 'e.'],
  healthchecks: ['healthchecks', 'shop', 'health checks of namespace shop'],
  healthcheckuses: ['healthcheckuses', 'zone53/a/b/1!Z1!e www A ', 'a record set of health check zone53/a/b/1'],
  intentrecords: ['intentrecords#default', 'p/web', 'record p/web'],
  intentpairs: ['intentpairs#default', 'cloud/p/c/web', 'key-value pairs cloud/p/c/web'],
  intentapps: ['intentapps#default', 'p/app', 'app p/app'],
  intentservices: ['intentservices#default', 'p/app/1/0000', 'services of app p/app/1/0000'],
  intentclaims: ['intentclaims#default', 'p/web', 'service p/web'],
  intentserved: ['intentserved#default', 'p/web', 'DNSEndpoint p/web'],
  intentonce: ['intentonce#default', 'p/web', 'record p/web'],
  intentremovals: ['intentremovals#default', 'p', 'project p'],
};

/** Bodies that this code cannot read. A later version may add an enumerated value; that is a field of another shape. */
const BODIES: Readonly<Record<string, JsonObject>> = {
  'a later version': { v: 2 },
  'an earlier version': { v: 0 },
  'no version': { name: 'www.e.' },
  'no field at all': { v: 1 },
};

/** A ledger with an item at this key. Its hosted zone is known, and its Zone. */
async function ledgerWith(partition: string, sort: string, body: JsonObject) {
  const ledger = memoryLedger();
  await ledger.put({ partition, sort }, body, null);
  await ledger.put({ partition: 'hostedzones', sort: 'Z1' }, { v: 2 }, null);
  await ledger.put({ partition: 'objects#default#Zone', sort: 'a/z' }, { v: 2 }, null);
  return ledger;
}

test('the table has each partition that lib writes, and the codec of each item', () => {
  const named = SOURCES.flatMap((text) => [...text.matchAll(/`([a-z]+)#\$\{/g)].map(([, name]) => name));
  const whole = SOURCES.flatMap((text) => [...text.matchAll(/(?:partition: |PARTITION = )'([a-z]+)'/g)]);
  const written = new Set([...named, ...whole.map(([, name]) => name)]);
  expect(Object.keys(ITEM_KINDS).toSorted()).toEqual([...written].toSorted());
  const codecs = SOURCES.flatMap((text) => text.match(/= itemCodec\(/g) ?? []).length;
  expect(new Set(Object.values(ITEM_KINDS).map(({ codec }) => codec)).size).toBe(codecs);
});

test.each(Object.keys(ITEM_KINDS))(
  'checkLedger() finds an unreadable item of %s, and says what it is about',
  async (kind) => {
    const [partition, sort, concerns] = SAMPLES[kind] ?? ['', '', ''];
    for (const [what, body] of Object.entries(BODIES)) {
      const { items, unreadable } = await checkLedger(await ledgerWith(partition, sort, body), 'default');
      const found = unreadable.find((one) => one.partition === partition && one.sort === sort);
      expect(found, what).toMatchObject({
        concerns,
        problem: expect.any(String),
        remedy: expect.stringMatching(/\w\.$/),
      });
      expect(found?.remedy, what).toMatch(
        what === 'a later version' ? /later version of zone53 wrote it: use/ : /If a later/,
      );
      expect(items, what).toBeGreaterThanOrEqual(unreadable.length);
    }
  },
);

test('checkLedger() counts what it can read, and no item of another cluster', async () => {
  const ledger = memoryLedger();
  await ledger.put({ partition: 'rechecks#default', sort: 'Service a/b' }, { v: 1, dueMs: 1 }, null);
  await ledger.put({ partition: 'rechecks#other', sort: 'Service a/b' }, { v: 2 }, null);
  expect(await checkLedger(ledger, 'default')).toEqual({ items: 1, unreadable: [] });
});

test('zone53 ledger check lists an item of a later version and one that is no JSON, a line each, and exits with 1', async () => {
  const folder = testFolder();
  const { ledger, close } = await openStateFolder(folder);
  await ledger.put({ partition: 'objects#default#Record', sort: 'a/www' }, { v: 2 }, null);
  await ledger.put({ partition: 'names#default', sort: 'e www !Record a/www' }, { v: 1 }, null);
  await ledger.put({ partition: 'rechecks#default', sort: 'Service a/b' }, { v: 1, dueMs: 1 }, null);
  await close();
  const file = new DatabaseSync(join(folder, 'ledger.sqlite'));
  file.exec(`UPDATE item SET body = '{"v":1,' WHERE partition = 'names#default'`);
  file.close();

  const text = await runHere('ledger', 'check', '--state', folder);
  expect(text).toMatchObject({ code: 1, err: '' });
  expect(text.out.trimEnd().split('\n')).toEqual([
    '"objects#default#Record" / "a/www": Record a/www, version 2: its version is 2, this code knows 1. What the object published stays as it is. A later version of zone53 wrote it: use that version, or a later one.',
    '"names#default" / "e www !Record a/www": Record a/www, no version: it is no JSON object. Nothing changes at the name. If a later version of zone53 wrote it, use that version. Remove it: zone53 writes it anew.',
    '2 of 3 items cannot be read.',
  ]);
  const json = await runHere('ledger', 'check', '--state', folder, '-o', 'json');
  expect(json.code).toBe(1);
  expect(JSON.parse(json.out)).toMatchObject({
    items: 3,
    unreadable: [
      { partition: 'objects#default#Record', sort: 'a/www', concerns: 'Record a/www', version: 2 },
      { partition: 'names#default', sort: 'e www !Record a/www', version: null },
    ],
  });
});

test('zone53 ledger check exits with 0 if every item can be read', async () => {
  const folder = testFolder();
  await (await openStateFolder(folder)).close();
  expect(await runHere('ledger', 'check', '--state', folder)).toEqual({
    code: 0,
    out: 'Every item can be read: 0.\n',
    err: '',
  });
});
