// `apply --context` over the DNSRecords of a seed on a real API server: what it serves is shown, and how each ended.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWithEngine } from '../engines/engines.ts';
import { type AwsAccount, type AwsAccounts, startAccounts } from '../support/gardener/accounts.ts';
import { type At, keysOf, type Seed, startSeed } from '../support/gardener/seed.ts';

const SHOOT = 'shoot--foo--bar';
const TEST_MS = 120_000;

describeWithEngine(['kube-apiserver', 'etcd'], 'apply of DNSRecords', () => {
  let accounts: AwsAccounts;
  let account: AwsAccount;
  let seed: Seed;
  let zone: string;
  const named = (name: string): At => ({ namespace: SHOOT, name });
  const spec = (name: string) => ({
    ...{ type: 'aws-route53', secretRef: { name: 'dns' }, name: `${name}.example.org` },
    ...{ recordType: 'A', values: ['192.0.2.1'] },
  });
  const apply = async () => {
    const argv = ['apply', '--context', 'zone53', '--state', '.zone53/local', '--yes', '-o', 'json'];
    const { code, out, err } = await seed.run(...argv);
    if (out === '') throw new Error(err);
    return { code, said: JSON.parse(out) };
  };

  beforeAll(async () => {
    accounts = await startAccounts('strict');
    account = await accounts.open();
    zone = await account.createZone('example.org.');
    seed = await startSeed(accounts, '{ requestsPerSecond: 20 }', { env: { AWS_ACCESS_KEY_ID: account.accessKeyId } });
    await seed.namespace(SHOOT);
    await seed.secret(named('dns'), keysOf(account));
    // Gives it its rights.
    await seed.start();
    await seed.kill();
  }, TEST_MS);
  afterAll(async () => {
    await seed?.end();
    await accounts?.close();
  });

  test('shows what it served, and ends with 1 where one failed', { timeout: TEST_MS }, async () => {
    const ResourceRecords = [{ Value: '8.8.8.8' }];
    await account.change(zone, 'CREATE', { Name: 'taken.example.org.', Type: 'A', TTL: 60, ResourceRecords });
    await seed.create(named('api'), spec('api'));
    await seed.create(named('taken'), spec('taken'));
    const { code, said } = await apply();
    expect(code).toBe(1);
    expect(said.dnsRecords).toMatchObject([
      { name: 'api', operation: 'Create', state: 'Succeeded', hostedZone: zone, changes: [{ action: 'create' }] },
      { name: 'taken', state: 'Error', changes: [], error: { codes: ['ERR_CONFIGURATION_PROBLEM'] } },
    ]);
    await seed.ready(named('api'));
    await seed.remove(named('taken'));
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
