import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareSerials, nextSerial } from './serial.ts';

const NOON = Date.UTC(2026, 10, 21, 12);
const DAY_MS = 86_400_000;

test.each<[string, number | null, number, number]>([
  ['begins with the date', null, NOON, 2_026_112_100],
  ['increases within a day', 2_026_112_100, NOON, 2_026_112_101],
  ['follows the date', 2_026_112_007, NOON, 2_026_112_100],
  ['continues with the next day after 99', 2_026_112_199, NOON, 2_026_112_200],
  ['stays ahead until the clock catches up', 2_026_112_201, NOON + DAY_MS, 2_026_112_202],
  ['does not follow a clock that goes back', 2_026_112_105, NOON - 3 * DAY_MS, 2_026_112_106],
  ['takes the date in UTC at the end of a day', null, Date.UTC(2026, 11, 31, 23, 59, 59), 2_026_123_100],
  ['goes from a small serial to the date', 1, NOON, 2_026_112_100],
  ['increases a serial that is far ahead', 4_100_000_000, NOON, 4_100_000_001],
  ['wraps round to a date that RFC 1982 calls later', 4_294_967_295, NOON, 2_026_112_100],
  ['increases by one where RFC 1982 defines no order', 2_026_112_100 + 2 ** 31, NOON, 2_026_112_101 + 2 ** 31],
])('nextSerial() %s', (_, previous, nowMs, serial) => {
  expect(nextSerial(previous, nowMs)).toBe(serial);
});

test('nextSerial() never goes back, and always fits 32 bits', () => {
  const start = fc.integer({ min: 0, max: 2 ** 32 - 1 });
  const times = fc.array(fc.integer({ min: 0, max: Date.UTC(2200, 0, 1) }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(start, times, (first, clock) => {
      let serial = first;
      for (const nowMs of clock) {
        const next = nextSerial(serial, nowMs);
        expect(compareSerials(serial, next)).toBeLessThan(0);
        expect(next).toBeGreaterThanOrEqual(0);
        expect(next).toBeLessThan(2 ** 32);
        serial = next;
      }
    }),
  );
});

test.each<[number, number, number]>([
  [1, 1, 0],
  [1, 2, -1],
  [2, 1, 1],
  [0, 2 ** 31 - 1, -1],
  [2 ** 32 - 1, 0, -1],
  [0, 2 ** 32 - 1, 1],
  [0, 2 ** 31, Number.NaN],
  [2 ** 31, 0, Number.NaN],
])('compareSerials(%s, %s) is %s', (a, b, expected) => {
  expect(compareSerials(a, b)).toBe(expected);
});
