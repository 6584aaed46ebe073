// DNSRecords that cannot be published, on a real API server, each with Gardener's error code: bad specs, Secrets,
// accounts and hosted zones. None of them delays another account, loses its error message, or shows a credential.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWithEngine } from '../engines/engines.ts';
import { type AwsAccount, type AwsAccounts, startAccounts } from '../support/gardener/accounts.ts';
import { type At, keysOf, OPERATION, type Seed, startSeed } from '../support/gardener/seed.ts';

const SHOOT = 'shoot--foo--bar';
const TEST_MS = 120_000;
const CONFIGURATION = 'ERR_CONFIGURATION_PROBLEM';
const UNAUTHORIZED = 'ERR_INFRA_UNAUTHORIZED';
const RATE = 'ERR_INFRA_RATE_LIMITS_EXCEEDED';

describeWithEngine(['kube-apiserver', 'etcd'], 'DNSRecords in trouble', () => {
  let accounts: AwsAccounts;
  let account: AwsAccount;
  let second: AwsAccount;
  let seed: Seed;
  let zone: string;
  const named = (name: string): At => ({ namespace: SHOOT, name });
  const secret = (name: string, data: Record<string, string> | null) => seed.secret(named(name), data);
  const spec = (name: string, fields: object = {}) => ({
    type: 'aws-route53',
    secretRef: { name: 'dns' },
    name: `${name}.example.org`,
    recordType: 'A',
    values: ['192.0.2.1'],
    ...fields,
  });
  const create = (name: string, fields: object = {}) => seed.create(named(name), spec(name, fields));
  const reconcile = (name: string, fields: object = {}) =>
    seed.patch(named(name), { metadata: { annotations: { [OPERATION]: 'reconcile' } }, spec: fields });
  const standing = async (name: string) =>
    (await account.recordSets(zone)).filter((line) => line.startsWith(`${name}.example.org. `));
  /** The description of the error, without its beginning. */
  /** `code` empty: an error without a code. */
  const errorOf = async (name: string, code: string, verb = 'reconciling') => {
    const { status, metadata } = await seed.failed(named(name), code === '' ? undefined : code);
    const { lastError, lastOperation, observedGeneration } = status;
    expect(lastError.codes).toEqual(code === '' ? [] : [code]);
    expect(lastOperation).toMatchObject({ state: 'Error', progress: 50, description: lastError.description });
    expect(observedGeneration).toBe(metadata.generation);
    const start = `Error ${verb} DNSRecord: `;
    expect(lastError.description.slice(0, start.length)).toBe(start);
    return lastError.description.slice(start.length) as string;
  };

  beforeAll(async () => {
    accounts = await startAccounts('strict');
    account = await accounts.open();
    second = await accounts.open();
    zone = await account.createZone('example.org.');
    await second.createZone('example.org.');
    seed = await startSeed(accounts, '{ requestsPerSecond: 20 }');
    await seed.namespace(SHOOT);
    await secret('dns', keysOf(account));
    await seed.start();
  }, TEST_MS);
  afterAll(async () => {
    await seed?.end();
    await accounts?.close();
  });

  const TWO_LABELS = 'should be a domain with at least two segments separated by dots';
  test.each<[string, object, string]>([
    ['empty-zone', { zone: '' }, 'spec.zone: Invalid value: "": field cannot be empty if specified'],
    ['empty-region', { region: '' }, 'spec.region: Invalid value: "": field cannot be empty if specified'],
    ['no-secret-name', { secretRef: {} }, 'spec.secretRef.name: Required value: field is required'],
    ['one-label', { name: 'test' }, `spec.name: Invalid value: "test": ${TWO_LABELS}`],
    ['upper', { name: 'Upper.example.org' }, 'spec.name: Invalid value: "Upper.example.org": a lowercase RFC 1123'],
    ['trailing-dot', { name: 'dot.example.org.' }, 'spec.name: Invalid value: "dot.example.org.": '],
    ['two-cnames', { recordType: 'CNAME', values: ['a.b', 'c.d'] }, 'spec.values: Invalid value: ["a.b","c.d"]: CNAME'],
    ['soa', { recordType: 'SOA' }, 'spec.recordType: Unsupported value: "SOA": supported values: "A", "AAAA", "CNAME"'],
    ['name-in-a', { values: ['example.com'] }, 'spec.values[0]: Invalid value: "example.com": must be a valid IP'],
    ['six-in-a', { values: ['2001:db8::1'] }, 'spec.values[0]: Invalid value: "2001:db8::1": '],
    ['empty-txt', { recordType: 'TXT', values: [''] }, 'spec.values[0]: Invalid value: "": '],
    ['no-values', { values: [] }, 'spec.values: Required value: field is required'],
    ['negative', { ttl: -1 }, 'spec.ttl: Invalid value: -1: must be between 0 and 2147483647, inclusive'],
    ['too-long', { ttl: 2 ** 32 }, 'spec.ttl: Invalid value: 4294967296: must be between 0 and 2147483647, inclusive'],
    ['no-zone', { name: 'a.elsewhere.net' }, 'could not find DNS hosted zone for name a.elsewhere.net'],
  ])('%s is a configuration problem', { timeout: TEST_MS }, async (name, fields, words) => {
    await create(name, fields);
    expect((await errorOf(name, CONFIGURATION)).startsWith(words)).toBe(true);
    const { status } = await seed.read(named(name));
    expect(status.conditions).toMatchObject([{ type: 'Created', status: 'False', reason: 'Error' }]);
    const calls = account.calls.filter(({ operation }) => operation === 'change').length;
    await seed.remove(named(name));
    await seed.gone(named(name));
    expect(account.calls.filter(({ operation }) => operation === 'change').length).toBe(calls);
  });

  test('an edited name or record type is refused, and the record set stays', { timeout: TEST_MS }, async () => {
    await create('fixed');
    await seed.ready(named('fixed'));
    await reconcile('fixed', { name: 'other.example.org', recordType: 'TXT' });
    expect(await errorOf('fixed', CONFIGURATION)).toContain('field is immutable');
    expect(await standing('fixed')).toEqual(['fixed.example.org. A 120 192.0.2.1']);
    expect(await standing('other')).toEqual([]);
    await reconcile('fixed', { name: 'fixed.example.org', recordType: 'A' });
    await seed.ready(named('fixed'));
    await reconcile('fixed', { name: 'other.example.org' });
    await errorOf('fixed', CONFIGURATION);
    await seed.remove(named('fixed'));
    await seed.gone(named('fixed'));
    expect(await standing('fixed')).toEqual([]);
  });

  test('two hosted zones of one name are an error', { timeout: TEST_MS }, async () => {
    const ids = [await account.createZone('twice.example.'), await account.createZone('twice.example.')];
    await create('twice', { name: 'a.twice.example' });
    const words = await errorOf('twice', CONFIGURATION);
    for (const id of ids) expect(words).toContain(id);
    await reconcile('twice', { zone: ids[1] });
    expect((await seed.ready(named('twice'))).status.zone).toBe(ids[1]);
    expect(await account.recordSets(ids[0] ?? '')).toEqual([]);
  });

  test('of two DNSRecords with one name, the first that published keeps it', { timeout: TEST_MS }, async () => {
    await create('first', { name: 'shared.example.org' });
    await seed.ready(named('first'));
    await create('later', { name: 'shared.example.org', values: ['192.0.2.7'] });
    expect(await errorOf('later', CONFIGURATION)).toContain('shared.example.org');
    expect(await standing('shared')).toEqual(['shared.example.org. A 120 192.0.2.1']);
    await seed.remove(named('later'));
    await seed.gone(named('later'));
    expect(await standing('shared')).toEqual(['shared.example.org. A 120 192.0.2.1']);
  });

  test.each<[string, Record<string, string> | null, string]>([
    ['missing', null, 'missing'],
    ['empty', {}, 'secret does not contain any data'],
    [
      'half',
      { accessKeyID: 'AKIAHALFHALFHALFHALF' },
      'missing "secretAccessKey" (or "AWS_SECRET_ACCESS_KEY") field in secret',
    ],
    ['other', { serviceaccount: '{}' }, 'missing "token" field in secret'],
  ])('a Secret that is %s', { timeout: TEST_MS }, async (name, data, words) => {
    if (data !== null) await secret(`s-${name}`, data);
    await create(`secret-${name}`, { secretRef: { name: `s-${name}` } });
    const said = await errorOf(`secret-${name}`, CONFIGURATION);
    expect(said).toMatch(/^could not get AWS credentials: /);
    expect(said).toContain(data === null ? `s-${name}` : words);
    await secret(`s-${name}`, keysOf(account));
    await reconcile(`secret-${name}`);
    await seed.ready(named(`secret-${name}`));
  });

  test('both spellings of the keys of a Secret are read, and the first spelling wins', {
    timeout: TEST_MS,
  }, async () => {
    const { accessKeyId, secretAccessKey } = account;
    const wrong = { AWS_ACCESS_KEY_ID: 'AKIAWRONG', AWS_SECRET_ACCESS_KEY: 'wrong', AWS_REGION: 'eu-west-1' };
    await secret('both', { ...wrong, accessKeyID: accessKeyId, secretAccessKey });
    await secret('text', { ...wrong, accessKeyId, secretAccessKey });
    await secret('dns-names', { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey });
    for (const name of ['both', 'text', 'dns-names']) {
      await create(`spelt-${name}`, { secretRef: { name } });
      await seed.ready(named(`spelt-${name}`));
    }
  });

  test('a rotated key is used, and a missing Secret is an error', { timeout: TEST_MS }, async () => {
    await secret('rotated', keysOf(account));
    await create('rotated', { secretRef: { name: 'rotated' } });
    await seed.ready(named('rotated'));
    account.addKey('AKIAROTATEDROTATEDRO');
    await secret('rotated', { ...keysOf(account), accessKeyID: 'AKIAROTATEDROTATEDRO' });
    await reconcile('rotated', { values: ['192.0.2.8'], secretRef: { name: 'rotated' } });
    await seed.ready(named('rotated'));
    expect(await standing('rotated')).toEqual(['rotated.example.org. A 120 192.0.2.8']);
    await secret('rotated', null);
    await reconcile('rotated', { values: ['192.0.2.9'] });
    // Credentials are kept for a minute at most, so the object may end ready or with an error.
    await seed.until(named('rotated'), ({ status }) => status.observedGeneration === 3);
    await seed.remove(named('rotated'));
    await sleep(2_000);
    await secret('rotated', keysOf(account));
    await seed.gone(named('rotated'));
    expect(await standing('rotated')).toEqual([]);
  });

  test.each([
    ['throttled', RATE],
    ['silent', ''],
    ['denied', UNAUTHORIZED],
    ['closed', UNAUTHORIZED],
  ] as const)('an account that is %s holds up no other', { timeout: TEST_MS }, async (mood, code) => {
    second.mood = mood;
    await secret('second', keysOf(second));
    const bad = Array.from({ length: 8 }, (_, index) => `${mood}-bad-${index}`);
    for (const name of bad) await create(name, { secretRef: { name: 'second' } });
    const began = Date.now();
    await create(`${mood}-good`);
    await seed.ready(named(`${mood}-good`));
    expect(Date.now() - began).toBeLessThan(10_000);
    await errorOf(bad[0] ?? '', code);
    second.mood = 'fine';
    for (const name of bad) await reconcile(name);
    for (const name of bad) await seed.ready(named(name));
    for (const name of bad) await seed.remove(named(name));
    for (const name of bad) await seed.gone(named(name));
  });

  test('a hosted zone that is gone: an error at reconcile, success at deletion', { timeout: TEST_MS }, async () => {
    const id = await account.createZone('gone.example.');
    await create('gone', { name: 'a.gone.example' });
    expect((await seed.ready(named('gone'))).status.zone).toBe(id);
    const set = { Name: 'a.gone.example.', Type: 'A' as const, TTL: 120 };
    await account.change(id, 'DELETE', { ...set, ResourceRecords: [{ Value: '192.0.2.1' }] });
    await account.deleteZone(id);
    await reconcile('gone', { values: ['192.0.2.2'] });
    await errorOf('gone', CONFIGURATION);
    await seed.remove(named('gone'));
    await seed.gone(named('gone'));
  });

  test('no credential is in the ledger, in a log, or in any object but its Secret', { timeout: TEST_MS }, async () => {
    const secrets = [account, second].flatMap(({ accessKeyId, secretAccessKey }) => [accessKeyId, secretAccessKey]);
    const folder = seed.folder;
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const { body: records } = await seed.api.ask('GET', '/apis/extensions.gardener.cloud/v1alpha1/dnsrecords');
    const { body: events } = await seed.api.ask('GET', '/apis/events.k8s.io/v1/events');
    expect(files.length).toBeGreaterThan(1);
    const places = [
      ...files.map((file) => readFileSync(`${file.parentPath}/${file.name}`, 'latin1')),
      seed.printed(),
      JSON.stringify(records),
      JSON.stringify(events),
    ];
    for (const text of places) for (const one of secrets) expect(text.includes(one)).toBe(false);
  });
});
