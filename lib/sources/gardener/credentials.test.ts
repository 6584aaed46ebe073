import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseCredentials } from './credentials.ts';

const REGION = { spec: null, fallback: 'us-west-2' };
const ROLE = 'arn:aws:iam::123456789012:role/gardener/dns';
const CONFIG = `apiVersion: aws.provider.extensions.gardener.cloud/v1alpha1\nkind: WorkloadIdentityConfig\nroleARN: ${ROLE}\n`;

function read(data: Record<string, string>) {
  const result = parseCredentials(data, REGION);
  return result.ok ? result.credentials : result.problem;
}

function key(accessKeyId: string, secretAccessKey: string, region = 'us-west-2') {
  return { kind: 'key', accessKeyId, secretAccessKey, region };
}

function role(roleArn: string, region = 'us-west-2') {
  return { kind: 'webIdentity', token: 'a.b.c', roleArn, region };
}

test.each<[string, Record<string, string>, unknown]>([
  ['the names of provider-aws', { accessKeyID: 'AK', secretAccessKey: 'SK' }, key('AK', 'SK')],
  ["the name of the contract's text", { accessKeyId: 'AK', secretAccessKey: 'SK' }, key('AK', 'SK')],
  ['the names of DNS', { AWS_ACCESS_KEY_ID: 'AK', AWS_SECRET_ACCESS_KEY: 'SK' }, key('AK', 'SK')],
  ['one name of each', { accessKeyID: 'AK', AWS_SECRET_ACCESS_KEY: 'SK' }, key('AK', 'SK')],
  [
    'all names',
    {
      AWS_ACCESS_KEY_ID: 'AK3',
      accessKeyId: 'AK2',
      accessKeyID: 'AK1',
      AWS_SECRET_ACCESS_KEY: 'SK2',
      secretAccessKey: 'SK1',
      AWS_REGION: 'eu-west-2',
      region: 'eu-west-1',
    },
    key('AK1', 'SK1', 'eu-west-1'),
  ],
  [
    'accessKeyId before AWS_ACCESS_KEY_ID',
    { AWS_ACCESS_KEY_ID: 'AK3', accessKeyId: 'AK2', secretAccessKey: 'SK' },
    key('AK2', 'SK'),
  ],
  ['a region', { accessKeyID: 'AK', secretAccessKey: 'SK', AWS_REGION: 'eu-west-2' }, key('AK', 'SK', 'eu-west-2')],
  [
    'an empty region, which shadows the other',
    { accessKeyID: 'AK', secretAccessKey: 'SK', region: '', AWS_REGION: 'eu-west-2' },
    key('AK', 'SK'),
  ],
  ['a workload identity', { token: 'a.b.c', roleARN: ROLE }, role(ROLE)],
  ['a workload identity with a configuration', { token: 'a.b.c\n', config: CONFIG }, role(ROLE)],
  [
    'an empty access key, which shadows the others',
    {
      accessKeyID: '',
      AWS_ACCESS_KEY_ID: 'AK',
      secretAccessKey: 'SK',
      token: 'a.b.c',
      roleARN: ROLE,
      region: 'eu-west-1',
    },
    role(ROLE, 'eu-west-1'),
  ],
])('parseCredentials() reads %s', (_, data, expected) => {
  expect(read(data)).toEqual(expected);
});

const NO_ROLE = 'failed to retrieve role ARN from secret';

test.each<[string, Record<string, string>, string]>([
  ['nothing', {}, 'secret does not contain any data'],
  ['no secret key', { accessKeyID: 'AK' }, 'missing "secretAccessKey" (or "AWS_SECRET_ACCESS_KEY") field in secret'],
  [
    'an empty secret key, which shadows the other',
    { accessKeyID: 'AK', secretAccessKey: '', AWS_SECRET_ACCESS_KEY: 'SK' },
    'empty "secretAccessKey" field in secret',
  ],
  [
    'an access key with a line break',
    { accessKeyId: 'AK\n', secretAccessKey: 'SK' },
    'a space, a line break or a character beyond ASCII in the "accessKeyId" field in secret',
  ],
  ['no access key', { secretAccessKey: 'SK' }, 'missing "token" field in secret'],
  ['other keys', { serviceaccount: '{}' }, 'missing "token" field in secret'],
  [
    'an empty access key that shadows',
    { accessKeyID: '', AWS_ACCESS_KEY_ID: 'AK', AWS_SECRET_ACCESS_KEY: 'SK' },
    'missing "token" field in secret',
  ],
  ['an empty token', { token: '', roleARN: ROLE }, 'empty "token" field in secret'],
  ['a token without a role', { token: 'a.b.c' }, `${NO_ROLE}: missing "config" field in secret`],
  [
    'a configuration without a role',
    { token: 'a.b.c', config: CONFIG.replace(/roleARN.*/, 'roleARN: ""') },
    `${NO_ROLE}: workloadIdentityConfig.roleARN is empty`,
  ],
  [
    'a configuration of another kind',
    { token: 'a.b.c', config: 'kind: Config' },
    `${NO_ROLE}: failed to parse WorkloadIdentityConfig`,
  ],
  [
    'a configuration that is not YAML',
    { token: 'a.b.c', config: 'roleARN: [' },
    `${NO_ROLE}: failed to parse WorkloadIdentityConfig`,
  ],
  ['an invalid role', { token: 'a.b.c', roleARN: 'dns' }, `${NO_ROLE}: "roleARN" field is not the ARN of an IAM role`],
  [
    'an invalid region',
    { accessKeyID: 'AK', secretAccessKey: 'SK', region: 'eu west' },
    'the region in secret is not a region of AWS; write one such as eu-west-1',
  ],
])('parseCredentials() refuses %s', (_, data, problem) => {
  expect(read(data)).toBe(problem);
});

test('parseCredentials() takes the region of the spec, then of the Secret, then the default', () => {
  const data = { accessKeyID: 'AK', secretAccessKey: 'SK', region: 'eu-west-1' };
  const regionOf = (...args: Parameters<typeof parseCredentials>) => {
    const result = parseCredentials(...args);
    return result.ok && result.credentials.region;
  };
  expect(regionOf(data, { spec: 'ap-south-1', fallback: 'us-east-1' })).toBe('ap-south-1');
  expect(regionOf(data, { spec: null, fallback: 'us-east-1' })).toBe('eu-west-1');
  expect(regionOf({ ...data, region: '' }, { spec: null, fallback: 'us-east-1' })).toBe('us-east-1');
});

test('parseCredentials() never throws, and no problem has a value of the Secret', () => {
  const names = ['accessKeyID', 'accessKeyId', 'secretAccessKey', 'region', 'token', 'roleARN', 'config'];
  const value = fc.string({ minLength: 12 }).map((text) => `#${text}#`);
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...names), value), (data) => {
      const result = parseCredentials(data, REGION);
      if (result.ok) return;
      for (const secret of Object.values(data)) expect(result.problem).not.toContain(secret);
    }),
    { numRuns: 60 },
  );
  const bomb = `a: &a [x,x]\nb: &b [*a,*a]\nkind: WorkloadIdentityConfig\n`;
  expect(read({ token: 't', config: bomb })).toBe(`${NO_ROLE}: failed to parse WorkloadIdentityConfig`);
});
