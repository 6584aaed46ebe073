import { expect, test } from 'vitest';
import type { DnsRecord } from './dns-record.ts';
import { readDnsRecord } from './dns-record.ts';
import { failedStatus, processingStatus, succeededStatus } from './status.ts';

const NOW = Date.parse('2026-11-23T02:30:05.789Z');
const TIME = '2026-11-23T02:30:05Z';
const ERROR = { message: 'no', codes: ['ERR_INFRA_UNAUTHORIZED', 'ERR_CONFIGURATION_PROBLEM'] as const };
const OTHER = {
  type: 'Healthy',
  status: 'True',
  reason: 'Fine',
  message: 'x',
  lastTransitionTime: 'a',
  lastUpdateTime: 'b',
};

function record(conditions: readonly unknown[] = []): DnsRecord {
  const object = { metadata: { namespace: 'a', name: 'b', generation: 7 }, status: { conditions } };
  return readDnsRecord(object) as DnsRecord;
}

function created(status: 'True' | 'False', time = TIME) {
  return {
    type: 'Created',
    status,
    lastTransitionTime: time,
    lastUpdateTime: time,
    reason: status === 'True' ? 'Success' : 'Error',
    message:
      status === 'True'
        ? 'Record was created successfully in infrastructure at least once'
        : 'Error on initial record creation in infrastructure',
  };
}

test.each([
  ['Create', 'Reconciling the DNSRecord'],
  ['Reconcile', 'Reconciling the DNSRecord'],
  ['Restore', 'Restoring the DNSRecord'],
  ['Migrate', 'Migrating the DNSRecord'],
  ['Delete', 'Deleting the DNSRecord'],
] as const)('processingStatus() of %s has only the operation', (type, description) => {
  expect(processingStatus(type, NOW)).toEqual({
    lastOperation: { type, state: 'Processing', progress: 1, description, lastUpdateTime: TIME },
  });
});

test.each([
  ['Create', 'Error reconciling DNSRecord: no'],
  ['Reconcile', 'Error reconciling DNSRecord: no'],
  ['Restore', 'Error restoring DNSRecord: no'],
  ['Migrate', 'Error migrating DNSRecord: no'],
  ['Delete', 'Error deleting DNSRecord: no'],
] as const)('failedStatus() of %s has the error twice, with its codes in order', (type, description) => {
  expect(failedStatus(record([created('True', 'x')]), type, ERROR, NOW)).toEqual({
    lastOperation: { type, state: 'Error', progress: 50, description, lastUpdateTime: TIME },
    lastError: {
      description,
      codes: ['ERR_CONFIGURATION_PROBLEM', 'ERR_INFRA_UNAUTHORIZED'],
      lastUpdateTime: TIME,
    },
    observedGeneration: 7,
  });
});

test.each([
  ['Create', 'Successfully reconciled DNSRecord'],
  ['Reconcile', 'Successfully reconciled DNSRecord'],
  ['Restore', 'Successfully restored DNSRecord'],
  ['Migrate', 'Successfully migrated DNSRecord'],
  ['Delete', 'Successfully deleted DNSRecord'],
] as const)('succeededStatus() of %s removes the error', (type, description) => {
  expect(succeededStatus(record([created('True', 'x')]), type, null, NOW)).toEqual({
    lastOperation: { type, state: 'Succeeded', progress: 100, description, lastUpdateTime: TIME },
    lastError: null,
    observedGeneration: 7,
  });
});

test('succeededStatus() names the hosted zone', () => {
  expect(succeededStatus(record(), 'Create', 'Z1', NOW).zone).toBe('Z1');
});

test.each([
  ['empty, success', [], 'success', [created('True')]],
  ['empty, error', [], 'error', [created('False')]],
  ['success, success', [created('True', 'x')], 'success', undefined],
  ['success, error', [created('True', 'x')], 'error', undefined],
  ['error, success', [created('False', 'x')], 'success', [created('True')]],
  ['error, error', [created('False', 'x')], 'error', undefined],
  ['unknown, success', [{ type: 'Created', status: 'Unknown' }], 'success', [created('True')]],
  ['unknown, error', [{ type: 'Created', status: 'Unknown' }], 'error', undefined],
  ['with another condition before it', [OTHER, created('False', 'x')], 'success', [OTHER, created('True')]],
  ['with another condition alone', [OTHER], 'error', [OTHER, created('False')]],
])('the condition Created: %s', (_, before, outcome, expected) => {
  const of = record(before);
  for (const type of ['Create', 'Reconcile', 'Restore'] as const) {
    const status = outcome === 'error' ? failedStatus(of, type, ERROR, NOW) : succeededStatus(of, type, null, NOW);
    expect(status.conditions).toEqual(expected);
  }
  for (const type of ['Delete', 'Migrate'] as const) {
    expect(failedStatus(of, type, ERROR, NOW)).not.toHaveProperty('conditions');
    expect(succeededStatus(of, type, null, NOW)).not.toHaveProperty('conditions');
  }
});
