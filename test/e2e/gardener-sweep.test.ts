// DNSRecords on a real API server, among others: what a sweep does about a record set that somebody else changed or
// deleted, and a Zone of zone53 with Records in the same hosted zone, where neither takes what the other published.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWithEngine } from '../engines/engines.ts';
import { eventually, succeed } from '../engines/kubernetes/apply.ts';
import { type AwsAccount, type AwsAccounts, startAccounts } from '../support/gardener/accounts.ts';
import { type At, keysOf, OPERATION, type Seed, startSeed } from '../support/gardener/seed.ts';

const SHOOT = 'shoot--foo--bar';
const TEST_MS = 180_000;
const LEASE_ENDS_MS = 60_000;
const SETTINGS = 'requestsPerSecond: 20';

describeWithEngine(['kube-apiserver', 'etcd'], 'DNSRecords and others in one hosted zone', () => {
  let accounts: AwsAccounts;
  let account: AwsAccount;
  let seed: Seed;
  let zone: string;
  const named = (name: string): At => ({ namespace: SHOOT, name });
  const spec = (name: string, fields: object = {}) => ({
    type: 'aws-route53',
    secretRef: { name: 'dns' },
    name: `${name}.example.org`,
    recordType: 'A',
    values: ['192.0.2.1'],
    ...fields,
  });
  const created = async (name: string) => {
    await seed.create(named(name), spec(name));
    await seed.ready(named(name));
  };
  const standing = async (name: string) =>
    (await account.recordSets(zone)).flatMap((line) =>
      line.startsWith(`${name}.example.org. `) ? [line.slice(`${name}.example.org. `.length)] : [],
    );
  const stranger = (name: string, action: 'UPSERT' | 'DELETE', value: string, ttl: number) =>
    account.change(zone, action, {
      ...{ Name: `${name}.example.org.`, Type: 'A', TTL: ttl },
      ResourceRecords: [{ Value: value }],
    });

  beforeAll(async () => {
    accounts = await startAccounts('strict');
    account = await accounts.open();
    zone = await account.createZone('example.org.');
    const env = { AWS_ACCESS_KEY_ID: account.accessKeyId };
    seed = await startSeed(accounts, `{ ${SETTINGS} }`, { env });
    await seed.namespace(SHOOT);
    await seed.secret(named('dns'), keysOf(account));
    await seed.start();
  }, TEST_MS);
  afterAll(async () => {
    await seed?.end();
    await accounts?.close();
  });

  test('the sweep reports drift, and with takeover corrects it', { timeout: TEST_MS }, async () => {
    for (const name of ['edited', 'deleted', 'fine']) await created(name);
    await seed.kill();
    await stranger('edited', 'UPSERT', '8.8.8.8', 60);
    await stranger('deleted', 'DELETE', '192.0.2.1', 120);
    // zone53 begins with a sweep.
    await seed.start();
    const { status } = await seed.failed(named('edited'), 'ERR_CONFIGURATION_PROBLEM');
    expect(status.lastError.description).toContain('A edited.example.org');
    expect(await standing('edited')).toEqual(['A 60 8.8.8.8']);
    await eventually(async () => (await standing('deleted')).length === 1);
    expect(await standing('deleted')).toEqual(['A 120 192.0.2.1']);
    expect((await seed.ready(named('fine'))).status.lastOperation.type).toBe('Create');
    await seed.start(`{ ${SETTINGS}, takeover: true }`);
    await seed.ready(named('edited'));
    expect(await standing('edited')).toEqual(['A 120 192.0.2.1']);
    await seed.kill();
    await stranger('fine', 'UPSERT', '8.8.8.8', 60);
    await seed.start(`{ ${SETTINGS}, takeover: true }`);
    // The killed process may have had the lease of the hosted zone.
    await eventually(async () => (await standing('fine'))[0] === 'A 120 192.0.2.1', LEASE_ENDS_MS);
    await seed.ready(named('fine'));
  });

  const applied = (yaml: string) => succeed(seed.engine, ['apply', '-f', '-'], yaml);
  const record = (name: string, value: string) =>
    `apiVersion: kubi.zone/v1alpha1\nkind: Record\nmetadata: { name: ${name}, namespace: ${SHOOT} }\nspec: { domainName: ${name}.example.org., type: A, rdata: ${value} }\n`;
  const reasonOf = async (name: string) => {
    const { body } = await seed.api.ask('GET', `/apis/kubi.zone/v1alpha1/namespaces/${SHOOT}/records/${name}`);
    const conditions: readonly { type: string; reason: string }[] = body?.status?.conditions ?? [];
    return conditions.find(({ type }) => type === 'Programmed')?.reason ?? null;
  };

  test.each([false, true])(
    'with a Zone in the same hosted zone, who first published a name keeps it (takeover of DNSRecords: %s)',
    { timeout: TEST_MS },
    async (takeover) => {
      const suffix = takeover ? '-taken' : '';
      const [ours, theirs] = [`ours${suffix}`, `theirs${suffix}`];
      await seed.start(`{ ${SETTINGS}, takeover: ${takeover} }`);
      const apex = `apiVersion: kubi.zone/v1alpha1\nkind: Zone\nmetadata: { name: example, namespace: ${SHOOT} }\nspec:\n  domainName: example.org.\n  delegations: [{ records: [{ pattern: "*" }] }]\n`;
      // With enough other Records, the guard allows single deletes.
      const others = [1, 2, 3, 4, 5].map((index) => `---\n${record(`other-${index}`, '192.0.2.9')}`);
      await applied(`${apex}---\n${record(theirs, '192.0.2.20')}${others.join('')}`);
      await eventually(async () => (await reasonOf(theirs)) === 'Published');
      await created(ours);
      // Now each wants a name that the other has.
      await applied(record(ours, '192.0.2.21'));
      await seed.create(named(theirs), spec(theirs));
      await eventually(async () => (await reasonOf(ours)) === 'ForeignRecord');
      const { status } = await seed.failed(named(theirs), 'ERR_CONFIGURATION_PROBLEM');
      expect(status.lastError.description).toContain(`Record ${SHOOT}/${theirs}`);
      expect(await standing(ours)).toEqual(['A 120 192.0.2.1']);
      expect(await standing(theirs)).toEqual(['A 360 192.0.2.20']);
      // A deletion removes only the deleted object's own record set.
      await seed.remove(named(theirs));
      await seed.gone(named(theirs));
      await seed.engine.kubectl(['delete', 'records.kubi.zone', '-n', SHOOT, ours]);
      await seed.patch(named(ours), { metadata: { annotations: { [OPERATION]: 'reconcile' } } });
      await seed.ready(named(ours));
      expect(await standing(theirs)).toEqual(['A 360 192.0.2.20']);
      expect(await standing(ours)).toEqual(['A 120 192.0.2.1']);
      // When one gives up a name, the other gets it.
      await applied(record(ours, '192.0.2.21'));
      await seed.remove(named(ours));
      await seed.gone(named(ours));
      expect(await standing(ours)).not.toContain('A 120 192.0.2.1');
      await seed.engine.kubectl(['delete', 'records.kubi.zone', '-n', SHOOT, theirs]);
      await eventually(async () => (await standing(theirs)).length === 0);
    },
  );
});
