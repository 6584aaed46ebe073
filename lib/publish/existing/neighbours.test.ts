import { expect, test } from 'vitest';
import type { Change } from '../../dns/plan-changes.ts';
import type { RecordSet, RecordSetContent } from '../../dns/record-set.ts';
import { showObstacle } from '../../record-sets/judge-reading.ts';
import { obstacleBeside } from './neighbours.ts';

const content = (ttlSeconds: number): RecordSetContent => ({
  kind: 'values',
  ttlSeconds,
  values: ['192.0.2.1'],
  routing: { policy: { kind: 'weight', weight: 1 }, healthCheckId: null },
});
const key = { name: 'www.e.', type: 'A' };

test('obstacleBeside() names the set identifier of the record set that prevents the change', () => {
  const theirs: RecordSet = { ...key, setIdentifier: 'theirs', content: content(30) };
  const ours: Change = {
    ...key,
    setIdentifier: 'ours',
    action: 'create',
    before: null,
    after: content(60),
    objects: [],
  };
  expect(obstacleBeside(ours, [theirs], new Map(), false)?.message).toContain('already has A www.e. [theirs], not');
});

test('showObstacle() names the set identifier of the record set that is not ours', () => {
  const obstacle = { ...key, setIdentifier: 'eu', zone: '' };
  expect(showObstacle(obstacle, 'foreign', { actual: content(30), wanted: content(60) })).toContain(
    'already has A www.e. [eu] 192.0.2.1 (TTL 30)',
  );
});
