// Many writers at once, and a ledger that fails: no write is visible in part, and the next call finishes what was
// interrupted.
import { expect, test } from 'vitest';
import { countingLedger } from '../../../test/fakes/counting-ledger.ts';
import { appOf, CLOUD, intentClient, listBody, RECORDS, recordBody } from '../../../test/support/intent-client.ts';
import { memoryLedger } from '../../adapters/ledger/memory-ledger.ts';
import type { Ledger } from '../../ports/ledger.ts';

const APP = '/v2/projects/shop/apps';
const WWW = { publicAddresses: ['192.0.2.1'] };

test('of many who create one record at once, one succeeds', async () => {
  const { ask } = intentClient();
  const told = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      ask('POST', RECORDS, recordBody('a', 'aws', { interval: `${index + 1}s` })),
    ),
  );
  expect(told.map(({ status }) => status).toSorted()).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
  const created = told.find(({ status }) => status === 201);
  expect((await ask('GET', `${RECORDS}/a`)).body).toEqual(created?.body);
});

test('of many who replace the same version at once, one succeeds', async () => {
  const { ask } = intentClient();
  const { etag = '' } = (await ask('POST', RECORDS, recordBody('a'))).headers;
  const told = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      ask('PUT', `${RECORDS}/a`, recordBody('a', 'aws', { interval: `${index + 1}s` }), { 'if-match': etag }),
    ),
  );
  expect(told.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 19 }, () => 412)]);
  expect((await ask('GET', `${RECORDS}/a`)).body).toEqual(told.find(({ status }) => status === 200)?.body);
});

test('of many apps that want one service at once, one gets it', async () => {
  const { ask } = intentClient();
  await ask('POST', RECORDS, recordBody('public'));
  await ask('POST', CLOUD, listBody('public'));
  const names = Array.from({ length: 10 }, (_, index) => `app-${index}`);
  const told = await Promise.all(names.map((name) => ask('POST', `${APP}/${name}/instantiate`, appOf({ www: WWW }))));
  expect(told.filter(({ status }) => status === 202)).toHaveLength(1);
  expect(told.filter(({ status }) => status === 409)).toHaveLength(9);
  const live = await Promise.all(names.map((name) => ask('GET', `${APP}/${name}/status`)));
  expect(live.filter(({ status }) => status === 200)).toHaveLength(1);
});

test('a hundred apps of a project are terminated at once', async () => {
  const { ask } = intentClient();
  const names = Array.from({ length: 100 }, (_, index) => `app-${index}`);
  for (const name of names) await ask('POST', `${APP}/${name}/instantiate`, appOf({ [name]: WWW }));
  const told = await Promise.all(names.map((name) => ask('POST', `${APP}/${name}/terminate`)));
  expect(new Set(told.map(({ status }) => status))).toEqual(new Set([202]));
});

/** A ledger whose `at`-th write fails, before or after it took effect. */
function failingAt(ledger: Ledger, fatal: number, isDone: boolean): Ledger {
  let writes = 0;
  const failing =
    <Asked extends readonly unknown[], Told>(write: (...asked: Asked) => Promise<Told>) =>
    async (...asked: Asked): Promise<Told> => {
      writes += 1;
      if (writes !== fatal) return write(...asked);
      if (isDone) await write(...asked);
      throw new Error('the ledger does not answer');
    };
  return { ...ledger, put: failing(ledger.put), remove: failing(ledger.remove) };
}

test.each([true, false])(
  'a call that is cut off by the ledger is completed by the same call again (written: %s)',
  async (isDone) => {
    const body = (...names: readonly string[]) => appOf(Object.fromEntries(names.map((name) => [name, WWW])));
    for (let fatal = 1; fatal <= 12; fatal += 1) {
      const ledger = memoryLedger();
      const whole = intentClient({ ledger });
      await whole.ask('POST', RECORDS, recordBody('public'));
      await whole.ask('POST', CLOUD, listBody('public'));
      await whole.ask('POST', `${APP}/web/instantiate`, body('a', 'b'));
      const cut = intentClient({ ledger: failingAt(ledger, fatal, isDone) });
      await cut.ask('POST', `${APP}/web/instantiate`, body('b', 'c', 'd')).catch(() => null);
      await cut.ask('POST', `${APP}/other/instantiate`, body('e')).catch(() => null);
      expect((await whole.ask('POST', `${APP}/web/instantiate`, body('b', 'c', 'd'))).status).toBe(202);
      expect((await whole.ask('POST', `${APP}/other/instantiate`, body('e'))).status).toBe(202);
      const names = async () =>
        (await whole.ask('GET', '/v2/projects/shop/manifests')).body.map(
          ({ metadata }: { metadata: { name: string } }) => metadata.name,
        );
      expect(await names()).toEqual(['b-public', 'c-public', 'd-public', 'e-public']);
      await cut.ask('POST', `${APP}/web/terminate`).catch(() => null);
      expect([202, 404]).toContain((await whole.ask('POST', `${APP}/web/terminate`)).status);
      expect(await names()).toEqual(['e-public']);
    }
  },
);

/** A ledger with an action of another client right before the first write of an app. */
function beforeWrite(ledger: Ledger, act: () => Promise<unknown>): Ledger {
  let isDone = false;
  return {
    ...ledger,
    put: async (key, ...written) => {
      if (key.partition.startsWith('intentapps#') && !isDone) {
        isDone = true;
        await act();
      }
      return ledger.put(key, ...written);
    },
  };
}

const ONCE = appOf({ www: WWW });
const AGAIN = appOf({ www: WWW }, { version: 'v2' });

test.each<[string, object | null, string, object | undefined, number]>([
  ['another call gives the service up', ONCE, 'instantiate', appOf({ api: WWW }), 202],
  ['another call terminates the app', ONCE, 'terminate', undefined, 202],
  ['another call is refused', null, 'instantiate', appOf({ www: WWW, taken: WWW }), 409],
])('an app has the service that it was given while %s', async (_what, first, call, body, status) => {
  const ledger = memoryLedger();
  const { ask } = intentClient({ ledger });
  await ask('POST', `${APP}/owner/instantiate`, appOf({ taken: WWW }));
  if (first !== null) await ask('POST', `${APP}/web/instantiate`, first);
  const told: number[] = [];
  const meanwhile = async () => told.push((await ask('POST', `${APP}/web/${call}`, body)).status);
  const slow = intentClient({ ledger: beforeWrite(ledger, meanwhile) });
  expect((await slow.ask('POST', `${APP}/web/instantiate`, AGAIN)).status).toBe(202);
  expect(told).toEqual([status]);
  expect((await ask('POST', `${APP}/two/instantiate`, ONCE)).status).toBe(409);
});

test('a service of an app that is not written yet is 409, and says so', async () => {
  const ledger = memoryLedger();
  const { ask } = intentClient({ ledger });
  const cut = intentClient({ ledger: beforeWrite(ledger, () => Promise.reject(new Error('died'))) });
  await cut.ask('POST', `${APP}/web/instantiate`, ONCE).catch(() => null);
  const { status, body } = await ask('POST', `${APP}/two/instantiate`, ONCE);
  const detail =
    'app web of this project reserved the name www in the last six minutes: give the service another name, or try again later';
  expect([status, body.errors]).toEqual([409, [{ pointer: '#/services/0/name', detail }]]);
});

/** A ledger with an action of another client right after the item of an app was removed. */
function afterRemoval(ledger: Ledger, act: () => Promise<unknown>): Ledger {
  return {
    ...ledger,
    remove: async (key, expected) => {
      const isRemoved = await ledger.remove(key, expected);
      if (key.partition.startsWith('intentapps#')) await act();
      return isRemoved;
    },
  };
}

test('an app that is instantiated again while it is terminated keeps its services', async () => {
  const ledger = memoryLedger();
  const { ask } = intentClient({ ledger });
  await ask('POST', `${APP}/web/instantiate`, appOf({ www: WWW }));
  const again = () => ask('POST', `${APP}/web/instantiate`, appOf({ www: WWW }));
  const slow = intentClient({ ledger: afterRemoval(ledger, again) });
  await slow.ask('POST', `${APP}/web/terminate`);
  expect((await ask('GET', `${APP}/web/status`)).status).toBe(200);
  expect((await ask('POST', `${APP}/two/instantiate`, appOf({ www: WWW }))).status).toBe(409);
});

test('a record that cannot be read holds up no other project', async () => {
  const { ask, ledger } = intentClient();
  await ask('POST', RECORDS, recordBody('public'));
  await ask('POST', CLOUD, listBody('public'));
  await ledger.put({ partition: 'intentrecords#test', sort: 'bank/public' }, { v: 99 }, null);
  expect((await ask('POST', `${APP}/web/instantiate`, appOf({ www: WWW }))).status).toBe(202);
});

test('an app that wants very many services of another app is refused with few reads of that app', async () => {
  const counting = countingLedger(memoryLedger());
  const { ask } = intentClient({ ledger: counting.port });
  await ask('POST', RECORDS, recordBody('public'));
  await ask('POST', CLOUD, listBody('public'));
  const many = appOf(Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`s${index}`, WWW])));
  await ask('POST', `${APP}/one/instantiate`, many);
  counting.take();
  const { status, body } = await ask('POST', `${APP}/two/instantiate`, many);
  expect([status, body.errors.length]).toEqual([409, 100]);
  // Each of its services is one read. Before, each also read the whole of the other app.
  expect(counting.take().itemsRead).toBeLessThan(3_100);
});

test('a service may make an object that a service made which it replaces', async () => {
  const { ask } = intentClient();
  for (const name of ['c', 'b-c']) await ask('POST', RECORDS, recordBody(name));
  await ask('POST', CLOUD, listBody('c', 'b-c'));
  expect((await ask('POST', `${APP}/web/instantiate`, appOf({ a: WWW }))).status).toBe(202);
  expect((await ask('POST', `${APP}/two/instantiate`, appOf({ 'a-b': WWW }))).status).toBe(409);
  expect((await ask('POST', `${APP}/web/instantiate`, appOf({ 'a-b': WWW }))).status).toBe(202);
});
