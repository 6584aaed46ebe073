// From outside: hand-written MX, SPF and more at names with an old-format TXT record of external-dns
// (kubernetes-sigs/external-dns#1895, #444, #1416).
import path from 'node:path';
import { expect, test } from 'vitest';
import { foundAccount } from '../support/found-account.ts';

const FOLDER = path.join(import.meta.dirname, '01-old-format-txt-owns-every-type');
const account = foundAccount(FOLDER);

test('apply with deleteUnwanted deletes nothing that external-dns does not own', async () => {
  const id = await account.hostedZone('mig9.test.', 'route53.json');
  const before = await account.standing(id);
  const manifests = path.join(FOLDER, 'zone.yaml');
  expect((await account.run('plan', '-f', manifests)).out).toContain(
    '16 to adopt, 0 to create, 0 to update, 0 to delete',
  );
  expect((await account.run('apply', '-f', manifests, '--yes')).code).toBe(0);
  expect(await account.standing(id)).toEqual(before.filter((one) => !one.includes('heritage=external-dns')));
});
