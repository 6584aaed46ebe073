// One event followed from ingest to the batch in Route 53: its id in every message, log line and the batch's comment,
// its time in the latency figure; and messages of versions before that.
import { describe, expect, it } from 'vitest';
import { parseQueueMessage, type QueueMessage } from '../../lib/adapters/queues/queue-message.ts';
import { findEntries } from '../../lib/history/find-entries.ts';
import type { Cause, Hint, Queues } from '../../lib/ports/queues.ts';
import { batchOf, hintOf, INVOCATION, sample, watching, worldOfOne } from '../../test/fakes/handler-world.ts';
import { handleIngest, type IngestDeps } from './handle-ingest.ts';
import { handlePublish } from './handle-publish.ts';
import { handleReconcile } from './handle-reconcile.ts';
import { handleReport } from './handle-report.ts';
import { handleSweep } from './handle-sweep.ts';

/** The handlers of a small world, its queues noted as messages. */
function chain(more: Partial<IngestDeps> = {}) {
  const world = worldOfOne();
  const watch = watching();
  const sent: QueueMessage[] = [];
  const queues: Queues = {
    hint: async (hints) => void sent.push(...hints.map((hint) => ({ kind: 'hint', hint }) as const)),
    publish: async (hostedZoneId, _seconds, cause) => void sent.push({ kind: 'publish', hostedZoneId, ...of(cause) }),
    report: async (refs, cause) =>
      void sent.push(...refs.map((ref) => ({ kind: 'report', ref, ...of(cause) }) as const)),
    follow: async () => {},
  };
  const of = (cause: Cause | undefined) => (cause === undefined ? {} : { cause });
  const comments: string[] = [];
  const change: typeof world.deps.hostedZones.change = (id, changes, comment) => {
    comments.push(comment);
    return world.deps.hostedZones.change(id, changes, comment);
  };
  const { deps } = watch;
  const context = { ...world.context, queues, log: deps.log };
  const publishDeps = { ...world.deps, queues, hostedZones: { ...world.deps.hostedZones, change } };
  const clock = world.context.clock;
  return {
    ...watch,
    world,
    comments,
    take: (kind: QueueMessage['kind']) => sent.splice(0).filter((message) => message.kind === kind),
    ingest: handleIngest({ ...deps, queues, clock, secrets: async () => [], newId: () => 'made-at-ingest', ...more }),
    reconcile: handleReconcile({ ...deps, context }),
    publish: (...messages: QueueMessage[]) => handlePublish({ ...deps, publishDeps })(batchOf(...messages), INVOCATION),
    report: handleReport({ ...deps, context }),
    sweep: handleSweep({ ...deps, context, ownRoles: [] }),
  };
}

const busEvent = (name: string, kind: Hint['kind'], id: string | undefined, timeMs: number) => ({
  'detail-type': 'changed',
  source: 'zone53.test',
  ...(id === undefined ? {} : { id }),
  time: new Date(timeMs).toISOString(),
  detail: { kind, namespace: 'a', name },
});

describe('the id of an event', () => {
  it('goes from ingest through all queues into every log line and the comment of the batch', async () => {
    const { world, lines, take, ingest, reconcile, publish, report, comments } = chain();
    await ingest(busEvent('e', 'Zone', 'event-of-the-zone', world.clock.ms));
    await reconcile(batchOf(...take('hint')));
    take('publish');
    await ingest(busEvent('www', 'Record', 'event-of-the-record', world.clock.ms));
    const hints = take('hint');
    expect(hints).toMatchObject([{ hint: { correlationId: 'event-of-the-record' } }]);
    lines.length = 0;
    await reconcile(batchOf(...hints));
    const publishes = take('publish');
    expect(publishes).toMatchObject([{ hostedZoneId: 'Z1', cause: { correlationId: 'event-of-the-record' } }]);
    await publish(...publishes);
    expect(comments.some((comment) => comment.endsWith('for event-of-the-record'))).toBe(true);
    const reports = take('report');
    expect(reports.length).toBeGreaterThan(0);
    await report(batchOf(...reports.filter((one) => one.kind === 'report' && one.ref.name === 'www')));
    expect(lines.length).toBeGreaterThan(2);
    for (const line of lines) expect(line).toMatch(/event-of-the-(record|zone)/);
    for (const line of lines) expect(line).toMatch(/"objects":\[[^\]]*"(Record a\/www|Zone a\/e)"/);
  });

  it('is created by ingest if the sender gave none', async () => {
    const { world, take, ingest, lines } = chain();
    await ingest(busEvent('www', 'Record', undefined, world.clock.ms));
    expect(take('hint')).toMatchObject([{ hint: { correlationId: 'made-at-ingest' } }]);
    expect(lines.join()).toContain('made-at-ingest');
  });

  it.each([
    ['cloudwatch-logs', /^[0-9a-f-]{36}$/],
    ['event-bridge.cloud-event', /^[0-9a-f-]{36}$/],
    ['event-bridge.reference', /^[0-9a-f-]{36}$/],
  ])("is the sender's own for %s", async (name, id) => {
    const { take, ingest } = chain();
    await ingest(sample(name));
    for (const message of take('hint')) expect(message.kind === 'hint' && message.hint.correlationId).toMatch(id);
  });

  it('many ids in one batch fill the comment up to the limit of Route 53', async () => {
    const { world, take, reconcile, publish, comments } = chain();
    const names = Array.from({ length: 12 }, (_, index) => `r${index}`);
    for (const name of names) {
      world.cluster.put(
        { kind: 'Record', namespace: 'a', name },
        { domainName: `${name}.e.`, type: 'A', rdata: '192.0.2.1' },
      );
    }
    const hint = (name: string, kind: Hint['kind']): QueueMessage => ({
      kind: 'hint',
      hint: { kind, namespace: 'a', name, correlationId: `0b64b7f2-0000-4000-8000-0000000000-${name}` },
    });
    await reconcile(batchOf(hint('e', 'Zone')));
    await reconcile(batchOf(...names.map((name) => hint(name, 'Record'))));
    await publish({ kind: 'publish', hostedZoneId: 'Z1' });
    take('report');
    expect(Math.max(...comments.map((comment) => comment.length))).toBeLessThanOrEqual(256);
    expect(comments.join()).toContain('-r0');
  });

  it('messages without an id are handled as before', async () => {
    const { world, take, reconcile, publish, report, comments } = chain();
    const old = (body: object) => parseQueueMessage(JSON.stringify({ v: 1, ...body }));
    await reconcile(batchOf(old({ kind: 'hint', hint: { kind: 'Zone', namespace: 'a', name: 'e' } })));
    await reconcile(batchOf(old({ kind: 'hint', hint: { kind: 'Record', namespace: 'a', name: 'www' } })));
    await publish(old({ kind: 'publish', hostedZoneId: 'Z1' }));
    expect(comments.length).toBeGreaterThan(0);
    for (const comment of comments) expect(comment).toMatch(/^zone53 a\/e epoch \d+$/);
    take('hint');
    await report(batchOf(old({ kind: 'report', ref: { kind: 'Record', namespace: 'a', name: 'www' } })));
    expect(world.cluster.statuses.get('Record a/www')?.fqdn).toBe('www.e.');
  });
});

describe('the cause of an event', () => {
  it('goes from ingest into the history, with its time and its user', async () => {
    const { world, take, ingest, reconcile, publish } = chain({ users: true });
    await reconcile(batchOf(hintOf('e', 'Zone')));
    const review = sample('admission-review.create') as { request: { object: object } };
    const request = { ...review.request, name: 'www', namespace: 'a' };
    const beganMs = world.clock.ms;
    await ingest({
      ...{ version: '2.0', rawPath: '/admission', headers: {}, isBase64Encoded: false },
      requestContext: {
        http: { method: 'POST', path: '/admission' },
        authorizer: { iam: { userArn: 'arn:aws:iam::1:role/sender' } },
      },
      body: JSON.stringify({ ...review, request }),
    });
    world.clock.ms += 500;
    await reconcile(batchOf(...take('hint')));
    world.clock.ms += 500;
    await publish({ kind: 'publish', hostedZoneId: 'Z1' });
    const hostedZones = [{ id: 'Z1', name: 'e.' }];
    const asked = { hostedZones, name: 'www.e.', sinceMs: 0, untilMs: 9e12, limit: 9 };
    const { entries } = await findEntries(world.context.ledger, asked);
    expect(entries.map(({ action, cause }) => [action, cause])).toEqual([
      ['create', { kind: 'webhook', atMs: beganMs, user: 'admin', digest: null }],
    ]);
  });
});

describe('the id of a sweep', () => {
  it('is in every line and message of all invocations that work on it, and another in the next sweep', async () => {
    const { world, lines, take, sweep, reconcile, publish, comments } = chain();
    const short = { getRemainingTimeInMillis: () => 60_000 };
    const ids = () => new Set(lines.map((line) => /"correlationId":"(sweep-\d+)"/.exec(line)?.[1] ?? line));
    world.clock.ms += 1_000;
    const id = `sweep-${world.clock.ms}`;
    await sweep(sample('schedule.sweep'), short);
    for (let more = 0; more < 5; more += 1) {
      world.clock.ms += 1_000;
      await sweep(sample('schedule.sweep'), short);
    }
    expect(lines.filter((line) => line.includes('the sweep continues later')).length).toBeGreaterThan(1);
    expect([...ids()]).toEqual([id]);
    const hints = take('hint');
    for (const hint of hints) expect(hint).toMatchObject({ hint: { correlationId: id } });
    await reconcile(batchOf(...hints));
    await publish({ kind: 'publish', hostedZoneId: 'Z1' });
    expect(comments.some((comment) => comment.includes(id))).toBe(true);
    for (let more = 0; more < 20 && !lines.at(-1)?.includes('the sweep is complete'); more += 1)
      await sweep(sample('schedule.sweep'), INVOCATION);
    lines.length = 0;
    world.clock.ms += 3_600_000;
    await sweep(sample('schedule.sweep'), INVOCATION);
    expect([...ids()]).toEqual([`sweep-${world.clock.ms}`]);
  });

  it('is the id of the event if somebody changed a hosted zone', async () => {
    const { world, lines, sweep, reconcile, take } = chain();
    await sweep(sample('schedule.sweep'), INVOCATION);
    await reconcile(batchOf(...take('hint')));
    // biome-ignore lint/suspicious/noExplicitAny: the sample is changed at will
    const event = sample('event-bridge.route53-call') as any;
    event.detail.requestParameters.hostedZoneId = 'Z1';
    event.detail.eventTime = new Date(world.clock.ms + 60_000).toISOString();
    lines.length = 0;
    await sweep(event, INVOCATION);
    const swept = lines.filter((line) => line.includes('swept a hosted zone'));
    expect(swept).toHaveLength(1);
    expect(swept[0]).toContain(`"correlationId":"${event.id}"`);
  });
});

describe('the time of an event', () => {
  it('is the start of PublishLatency, not the dirty mark', async () => {
    const { world, counted, take, ingest, reconcile, publish } = chain();
    await ingest(busEvent('e', 'Zone', undefined, world.clock.ms));
    await reconcile(batchOf(...take('hint')));
    await publish({ kind: 'publish', hostedZoneId: 'Z1' });
    counted.delete('PublishLatency');
    const eventMs = Math.floor(world.clock.ms / 1_000) * 1_000;
    world.clock.ms = eventMs + 3_000;
    await ingest(busEvent('www', 'Record', undefined, eventMs));
    const hints = take('hint');
    world.clock.ms += 1_000;
    await reconcile(batchOf(...hints));
    world.clock.ms += 500;
    await publish({ kind: 'publish', hostedZoneId: 'Z1' });
    expect(counted.get('PublishLatency')).toBe(4_500);
  });

  it.each([
    ['a time in the future counts as now', 60_000, 0],
    ['a time two days ago is ignored', -48 * 3_600_000, undefined],
  ])('%s', async (_title, offsetMs, ageMs) => {
    const { world, take, ingest } = chain();
    await ingest(busEvent('www', 'Record', undefined, world.clock.ms + offsetMs));
    const [message] = take('hint');
    const atMs = message?.kind === 'hint' ? message.hint.atMs : Number.NaN;
    expect(atMs === undefined ? undefined : world.clock.ms - atMs).toBe(ageMs);
  });
});

it('an event without a namespace is refused, because all objects would have to be read', async () => {
  const { take, ingest, counted } = chain();
  await ingest({ 'detail-type': 'changed', source: 'zone53.test', detail: { kind: 'Record' } });
  expect(take('hint')).toEqual([]);
  expect(counted.get('EventsRefused')).toBe(1);
});
