// `apply --context` with the DNSRecords of a seed on a real API server: it shows which it serves, and how each ended.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWithEngine } from '../engines/engines.ts';
import { inShoot, type ShootSeed, shootRecord, startShootSeed } from '../support/gardener/shoot-seed.ts';

const TEST_MS = 120_000;

describeWithEngine(['kube-apiserver', 'etcd'], 'apply of DNSRecords', () => {
  let shoot: ShootSeed;
  const apply = () => shoot.json('apply', '--yes');

  beforeAll(async () => {
    shoot = await startShootSeed();
  }, TEST_MS);
  afterAll(() => shoot?.end());

  test('apply shows what it served, and exits 1 when one failed', { timeout: TEST_MS }, async () => {
    const { account, seed, zone } = shoot;
    const ResourceRecords = [{ Value: '8.8.8.8' }];
    await account.change(zone, 'CREATE', { Name: 'taken.example.org.', Type: 'A', TTL: 60, ResourceRecords });
    await seed.create(inShoot('api'), shootRecord('api'));
    await seed.create(inShoot('taken'), shootRecord('taken'));
    const { code, said } = await apply();
    expect(code).toBe(1);
    expect(said.dnsRecords).toMatchObject([
      { name: 'api', operation: 'Create', state: 'Succeeded', hostedZone: zone, changes: [{ action: 'create' }] },
      { name: 'taken', state: 'Error', changes: [], error: { codes: ['ERR_CONFIGURATION_PROBLEM'] } },
    ]);
    await seed.ready(inShoot('api'));
    await seed.remove(inShoot('taken'));
    const again = await apply();
    expect(again.said.dnsRecords).toMatchObject([{ name: 'taken', operation: 'Delete', state: 'Succeeded' }]);
    expect(again.code).toBe(0);
    expect((await apply()).said.dnsRecords).toEqual([]);
    expect(await account.recordSets(zone)).toEqual([
      'api.example.org. A 120 192.0.2.1',
      'taken.example.org. A 60 8.8.8.8',
    ]);
  });
});
