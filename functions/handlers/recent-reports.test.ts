// Which messages an earlier report covers.
import type { SQSRecord } from 'aws-lambda';
import { expect, test } from 'vitest';
import { recentReports } from './recent-reports.ts';

const REF = { kind: 'Record', namespace: 'p', name: 'www' };
const SENT_MS = 1_000_000;
const record = { attributes: { SentTimestamp: String(SENT_MS) } } as SQSRecord;

test('covers() says that a report which began after a message was sent covers it', () => {
  const recent = recentReports({ nowMs: () => SENT_MS });
  expect(recent.covers(record, REF)).toBe(false);
  recent.note([REF], SENT_MS + 400);
  expect(recent.covers(record, REF)).toBe(false);
  recent.note([REF], SENT_MS + 501);
  expect(recent.covers(record, REF)).toBe(true);
});

test('covers() lets no report cover a message before its own delay is over: it tells what has stood since', () => {
  const recent = recentReports({ nowMs: () => SENT_MS });
  recent.note([REF], SENT_MS + 9_000);
  expect(recent.covers(record, REF, 10)).toBe(false);
  recent.note([REF], SENT_MS + 10_501);
  expect(recent.covers(record, REF, 10)).toBe(true);
});
