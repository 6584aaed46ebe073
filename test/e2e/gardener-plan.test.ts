// `plan` and `explain` about DNSRecords on a real API server, with the rights that zone53 is given in a seed: what they
// say comes true, and nothing is written by either.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWithEngine } from '../engines/engines.ts';
import { type AwsAccount, type AwsAccounts, startAccounts } from '../support/gardener/accounts.ts';
import { type At, keysOf, OPERATION, type Seed, startSeed } from '../support/gardener/seed.ts';

const SHOOT = 'shoot--foo--bar';
const TEST_MS = 120_000;

describeWithEngine(['kube-apiserver', 'etcd'], 'plan and explain of DNSRecords', () => {
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
  const json = async (...argv: readonly string[]) => {
    const { code, out, err } = await seed.run(...argv, '--context', 'zone53', '--state', '.zone53/local', '-o', 'json');
    if (out === '') throw new Error(err);
    return { code, said: JSON.parse(out) };
  };

  beforeAll(async () => {
    accounts = await startAccounts('strict');
    account = await accounts.open();
    zone = await account.createZone('example.org.');
    const env = { AWS_ACCESS_KEY_ID: account.accessKeyId };
    seed = await startSeed(accounts, '{ requestsPerSecond: 20 }', { env });
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

  test('plan says what is written, where, and what is refused; then it is so', { timeout: TEST_MS }, async () => {
    const foreign = {
      Name: 'taken.example.org.',
      Type: 'A' as const,
      TTL: 60,
      ResourceRecords: [{ Value: '8.8.8.8' }],
    };
    await account.change(zone, 'CREATE', foreign);
    await seed.create(named('api'), spec('api'));
    await seed.create(named('taken'), spec('taken'));
    await seed.create(named('wrong'), spec('wrong', { ttl: -1 }));
    await seed.create(named('later'), spec('later'), { [OPERATION]: 'wait-for-state' });
    const before = (await seed.read(named('api')))?.metadata.resourceVersion;
    const changes = account.calls.filter(({ operation }) => operation === 'change').length;
    const { code, said } = await json('plan', '--detailed-exitcode');
    expect(code).toBe(2);
    expect(Object.keys(said)).toEqual(['hostedZones', 'errors', 'sources', 'dnsRecords']);
    const id = expect.stringMatching(/^[0-9a-f]{64}$/);
    expect(said.dnsRecords).toEqual([
      {
        ...{ namespace: SHOOT, name: 'api', operation: 'Create', state: 'Succeeded', account: id, hostedZone: zone },
        changes: [
          {
            ...{ action: 'create', name: 'api.example.org.', type: 'A', setIdentifier: null, before: null },
            after: { ttl: 120, values: ['192.0.2.1'] },
            objects: [`DNSRecord ${SHOOT}/api`],
            ...{ standing: 'none', message: '', hostedZone: zone, account: id },
          },
        ],
        ...{ error: null, message: '' },
      },
      {
        ...{ namespace: SHOOT, name: 'taken', operation: 'Create', state: 'Error', account: id, hostedZone: zone },
        changes: [],
        error: { codes: ['ERR_CONFIGURATION_PROBLEM'], message: expect.stringContaining('A taken.example.org') },
        message: '',
      },
      {
        ...{ namespace: SHOOT, name: 'wrong', operation: 'Create', state: 'Error', account: null, hostedZone: null },
        changes: [],
        error: {
          codes: ['ERR_CONFIGURATION_PROBLEM'],
          message: expect.stringContaining('spec.ttl: Invalid value: -1'),
        },
        message: '',
      },
    ]);
    expect((await seed.read(named('api')))?.metadata.resourceVersion).toBe(before);
    expect(account.calls.filter(({ operation }) => operation === 'change').length).toBe(changes);
    const text = (await seed.run('plan', '--context', 'zone53', '--state', '.zone53/local')).out;
    expect(text).toContain(`${SHOOT}/api: Create, Succeeded, hosted zone ${zone}`);
    expect(text).toContain('! ERR_CONFIGURATION_PROBLEM Error reconciling DNSRecord: A taken.example.org');
    await seed.start();
    await seed.ready(named('api'));
    for (const name of ['taken', 'wrong']) {
      const { error } = said.dnsRecords.find((one: { name: string }) => one.name === name);
      expect((await seed.failed(named(name))).status.lastError.description).toBe(error.message);
    }
    await seed.kill();
    const after = (await json('plan')).said.dnsRecords as { name: string }[];
    expect(after.map(({ name }) => name)).toEqual(['taken', 'wrong']);
  });

  test('explain names the DNSRecord that asks for a name', { timeout: TEST_MS }, async () => {
    const { said } = await json('explain', 'api.example.org');
    expect(said).toMatchObject({
      ...{ name: 'api.example.org.', zone: null, hostedZone: { id: zone, name: 'example.org.' } },
      objects: [
        {
          object: `DNSRecord ${SHOOT}/api`,
          accepted: { reason: 'Served', message: `with the Secret ${SHOOT}/dns` },
          programmed: { reason: 'Published', message: 'Successfully reconciled DNSRecord' },
        },
      ],
      route53: [{ type: 'A', content: { ttl: 120, values: ['192.0.2.1'] }, owner: 'zone53' }],
      published: { content: { ttl: 120, values: ['192.0.2.1'] } },
      ...{ pending: [], held: [], advice: 'Nothing to do: Route 53 holds what is wanted.' },
    });
    const taken = (await json('explain', 'taken.example.org')).said;
    expect(taken.objects[0].programmed.reason).toBe('ForeignRecord');
    expect(taken.route53).toMatchObject([{ type: 'A', owner: 'foreign' }]);
    expect(taken.advice).toContain('ERR_CONFIGURATION_PROBLEM');
    expect((await json('explain', 'nobody.example.org')).said.objects).toEqual([]);
  });
});
