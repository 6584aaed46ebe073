// How much of the ledger a question reads: at most one hosted zone that is not in memory, and at most 200 rows.
import { describe, expect, test } from 'vitest';
import { hostedZoneCodec, hostedZoneItemKey, newHostedZoneItem } from '../../lib/record-sets/hosted-zone-item.ts';
import { newRecordSetItem, recordSetCodec, recordSetItemKey } from '../../lib/record-sets/record-set-item.ts';
import { consoleWorld } from '../../test/fakes/console-world.ts';
import { A, type PublishWorld, publishWorld, run, want } from '../../test/fakes/publish-world.ts';
import { namesAnswer, waitingAnswer } from './answers.ts';
import { apiOf } from './api.ts';
import type { ConsoleWorld } from './world.ts';

/** The answer to a question, as the server gives it. */
function ask(world: ConsoleWorld) {
  const answer = apiOf(world);
  return (path: string, question: Readonly<Record<string, string>> = {}) =>
    answer(`/api/v1/${path}`, new URLSearchParams(question));
}

/** Adds a hosted zone with one published name. */
async function addHostedZone({ ledger }: PublishWorld, id: string, name: string): Promise<void> {
  const item = newHostedZoneItem({ id, name, zone: 'default/zone', nameServers: [] });
  await ledger.put(hostedZoneItemKey(id), hostedZoneCodec.encode(item), null);
  const key = { name: `www.${name}`, type: 'A', setIdentifier: null };
  const content = { kind: 'values' as const, ttlSeconds: 60, values: ['192.0.2.1'] };
  const set = { ...newRecordSetItem(key), desired: content, published: content, objects: ['Record default/www'] };
  await ledger.put(recordSetItemKey(id, key), recordSetCodec.encode(set), null);
}

test('a list has at most 200 rows, whatever `limit` says, and all in the end', async () => {
  const published = await publishWorld();
  const names = Array.from({ length: 450 }, (_, index) => `n${index}.example.org.`);
  for (const name of names) await want(published, name, A('192.0.2.1', name));
  await run(published);
  const { world } = consoleWorld(published);
  const question = ask(world);
  const found: string[] = [];
  const sizes: number[] = [];
  let after = '';
  do {
    const page = namesAnswer.parse(await question('names', { limit: '100000', query: '.example', after }));
    sizes.push(page.names.length);
    found.push(...page.names.map(({ name }) => name));
    after = page.after ?? '';
  } while (after !== '');
  expect(sizes).toEqual([200, 200, 50]);
  expect(found.toSorted()).toEqual(names.toSorted());
  expect(namesAnswer.parse(await question('names')).names).toHaveLength(200);
});

describe('of several hosted zones', () => {
  test.each(['names', 'waiting'])('%s reads one that is not in memory', async (path) => {
    const published = await publishWorld();
    await want(published, 'www.example.org.', A('192.0.2.1'));
    await run(published);
    await addHostedZone(published, 'Z2', 'example.net.');
    await addHostedZone(published, 'Z3', 'example.com.');
    const { world, queries } = consoleWorld(published, { ledgerMsMax: 1_000, isEmbedded: false });
    const question = ask(world);
    const schema = path === 'names' ? namesAnswer : waitingAnswer;
    const recordSets: string[][] = [];
    const names: string[] = [];
    let after: string | null = '';
    while (after !== null) {
      queries.length = 0;
      const page: { readonly names: readonly { readonly name: string }[]; readonly after: string | null } =
        schema.parse(await question(path, { after }));
      recordSets.push(queries.filter((partition) => /^(recordsets|names)#/.test(partition)));
      names.push(...page.names.map(({ name }) => name));
      after = page.after;
    }
    expect(recordSets).toEqual([['recordsets#Z3'], ['recordsets#Z2'], ['recordsets#Z1'], ['names#default']]);
    const expected = ['www.example.com.', 'www.example.net.', 'www.example.org.'];
    expect(names).toEqual(path === 'names' ? expected : []);
    queries.length = 0;
    expect(schema.parse(await question(path))).toMatchObject({ after: null });
    expect(queries).toEqual(['hostedzones']);
  });

  test('a run is seen by the next question, and anything else after a while', async () => {
    const published = await publishWorld();
    await want(published, 'www.example.org.', A('192.0.2.1'));
    await run(published);
    const { world } = consoleWorld(published, { ledgerMsMax: 10_000 });
    const question = ask(world);
    const shown = async () =>
      namesAnswer.parse(await question('names', { query: 'www' })).names.map(({ values, reason }) => [reason, values]);
    expect(await shown()).toEqual([['Published', ['192.0.2.1']]]);
    await want(published, 'www.example.org.', A('192.0.2.2'));
    expect(await shown()).toEqual([['Published', ['192.0.2.1']]]);
    published.clock.ms += 10_001;
    expect(await shown()).toEqual([['Pending', ['192.0.2.1']]]);
    await run(published);
    expect(await shown()).toEqual([['Published', ['192.0.2.2']]]);
  });
});
