// The contract of the queues, in process (npm test) and on SQS (moto, npm run e2e). Messages may come twice, late and
// in any order. None may be lost, and one run at a time publishes a hosted zone.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Handlers } from '../../../lib/adapters/queues/in-process-queues.ts';
import type { ObjectRef } from '../../../lib/objects/object-ref.ts';
import type { Hint, Queues } from '../../../lib/ports/queues.ts';

/** Queues that deliver failed messages again within a second. */
export type QueuesUnderTest = { readonly queues: Queues; attach(handlers: Handlers): void; close(): Promise<void> };

const NOTHING: Handlers = { hint: async () => {}, publish: async () => {}, report: async () => {} };

const HINTS: readonly Hint[] = [
  { kind: 'Record', namespace: 'team-a', name: 'www' },
  { kind: 'Zone', namespace: 'team-a', name: null },
  { kind: 'Record', namespace: null, name: null },
  { kind: 'Record', namespace: 'team-b', name: 'www', oldVersion: '42', atMs: 1_790_000_000_123, attempt: 3 },
];

/** Declares the suite for one kind of queues. */
export function queuesContract(name: string, start: () => Promise<QueuesUnderTest>): void {
  describe(`queues contract: ${name}`, () => {
    let under: QueuesUnderTest;
    beforeEach(async () => {
      under = await start();
    });
    afterEach(() => under?.close());

    it('hint() delivers every hint as it was sent', async () => {
      const got: Hint[] = [];
      under.attach({ ...NOTHING, hint: async (hints) => void got.push(...hints) });
      await under.queues.hint(HINTS);
      await eventually(() => expect(unique(got)).toEqual(unique(HINTS)));
    });

    it('hint() and report() deliver hundreds of messages, in more than one batch', async () => {
      const hints = names(123).map((one): Hint => ({ kind: 'Record', namespace: 'n', name: one }));
      const refs = names(101).map((one): ObjectRef => ({ kind: 'Record', namespace: 'n', name: one }));
      const got = { hints: [] as Hint[], refs: [] as ObjectRef[] };
      under.attach({
        ...NOTHING,
        hint: async (batch) => void got.hints.push(...batch),
        report: async (batch) => void got.refs.push(...batch),
      });
      await under.queues.hint(hints);
      await under.queues.report(refs);
      await eventually(() => {
        expect(unique(got.hints)).toEqual(unique(hints));
        expect(unique(got.refs)).toEqual(unique(refs));
      });
    });

    it('hint() and report() of an empty list are no error', async () => {
      await under.queues.hint([]);
      await under.queues.report([]);
    });

    it('hint() is delivered again when its handler fails', async () => {
      let failures = 2;
      const got: Hint[] = [];
      const hint = async (batch: readonly Hint[]) => {
        failures -= 1;
        if (failures >= 0) throw new Error('not now');
        got.push(...batch);
      };
      under.attach({ ...NOTHING, hint });
      await under.queues.hint(HINTS);
      await eventually(() => expect(unique(got)).toEqual(unique(HINTS)));
    });

    it('follow() delivers the batch as it was sent, after the delay', async () => {
      const change = { hostedZoneId: 'Z1', changeId: 'C1', atMs: 1_790_000_000_123, names: ['www.e.', '*.e.'] };
      const got: unknown[] = [];
      under.attach({ ...NOTHING, follow: async (one) => void got.push(one) });
      await under.queues.follow(change, 1);
      expect(got).toEqual([]);
      await eventually(() => expect(got[0]).toEqual(change));
    });

    it('hint() with a delay is delivered after the delay', async () => {
      const at: number[] = [];
      under.attach({ ...NOTHING, hint: async () => void at.push(performance.now()) });
      const sentAt = performance.now();
      await under.queues.hint(HINTS.slice(0, 1), 1);
      await eventually(() => expect(at.length).toBeGreaterThan(0));
      // SQS counts in whole seconds, which begin at some moment within the first.
      expect((at[0] ?? 0) - sentAt).toBeGreaterThan(400);
    });

    it('publish() publishes a hosted zone again when it is sent while the zone is being published', async () => {
      const zone = `Z${randomUUID().slice(0, 18)}`;
      let runs = 0;
      const publish = async () => {
        runs += 1;
        if (runs === 1) await under.queues.publish(zone);
      };
      under.attach({ ...NOTHING, publish });
      await under.queues.publish(zone);
      await eventually(() => expect(runs).toBeGreaterThanOrEqual(2));
    });

    it('publish() runs one at a time for one hosted zone, and different hosted zones at the same time', async () => {
      const [a, b] = [`Za-${randomUUID().slice(0, 18)}`, `Zb-${randomUUID().slice(0, 18)}`];
      const open = new Set<string>();
      const overlaps: string[] = [];
      const done: string[] = [];
      let together = 0;
      const both = Promise.withResolvers<void>();
      const publish = async (id: string) => {
        if (open.has(id)) overlaps.push(id);
        open.add(id);
        together = Math.max(together, open.size);
        // The first run waits for one of the other hosted zone, which queues that run one at a time would never begin.
        if (together === 2) both.resolve();
        await Promise.race([both.promise, sleep(10_000)]);
        await sleep(100);
        open.delete(id);
        done.push(id);
      };
      under.attach({ ...NOTHING, publish });
      for (let round = 0; round < 4; round += 1) {
        await under.queues.publish(a);
        await under.queues.publish(b);
        await sleep(60);
      }
      await eventually(() => {
        expect(done.filter((id) => id === a).length).toBeGreaterThanOrEqual(2);
        expect(done.filter((id) => id === b).length).toBeGreaterThanOrEqual(2);
        expect(open.size).toBe(0);
      });
      expect(overlaps).toEqual([]);
      expect(together).toBe(2);
    });

    it('publish() that fails is delivered again', async () => {
      const zone = `Z${randomUUID().slice(0, 18)}`;
      const runs: string[] = [];
      const publish = async (id: string) => {
        runs.push(id);
        if (runs.length < 3) throw new Error('not now');
      };
      under.attach({ ...NOTHING, publish });
      await under.queues.publish(zone);
      await eventually(() => expect(runs.length).toBeGreaterThanOrEqual(3));
      expect(new Set(runs)).toEqual(new Set([zone]));
    });

    it('publish() with a delay is delivered after the delay', async () => {
      const zone = `Z${randomUUID().slice(0, 18)}`;
      const at: number[] = [];
      under.attach({ ...NOTHING, publish: async () => void at.push(performance.now()) });
      const sentAt = performance.now();
      await under.queues.publish(zone, 1);
      await eventually(() => expect(at.length).toBeGreaterThan(0));
      expect((at[0] ?? 0) - sentAt).toBeGreaterThan(400);
    });
  });
}

function names(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `name-${index}`);
}

/** The messages as a set: a message that came twice counts once. */
function unique(list: readonly unknown[]): string[] {
  return [...new Set(list.map((one) => JSON.stringify(one)))].sort();
}

async function eventually(check: () => void): Promise<void> {
  const deadline = performance.now() + 20_000;
  for (;;) {
    try {
      return check();
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
    await sleep(20);
  }
}
