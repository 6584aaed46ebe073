// From outside: load balancers in regions that no table has (kubernetes-sigs/external-dns#1830, #3833, #4064, #4442,
// #5600), and aws-target-hosted-zone without an alias (PR #3604).
import path from 'node:path';
import { expect, test } from 'vitest';
import { runHere } from '../support/run-here.ts';

const FOLDER = path.join(import.meta.dirname, '18-load-balancer-of-an-unknown-region');

test('a note says that it is a CNAME, and how to make an alias', async () => {
  const { out } = await runHere('render', '-f', FOLDER, '--source', 'services', '-o', 'json');
  const notes = JSON.parse(out).sources.map((one: { name: string; notes: string[] }) => [one.name, one.notes]);
  const unknown = expect.stringMatching(
    /^\S+ looks like a load balancer of AWS in a region that zone53 does not know, so \S+ is a CNAME; .*aws-target-hosted-zone/,
  );
  const unused = expect.stringMatching(/^aws-target-hosted-zone has no effect at nrz\.ex\.test\., which is no alias/);
  expect(notes).toEqual([
    ['newregion', [unknown]],
    ['sovereign', [unknown]],
    ['withzone', [unknown, unused]],
  ]);
});
