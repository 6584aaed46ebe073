// Objects that are too large for an item of the ledger, or have too many problems: they affect only themselves, and
// take no memory.

import { describe, expect, test } from 'vitest';
import { readObject } from '../adapters/kubernetes/read-object.ts';
import { ZONE_KIND } from '../objects/kind.ts';
import { SPEC_OCTETS_MAX } from '../objects/spec-size.ts';
import type { ClusterObject } from '../ports/cluster.ts';
import { RECORD } from '../sources/kubizone/parse-record.ts';
import { SOURCES } from '../sources/source.ts';
import { NOTHING_GATHERED } from './in-force/last-valid-spec.ts';
import { objectCodec } from './object-item.ts';
import { itemAsObserved } from './read-cluster.ts';

const MIB = 1024 * 1024;

function listed(kind: 'Zone' | 'Record', spec: unknown, annotations = {}): ClusterObject {
  const metadata = { namespace: 'a', name: 'x', uid: 'u', resourceVersion: '1', annotations };
  return readObject(kind === 'Zone' ? ZONE_KIND : RECORD, {
    metadata: { ...metadata, creationTimestamp: '2026-01-01T00:00:00Z' },
    spec,
  });
}

const itemOf = (object: ClusterObject, before: ReturnType<typeof itemAsObserved> | null = null) =>
  itemAsObserved('default', SOURCES, object, { gathered: NOTHING_GATHERED }, before);
const octetsOf = (item: ReturnType<typeof itemAsObserved>) => JSON.stringify(objectCodec.encode(item)).length;

const GOOD = { domainName: 'www.example.org.', type: 'TXT', rdata: 'good' };
const LARGE = { domainName: 'www.example.org.', type: 'TXT', values: Array(300).fill('x'.repeat(3_990)) };

describe('itemAsObserved() of an object that is too large', () => {
  test('is InvalidSpec, and its message has the size', () => {
    const item = itemOf(listed('Record', LARGE));
    expect(item.problems).toEqual([expect.stringMatching(/^spec: it has 1\d{6} octets, and 262144 are the most/)]);
    expect(item.endpoints).toBeNull();
    expect(octetsOf(item)).toBeLessThan(1_000);
  });

  test('leaves the last valid spec in force', () => {
    const before = itemOf(listed('Record', GOOD));
    const item = itemOf(listed('Record', LARGE), before);
    expect(item.endpoints).toEqual(before.endpoints);
    expect(item.problems).toHaveLength(1);
  });

  test('counts as a change when the size changes, because the content may have changed', () => {
    const before = itemOf(listed('Record', LARGE));
    const item = itemOf(listed('Record', { ...LARGE, type: 'TXTTXT' }), before);
    expect(item.digest).not.toBe(before.digest);
  });

  test('judges a spec of exactly the limit as any other', () => {
    const rest = JSON.stringify({ ...GOOD, rdata: '' }).length;
    const size = expect.stringContaining('are the most; put part of it into another object');
    const fits = itemOf(listed('Record', { ...GOOD, rdata: 'é'.repeat((SPEC_OCTETS_MAX - rest) / 2) }));
    expect(fits.problems).not.toContainEqual(size);
    const over = itemOf(listed('Record', { ...GOOD, rdata: `${'é'.repeat((SPEC_OCTETS_MAX - rest) / 2)}xx` }));
    expect(over.problems).toEqual([size]);
  });

  test('holds some kilobytes in memory for a thousand Zones that are too large', () => {
    const spec = { domainName: 'z.example.org.', delegations: [{ zones: ['x'.repeat(SPEC_OCTETS_MAX)] }] };
    const objects = Array.from({ length: 1_000 }, () => listed('Zone', spec));
    expect(JSON.stringify(objects).length).toBeLessThan(MIB / 2);
    expect(objects.reduce((sum, object) => sum + octetsOf(itemOf(object)), 0)).toBeLessThan(MIB);
  });
});

test('itemAsObserved() keeps so few problems that the item stays small, and says how many more there are', () => {
  const zones = Array.from({ length: 10_000 }, () => 'a..b');
  const item = itemOf(listed('Zone', { domainName: 'z.example.org.', delegations: [{ zones }] }));
  expect(item.problems).toHaveLength(101);
  expect(item.problems[100]).toBe('and 9900 problems more');
  expect(octetsOf(item)).toBeLessThan(MIB / 8);
});

test.each(['.', '\n', ' '])('itemAsObserved() reads an acknowledged digest with %j behind it', (more) => {
  const annotations = { 'zone53.dev/acknowledge-plan': `${'a'.repeat(64)}${more}` };
  expect(itemOf(listed('Zone', { domainName: 'z.example.org.' }, annotations)).acknowledged).toBe('a'.repeat(64));
});

test('itemAsObserved() ignores an acknowledgement that is too long', () => {
  const annotations = { 'zone53.dev/acknowledge-plan': 'a'.repeat(200_000) };
  expect(itemOf(listed('Zone', { domainName: 'z.example.org.' }, annotations)).acknowledged).toBeNull();
});
