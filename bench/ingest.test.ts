import { expect, test } from 'vitest';
import { benchIngest } from './ingest.ts';

test('benchIngest() runs the bundle in a process of its own, and counts the hints of every batch', async () => {
  const { rows } = await benchIngest({ octets: 10_000 });
  expect(rows[0]).toMatchObject({
    batches: 20,
    'hints each': expect.any(Number),
    'hints a second': expect.any(Number),
  });
  expect(Number(rows[0]?.['hints each'])).toBeGreaterThan(5);
  expect(Number(rows[0]?.['hints a second'])).toBeGreaterThan(0);
}, 60_000);
