import { describe, expect, it } from 'vitest';
import { evaluatePolicy } from './evaluate-policy.ts';

const allow = { Effect: 'Allow', Action: 'a:Read', Resource: 'arn:x' };
const read = { action: 'a:Read', resource: 'arn:x' };

describe('evaluatePolicy()', () => {
  it.each([
    ['an allowed request', [allow], read, 'allowed'],
    ['nothing', [], read, 'not allowed'],
    ['another action', [allow], { ...read, action: 'a:Write' }, 'not allowed'],
    ['another resource', [allow], { ...read, resource: 'arn:xy' }, 'not allowed'],
    ['an action in another case', [allow], { ...read, action: 'A:READ' }, 'allowed'],
    ['a deny beside an allow', [allow, { ...allow, Effect: 'Deny' }], read, 'explicitly denied'],
    ['a deny alone', [{ ...allow, Effect: 'Deny' }], read, 'explicitly denied'],
    ['a wildcard', [{ ...allow, Action: 'a:*', Resource: 'arn:*' }], read, 'allowed'],
    ['a dot that is no wildcard', [{ ...allow, Resource: 'arn.x' }], read, 'not allowed'],
    ['one of a list', [{ ...allow, Action: ['b:Read', 'a:Read'] }], read, 'allowed'],
  ])('%s', (_title, statements, request, decision) => {
    expect(evaluatePolicy(statements, request)).toBe(decision);
  });

  const when = (Condition: object) => [{ ...allow, Condition }];
  it.each([
    ['any of the values', { 'ForAnyValue:StringEquals': { k: ['1', '2'] } }, { k: ['2', '3'] }, 'allowed'],
    ['none of the values', { 'ForAnyValue:StringEquals': { k: ['1'] } }, { k: ['2', '3'] }, 'not allowed'],
    ['any, of a missing key', { 'ForAnyValue:StringEquals': { k: ['1'] } }, {}, 'not allowed'],
    ['all of the values', { 'ForAllValues:StringEquals': { k: ['1', '2'] } }, { k: ['1', '2'] }, 'allowed'],
    ['not all of the values', { 'ForAllValues:StringEquals': { k: ['1'] } }, { k: ['1', '2'] }, 'not allowed'],
    ['all, of a missing key', { 'ForAllValues:StringEquals': { k: ['1'] } }, {}, 'allowed'],
    ['both keys', { 'ForAnyValue:StringEquals': { k: ['1'], l: ['2'] } }, { k: ['1'], l: ['2'] }, 'allowed'],
    ['one of both keys', { 'ForAnyValue:StringEquals': { k: ['1'], l: ['2'] } }, { k: ['1'], l: ['3'] }, 'not allowed'],
    ['a pattern', { StringLike: { k: '*.e' } }, { k: 'www.e' }, 'allowed'],
    ['a Boolean', { Bool: { k: 'true' } }, { k: 'false' }, 'not allowed'],
  ])('where %s', (_title, condition, context, decision) => {
    expect(evaluatePolicy(when(condition), { ...read, context })).toBe(decision);
  });

  it.each([
    ['an operator', when({ NumericLessThan: { k: '1' } }), 'NumericLessThan'],
    ['an operator, also where the action is another', [{ ...when({ Odd: { k: '1' } })[0], Action: 'b:Read' }], 'Odd'],
    ['a quantifier', when({ 'ForSome:StringEquals': { k: '1' } }), 'ForSome'],
    ['a statement', [{ ...allow, NotAction: 'x' }], 'NotAction'],
    ['an effect', [{ ...allow, Effect: 'Maybe' }], 'Maybe'],
    ['an intrinsic function', [{ ...allow, Resource: { Ref: 'X' } }], 'resolve it first'],
    ['a single-valued operator over many values', when({ StringEquals: { k: '1' } }), 'multivalued'],
  ])('refuses %s that it does not know', (_title, statements, words) => {
    expect(() => evaluatePolicy(statements, { ...read, context: { k: ['1', '2'] } })).toThrow(words);
  });
});
