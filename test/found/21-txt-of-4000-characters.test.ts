// From outside: a TXT of 4,000 characters, which has more with the quotes between its strings
// (gardener/external-dns-management#284). What render accepts is sent, and what Route 53 would refuse is InvalidSpec.
import path from 'node:path';
import { expect, test } from 'vitest';
import { parseRdata } from '../../lib/dns/rdata/rdata.ts';
import { exceededLimit } from '../../lib/route53/record-set-limits.ts';
import { parseRecord, RECORD } from '../../lib/sources/kubizone/parse-record.ts';
import { runHere } from '../support/run-here.ts';

const FOLDER = path.join(import.meta.dirname, '21-txt-of-4000-characters');

/** What a Record with this TXT is told, and what publish would say of its content. */
function judged(rdata: string) {
  const parsed = parseRecord({ domainName: 'big.lim.test.', type: 'TXT', rdata }, 'p');
  const read = parseRdata('TXT', rdata);
  const content = { kind: 'values' as const, ttlSeconds: 60, values: read.ok ? [read.rdata] : [] };
  return { problems: parsed.ok ? [] : parsed.problems, isRefused: exceededLimit('TXT', content) !== null };
}

test('render says that the text is too long, as apply would', async () => {
  const { out, code } = await runHere('render', '-f', FOLDER, '--strict');
  expect(code).toBe(1);
  expect(out).toContain('Route 53 allows at most 4000 characters in a value, and this one has 4047 as it is sent');
});

test('a Record is invalid exactly where publish would refuse it', () => {
  for (const text of ['x'.repeat(3953), '\u00e9'.repeat(480), `"${'y'.repeat(255)}" `.repeat(15).trim()])
    expect(judged(text)).toEqual({ problems: [], isRefused: false });
  for (const text of ['x'.repeat(3954), '\u00e9'.repeat(1300), `"${'y'.repeat(255)}" `.repeat(16).trim()])
    expect(judged(text)).toMatchObject({ problems: [expect.stringContaining('as it is sent')], isRefused: true });
});

test('a type that Route 53 does not have may be longer, as it is never sent', () => {
  const spec = { domainName: 'big.lim.test.', type: 'OPENPGPKEY', rdata: 'x'.repeat(5_000) };
  expect(
    RECORD.endpointsOf(
      { ref: { kind: 'Record', namespace: 'p', name: 'k' }, annotations: {}, labels: {}, spec },
      {} as never,
      {} as never,
    ),
  ).toMatchObject({ ok: true });
});
