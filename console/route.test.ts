import { expect, test } from 'vitest';
import { formatRoute, parseRoute } from './route.ts';

test.each([
  ['', { screen: 'names', of: null, question: {} }],
  ['#main', { screen: 'names', of: null, question: {} }],
  ['#/waiting', { screen: 'waiting', of: null, question: {} }],
  ['#/waiting/x', { screen: 'waiting', of: null, question: {} }],
  ['#/names?query=a%20b', { screen: 'names', of: null, question: { query: 'a b' } }],
  ['#/names/%E0%A4', { screen: 'names', of: '%E0%A4', question: {} }],
])('parseRoute() reads %j', (fragment, route) => {
  expect(parseRoute(fragment)).toEqual(route);
});

test.each([
  ['names', null, {}],
  ['names', 'www.example.org.', {}],
  ['names', '1/25.2.0.192.in-addr.arpa.', {}],
  ['names', '\\052.example.org.', {}],
  ['hosted-zones', 'Z0123456789ABCDEFGHIJ', { read: 'true' }],
  ['history', null, { name: 'a&b=c#d', 'hosted-zone': 'Z1' }],
] as const)('what formatRoute() writes of %s %s, parseRoute() reads', (screen, of, question) => {
  expect(parseRoute(formatRoute(screen, of, question))).toEqual({ screen, of, question });
});

test('formatRoute() leaves out what is empty', () => {
  expect(formatRoute('names', null, { query: '', after: '' })).toBe('#/names');
});
