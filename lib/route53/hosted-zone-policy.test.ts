import { describe, expect, it } from 'vitest';
import { iamRecordName } from './hosted-zone-policy.ts';

describe('iamRecordName()', () => {
  it.each([
    ['example.org.', 'example.org'],
    ['0/25.2.0.192.in-addr.arpa.', '0\\05725.2.0.192.in-addr.arpa'],
  ])('%s', (name, expected) => {
    expect(iamRecordName(name)).toBe(expected);
  });
});
