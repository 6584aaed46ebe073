// From outside: one wrong letter in the namespace of a sub-zone took its delegation away, and nothing said so.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { foundAccount } from '../support/found-account.ts';
import { runHere } from '../support/run-here.ts';
import { testFolder } from '../support/test-folder.ts';

const account = foundAccount(path.join(import.meta.dirname, '07-invalid-edit-says-it-stays-and-is-deleted'));

const top = (rules: string) => `apiVersion: kubi.zone/v1alpha1
kind: Zone
metadata: { name: rc, namespace: platform }
spec: { domainName: rc.example., delegations: [{ namespace: platform, records: [{ pattern: "*" }] }${rules}] }
---
`;
const shop = (namespace: string) => `apiVersion: kubi.zone/v1alpha1
kind: Zone
metadata: { name: shop, namespace: ${namespace} }
spec: { domainName: shop.rc.example., delegations: [{ records: [{ pattern: "*" }] }] }
---
apiVersion: kubi.zone/v1alpha1
kind: Record
metadata: { name: s1, namespace: team-a }
spec: { domainName: s1.shop.rc.example., type: A, rdata: 192.0.2.1 }
`;
const GIVES = ', { namespace: team-a, zones: [shop] }';

test.each([
  ['its namespace is misspelt', top(GIVES) + shop('team-aa'), 'Zone team-aa/shop'],
  ['its delegation is removed', top('') + shop('team-a'), 'Zone team-a/shop'],
])('a sub-zone is refused, with the reason at its delete, when %s', async (_, after, zone) => {
  const id = await account.hostedZone('rc.example.');
  await account.hostedZone('shop.rc.example.');
  const file = path.join(testFolder(), 'dns.yaml');
  writeFileSync(file, top(GIVES) + shop('team-a'));
  expect((await account.run('apply', '-f', file, '--yes')).code).toBe(0);
  expect(await account.standing(id)).toEqual([expect.stringContaining('shop.rc.example. NS')]);
  writeFileSync(file, after);
  const plan = await account.run('plan', '-f', file, '--strict');
  expect(plan.code).toBe(1);
  expect(plan.out).toContain(`${zone} (shop.rc.example.): Accepted=False, DelegationDenied`);
  expect(plan.out).toMatch(new RegExp(`- shop\\.rc\\.example\\. NS.*${zone} .*not accepted \\(DelegationDenied\\)`));
  expect(plan.out).toContain(`which has the nearer name shop.rc.example., is not accepted: DelegationDenied`);
  const rendered = await runHere('render', '-f', file, '--strict');
  expect(rendered.code).toBe(1);
  expect(rendered.out).toContain(`${zone} (shop.rc.example.): Accepted=False, DelegationDenied`);
});

test('a root that a Zone of its own namespace covers has a note, which --strict counts', async () => {
  const file = path.join(testFolder(), 'dns.yaml');
  writeFileSync(file, top('') + shop('platform'));
  const [plain, strict] = [await runHere('render', '-f', file), await runHere('render', '-f', file, '--strict')];
  expect([plain.code, strict.code]).toEqual([0, 1]);
  expect(plain.out).toContain('names in shop.rc.example. are found only if the hosted zone above delegates them');
});
