// From outside: `migrate` announced deletes in a hosted zone that apply leaves (kubernetes-sigs/external-dns#3217).
import path from 'node:path';
import { expect, test } from 'vitest';
import { foundAccount } from '../support/found-account.ts';

const FOLDER = path.join(import.meta.dirname, '05-migrate-says-apply-deletes-in-other-hosted-zones');
const account = foundAccount(FOLDER);

test('migrate says what apply deletes, and what it leaves because no Zone publishes there', async () => {
  const id = await account.hostedZone('mig2.test.', 'route53-of-mig2.json');
  const odd = await account.hostedZone('odd.example.', 'route53-of-odd.json');
  const manifests = path.join(FOLDER, 'zone.yaml');
  const { out } = await account.run('migrate', '--from', 'external-dns', '--owner', 'prod', '-f', manifests);
  const [ofMig2 = '', ofOdd = ''] = out.split(/^(?=odd\.example\.)/m);
  expect(ofMig2).toContain('1 record set that no object asks for: apply deletes it, unless the guard holds it');
  expect(ofMig2).toContain('- gone.mig2.test. A');
  expect(ofOdd).toContain('1 record set that no object asks for: left unchanged: no Zone publishes into it');
  const before = await account.standing(odd);
  expect((await account.run('apply', '-f', manifests, '--yes')).out).toContain('- gone.mig2.test. A');
  expect(await account.standing(odd)).toEqual(before);
  expect((await account.standing(id)).filter((one) => one.startsWith('gone.'))).toEqual([
    'gone.mig2.test. SRV 0 0 443 x.example.net.',
  ]);
});
