import { describe, expect, it } from 'vitest';
import { matchEventPattern } from './match-event-pattern.ts';

const EVENT = { source: 'aws.route53', detail: { name: 'Change', count: 3, flag: true, none: null, tags: ['a', 'b'] } };

describe('matchEventPattern()', () => {
  it.each<[unknown, boolean]>([
    [{ source: ['aws.route53'] }, true],
    [{ source: ['aws.ec2', 'aws.route53'] }, true],
    [{ source: ['aws'] }, false],
    [{ source: ['AWS.ROUTE53'] }, false],
    [{ detail: { name: ['Change'], count: [3] } }, true],
    [{ detail: { name: ['Change'], count: [4] } }, false],
    [{ detail: { count: ['3'] } }, false],
    [{ detail: { flag: [true], none: [null] } }, true],
    [{ detail: { missing: ['x'] } }, false],
    [{ missing: { deeper: ['x'] } }, false],
    [{ detail: { tags: ['b'] } }, true],
    [{ detail: { tags: ['c'] } }, false],
    [{ source: [{ prefix: 'aws.' }] }, true],
    [{ source: [{ prefix: 'zone53.' }] }, false],
    [{ source: [{ prefix: 'zone53.' }, 'aws.route53'] }, true],
    [{ detail: { count: [{ prefix: '3' }] } }, false],
    [{ source: [{ suffix: '.route53' }] }, true],
    [{ source: [{ suffix: 'aws.' }] }, false],
    [{ detail: { missing: [{ suffix: '3' }, { exists: false }] } }, true],
    [{ detail: { missing: [{ exists: false }] } }, true],
    [{ missing: { deeper: [{ exists: false }] } }, true],
    [{ detail: { none: [{ exists: false }] } }, false],
    [{ source: [{ 'anything-but': ['x'] }] }, true],
    [{ source: [{ 'anything-but': ['x', 'aws.route53'] }] }, false],
    [{ detail: { missing: [{ 'anything-but': ['x'] }] } }, false],
    [{ detail: { missing: [{ exists: false }, { 'anything-but': ['x'] }] } }, true],
  ])('%j: %s', (pattern, wanted) => {
    expect(matchEventPattern(pattern, EVENT)).toBe(wanted);
  });

  it.each<[unknown]>([
    [{}],
    [null],
    [[]],
    ['text'],
    [{ source: 'aws.route53' }],
    [{ source: [] }],
    [{ source: [{ 'equals-ignore-case': 'aws' }] }],
    [{ source: [{ 'anything-but': { prefix: 'x' } }] }],
    [{ source: [{ exists: true }] }],
    [{ source: [{ prefix: 'a', suffix: 'b' }] }],
    [{ source: [{ prefix: { 'equals-ignore-case': 'a' } }] }],
    [{ source: [{}] }],
    [{ $or: [{ source: ['x'] }] }],
    [{ source: ['nothing like it'], detail: { name: [{ wildcard: '*' }] } }],
  ])('throws on what it does not know: %j', (pattern) => {
    expect(() => matchEventPattern(pattern, EVENT)).toThrow('Cannot evaluate');
  });
});
