// From outside: one bad object (gardener/external-dns-management#51, kubernetes-sigs/external-dns#421). An invalid edit
// deletes no record set, whatever a neighbour's edit does; and the message says what the plan does.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { foundAccount } from '../support/found-account.ts';
import { testFolder } from '../support/test-folder.ts';

const FOLDER = path.join(import.meta.dirname, '07-invalid-edit-says-it-stays-and-is-deleted');
const account = foundAccount(FOLDER);
const STAYS = 'until it is valid again or deleted, its last valid spec stays in force';

const [ZONE] = readFileSync(path.join(FOLDER, 'before.yaml'), 'utf8').split('---\n');
const record = (name: string, spec: string) =>
  `---\napiVersion: kubi.zone/v1alpha1\nkind: Record\nmetadata: { name: ${name}, namespace: p }\nspec: { domainName: f.inv.test., ${spec} }\n`;

/** Applies one content of a file, then plans and applies another. */
async function edited(before: string, after: string) {
  const id = await account.hostedZone('inv.test.');
  const file = path.join(testFolder(), 'dns.yaml');
  writeFileSync(file, before);
  await account.run('apply', '-f', file, '--yes');
  const stood = await account.standing(id);
  writeFileSync(file, after);
  const plan = await account.run('plan', '-f', file);
  const applied = await account.run('apply', '-f', file, '--yes');
  return { stood, plan, applied, stands: await account.standing(id) };
}

test('an invalid failover record set stays while another takes its role', async () => {
  const texts = ['before.yaml', 'after.yaml'].map((file) => readFileSync(path.join(FOLDER, file), 'utf8'));
  const { stood, plan, applied, stands } = await edited(texts[0] ?? '', texts[1] ?? '');
  // Our Route 53 has no such health check, so the other one is not there.
  expect(stood).toEqual(['f.inv.test. A 192.0.2.2']);
  for (const { out } of [plan, applied]) {
    expect(out).toContain(STAYS);
    expect(out).toContain('Record p/prim (f.inv.test.): Accepted=False, Conflict');
    expect(out).not.toContain('f.inv.test. A [s]');
  }
  expect(stood).toHaveLength(1);
  expect(stands).toEqual(stood);
});

test('an invalid Record stays while a new one, which is read first, takes its name', async () => {
  const own = record('own', 'type: A, rdata: 192.0.2.2');
  const bad = record('own', 'type: A, rdata: 192.0.2.999');
  const fresh = record('a-new', 'type: CNAME, rdata: x.example.net.');
  const { stood, plan, stands } = await edited(`${ZONE}${own}`, `${ZONE}${fresh}${bad}`);
  expect(plan.out).toContain(STAYS);
  expect(plan.out).toContain('Record p/a-new (f.inv.test.): Accepted=False, Conflict');
  expect(stood).toHaveLength(1);
  expect(stands).toEqual(stood);
});

test('an invalid Record that another excluded before does not claim to be in force', async () => {
  const first = record('a-first', 'type: CNAME, rdata: x.example.net.');
  const [own, bad] = ['192.0.2.2', '192.0.2.999'].map((rdata) => record('own', `type: A, rdata: ${rdata}`));
  const { plan, stood, stands } = await edited(`${ZONE}${first}${own}`, `${ZONE}${first}${bad}`);
  expect(plan.out).toContain('its last valid spec is not in force either: Conflict, Record p/a-first has f.inv.test.');
  expect(plan.out).not.toContain(STAYS);
  expect(stood).toHaveLength(1);
  expect(stands).toEqual(stood);
});
