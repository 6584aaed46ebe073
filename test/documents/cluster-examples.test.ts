// The examples of safeguards for a cluster name only what zone53 has.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const CRDS = path.join(import.meta.dirname, '..', '..', 'crds');

test('the ResourceQuota counts every kind that a tenant may write, of the group of the CRDs', () => {
  const quota = parse(readFileSync(path.join(CRDS, 'examples', 'resource-quota.yaml'), 'utf8'));
  expect(quota).toMatchObject({ apiVersion: 'v1', kind: 'ResourceQuota' });
  const counted = ['zones', 'records'].map((file) => {
    const { spec } = parse(readFileSync(path.join(CRDS, `${file}.yaml`), 'utf8'));
    return `count/${spec.names.plural}.${spec.group}`;
  });
  expect(Object.keys(quota.spec.hard).toSorted()).toEqual(counted.toSorted());
  for (const most of Object.values(quota.spec.hard)) expect(Number(most)).toBeGreaterThan(0);
});
