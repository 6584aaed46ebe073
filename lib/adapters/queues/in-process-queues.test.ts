// The in-process queues under a clock that only the test moves: which messages are delivered, in what order, and when
// the queues are idle.
import { describe, expect, it } from 'vitest';
import type { ObjectRef } from '../../objects/object-ref.ts';
import type { Hint } from '../../ports/queues.ts';
import { lane } from './in-process-queue.ts';
import { type Handlers, type InProcessQueuesOptions, inProcessQueues } from './in-process-queues.ts';

/** A clock with timers. `pass` runs what falls due, one timer at a time, and lets promises settle in between. */
function virtualTime() {
  let nowMs = 0;
  const timers = new Set<{ readonly dueMs: number; readonly callback: () => void }>();
  const settle = async () => {
    for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
  };
  return {
    clock: { nowMs: () => nowMs },
    setTimer: (callback: () => void, ms: number) => {
      const timer = { dueMs: nowMs + ms, callback };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    settle,
    timers: () => timers.size,
    pass: async (ms: number) => {
      const untilMs = nowMs + ms;
      await settle();
      for (;;) {
        const next = [...timers].filter(({ dueMs }) => dueMs <= untilMs).sort((a, b) => a.dueMs - b.dueMs)[0];
        if (next === undefined) break;
        timers.delete(next);
        nowMs = next.dueMs;
        next.callback();
        await settle();
      }
      nowMs = untilMs;
    },
  };
}

const hintOf = (name: string): Hint => ({ kind: 'Record', namespace: 'n', name });

function start(handlers: Partial<Handlers>, options: Partial<InProcessQueuesOptions> = {}) {
  const time = virtualTime();
  const queues = inProcessQueues({ clock: time.clock, setTimer: time.setTimer, ...options });
  queues.attach({ hint: async () => {}, publish: async () => {}, report: async () => {}, ...handlers });
  return { ...queues, time };
}

describe('inProcessQueues()', () => {
  it('delivers without waiting, and delivers together what was sent together', async () => {
    const batches: string[][] = [];
    const { hint, time } = start({ hint: async (hints) => void batches.push(hints.map(({ name }) => name ?? '')) });
    await hint([hintOf('a'), hintOf('b')]);
    await time.settle();
    expect(batches).toEqual([['a', 'b']]);
    expect(time.timers()).toBe(0);
  });

  it('delivers nothing before attach(), also when a delay is over', async () => {
    const time = virtualTime();
    const logged: string[] = [];
    const log = (_: string, message: string) => void logged.push(message);
    const queues = inProcessQueues({ clock: time.clock, setTimer: time.setTimer, log });
    await queues.hint([hintOf('a')]);
    await queues.hint([hintOf('b')], 1);
    await time.pass(5_000);
    const got: string[] = [];
    const hint = async (hints: readonly Hint[]) => void got.push(...hints.map(({ name }) => name ?? ''));
    queues.attach({ hint, publish: async () => {}, report: async () => {} });
    await time.settle();
    expect(got).toEqual(['a', 'b']);
    expect(logged).toEqual([]);
  });

  it('delivers a failed message again after 1, 2, 4 … seconds, alone, and makes it a dead letter after ten tries', async () => {
    const batches: string[] = [];
    const deadLetters: unknown[] = [];
    const { hint, time } = start(
      {
        hint: async (hints) => {
          batches.push(`${time.clock.nowMs()} ${hints.map(({ name }) => name).join()}`);
          if (hints.some(({ name }) => name === 'bad')) throw new Error('bad one');
        },
      },
      { log: (level, message, fields) => void (level === 'error' && deadLetters.push([message, fields])) },
    );
    await hint([hintOf('good'), hintOf('bad')]);
    await time.pass(10_000);
    expect(batches).toEqual(['0 good,bad', '1000 good', '1000 bad', '3000 bad', '7000 bad']);
    await time.pass(600_000);
    expect(batches.filter((batch) => batch.endsWith('bad'))).toHaveLength(10);
    const fields = { payload: hintOf('bad'), error: 'Error: bad one' };
    expect(deadLetters).toEqual([['a hint message was given up', fields]]);
  });

  it('logs an error that does not pass, once a minute for each queue', async () => {
    const logged: string[] = [];
    const { hint, report, time } = start(
      {
        hint: async (hints) => {
          if (time.clock.nowMs() < 2_000 || hints.some(({ name }) => name !== 'soon')) throw new Error('no right');
        },
        report: async () => Promise.reject(new Error('away')),
      },
      { log: (level, message) => void logged.push(`${time.clock.nowMs()} ${level} ${message}`) },
    );
    await hint([hintOf('soon')]);
    await time.pass(5_000);
    expect(logged).toEqual([]);
    await hint([hintOf('a'), hintOf('b')]);
    await report([hintOf('a') as ObjectRef]);
    await time.pass(60_000);
    expect(logged).toEqual(['8000 warn no right (tried again)', '8000 warn away (tried again)']);
    await time.pass(60_000);
    expect(logged).toHaveLength(4);
  });

  it('merges a publish() into one that waits, never into one that runs', async () => {
    let runs = 0;
    const end: (() => void)[] = [];
    const { publish, time } = start({
      publish: () => {
        runs += 1;
        return new Promise((resolve) => end.push(resolve));
      },
    });
    for (let sent = 0; sent < 5; sent += 1) await publish('Z1');
    await time.settle();
    expect(runs).toBe(1);
    for (let sent = 0; sent < 5; sent += 1) await publish('Z1');
    await time.settle();
    expect(runs).toBe(1);
    end.shift()?.();
    await time.settle();
    expect(runs).toBe(2);
    end.shift()?.();
    await time.pass(60_000);
    expect(runs).toBe(2);
  });

  it('makes a publish() with a delay a message of its own, whatever waits', async () => {
    const at: number[] = [];
    const { publish, time } = start({ publish: async () => void at.push(time.clock.nowMs()) });
    await publish('Z1', 15);
    await publish('Z1');
    await time.pass(60_000);
    expect(at).toEqual([0, 15_000]);
  });

  it('asks its handler whether a publish() with a delay is still needed when it is due', async () => {
    const at: string[] = [];
    const { publish, time } = start({
      publish: async (id) => void at.push(id),
      due: async ({ hostedZoneId, after }) => {
        at.push(`${hostedZoneId} after ${after} due at ${time.clock.nowMs()}`);
        if (after === 8) await publish(hostedZoneId);
      },
    });
    await publish('Z1', 15, {}, 7);
    await publish('Z2', 20, {}, 8);
    await time.pass(60_000);
    expect(at).toEqual(['Z1 after 7 due at 15000', 'Z2 after 8 due at 20000', 'Z2']);
  });

  it('delays only the hosted zone whose publish fails', async () => {
    const at: string[] = [];
    const { publish, time } = start({
      publish: async (id) => {
        at.push(`${id} ${time.clock.nowMs()}`);
        if (id === 'Z1' && at.length === 1) throw new Error('not now');
      },
    });
    await publish('Z1');
    await time.settle();
    await publish('Z2');
    await publish('Z1');
    await time.pass(10_000);
    expect(at).toEqual(['Z1 0', 'Z2 0', 'Z1 1000', 'Z1 1000']);
  });

  it('takes a handler that does not return for failed after the visibility timeout', async () => {
    const at: number[] = [];
    const { hint, idle, time } = start(
      {
        hint: () => {
          at.push(time.clock.nowMs());
          return at.length === 1 ? new Promise(() => {}) : Promise.resolve();
        },
      },
      { visibilityTimeoutMs: 30_000 },
    );
    await hint([hintOf('a')]);
    await time.pass(60_000);
    expect(at).toEqual([0, 31_000]);
    await idle();
  });

  it('waits in idle() for what a handler sends, and for delays unless they end beyond the horizon', async () => {
    const { hint, publish, idle, time } = start({ hint: async () => publish('Z1', 10) });
    let done = '';
    await hint([hintOf('a')]);
    void idle(5_000).then(() => {
      done += 'near ';
    });
    void idle().then(() => {
      done += 'all';
    });
    expect(done).toBe('');
    await time.settle();
    expect(done).toBe('near ');
    await time.pass(10_000);
    expect(done).toBe('near all');
  });

  it('forgets on close() what is queued, and waits for what runs', async () => {
    let end = () => {};
    const got: string[] = [];
    const { hint, report, close, time } = start({
      hint: (hints) => {
        got.push(...hints.map(({ name }) => name ?? ''));
        return new Promise((resolve) => {
          end = () => resolve();
        });
      },
    });
    await hint([hintOf('a')]);
    await hint([hintOf('late')], 5);
    await time.settle();
    let closed = false;
    const closing = close().then(() => {
      closed = true;
    });
    await report([{ kind: 'Zone', namespace: 'n', name: 'z' }]);
    await time.pass(10_000);
    expect([got, closed, time.timers()]).toEqual([['a'], false, 1]);
    end();
    await closing;
    await time.settle();
    expect(time.timers()).toBe(0);
  });
});

describe('inProcessQueues() in a burst', () => {
  const BURST = {
    ...{ hints: 10, batchMax: 200, quietMs: 100, waitMs: 1_500 },
    ...{ gatherMs: 250, publishMs: 1_000, reportMs: 3_000 },
  };
  const slow = (time: ReturnType<typeof virtualTime>, ms: number) =>
    new Promise<void>((resolve) => void time.setTimer(resolve, ms));
  const ref = (name: string): ObjectRef => ({ kind: 'Record', namespace: 'n', name });

  it('handles hints together that come one by one while others are handled, and the first at once', async () => {
    const sizes: number[] = [];
    const { hint, time } = start(
      {
        hint: async (hints) => {
          sizes.push(hints.length);
          await slow(time, 400);
        },
      },
      { burst: BURST },
    );
    for (let index = 0; index < 100; index += 1) {
      await hint([hintOf(`r${index}`)]);
      await time.pass(10);
    }
    await time.pass(2_000);
    expect(sizes).toEqual([1, 99]);
  });

  it('handles together what comes until it is quiet, and whatever happens after a while or with a full batch', async () => {
    const batches: string[] = [];
    const { hint, time } = start(
      { hint: async (hints) => void batches.push(`${time.clock.nowMs()}: ${hints.length}`) },
      { burst: BURST },
    );
    const send = (count: number) => hint(Array.from({ length: count }, (_, index) => hintOf(`r${index}`)));
    // Many at once are handled when no more have come for a while.
    await send(50);
    await time.pass(60);
    await send(50);
    await time.pass(1_000);
    expect(batches).toEqual(['160: 100']);
    // A batch that is full does not wait.
    await send(200);
    await time.pass(940);
    expect(batches.slice(1)).toEqual(['1060: 200']);
    // If they never stop, they are handled after `waitMs` all the same.
    for (let index = 0; index < 18; index += 1) {
      await send(11);
      await time.pass(90);
    }
    expect(batches.slice(2)).toEqual(['3500: 187']);
  });

  it('publishes at most once a second while many hints wait, and reports when the burst is over', async () => {
    const told: string[] = [];
    const { hint, publish, report, time } = start(
      {
        hint: async () => slow(time, 500),
        publish: async () => void told.push('publish'),
        report: async (refs) => void told.push(`report ${refs.length}`),
      },
      { burst: { ...BURST, batchMax: 100 }, reportWindows: { zones: 1_000, others: 100 }, handlersMax: 1 },
    );
    for (let index = 0; index < 500; index += 1) await hint([hintOf(`r${index}`)]);
    for (let tenths = 0; tenths < 25; tenths += 1) {
      await publish('Z1');
      await report([ref(`r${tenths}`)]);
      await time.pass(100);
    }
    expect(told).toEqual(['publish', 'publish']);
    await time.pass(1_000);
    expect(told).toEqual(['publish', 'publish', 'publish', 'report 25']);
  });

  it('lets one edit wait for nothing', async () => {
    const told: string[] = [];
    const { hint, publish, report, time } = start(
      {
        hint: async () => {
          await publish('Z1');
          await report([ref('a')]);
          await slow(time, 50);
        },
        publish: async () => void told.push('publish'),
        report: async () => void told.push('report'),
      },
      { burst: BURST, reportWindows: { zones: 1_000, others: 100 } },
    );
    await hint([hintOf('a')]);
    await time.settle();
    expect(told).toEqual(['publish']);
    await time.pass(101);
    expect(told).toEqual(['publish', 'report']);
  });
});

describe('lane()', () => {
  it('delivers a failed message of a group again before later ones of its group', async () => {
    const time = virtualTime();
    const got: string[] = [];
    const one = lane<string>({
      handle: async ([payload = '']) => {
        got.push(payload);
        if (got.length < 3) throw new Error('not now');
      },
      handlersMax: 4,
      batchMax: 10,
      visibilityTimeoutMs: 30_000,
      receivesMax: 10,
      retryAfterMs: () => 1_000,
      clock: time.clock,
      setTimer: time.setTimer,
      disorder: null,
      gatherMs: 0,
      onDead: () => {},
      onFailed: () => {},
      onChange: () => {},
    });
    for (const payload of ['1', '2', '3']) one.send(payload, 0, 'group');
    one.pump();
    await time.pass(10_000);
    expect(got).toEqual(['1', '1', '1', '2', '3']);
  });

  it('delivers the next message of a group after one became a dead letter', async () => {
    const time = virtualTime();
    const got: string[] = [];
    const dead: string[] = [];
    const one = lane<string>({
      handle: async ([payload = '']) => {
        got.push(payload);
        if (payload === '1') throw new Error('never');
      },
      handlersMax: 4,
      batchMax: 10,
      visibilityTimeoutMs: 30_000,
      receivesMax: 2,
      retryAfterMs: () => 1_000,
      clock: time.clock,
      setTimer: time.setTimer,
      disorder: null,
      gatherMs: 0,
      onDead: (payload) => void dead.push(payload),
      onFailed: () => {},
      onChange: () => {},
    });
    for (const payload of ['1', '2']) one.send(payload, 0, 'group');
    one.pump();
    await time.pass(10_000);
    expect(got).toEqual(['1', '1', '2']);
    expect(dead).toEqual(['1']);
  });
});
