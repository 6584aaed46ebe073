// DNSRecords of two accounts of moto, each with a hosted zone of the same name: with access keys, and with the workload
// identity of a role, for which moto's STS gives a session. The test refuses bad tokens before moto, because moto
// accepts any. The seed does not have zone53's CRDs.
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWithEngine } from '../engines/engines.ts';
import { type AwsAccount, type AwsAccounts, startAccounts, tokenOf } from '../support/gardener/accounts.ts';
import { type At, keysOf, OPERATION, type Seed, startSeed } from '../support/gardener/seed.ts';

const SHOOT = 'shoot--foo--bar';
const GARDEN = 'garden';
const TEST_MS = 120_000;

describeWithEngine(['kube-apiserver', 'etcd', 'moto'], 'DNSRecords of two accounts', () => {
  let accounts: AwsAccounts;
  let seed: Seed;
  let both: readonly { readonly account: AwsAccount; readonly zone: string }[];
  const named = (name: string): At => ({ namespace: SHOOT, name });
  const spec = (name: string, secretRef: object, fields: object = {}) => ({
    ...{
      type: 'aws-route53',
      secretRef,
      name: `${name}.example.org`,
      recordType: 'A',
      values: ['192.0.2.1'],
      ...fields,
    },
  });
  const of = (index: number) => both[index] as (typeof both)[number];
  const standing = (index: number) => of(index).account.recordSets(of(index).zone);

  beforeAll(async () => {
    accounts = await startAccounts('moto');
    const opened = [await accounts.open(), await accounts.open()];
    both = await Promise.all(
      opened.map(async (account) => ({ account, zone: await account.createZone('example.org.') })),
    );
    const config = `{ requestsPerSecond: 20, secretNamespaces: [${SHOOT}] }`;
    seed = await startSeed(accounts, config, { ownTypes: false });
    for (const name of [SHOOT, GARDEN]) await seed.namespace(name);
    for (const [index, { account }] of both.entries()) {
      await seed.secret(named(`key-${index}`), keysOf(account));
      const role = `apiVersion: aws.provider.extensions.gardener.cloud/v1alpha1\nkind: WorkloadIdentityConfig\nroleARN: ${account.roleArn}\n`;
      await seed.secret(named(`identity-${index}`), { token: tokenOf(account), config: role });
    }
    await seed.start();
  }, TEST_MS);
  afterAll(async () => {
    await seed?.end();
    await accounts?.close();
  });

  test('each goes into the account of its Secret', { timeout: TEST_MS }, async () => {
    for (const index of [0, 1])
      await seed.create(named(`key-${index}`), spec(`key-${index}`, { name: `key-${index}` }));
    for (const index of [0, 1]) {
      expect((await seed.ready(named(`key-${index}`))).status.zone).toBe(of(index).zone);
      expect(await standing(index)).toEqual([`key-${index}.example.org. A 120 192.0.2.1`]);
    }
  });

  test('a workload identity takes its role by STS', { timeout: TEST_MS }, async () => {
    for (const index of [0, 1]) {
      const at = named(`identity-${index}`);
      await seed.create(at, spec(at.name, { name: at.name }));
      await seed.ready(at);
      expect(await standing(index)).toContain(`${at.name}.example.org. A 120 192.0.2.1`);
      await seed.remove(at);
      await seed.gone(at);
      expect(await standing(index)).toEqual([`key-${index}.example.org. A 120 192.0.2.1`]);
    }
  });

  test.each<[string, (account: AwsAccount) => Record<string, string>, string]>([
    ['a token that STS refuses', ({ roleArn }) => ({ token: 'stale', roleARN: roleArn }), 'ERR_INFRA_UNAUTHENTICATED'],
    [
      'a role that may not be taken',
      (account) => ({ token: tokenOf(account), roleARN: 'arn:aws:iam::999999999999:role/other' }),
      'ERR_INFRA_UNAUTHORIZED',
    ],
  ])('%s', { timeout: TEST_MS }, async (title, dataOf, code) => {
    const at = named(title.replaceAll(' ', '-').toLowerCase());
    await seed.secret(at, dataOf(of(0).account));
    await seed.create(at, spec('refused', { name: at.name }));
    expect((await seed.failed(at)).status.lastError.codes).toEqual([code]);
    await seed.secret(at, { token: tokenOf(of(0).account), roleARN: of(0).account.roleArn });
    await seed.patch(at, { metadata: { annotations: { [OPERATION]: 'reconcile' } }, spec: { ttl: 60 } });
    await seed.ready(at);
    await seed.remove(at);
    await seed.gone(at);
  });

  test('a Secret of a namespace that is not listed is not read', { timeout: TEST_MS }, async () => {
    await seed.secret({ namespace: GARDEN, name: 'dns' }, keysOf(of(0).account));
    await seed.create(named('elsewhere'), spec('elsewhere', { name: 'dns', namespace: GARDEN }));
    const { status } = await seed.failed(named('elsewhere'), 'ERR_CONFIGURATION_PROBLEM');
    expect(status.lastError.description).toContain('spec.secretRef.namespace: Forbidden: ');
    const { stdout } = await seed.engine.kubectl(['auth', 'can-i', 'get', 'secrets', '-n', GARDEN], {
      context: 'zone53',
    });
    expect(stdout.trim()).toBe('no');
  });

  test('neither key nor token is in the ledger, in a log, or in a DNSRecord', { timeout: TEST_MS }, async () => {
    const secrets = both.flatMap(({ account }) => [account.accessKeyId, account.secretAccessKey, tokenOf(account)]);
    const files = readdirSync(seed.folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
    const { body } = await seed.api.ask('GET', '/apis/extensions.gardener.cloud/v1alpha1/dnsrecords');
    const texts = files.map((file) => readFileSync(`${file.parentPath}/${file.name}`, 'latin1'));
    expect(files.length).toBeGreaterThan(1);
    for (const text of [...texts, seed.printed(), JSON.stringify(body)]) {
      for (const one of [...secrets, 'session/secret', 'session-token']) expect(text.includes(one)).toBe(false);
    }
  });
});
