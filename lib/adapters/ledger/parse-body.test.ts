import { expect, test } from 'vitest';
import { NO_BODY, parseBody } from './parse-body.ts';

test.each(['', '{"v":1', '[]', '"text"', 'null', '7', 'undefined'])('parseBody() %j has no version', (text) => {
  expect(parseBody(text)).toBe(NO_BODY);
});

test('parseBody() returns the object of any other text', () => {
  expect(parseBody('{"v":1,"a":[]}')).toEqual({ v: 1, a: [] });
});
