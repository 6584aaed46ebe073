// The lifecycle of DNSRecords on a real API server: what the annotations do, what a plain edit does not, deletion,
// migration of a control plane from one seed to another, and what is found after zone53 was killed.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWithEngine } from '../engines/engines.ts';
import { type AwsAccount, type AwsAccounts, startAccounts } from '../support/gardener/accounts.ts';
import { type At, FINALIZER, keysOf, OPERATION, type Seed, startSeed } from '../support/gardener/seed.ts';

const SHOOT = 'shoot--foo--bar';
const SECRET = { name: 'dns' };
const TEST_MS = 120_000;
/** Long enough to notice a write of zone53 that should not happen. */
const A_WHILE_MS = 3_000;

describeWithEngine(['kube-apiserver', 'etcd'], 'the lifecycle of DNSRecords', () => {
  let accounts: AwsAccounts;
  let account: AwsAccount;
  let seed: Seed;
  let other: Seed;
  let zone: string;
  const named = (name: string): At => ({ namespace: SHOOT, name });
  const spec = (name: string, fields: object = {}) => ({
    type: 'aws-route53',
    secretRef: SECRET,
    name: `${name}.example.org`,
    recordType: 'A',
    values: ['192.0.2.1'],
    ...fields,
  });
  const annotate = (at: At, value: string | null, on = seed) =>
    on.patch(at, { metadata: { annotations: { [OPERATION]: value } } });
  const standing = async (name: string) =>
    (await account.recordSets(zone)).filter((line) => line.startsWith(`${name}.example.org. `));
  /**
   * Waits until the operation `reconcile` has succeeded. zone53 removes the annotation before it writes the status, so
   * in between the status is still that of the previous operation.
   */
  const reconciled = (at: At, on = seed) =>
    on.until(
      at,
      ({ status }) => status.lastOperation.type === 'Reconcile' && status.lastOperation.state === 'Succeeded',
    );
  /**
   * The number of calls, once none has come for a while: a process that just started still asks about other objects.
   */
  const quietCalls = async () => {
    for (let before = -1; before !== account.calls.length; await sleep(A_WHILE_MS)) before = account.calls.length;
    return account.calls.length;
  };
  const created = async (name: string, fields: object = {}, annotations: Record<string, string> = {}) => {
    await seed.create(named(name), spec(name, fields), annotations);
    return seed.ready(named(name));
  };

  beforeAll(async () => {
    accounts = await startAccounts('strict');
    account = await accounts.open();
    zone = await account.createZone('example.org.');
    [seed, other] = await Promise.all([
      startSeed(accounts, '{ requestsPerSecond: 20 }'),
      startSeed(accounts, '{ requestsPerSecond: 20 }'),
    ]);
    for (const one of [seed, other]) {
      await one.namespace(SHOOT, { 'gardener.cloud/role': 'shoot' });
      await one.secret({ namespace: SHOOT, name: 'dns' }, keysOf(account));
    }
    await seed.start();
  }, TEST_MS);
  afterAll(async () => {
    await seed?.end();
    await other?.end();
    await accounts?.close();
  });

  test('kubectl shows type, name, record type and state', { timeout: TEST_MS }, async () => {
    await created('columns');
    // The full name of the type: kubectl learns the short name of a new type only after some time.
    const { stdout, stderr } = await seed.engine.kubectl(['get', 'dnsrecords', '-n', SHOOT, 'columns', '--no-headers']);
    expect(stdout.trim().split(/\s+/).slice(0, 5)).toEqual([
      'columns',
      'aws-route53',
      'columns.example.org',
      'A',
      'Succeeded',
    ]);
    expect(stderr).toBe('');
  });

  test('a plain edit changes nothing until the annotation reconcile', { timeout: TEST_MS }, async () => {
    await created('edit');
    await seed.patch(named('edit'), { spec: { values: ['192.0.2.2'], ttl: 0 } });
    await sleep(A_WHILE_MS);
    expect(await standing('edit')).toEqual(['edit.example.org. A 120 192.0.2.1']);
    const before = await seed.read(named('edit'));
    expect(before.status.observedGeneration).toBe(1);
    await annotate(named('edit'), 'reconcile');
    const { status } = await reconciled(named('edit'));
    expect(status.lastOperation).toMatchObject({ type: 'Reconcile', state: 'Succeeded', progress: 100 });
    expect(await standing('edit')).toEqual(['edit.example.org. A 0 192.0.2.2']);
  });

  test('reconcile of unchanged content makes no call', { timeout: TEST_MS }, async () => {
    await created('same');
    const calls = await quietCalls();
    const annotations = { [OPERATION]: 'reconcile', 'gardener.cloud/timestamp': new Date().toISOString() };
    await seed.patch(named('same'), { metadata: { annotations } });
    await reconciled(named('same'));
    expect(account.calls.length).toBe(calls);
  });

  test('an object with wait-for-state, of a foreign class or of a foreign type is left alone', {
    timeout: TEST_MS,
  }, async () => {
    await seed.create(named('waits'), spec('waits'), { [OPERATION]: 'wait-for-state' });
    await seed.create(named('garden'), spec('garden', { class: 'garden' }));
    await seed.create(named('google'), spec('google', { type: 'google-clouddns' }));
    await created('classes', { class: 'shoot' });
    await created('no-class', { class: '' });
    await sleep(A_WHILE_MS);
    for (const name of ['waits', 'garden', 'google']) {
      const { metadata, status } = await seed.read(named(name));
      expect([name, status, metadata.finalizers]).toEqual([name, undefined, undefined]);
      expect(await standing(name)).toEqual([]);
    }
    await annotate(named('waits'), 'restore');
    const { status } = await seed.ready(named('waits'));
    expect(status.lastOperation).toMatchObject({
      type: 'Restore',
      state: 'Succeeded',
      description: 'Successfully restored DNSRecord',
    });
  });

  test('a change from dual-stack to ipv4 deletes the AAAA record set', { timeout: TEST_MS }, async () => {
    const stack = 'dns.gardener.cloud/ip-stack';
    const alias = 'alias a.elb.eu-west-1.amazonaws.com. Z2IFOLAFXWLO4F true';
    const fields = { recordType: 'CNAME', values: ['a.elb.eu-west-1.amazonaws.com'] };
    await created('stack', fields, { [stack]: 'dual-stack' });
    expect(await standing('stack')).toEqual([`stack.example.org. A ${alias}`, `stack.example.org. AAAA ${alias}`]);
    await seed.patch(named('stack'), { metadata: { annotations: { [stack]: 'ipv4', [OPERATION]: 'reconcile' } } });
    // Between the removal of the annotation and `Processing`, the status is still the earlier one.
    await seed.until(named('stack'), ({ status }) => status.lastOperation.type === 'Reconcile');
    await seed.ready(named('stack'));
    expect(await standing('stack')).toEqual([`stack.example.org. A ${alias}`]);
    await seed.patch(named('stack'), {
      metadata: { annotations: { [OPERATION]: 'reconcile' } },
      spec: { values: ['b.example.org'] },
    });
    await seed.ready(named('stack'));
    expect(await standing('stack')).toEqual(['stack.example.org. CNAME 120 b.example.org.']);
  });

  test('a change of spec.zone deletes the old record set after the new one exists', { timeout: TEST_MS }, async () => {
    await created('moves');
    const second = await account.createZone('example.org.');
    await seed.patch(named('moves'), {
      metadata: { annotations: { [OPERATION]: 'reconcile' } },
      spec: { zone: second },
    });
    const { status } = await seed.ready(named('moves'));
    expect(status.zone).toBe(second);
    expect(await account.recordSets(second)).toEqual(['moves.example.org. A 120 192.0.2.1']);
    expect(await standing('moves')).toEqual([]);
    await seed.remove(named('moves'));
    await seed.gone(named('moves'));
    expect(await account.recordSets(second)).toEqual([]);
    await account.deleteZone(second);
  });

  test('a drifted record without takeover stays at deletion, and an Event says so', { timeout: TEST_MS }, async () => {
    await created('drifted');
    const set = { Name: 'drifted.example.org.', Type: 'A' as const, TTL: 60 };
    await account.change(zone, 'UPSERT', { ...set, ResourceRecords: [{ Value: '198.51.100.9' }] });
    await seed.remove(named('drifted'));
    await seed.gone(named('drifted'));
    expect(await standing('drifted')).toEqual(['drifted.example.org. A 60 198.51.100.9']);
    const { body } = await seed.api.ask('GET', `/apis/events.k8s.io/v1/namespaces/${SHOOT}/events`);
    const about = body.items.filter((event: { regarding: At }) => event.regarding.name === 'drifted');
    expect(about.map(({ note }: { note: string }) => note).join('\n')).toContain('drifted.example.org');
  });

  test('the DNSRecords of a failed shoot are left alone until it has recovered', { timeout: TEST_MS }, async () => {
    const failed = 'shoot--foo--failed';
    const clusters = '/apis/extensions.gardener.cloud/v1alpha1/clusters';
    await seed.namespace(failed, { 'gardener.cloud/role': 'shoot' });
    await seed.secret({ namespace: failed, name: 'dns' }, keysOf(account));
    const shoot = (state: string) => ({ status: { lastOperation: { state } } });
    await seed.api.ask('POST', clusters, {
      apiVersion: 'extensions.gardener.cloud/v1alpha1',
      kind: 'Cluster',
      metadata: { name: failed },
      spec: { cloudProfile: {}, seed: {}, shoot: shoot('Failed') },
    });
    const at = { namespace: failed, name: 'failed' };
    await seed.create(at, spec('failed'), { [OPERATION]: 'reconcile' });
    await sleep(A_WHILE_MS);
    const { metadata, status } = await seed.read(at);
    expect([status, metadata.finalizers, metadata.annotations[OPERATION]]).toEqual([undefined, undefined, 'reconcile']);
    const patch = { spec: { shoot: shoot('Succeeded') } };
    await seed.api.ask('PATCH', `${clusters}/${failed}`, patch, 'application/merge-patch+json');
    await seed.patch(at, { metadata: { annotations: { 'gardener.cloud/timestamp': new Date().toISOString() } } });
    await seed.ready(at);
    expect(await standing('failed')).toEqual(['failed.example.org. A 120 192.0.2.1']);
  });

  test('a control plane that moves is migrated here and restored there', { timeout: TEST_MS }, async () => {
    const { status: before } = await created('api');
    await seed.kill();
    await seed.start();
    await seed.patch(named('api'), { metadata: { finalizers: [FINALIZER, 'example.org/another'] } });
    await annotate(named('api'), 'migrate');
    const migrated = await seed.ready(named('api'));
    expect(migrated.status.lastOperation).toMatchObject({
      type: 'Migrate',
      state: 'Succeeded',
      progress: 100,
      description: 'Successfully migrated DNSRecord',
    });
    expect(migrated.metadata.finalizers).toBeUndefined();
    expect(await standing('api')).toEqual(['api.example.org. A 120 192.0.2.1']);

    // From now on this seed neither reconciles nor deletes the object.
    await annotate(named('api'), 'reconcile');
    await seed.until(named('api'), ({ metadata }) => metadata.annotations?.[OPERATION] === undefined);
    expect((await seed.read(named('api'))).status.lastOperation.type).toBe('Migrate');
    const calls = await quietCalls();
    await seed.remove(named('api'));
    await seed.gone(named('api'));
    await sleep(A_WHILE_MS);
    expect(account.calls.length).toBe(calls);
    expect(await standing('api')).toEqual(['api.example.org. A 120 192.0.2.1']);

    await other.start();
    await other.create(named('api'), spec('api'), { [OPERATION]: 'wait-for-state' });
    await other.patchStatus(named('api'), { state: before.state ?? {} });
    await annotate(named('api'), 'restore', other);
    const restored = await other.ready(named('api'));
    expect(restored.status).toMatchObject({
      zone,
      lastOperation: { type: 'Restore', state: 'Succeeded', description: 'Successfully restored DNSRecord' },
      conditions: [{ type: 'Created', status: 'True' }],
    });
    expect(restored.metadata.finalizers).toEqual([FINALIZER]);
    await other.patch(named('api'), {
      metadata: { annotations: { [OPERATION]: 'reconcile' } },
      spec: { values: ['192.0.2.9'] },
    });
    await reconciled(named('api'), other);
    expect(await standing('api')).toEqual(['api.example.org. A 120 192.0.2.9']);
    await other.remove(named('api'));
    await other.gone(named('api'));
    expect(await standing('api')).toEqual([]);
  });

  test('zone53, killed at any moment, ends with the right record sets', { timeout: TEST_MS }, async () => {
    const names = Array.from({ length: 12 }, (_, index) => `killed-${index}`);
    for (const [index, name] of names.entries()) {
      await seed.create(named(name), spec(name), { [OPERATION]: 'reconcile' });
      if (index % 4 !== 3) continue;
      await sleep(index * 40);
      await seed.kill();
      await seed.start();
    }
    for (const name of names) {
      await seed.ready(named(name));
      expect(await standing(name)).toEqual([`${name}.example.org. A 120 192.0.2.1`]);
    }
    for (const name of names) await seed.remove(named(name));
    await sleep(300);
    await seed.kill();
    await seed.start();
    for (const name of names) {
      await seed.gone(named(name));
      expect(await standing(name)).toEqual([]);
    }
  });

  test('with ignoreOperationAnnotation a plain edit is published', { timeout: TEST_MS }, async () => {
    await created('ignoring');
    await seed.start('{ requestsPerSecond: 20, ignoreOperationAnnotation: true }');
    await seed.patch(named('ignoring'), { spec: { values: ['192.0.2.3'] } });
    await seed.until(named('ignoring'), ({ status }) => status.observedGeneration === 2);
    await seed.ready(named('ignoring'));
    expect(await standing('ignoring')).toEqual(['ignoring.example.org. A 120 192.0.2.3']);
  });
});
