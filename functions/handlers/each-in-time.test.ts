// Several clusters in one invocation of a schedule.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { dueOf, eachInTime } from './each-in-time.ts';

it('dueOf() has a cluster each time that is due most often, and another one at its own times', () => {
  let nowMs = 1_000_000_000;
  const clusters = [
    { id: 'eu', everySeconds: 60 },
    { id: 'us', everySeconds: 300 },
    { id: 'ap', everySeconds: null },
  ];
  const due = dueOf(clusters, { nowMs: () => nowMs });
  const seen: string[] = [];
  for (let minute = 0; minute <= 10; minute += 1) {
    seen.push(
      due()
        .map(({ id }) => id)
        .join('+'),
    );
    // A schedule is seconds early or late.
    nowMs += 60_000 + (minute % 2 === 0 ? 4_000 : -4_000);
  }
  expect(seen.map((ids) => ids.includes('eu'))).toEqual(Array(11).fill(true));
  expect(seen.flatMap((ids, minute) => (ids.includes('us') ? [minute] : []))).toEqual([0, 5, 10]);
  expect(seen.join()).not.toContain('ap');
});

it('eachInTime() serves all at the same time, and names the clusters that fail or do not end', async () => {
  const done: string[] = [];
  const served = eachInTime(
    ['slow', 'broken', 'fine'].map((id) => ({ id })),
    { msMax: 200, isOnly: false },
    async ({ id }) => {
      if (id === 'slow') await sleep(60_000, undefined, { ref: false });
      if (id === 'broken') throw new Error('no answer');
      done.push(id);
    },
  );
  await expect(served).rejects.toThrow(
    'Cannot serve every cluster: slow: it has not ended within 0.2 s; broken: no answer',
  );
  expect(done).toEqual(['fine']);
});

it('eachInTime() throws the error of an only cluster as it is', async () => {
  const error = new Error('no answer');
  const served = eachInTime([{ id: 'eu' }], { msMax: 200, isOnly: true }, () => Promise.reject(error));
  await expect(served).rejects.toBe(error);
});
