import { expect, test } from 'vitest';
import { parseDnsName } from '../account/parse-asked.ts';

test.each([
  ['WWW.example.org', 'www.example.org.'],
  ['*.example.org.', '*.example.org.'],
  ['\\052.example.org', '*.example.org.'],
  ['A\\100b.Example.org.', 'a\\100b.example.org.'],
])('explain takes %s for %s', (text, name) => {
  expect(parseDnsName(text)).toBe(name);
});

test.each(['a..example.org', '\\052..org', 'a\\.b.example.org', `\\052.${'a'.repeat(252)}.org`])(
  'explain refuses %s',
  (text) => {
    expect(() => parseDnsName(text)).toThrow();
  },
);
