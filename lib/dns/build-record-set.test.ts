import { expect, test } from 'vitest';
import { buildRecordSet } from './build-record-set.ts';

test('buildRecordSet() keeps a value once, sorts by wire form, takes the lowest TTL', () => {
  const entries = [
    { ttl: 300, rdata: '10 b.' },
    { ttl: 60, rdata: '9 zz.' },
    { ttl: 90, rdata: '10 a.' },
    { ttl: 70, rdata: '10 b.' },
  ];
  expect(buildRecordSet('example.org.', 'MX', entries)).toEqual({
    name: 'example.org.',
    type: 'MX',
    setIdentifier: null,
    content: { kind: 'values', ttlSeconds: 60, values: ['9 zz.', '10 a.', '10 b.'] },
  });
});

test('buildRecordSet() takes a TTL of 0 for the lowest', () => {
  const { content } = buildRecordSet('a.', 'A', [
    { ttl: 0, rdata: '192.0.2.1' },
    { ttl: 5, rdata: '192.0.2.1' },
  ]);
  expect(content).toEqual({ kind: 'values', ttlSeconds: 0, values: ['192.0.2.1'] });
});

test('buildRecordSet() throws without a value', () => {
  expect(() => buildRecordSet('a.', 'A', [])).toThrow('no entry for the record set a. A');
});
