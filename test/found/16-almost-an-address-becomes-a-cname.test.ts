// From outside: texts that are nearly an address or a host name (RFC 1123 §2.1, kubernetes-sigs/external-dns#3104).
// Each was published as a CNAME to a name that nobody can have.
import path from 'node:path';
import { expect, test } from 'vitest';
import { runHere } from '../support/run-here.ts';

const FOLDER = path.join(import.meta.dirname, '16-almost-an-address-becomes-a-cname');

test('each is a problem of its object, and none is published', async () => {
  const { out, code } = await runHere('render', '-f', FOLDER, '--source', 'services', '-o', 'json', '--strict');
  expect(code).toBe(1);
  const { zones, records, sources } = JSON.parse(out);
  expect(zones[0].entries).toHaveLength(1);
  expect(records.map(({ conditions }: never) => (conditions[0] as { reason: string }).reason)).toEqual(
    Array(5).fill('InvalidSpec'),
  );
  const problems = sources.map(({ problems: [only] }: { problems: string[] }) => only?.replace(/^.*target: /, ''));
  expect(problems).toEqual([
    '"192.0.2.1/32" is neither an address nor a host name: it is a network; write one address, such as 192.0.2.1',
    '"10.0.0.1.2" is neither an address nor a host name',
    '"192.0.2" is neither an address nor a host name',
    '"0x7f.1" is neither an address nor a host name',
    '"lb.example.net/path" is neither an address nor a host name: remove "/" and what follows',
  ]);
});
