// From outside: what external-dns writes at an apex (kubernetes-sigs/external-dns#4234, #5010, #1487).
import path from 'node:path';
import { expect, test } from 'vitest';
import { foundAccount } from '../support/found-account.ts';

const FOLDER = path.join(import.meta.dirname, '03-apex-registry-txt-stays');
const account = foundAccount(FOLDER);

test('the registry TXT of an apex goes with its A, and NS and SOA are not of external-dns', async () => {
  const id = await account.hostedZone('mig7.test.', 'route53.json');
  const manifests = path.join(FOLDER, 'zone.yaml');
  const before = await account.run('migrate', '--from', 'external-dns', '--owner', 'prod', '-f', manifests);
  expect(before.out).toContain('2 record sets to adopt');
  expect((await account.run('apply', '-f', manifests, '--yes')).code).toBe(0);
  expect(await account.standing(id)).toEqual(['mig7.test. A 192.0.2.10', 'www.mig7.test. A 192.0.2.10']);
  expect((await account.run('plan', '-f', manifests, '--refresh')).out).toContain('Nothing to do.');
  const { route53 } = JSON.parse((await account.run('explain', 'mig7.test', '-f', manifests, '-o', 'json')).out);
  expect(route53.map(({ type, owner }: { type: string; owner: string }) => `${type} ${owner}`)).not.toContainEqual(
    expect.stringMatching(/external-dns/),
  );
});
