// Bad input at the queues: messages that nobody can read, of another version, huge; ledger items of a version that this
// code does not know. Each ends in a line of the log and comes back until SQS gives it up; none takes another zone with
// it.
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { QueueMessage } from '../../lib/adapters/queues/queue-message.ts';
import type { LedgerKey } from '../../lib/ports/ledger.ts';
import { dirtyPartition } from '../../lib/record-sets/dirty-mark.ts';
import { hostedZoneItemKey } from '../../lib/record-sets/hosted-zone-item.ts';
import { recordSetsPartition } from '../../lib/record-sets/record-set-item.ts';
import { batchOf, failures, hintOf, INVOCATION, watching, worldOfOne } from '../../test/fakes/handler-world.ts';
import { type ReconcileWorld, standingInRoute53 } from '../../test/fakes/reconcile-world.ts';
import { type ComeBack, HIDDEN_SECONDS } from '../runtime/visibility.ts';
import { handlePublish } from './handle-publish.ts';
import { handleReconcile } from './handle-reconcile.ts';
import { handleReport } from './handle-report.ts';
import { handleSweep } from './handle-sweep.ts';

const publishZ1: QueueMessage = { kind: 'publish', hostedZoneId: 'Z1' };
const BAD: readonly [string, string][] = [
  ['not JSON', '{'],
  ['an unknown kind', '{"v":1,"kind":"wish","hostedZoneId":"Z1"}'],
  ['a newer version', '{"v":99,"kind":"publish","hostedZoneId":"Z1"}'],
  ['an older version', '{"kind":"publish","hostedZoneId":"Z1"}'],
  ['a message of a mebibyte', JSON.stringify({ v: 1, kind: 'publish', hostedZoneId: 'Z'.repeat(1024 * 1024) })],
  [
    'a name that is too long for the ledger',
    JSON.stringify({ v: 1, kind: 'hint', hint: { kind: 'Zone', namespace: 'n'.repeat(9_999), name: 'x' } }),
  ],
];

/** What the messages of the sample world lead to: its Zone and its Record are reconciled, Z1 waits to be published. */
async function reconciled(): Promise<ReconcileWorld> {
  const world = worldOfOne();
  await handleReconcile({ ...watching().deps, context: world.context })(batchOf(hintOf('e', 'Zone'), hintOf('www')));
  return world;
}

/** Replaces an item by one that a version to come might have written. */
async function spoil({ ledger }: ReconcileWorld, key: LedgerKey): Promise<void> {
  const stored = await ledger.get(key);
  expect(await ledger.put(key, { v: 99, colour: 'red' }, stored?.revision ?? null)).not.toBeNull();
}

describe('a message that cannot be read', () => {
  it.each(BAD)(
    '%s: it returns to the hints queue like any failed message, and delays no other',
    async (_title, body) => {
      const world = worldOfOne();
      const { deps, counted, lines, retried, pauses } = watching();
      const handle = handleReconcile({ ...deps, context: world.context });
      expect(failures(await handle(batchOf(body, hintOf('e', 'Zone'), hintOf('www'))))).toEqual(['m0']);
      expect([...world.queued.publish]).toEqual(['Z1']);
      expect([retried, pauses]).toEqual([['m0'], [2]]);
      expect(counted.get('EventsRefused')).toBe(1);
      expect(lines.filter((line) => line.startsWith('error: a message cannot be read'))).toHaveLength(1);
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(1_000);
    },
  );

  it.each(BAD)('%s: it delays its group of the publish queue by one second', async (_title, body) => {
    const world = await reconciled();
    const { deps, retried, pauses } = watching();
    const handle = handlePublish({ ...deps, publishDeps: world.deps });
    const event = batchOf(body, publishZ1);
    for (const { attributes } of event.Records) Object.assign(attributes, { MessageGroupId: 'Z1' });
    expect(failures(await handle(event, INVOCATION))).toEqual(['m0']);
    expect(standingInRoute53(world).join()).toContain('www.e.');
    expect([retried, pauses]).toEqual([['m0'], [1]]);
  });

  it('is handled in the same way if it is alone in its batch', async () => {
    const world = worldOfOne();
    const { deps } = watching();
    expect(failures(await handleReport({ ...deps, context: world.context })(batchOf('{')))).toEqual(['m0']);
  });

  it('is logged as one short line without control characters', async () => {
    const { deps, lines } = watching();
    const body = `\u001b[2J${'x'.repeat(5_000)}`;
    await handleReport({ ...deps, context: worldOfOne().context })(batchOf(body));
    expect(lines.join()).not.toContain('\u001b');
    expect(lines.join().length).toBeLessThan(800);
  });
});

describe('messages of a run that may be killed', () => {
  afterEach(() => void vi.useRealTimers());

  it('return soon after a run is killed: a live run renews their timeout until it is done', async () => {
    const world = await reconciled();
    const { deps, hidden } = watching();
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const change: typeof world.deps.hostedZones.change = async (...asked) => {
      await vi.advanceTimersByTimeAsync(25_000);
      return world.deps.hostedZones.change(...asked);
    };
    const publishDeps = { ...world.deps, hostedZones: { ...world.deps.hostedZones, change } };
    const event = batchOf(publishZ1, publishZ1);
    expect(failures(await handlePublish({ ...deps, publishDeps })(event, INVOCATION))).toEqual([]);
    // At the start, and at 10, 20, 30, 40, 50 seconds: two batches of 25 seconds each.
    expect(hidden).toEqual(Array.from({ length: 6 }, () => ['m0', 'm1']).flat());
    await vi.advanceTimersByTimeAsync(60_000);
    expect(hidden).toHaveLength(12);
  });

  it('the timeout of a failed message is not renewed after its pause was set', async () => {
    const { deps } = watching();
    const said: number[] = [];
    let answer = () => {};
    const comeBack: ComeBack = async (messages) => {
      const [first] = messages.map(({ pauseSeconds }) => pauseSeconds);
      if (first === HIDDEN_SECONDS) await new Promise<void>((resolve) => (answer = resolve));
      said.push(first ?? 0);
    };
    const handled = handleReport({ ...deps, comeBack, context: worldOfOne().context })(batchOf('{'));
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(said).toEqual([]);
    answer();
    await handled;
    expect(said).toEqual([HIDDEN_SECONDS, 2]);
  });

  it.each([
    ['hints', handleReconcile, hintOf('www')],
    ['reports', handleReport, { kind: 'report', ref: { kind: 'Record', namespace: 'a', name: 'www' } } as const],
  ])('the same for %s', async (_queue, handler, message) => {
    const { deps, hidden } = watching();
    expect(failures(await handler({ ...deps, context: worldOfOne().context })(batchOf(message)))).toEqual([]);
    expect(hidden).toEqual(['m0']);
  });

  it('a message comes back soon if a key for a takeover cannot be read, and is published the next time', async () => {
    const world = await reconciled();
    const { deps, pauses, lines } = watching();
    let reads = 0;
    const takeover = async () => {
      reads += 1;
      if (reads === 1) throw new Error('Cannot read secret "dns"');
      return [];
    };
    const handle = handlePublish({ ...deps, publishDeps: world.deps, takeover });
    expect(failures(await handle(batchOf(publishZ1), INVOCATION))).toEqual(['m0']);
    expect(pauses).toEqual([2]);
    expect(lines.join()).toContain('Cannot read secret');
    expect(failures(await handle(batchOf(publishZ1), INVOCATION))).toEqual([]);
    expect(standingInRoute53(world).join()).toContain('www.e.');
  });

  it('a run continues if it cannot renew the timeout', async () => {
    const world = await reconciled();
    const { deps, lines } = watching();
    const comeBack = () => Promise.reject(new Error('no answer'));
    const handle = handlePublish({ ...deps, comeBack, publishDeps: world.deps });
    expect(failures(await handle(batchOf(publishZ1), INVOCATION))).toEqual([]);
    expect(standingInRoute53(world).join()).toContain('www.e.');
    expect(lines.join()).toContain('would come back late');
  });
});

describe('a ledger item of an unknown version', () => {
  it('a hosted zone: publish fails for it alone, and other zones are published', async () => {
    const world = await reconciled();
    await spoil(world, hostedZoneItemKey('Z9'));
    const { deps, lines } = watching();
    const handle = handlePublish({ ...deps, publishDeps: world.deps });
    expect(failures(await handle(batchOf({ kind: 'publish', hostedZoneId: 'Z9' }, publishZ1), INVOCATION))).toEqual([
      'm0',
    ]);
    expect(standingInRoute53(world).join()).toContain('www.e.');
    expect(lines.join()).toContain('its version is 99, this code knows 1');
  });

  it('a hosted zone: repeated hints and measurements continue', async () => {
    const world = await reconciled();
    await spoil(world, hostedZoneItemKey('Z9'));
    const { deps, lines, counted } = watching();
    const context = { ...world.context, log: deps.log };
    const handle = handleReconcile({ ...deps, context });
    expect(failures(await handle(batchOf(hintOf('www'))))).toEqual([]);
    await handleSweep({ ...deps, context, ownRoles: [] })({ zone53: 'measure' }, INVOCATION);
    expect(counted.get('DirtyNames')).toBe(2);
    expect(lines.join()).toContain('Cannot read ledger item');
  });

  it('a dirty mark: the other names of its hosted zone are published', async () => {
    const world = await reconciled();
    await spoil(world, { partition: dirtyPartition('Z1'), sort: 'e.other!' });
    const { deps } = watching();
    const handle = handlePublish({ ...deps, publishDeps: world.deps });
    expect(failures(await handle(batchOf(publishZ1), INVOCATION))).toEqual([]);
    expect(standingInRoute53(world).join()).toContain('www.e.');
  });

  it('a record set: its hint fails alone, after the others were reconciled', async () => {
    const world = await reconciled();
    const [item] = (await world.ledger.query(recordSetsPartition('Z1'))).items.filter(
      ({ body }) => body.name === 'www.e.',
    );
    await spoil(world, item as LedgerKey);
    world.cluster.put(
      { kind: 'Record', namespace: 'a', name: 'mail' },
      { domainName: 'mail.e.', type: 'A', rdata: '192.0.2.9' },
    );
    world.cluster.put(
      { kind: 'Record', namespace: 'a', name: 'www' },
      { domainName: 'www.e.', type: 'A', rdata: '192.0.2.2' },
    );
    const { deps, lines } = watching();
    const response = await handleReconcile({ ...deps, context: world.context })(batchOf(hintOf('www'), hintOf('mail')));
    expect(failures(response)).toEqual(['m0']);
    expect(lines.join()).toContain('its version is 99');
    await handlePublish({ ...deps, publishDeps: world.deps })(batchOf(publishZ1), INVOCATION);
    expect(standingInRoute53(world).join()).toContain('mail.e.');
  });
});
