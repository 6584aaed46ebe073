import { describe, expect, test } from 'vitest';
import { values } from '../../test/fakes/publish-world.ts';
import {
  keptSeconds,
  negativeSeconds,
  propagationOf,
  propagationVerdict,
  untilMs,
  type Wait,
  waitAfter,
  waitInSync,
  worstPropagation,
} from './propagation.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;
/** The margin for clocks that differ. */
const MARGIN = 5 * SECOND;

/** Accepted at 0, INSYNC at `insync` seconds; null: never. */
function wait(keptSeconds: number, insync: number | null, nothing: number | null = null): Wait {
  const begun = waitAfter(undefined, { changeId: 'C1', atMs: 0, keptSeconds, isNew: nothing !== null });
  return insync === null ? begun : waitInSync(begun, insync * SECOND, nothing ?? 0);
}

describe('propagationOf()', () => {
  test.each<[string, Wait | undefined, number, string]>([
    ['never changed', undefined, 0, 'Resolved'],
    ['accepted', wait(300, null), 0, 'Changing'],
    ['not INSYNC, although the old TTL is over', wait(300, null), 3_599 * SECOND, 'Changing'],
    ['INSYNC never came within an hour', wait(300, null), HOUR, 'Unknown'],
    ['a clock that is behind', wait(300, null), -60 * SECOND, 'Changing'],
    ['INSYNC, the old TTL not over', wait(300, 30), 330 * SECOND + MARGIN - 1, 'Changing'],
    ['INSYNC, the old TTL over', wait(300, 30), 330 * SECOND + MARGIN, 'Resolved'],
    ['INSYNC, no TTL', wait(0, 30), 30 * SECOND + MARGIN, 'Resolved'],
    ['nothing stood there, and the negative TTL is not over', wait(0, 30, 900), 930 * SECOND, 'Changing'],
    ['nothing stood there, and the negative TTL is over', wait(0, 30, 900), 930 * SECOND + MARGIN, 'Resolved'],
    ['a CNAME stood there for longer than the negative TTL', wait(3_600, 30, 900), 3_000 * SECOND, 'Changing'],
    ['INSYNC after more than an hour, that was learned', wait(60, 3_700), 3_700 * SECOND, 'Changing'],
    ['a TTL of a day', wait(86_400, 30), DAY, 'Changing'],
    ['a TTL that no resolver keeps to', wait(keptSeconds(values(2 ** 31 - 1)), 30), 8 * DAY, 'Resolved'],
  ])('says what is true: %s', (_, given, nowMs, reason) => {
    expect(propagationOf(given, nowMs).reason).toBe(reason);
  });
});

describe('waitAfter()', () => {
  const second = { changeId: 'C2', keptSeconds: 60, isNew: false };

  test('keeps what an earlier change left in resolvers, before and after that was INSYNC', () => {
    const open = waitAfter(wait(86_400, null), { ...second, atMs: 10 * SECOND });
    expect(untilMs(waitInSync(open, 40 * SECOND, 0))).toBe(40 * SECOND + DAY + MARGIN);
    const known = waitAfter(wait(86_400, 30), { ...second, atMs: 60 * SECOND });
    expect(untilMs(waitInSync(known, 90 * SECOND, 0))).toBe(30 * SECOND + DAY + MARGIN);
    expect(untilMs(waitInSync(waitAfter(known, { ...second, atMs: 95 * SECOND }), 99 * SECOND, 0))).toBe(
      30 * SECOND + DAY + MARGIN,
    );
  });

  test('keeps that nothing was there', () => {
    const open = waitAfter(wait(0, null, 900), { ...second, atMs: 10 * SECOND });
    expect(untilMs(waitInSync(open, 40 * SECOND, 900))).toBe(940 * SECOND + MARGIN);
  });
});

test('negativeSeconds() is the lesser of the TTL and the minimum of a SOA (RFC 2308)', () => {
  const soa = (ttl: number, minimum: string) => values(ttl, `ns. admin. 1 7200 900 1209600 ${minimum}`);
  expect(negativeSeconds(soa(900, '86400'))).toBe(900);
  expect(negativeSeconds(soa(3_600, '60'))).toBe(60);
  expect(negativeSeconds(soa(900, 'x'))).toBeNull();
  expect(negativeSeconds(null)).toBeNull();
});

test('the worst of several is what takes longest, then what is not known', () => {
  const changing = (untilAt: number, sinceMs: number | null) =>
    ({ reason: 'Changing', untilMs: untilAt, sinceMs }) as const;
  const unknown = { reason: 'Unknown', atMs: 0 } as const;
  expect(worstPropagation([{ reason: 'Resolved' }, unknown, changing(5, 1), changing(9, 1)])).toEqual(changing(9, 1));
  expect(worstPropagation([changing(9, 1), changing(5, null)])).toEqual(changing(5, null));
  expect(worstPropagation([{ reason: 'Resolved' }, unknown])).toEqual(unknown);
  expect(worstPropagation([])).toBeNull();
});

test('propagationVerdict() says until when, never too early', () => {
  const said = (of: Wait, nowMs: number) => propagationVerdict(propagationOf(of, nowMs)).message;
  expect(said(wait(300, null), 0)).toContain('until about 1970-01-01T00:06:05Z');
  expect(said(wait(300, 30), 0)).toContain('until 1970-01-01T00:05:35Z');
  expect(said(waitInSync(wait(0, null), 500, 0), 0)).toContain('until 1970-01-01T00:00:06Z');
  expect(said(wait(300, null), HOUR)).toContain('the change of 1970-01-01T00:00:00Z');
});
