import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isServed, isShootFailed, readDnsRecord } from './dns-record.ts';

const OBJECT = {
  apiVersion: 'extensions.gardener.cloud/v1alpha1',
  kind: 'DNSRecord',
  metadata: {
    namespace: 'shoot--foo--bar',
    name: 'external',
    uid: 'u-1',
    resourceVersion: '17',
    generation: 3,
    deletionTimestamp: '2026-01-01T00:00:00Z',
    finalizers: ['extensions.gardener.cloud/dnsrecord', 'other'],
    annotations: { 'gardener.cloud/operation': 'reconcile' },
  },
  spec: { type: 'aws-route53' },
  status: {
    lastOperation: { type: 'Create', state: 'Error', progress: 50, description: 'x', lastUpdateTime: 'y' },
    lastError: { description: 'x' },
    observedGeneration: 2,
    zone: 'Z1',
    conditions: [
      { type: 'Other', status: 'True' },
      { type: 'Created', status: 'False' },
    ],
  },
};

test('readDnsRecord() reads all fields of the contract', () => {
  expect(readDnsRecord(OBJECT)).toEqual({
    ref: { kind: 'DNSRecord', namespace: 'shoot--foo--bar', name: 'external' },
    uid: 'u-1',
    resourceVersion: '17',
    generation: 3,
    deletionTimestamp: '2026-01-01T00:00:00Z',
    finalizers: ['extensions.gardener.cloud/dnsrecord', 'other'],
    annotations: { 'gardener.cloud/operation': 'reconcile' },
    spec: { type: 'aws-route53' },
    status: {
      lastOperation: { type: 'Create', state: 'Error' },
      observedGeneration: 2,
      zone: 'Z1',
      created: 'False',
      conditions: [
        { type: 'Other', status: 'True' },
        { type: 'Created', status: 'False' },
      ],
    },
  });
});

test('readDnsRecord() reads an object without a status', () => {
  const { status, ...bare } = OBJECT;
  expect(status).toBeDefined();
  expect(readDnsRecord(bare)?.status).toEqual({
    lastOperation: null,
    observedGeneration: null,
    zone: null,
    created: null,
    conditions: [],
  });
});

test('readDnsRecord() accepts any value, and gives null for one without a name', () => {
  expect(readDnsRecord({ metadata: { name: 'x' } })).toBeNull();
  expect(readDnsRecord({ metadata: { name: 'x', namespace: '' } })).toBeNull();
  const fields = fc.constantFrom('metadata', 'status', 'conditions', 'lastOperation', 'finalizers', 'annotations');
  const any = fc.dictionary(fields, fc.dictionary(fields, fc.jsonValue()));
  fc.assert(
    fc.property(any, ({ metadata, status }) => {
      const record = readDnsRecord({ metadata: { ...metadata, namespace: 'a', name: 'b' }, status });
      expect(record?.ref.name).toBe('b');
    }),
  );
});

test.each<[string, unknown, readonly string[], boolean]>([
  ['no class is shoot', { type: 'aws-route53' }, ['shoot'], true],
  ['an empty class is shoot', { type: 'aws-route53', class: '' }, ['shoot'], true],
  ['null is shoot', { type: 'aws-route53', class: null }, ['shoot'], true],
  ['a class of the configuration', { type: 'aws-route53', class: 'garden' }, ['shoot', 'garden'], true],
  ['another class', { type: 'aws-route53', class: 'seed' }, ['shoot', 'garden'], false],
  ['no class, and shoot is not served', { type: 'aws-route53' }, ['seed'], false],
  ['another provider', { type: 'google-clouddns' }, ['shoot'], false],
  ['no provider', {}, ['shoot'], false],
  ['a class that is not text', { type: 'aws-route53', class: ['shoot'] }, ['shoot'], false],
  ['no spec', null, ['shoot'], false],
])('isServed(): %s', (_, spec, classes, expected) => {
  expect(isServed({ spec }, { classes })).toBe(expected);
});

test('isShootFailed() reads the shoot of a Cluster', () => {
  const cluster = (state: unknown) => ({ spec: { shoot: { status: { lastOperation: { state } } } } });
  expect(isShootFailed(cluster('Failed'))).toBe(true);
  expect(isShootFailed(cluster('Error'))).toBe(false);
  expect(isShootFailed({ spec: { shoot: {} } })).toBe(false);
  expect(isShootFailed(null)).toBe(false);
});
