// The guard holds what a record set would lose until somebody acknowledges it, however often the commands run.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import type { PlanOutput } from '../cli/print/output.ts';
import { foundAccount } from './support/found-account.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'zone53-holds-'));
const manifests = path.join(folder, 'dns');
const account = foundAccount(folder);

function record(name: string, domainName: string, rdata: string): object {
  const metadata = { name, namespace: 'a' };
  return { apiVersion: 'kubi.zone/v1alpha1', kind: 'Record', metadata, spec: { domainName, type: 'A', rdata } };
}

/** Three names, each with the addresses of so many Records. */
function declare(count: number): void {
  const zone = { domainName: 'ex.test.', delegations: [{ records: [{ pattern: '*' }] }] };
  const items = [
    { apiVersion: 'kubi.zone/v1alpha1', kind: 'Zone', metadata: { name: 'z', namespace: 'infra' }, spec: zone },
    ...['x', 'y', 'w'].flatMap((label) =>
      Array.from({ length: count }, (_, index) => record(`${label}-${index}`, `${label}.ex.test.`, `192.0.2.${index}`)),
    ),
  ];
  writeFileSync(path.join(manifests, 'all.json'), JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
}

beforeEach(() => {
  mkdirSync(manifests, { recursive: true });
  writeFileSync(path.join(folder, 'zone53.yaml'), 'clusterId: holds\n');
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('apply holds an update that loses most of its objects, also when it runs again', async () => {
  const id = await account.hostedZone('ex.test.');
  declare(5);
  expect((await account.run('apply', '-f', manifests, '--yes')).code).toBe(0);
  const before = await account.standing(id);
  declare(2);
  for (const more of [[], ['--refresh']]) {
    expect((await account.run('apply', '-f', manifests, '--yes', ...more)).code).toBe(3);
    expect(await account.standing(id)).toEqual(before);
  }
  const planned: PlanOutput = JSON.parse((await account.run('plan', '-f', manifests, '-o', 'json')).out);
  const [hostedZone] = planned.hostedZones;
  expect(hostedZone?.changes.map(({ action, held }) => ({ action, held }))).toEqual(
    [1, 2, 3].map(() => ({ action: 'update', held: true })),
  );
  const digest = hostedZone?.holds?.[0]?.digest ?? '';
  expect((await account.run('apply', '-f', manifests, '--yes', '--acknowledge', digest)).code).toBe(0);
  expect((await account.standing(id))[0]).toBe('w.ex.test. A 192.0.2.0 | 192.0.2.1');
});
