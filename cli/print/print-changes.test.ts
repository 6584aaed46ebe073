// The text of changes: each change is printed once, and of very many only their number.
import { expect, test } from 'vitest';
import type { LocalChange } from '../../local/pipeline.ts';
import { changeTeller } from './print-changes.ts';

type Outcome = LocalChange['outcome']['outcome'];

function change(name: string, action: 'create' | 'delete', outcome: Outcome, message = 'Held.'): LocalChange {
  const content = { kind: 'values', ttlSeconds: 60, values: ['192.0.2.1'] } as const;
  const [before, after] = action === 'create' ? [null, content] : [content, null];
  return {
    hostedZone: 'Z1',
    elapsedMs: 40,
    outcome: {
      change: { action, name: `${name}.example.org.`, type: 'A', setIdentifier: null, before, after, objects: [] },
      outcome,
      message: outcome === 'published' ? 'Published.' : message,
      isNews: false,
      atMs: 0,
    },
  };
}

/** What is printed of runs, each a turn of its own. */
async function told(...runs: readonly (readonly LocalChange[])[]): Promise<readonly string[]> {
  const lines: string[] = [];
  const tell = changeTeller((line) => lines.push(line));
  for (const run of runs) {
    for (const one of run) tell(one);
    await Promise.resolve();
  }
  return lines;
}

const many = (count: number, action: 'create' | 'delete', outcome: Outcome) =>
  Array.from({ length: count }, (_, index) => change(`r${index}`, action, outcome));

test('changeTeller() prints a line for each change of a small run', async () => {
  expect(await told([change('www', 'create', 'published'), change('old', 'delete', 'held')])).toEqual([
    'create www.example.org. A 60 192.0.2.1: published in 40 ms',
    'delete old.example.org. A: held',
  ]);
  expect(await told(many(21, 'create', 'published'))).toHaveLength(21);
});

test('changeTeller() prints the first changes of a large run, and the number of the others', async () => {
  const lines = await told([...many(4_000, 'delete', 'held'), change('www', 'create', 'published')]);
  expect(lines).toHaveLength(21);
  expect(lines.at(-1)).toBe('and 3981 more: 3980 delete held, 1 create published');
});

test('changeTeller() prints a held delete once, and again only if it was released in between', async () => {
  const held = [change('www', 'delete', 'held')];
  const lines = await told(held, held, [change('www', 'delete', 'published')], held);
  expect(lines.map((line) => line.split(': ')[1])).toEqual(['held', 'deleted in 40 ms', 'held']);
});

test('changeTeller() prints once that there is no room, and every other failure each time', async () => {
  const full = [change('www', 'create', 'failed', 'The hosted zone is full. Route 53: no.')];
  expect(await told(full, full)).toEqual([
    'create www.example.org. A 60 192.0.2.1: failed in 40 ms  The hosted zone is full. Route 53: no.',
  ]);
  const failed = [change('www', 'create', 'failed', 'No answer.')];
  expect(await told(failed, failed)).toHaveLength(2);
});

test('changeTeller() prints only the number of newly held deletes if many are held already', async () => {
  const lines = await told(many(25, 'delete', 'held'), [
    change('late', 'delete', 'held'),
    change('www', 'create', 'published'),
  ]);
  expect(lines.slice(-3)).toEqual([
    'and 5 more: 5 delete held',
    'create www.example.org. A 60 192.0.2.1: published in 40 ms',
    'and 1 more: 1 delete held',
  ]);
});

test('changeTeller() prints the set identifier', async () => {
  const { outcome, ...rest } = change('www', 'create', 'published');
  const routed = { ...rest, outcome: { ...outcome, change: { ...outcome.change, setIdentifier: 'eu' } } };
  expect(await told([routed])).toEqual(['create www.example.org. A [eu] 60 192.0.2.1: published in 40 ms']);
});
