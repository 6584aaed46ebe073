import { describe, expect, test } from 'vitest';
import { matchesSelector, parseSelector, parseSelectorText } from './selector.ts';

const LABELS = { app: 'web', tier: 'front' };

describe('a selector', () => {
  test.each<[string, unknown, boolean]>([
    ['an empty one selects everything', {}, true],
    ['every label must be there', { matchLabels: { app: 'web', tier: 'front' } }, true],
    ['one that differs', { matchLabels: { app: 'web', tier: 'back' } }, false],
    ['In', { matchExpressions: [{ key: 'tier', operator: 'In', values: ['back', 'front'] }] }, true],
    ['NotIn', { matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['front'] }] }, false],
    ['NotIn of a missing label', { matchExpressions: [{ key: 'x', operator: 'NotIn', values: ['y'] }] }, true],
    ['Exists', { matchExpressions: [{ key: 'app', operator: 'Exists' }] }, true],
    ['DoesNotExist', { matchExpressions: [{ key: 'app', operator: 'DoesNotExist', values: [] }] }, false],
    [
      'a key of every JavaScript object is not a label',
      { matchExpressions: [{ key: 'toString', operator: 'Exists' }] },
      false,
    ],
  ])('%s', (_title, value, expected) => {
    const selector = parseSelector(value);
    expect(selector === null ? null : matchesSelector(selector, LABELS)).toBe(expected);
  });

  test.each<[unknown]>([
    [null],
    ['app=web'],
    [{ matchlabels: {} }],
    [{ matchLabels: { app: 1 } }],
    [{ matchExpressions: [{ key: 'a', operator: 'In', values: [] }] }],
    [{ matchExpressions: [{ key: 'a', operator: 'Exists', values: ['x'] }] }],
    [{ matchExpressions: [{ key: 'a', operator: 'Like', values: ['x'] }] }],
    [{ matchExpressions: {} }],
  ])('is not %j', (value) => {
    expect(parseSelector(value)).toBe(null);
  });
});

describe('a selector as one line of text', () => {
  test.each<[string, boolean]>([
    ['app=web', true],
    ['app == web, tier!=back', true],
    ['tier in (back, front),app', true],
    ['tier notin (front)', false],
    ['tier in(back,front)', true],
    ['tier notin(front)', false],
    ['!app', false],
    ['!other,app=web', true],
  ])('%s', (text, expected) => {
    const selector = parseSelectorText(text);
    expect(selector === null ? null : matchesSelector(selector, LABELS)).toBe(expected);
  });

  test.each([[''], ['app=web,'], ['a b'], ['a in x'], ['=x'], ['a=(b)']])('"%s" is not a selector', (text) => {
    expect(parseSelectorText(text)).toBe(null);
  });
});
