// DNSRecords with a Route 53 that loses requests and answers, throttles, and gives invalid answers; a seed decides
// which. In the end each record is in Route 53 as its spec says, and deleted ones are gone.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWithEngine } from '../engines/engines.ts';
import { eventually } from '../engines/kubernetes/apply.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { type AwsAccount, type AwsAccounts, startAccounts } from '../support/gardener/accounts.ts';
import { type At, keysOf, OPERATION, type Seed, startSeed } from '../support/gardener/seed.ts';

const SHOOT = 'shoot--foo--bar';
const COUNT = 12;
const ROUNDS = 4;
const TEST_MS = 200_000;

describeWithEngine(['kube-apiserver', 'etcd'], 'DNSRecords behind a Route 53 that fails', () => {
  let accounts: AwsAccounts;
  let account: AwsAccount;
  let proxy: FaultProxy;
  let seed: Seed;
  let zone: string;
  const records: readonly At[] = Array.from({ length: COUNT }, (_, index) => ({ namespace: SHOOT, name: `r${index}` }));

  beforeAll(async () => {
    accounts = await startAccounts('strict');
    account = await accounts.open();
    zone = await account.createZone('example.org.');
    proxy = await startFaultProxy({ target: accounts.url, seed: 7, rate: 0.3 });
    seed = await startSeed(proxy, '{ requestsPerSecond: 50 }');
    await seed.namespace(SHOOT);
    await seed.secret({ namespace: SHOOT, name: 'dns' }, keysOf(account));
    await seed.start();
  }, TEST_MS);
  afterAll(async () => {
    await seed?.end();
    await proxy?.close();
    await accounts?.close();
  });

  /** Asks again at once, without waiting for the pause after an error. */
  const again = (at: At, spec: object = {}) =>
    seed.patch(at, {
      metadata: { annotations: { [OPERATION]: 'reconcile', 'gardener.cloud/timestamp': new Date().toISOString() } },
      spec,
    });
  const expected = (address: string) => records.map(({ name }) => `${name}.example.org. A 60 ${address}`).toSorted();

  test('they end as their specs say', { timeout: TEST_MS }, async () => {
    const spec = { type: 'aws-route53', secretRef: { name: 'dns' }, recordType: 'A', ttl: 60, values: ['192.0.2.0'] };
    for (const at of records) await seed.create(at, { ...spec, name: `${at.name}.example.org` });
    for (let round = 1; round <= ROUNDS; round += 1) {
      await sleep(1_500);
      for (const at of records) await again(at, { values: [`192.0.2.${round}`] });
    }
    await eventually(() => proxy.calls.some(({ fault }) => fault !== null));
    proxy.setRate(0);
    await proxy.landed();
    // DNSRecords with an error are asked for once more.
    await sleep(2_000);
    for (const at of records) await again(at);
    for (const at of records) await seed.ready(at);
    expect(await account.recordSets(zone)).toEqual(expected(`192.0.2.${ROUNDS}`));
  });

  test('are gone from Route 53 after they are deleted', { timeout: TEST_MS }, async () => {
    proxy.setRate(0.3);
    for (const at of records) await seed.remove(at);
    await sleep(4_000);
    proxy.setRate(0);
    await proxy.landed();
    for (const at of records) if ((await seed.read(at)) !== null) await again(at).catch(() => null);
    for (const at of records) await seed.gone(at);
    expect(await account.recordSets(zone)).toEqual([]);
  });
});
