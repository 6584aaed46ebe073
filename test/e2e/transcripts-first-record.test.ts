// The first objects that docs/deploy.md tells a newcomer to apply must be publishable with the example's configuration.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../support/test-folder.ts';
import { zone53 } from '../support/zone53-command.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

test('the first record of docs/deploy.md is accepted by examples/aws/zone53.yaml', async () => {
  const page = readFileSync(path.join(ROOT, 'docs', 'deploy.md'), 'utf8');
  const [, manifests = ''] = /<<'END'\n([\s\S]*?)^END$/m.exec(page) ?? [];
  const folder = testFolder();
  writeFileSync(path.join(folder, 'first.yaml'), manifests);
  const config = path.join(ROOT, 'examples', 'aws', 'zone53.yaml');
  const { code, out, err } = await zone53({ folder, route53: 'http://127.0.0.1:1' }, [
    ...['render', '-f', 'first.yaml', '--config', config, '--strict', '-o', 'json'],
  ]);
  expect([code, err]).toEqual([0, '']);
  const { zones, records } = JSON.parse(out);
  const reasons = [...zones, ...records].map(({ conditions }) => conditions[0].reason);
  expect(reasons).toEqual(['Root', 'Adopted']);
});
