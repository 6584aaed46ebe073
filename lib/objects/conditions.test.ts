import { expect, test } from 'vitest';
import { acceptedCondition, programmedCondition } from './conditions.ts';

test.each([
  ['Adopted', 'True'],
  ['Root', 'True'],
  ['Conflict', 'False'],
  ['InvalidSpec', 'False'],
] as const)('acceptedCondition() of %s is %s', (reason, status) => {
  expect(acceptedCondition({ reason, message: 'm' })).toEqual({ type: 'Accepted', status, reason, message: 'm' });
});

test.each([
  ['Published', 'True'],
  ['Pending', 'False'],
  ['HeldByGuard', 'False'],
] as const)('programmedCondition() of %s is %s', (reason, status) => {
  expect(programmedCondition({ reason, message: 'm' })).toEqual({ type: 'Programmed', status, reason, message: 'm' });
});
