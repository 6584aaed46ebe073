// From outside: misspelt annotations, a list as a value, and a line end behind one (kubernetes-sigs/external-dns#902,
// #4390).
import path from 'node:path';
import { expect, test } from 'vitest';
import { runHere } from '../support/run-here.ts';

const FOLDER = path.join(import.meta.dirname, '14-misspelt-annotations');

test('misspelt keys are notes, a list is a problem, and white space does not count', async () => {
  const { out, err, code } = await runHere('render', '-f', FOLDER, '--source', 'services', '-o', 'json', '--strict');
  expect(code).toBe(1);
  const said = [
    ...err.matchAll(/^note: .*\/(\w+): annotation .*\/([\w-]+) is not read: did you mean .*\/([\w-]+)\?$/gm),
  ];
  expect(said.map(([, name, written, meant]) => `${name} ${written} ${meant}`)).toEqual([
    'typettl TTL ttl',
    'typettl aws-wieght aws-weight',
    'typo hostnames hostname',
    'typo Hostname hostname',
    'typo host hostname',
  ]);
  const { sources, zones } = JSON.parse(out);
  expect(
    sources.map(({ name, problems, notes }: Record<string, string>) => [name, problems?.length, notes?.length]),
  ).toEqual([
    ['ctl', 0, 0],
    ['list', 1, 0],
    ['typettl', 0, 2],
    ['typo', 0, 3],
  ]);
  expect(sources[1].problems[0]).toMatch(/^annotation .*\/hostname: expected a text, got a list; write one text/);
  expect(zones[0].entries.map(({ fqdn }: { fqdn: string }) => fqdn)).toEqual([
    'ex.test.',
    'ctl.ex.test.',
    'tt.ex.test.',
  ]);
});
