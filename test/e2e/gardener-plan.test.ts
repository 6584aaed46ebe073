// `plan` and `explain` of DNSRecords on a real API server, with zone53's rights in a seed: what they say is then done,
// and they write nothing.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWithEngine } from '../engines/engines.ts';
import { OPERATION } from '../support/gardener/seed.ts';
import { inShoot, SHOOT, type ShootSeed, shootRecord, startShootSeed } from '../support/gardener/shoot-seed.ts';

const TEST_MS = 120_000;

describeWithEngine(['kube-apiserver', 'etcd'], 'plan and explain of DNSRecords', () => {
  let shoot: ShootSeed;

  beforeAll(async () => {
    shoot = await startShootSeed();
  }, TEST_MS);
  afterAll(() => shoot?.end());

  test('plan shows what will be written, where, and what is refused; apply then does exactly that', {
    timeout: TEST_MS,
  }, async () => {
    const { account, seed, zone } = shoot;
    const foreign = {
      Name: 'taken.example.org.',
      Type: 'A' as const,
      TTL: 60,
      ResourceRecords: [{ Value: '8.8.8.8' }],
    };
    await account.change(zone, 'CREATE', foreign);
    await seed.create(inShoot('api'), shootRecord('api'));
    await seed.create(inShoot('taken'), shootRecord('taken'));
    await seed.create(inShoot('wrong'), shootRecord('wrong', { ttl: -1 }));
    await seed.create(inShoot('later'), shootRecord('later'), { [OPERATION]: 'wait-for-state' });
    const before = (await seed.read(inShoot('api')))?.metadata.resourceVersion;
    const changes = account.calls.filter(({ operation }) => operation === 'change').length;
    const { code, said } = await shoot.json('plan', '--detailed-exitcode');
    expect(code).toBe(2);
    expect(Object.keys(said)).toEqual(['hostedZones', 'problems', 'errors', 'sources', 'dnsRecords']);
    const id = expect.stringMatching(/^[0-9a-f]{64}$/);
    expect(said.dnsRecords).toEqual([
      {
        ...{ namespace: SHOOT, name: 'api', operation: 'Create', state: 'Succeeded', account: id, hostedZone: zone },
        changes: [
          {
            ...{ action: 'create', name: 'api.example.org.', type: 'A', setIdentifier: null, before: null },
            after: { ttl: 120, values: ['192.0.2.1'] },
            objects: [`DNSRecord ${SHOOT}/api`],
            held: false,
            ...{ view: 'public', standing: 'none', message: '', hostedZone: zone, account: id },
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
    expect((await seed.read(inShoot('api')))?.metadata.resourceVersion).toBe(before);
    expect(account.calls.filter(({ operation }) => operation === 'change').length).toBe(changes);
    const text = (await seed.run('plan', '--context', 'zone53', '--state', '.zone53/local')).out;
    expect(text).toContain(`${SHOOT}/api: Create, Succeeded, hosted zone ${zone}`);
    expect(text).toContain('! ERR_CONFIGURATION_PROBLEM Error reconciling DNSRecord: A taken.example.org');
    await seed.start();
    await seed.ready(inShoot('api'));
    for (const name of ['taken', 'wrong']) {
      const { error } = said.dnsRecords.find((one: { name: string }) => one.name === name);
      expect((await seed.failed(inShoot(name))).status.lastError.description).toBe(error.message);
    }
    await seed.kill();
    const after = (await shoot.json('plan')).said.dnsRecords as { name: string }[];
    expect(after.map(({ name }) => name)).toEqual(['taken', 'wrong']);
  });

  test('explain names the DNSRecord that asks for a name', { timeout: TEST_MS }, async () => {
    const { said } = await shoot.json('explain', 'api.example.org');
    expect(said).toMatchObject({
      ...{ name: 'api.example.org.', zone: null, hostedZone: { id: shoot.zone, name: 'example.org.' } },
      objects: [
        {
          object: `DNSRecord ${SHOOT}/api`,
          accepted: { reason: 'Served', message: `with the Secret ${SHOOT}/dns` },
          programmed: { reason: 'Published', message: 'Successfully reconciled DNSRecord' },
        },
      ],
      route53: [{ type: 'A', content: { ttl: 120, values: ['192.0.2.1'] }, owner: 'zone53' }],
      published: [{ content: { ttl: 120, values: ['192.0.2.1'] } }],
      ...{ pending: [], held: [], advice: 'Nothing to do: Route 53 has what is desired.' },
    });
    const taken = (await shoot.json('explain', 'taken.example.org')).said;
    expect(taken.objects[0].programmed.reason).toBe('ForeignRecord');
    expect(taken.route53).toMatchObject([{ type: 'A', owner: 'foreign' }]);
    expect(taken.advice).toContain('ERR_CONFIGURATION_PROBLEM');
    expect((await shoot.json('explain', 'nobody.example.org')).said.objects).toEqual([]);
  });
});
