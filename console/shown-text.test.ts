import { expect, test } from 'vitest';
import { agoText, counted, nameText, shownLines, shownText, timeText } from './shown-text.ts';

test.each([
  ['plain', 'www.example.org.', 'www.example.org.'],
  ['other scripts', 'bücher 日本 🦊', 'bücher 日本 🦊'],
  ['markup', '<img src=x>', '<img src=x>'],
  ['an escape', '\u001b[31m', '\\u001b[31m'],
  ['a line break', 'a\nb', 'a\\u000ab'],
  ['an override of the direction', 'a\u202eb\u2069', 'a\\u202eb\\u2069'],
  ['invisible characters', '\u200b\ufeff\u00ad', '\\u200b\\ufeff\\u00ad'],
  ['half a character', '\ud83d', '\\ud83d'],
])('shownText() shows %s', (_what, text, shown) => {
  expect(shownText(text)).toBe(shown);
});

test('nameText() says the view of a name', () => {
  expect(nameText('www.e.')).toBe('www.e.');
  expect(nameText('www.e.@internal.')).toBe('www.e. in view internal');
});

test('shownLines() keeps the lines apart', () => {
  expect(shownLines('a\u0007\nb')).toEqual(['a\\u0007', 'b']);
});

test('agoText() says how long ago a time was, or how far ahead it is', () => {
  const nowMs = Date.parse('2026-01-31T12:00:00Z');
  const told = [-5_000, 0, 12_000, 90_000, 7_200_000, 200_000_000].map((ms) =>
    agoText(new Date(nowMs - ms).toISOString(), nowMs),
  );
  expect(told).toEqual(['in 5 s', 'now', '12 s ago', '1 min ago', '2 h ago', '2 d ago']);
  expect(agoText('\u202e', nowMs)).toBe('\\u202e');
});

test('timeText() is to the second, in UTC', () => {
  expect(timeText('2026-01-31T12:00:00.123Z')).toBe('2026-01-31 12:00:00Z');
});

test('counted() counts', () => {
  expect([counted(1, 'name'), counted(10_000, 'name')]).toEqual(['1 name', '10,000 names']);
});
