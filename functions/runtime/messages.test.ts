import { expect, test } from 'vitest';
import { shortReason } from './messages.ts';

test.each([
  ['quotes and backslashes as they are', 'Cannot parse "a\\b": it is not JSON', 'Cannot parse "a\\b": it is not JSON'],
  [
    'a text of several lines on one',
    '✖ Invalid input\n  → at kind\n✖ Too small',
    '✖ Invalid input → at kind ✖ Too small',
  ],
  ['control characters escaped', 'a\u001b[2J\u009b1m\r\u0000', 'a\\u001b[2J\\u009b1m\\u000d\\u0000'],
  ['at most 300 characters', 'x'.repeat(400), 'x'.repeat(300)],
])('shortReason() shows %s, also if it is asked twice', (_, message, shown) => {
  expect(shortReason(new Error(message))).toBe(shown);
  expect(shortReason(shortReason(message))).toBe(shown);
});
