// Items of the ledger with which this code has trouble that nobody thought of: they delay no other.
import { expect, test } from 'vitest';
import { through } from '../../test/fakes/reconcile-world.ts';
import { expectRight, settledWorld, sweepAndDeliver } from '../../test/fakes/sweep-world.ts';
import { allItems } from '../ledger/pages.ts';
import type { LedgerItem } from '../ports/ledger.ts';
import { recordSetsPartition } from '../record-sets/record-set-item.ts';
import { readSweepNotes } from './last-swept.ts';
import { sweepPiece } from './sweep-cluster.ts';

test('a record set that names an object that no object can be is written again', async () => {
  const world = await settledWorld();
  const { ledger } = world;
  const items = await allItems(ledger, recordSetsPartition('Z1'));
  const www = items.find(({ body }) => body.name === 'www.e.') as LedgerItem;
  await ledger.put(www, { ...www.body, objects: ['no reference'] }, www.revision);
  // Route 53 lost it: its objects are reported.
  world.route53.edit('Z1', { name: 'www.e.', type: 'A', setIdentifier: null }, null);
  const logged: unknown[] = [];
  const log = (_: string, message: string) => logged.push(message);
  await sweepAndDeliver({ ...world, context: { ...world.context, log } });
  expect((await ledger.get(www))?.body.objects).toEqual(['Record a/www']);
  await expectRight(world);
});

test('an item with which the names cannot be updated is left out after two failures, with a line in the log', async () => {
  const world = await settledWorld();
  world.route53.edit('Z2', { name: 'y.f.', type: 'A', setIdentifier: null }, null);
  const { ledger } = world;
  const sick = through(world, {
    ledger: {
      ...ledger,
      get: async (key) => {
        if (key.sort === 'a/www') throw new Error('a bug of ours');
        return ledger.get(key);
      },
    },
  });
  const logged: unknown[] = [];
  const context = {
    ...sick.context,
    log: (level: string, message: string, fields = {}) => logged.push([level, message, fields]),
  };
  const found: unknown[] = [];
  const sweep = () =>
    sweepPiece(context, Number.POSITIVE_INFINITY, { onHostedZone: (id, { lost }) => found.push([id, lost]) });
  await expect(sweep()).rejects.toThrow('a bug of ours');
  expect(found).toEqual([]);
  await expect(sweep()).rejects.toThrow('a bug of ours');
  expect(found).toEqual([
    ['Z1', 0],
    ['Z2', 1],
  ]);
  expect(logged).toContainEqual([
    'error',
    'a part of the ledger could not be swept and is left out',
    expect.objectContaining({ reason: 'Error: a bug of ours' }),
  ]);
  expect((await readSweepNotes(world.ledger, 'default')).map(({ wholeMs }) => wholeMs)).toEqual([null, null]);
});
