import { expect, test } from 'vitest';
import { chooseHostedZone } from './hosted-zone.ts';

const ZONES = [
  { id: '1', name: 'example.com.' },
  { id: '2', name: 'test.example.com.' },
  { id: '3', name: 'foo.com.' },
];

test.each([
  ['api.test.example.com.', '2'],
  ['test.example.com.', '2'],
  ['foo.example.com.', '1'],
  ['apitest.example.com.', '1'],
  ['*.test.example.com.', '2'],
  ['example.com.', '1'],
  ['foo.com.', '3'],
  ['bar.foo.com.', '3'],
])('chooseHostedZone() takes the longest name that is at or above %s', (name, id) => {
  expect(chooseHostedZone(name, ZONES)).toEqual({ ok: true, id });
  expect(chooseHostedZone(name, ZONES.toReversed())).toEqual({ ok: true, id });
});

test.each(['bar.com.', 'testexample.com.', 'com.'])('chooseHostedZone() finds none for %s', (name) => {
  const problem = `could not find DNS hosted zone for name ${name.slice(0, -1)}`;
  expect(chooseHostedZone(name, ZONES)).toEqual({ ok: false, problem });
  expect(chooseHostedZone(name, [])).toEqual({ ok: false, problem });
});

test('chooseHostedZone() does not choose between two hosted zones', () => {
  const twice = [...ZONES, { id: '0', name: 'test.example.com.' }];
  expect(chooseHostedZone('api.test.example.com.', twice)).toEqual({
    ok: false,
    problem: '2 public hosted zones have the name test.example.com: 0, 2; write the id of one of them into spec.zone',
  });
  expect(chooseHostedZone('www.example.com.', twice)).toEqual({ ok: true, id: '1' });
});
