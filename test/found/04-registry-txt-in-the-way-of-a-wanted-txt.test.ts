// From outside: the registry TXT at the name where people want their SPF (kubernetes-sigs/external-dns#1416, #444).
import path from 'node:path';
import { expect, test } from 'vitest';
import { foundAccount } from '../support/found-account.ts';

const FOLDER = path.join(import.meta.dirname, '04-registry-txt-in-the-way-of-a-wanted-txt');
const account = foundAccount(FOLDER);

test('a wanted TXT replaces the registry TXT, at the apex and below', async () => {
  const id = await account.hostedZone('mig5.test.', 'route53.json');
  const manifests = path.join(FOLDER, 'zone.yaml');
  expect((await account.run('apply', '-f', manifests, '--yes')).code).toBe(0);
  expect(await account.standing(id)).toEqual([
    'mig5.test. A 192.0.2.10',
    'mig5.test. TXT "v=spf1 -all"',
    'www.mig5.test. A 192.0.2.10',
    'www.mig5.test. TXT "v=spf1 -all"',
  ]);
  expect((await account.run('plan', '-f', manifests, '--refresh')).out).toContain('Nothing to do.');
});
