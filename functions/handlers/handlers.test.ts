import { describe, expect, it } from 'vitest';
import type { QueueMessage } from '../../lib/adapters/queues/queue-message.ts';
import type { Cluster } from '../../lib/ports/cluster.ts';
import type { Context } from '../../lib/ports/context.ts';
import type { Hint } from '../../lib/ports/queues.ts';
import { noteSweep } from '../../lib/sweep/last-swept.ts';
import { batchOf, failures, hintOf, sample, watching, worldOfOne } from '../../test/fakes/handler-world.ts';
import { deliverHints, type ReconcileWorld, standingInRoute53 } from '../../test/fakes/reconcile-world.ts';
import { pauseSeconds } from '../runtime/visibility.ts';
import { handleIngest, type IngestDeps } from './handle-ingest.ts';
import { handlePublish } from './handle-publish.ts';
import { handleReconcile } from './handle-reconcile.ts';
import { handleReport } from './handle-report.ts';
import { handleSweep } from './handle-sweep.ts';

/** The same world with a cluster that fails for one object. */
function failingFor(world: ReconcileWorld, name: string): Context {
  const get: Cluster['get'] = (ref, file) =>
    ref.name === name ? Promise.reject(new Error(`no answer for ${name}`)) : world.context.cluster.get(ref, file);
  return { ...world.context, cluster: { ...world.context.cluster, get } };
}

const NOW_MS = Date.parse('2026-11-21T12:00:00Z');
const SECRET = 'current-secret-of-forty-three-characters-xx';
const INVOCATION = { getRemainingTimeInMillis: () => 120_000 };

describe('ingest', () => {
  function ingest(change: Partial<IngestDeps> = {}) {
    const { deps, counted, lines } = watching();
    const sent: Hint[] = [];
    const queues: IngestDeps['queues'] = { hint: async (hints) => void sent.push(...hints) };
    const handle = handleIngest({
      ...deps,
      newId: () => 'made-for-this-event',
      queues,
      secrets: async () => [SECRET, 'previous-secret'],
      clock: { nowMs: () => NOW_MS },
      ...change,
    });
    return { handle, sent, counted, lines };
  }

  function request(rawPath: string, body: unknown, more: { method?: string; headers?: object; iam?: boolean } = {}) {
    return {
      version: '2.0',
      rawPath,
      rawQueryString: 'timeout=3s',
      headers: { authorization: `Bearer ${SECRET}`, 'content-type': 'application/json', ...more.headers },
      requestContext: {
        http: { method: more.method ?? 'POST', path: rawPath },
        ...(more.iam === true ? { authorizer: { iam: { userArn: 'arn:aws:iam::1:role/sender' } } } : {}),
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      isBase64Encoded: false,
    };
  }
  const anonymous = { headers: { authorization: undefined } };

  it.each([
    ['an admission review', '/admission', 'admission-review.update', 200, 1],
    ['an audit list', '/audit', 'audit-event-list.metadata', 200, 2],
    ['a CloudEvent', '/events', 'cloud-event.structured', 202, 1],
  ])('%s by HTTP', async (_title, at, name, status, hints) => {
    const { handle, sent, counted } = ingest();
    const headers = name.startsWith('cloud') ? { 'content-type': 'application/cloudevents+json' } : {};
    const answer = await handle(request(at, sample(name), { headers }));
    expect(answer?.statusCode).toBe(status);
    expect(sent).toHaveLength(hints);
    expect(counted.get('Hints')).toBe(hints);
  });

  it('lets every admission pass, and answers its uid', async () => {
    const { handle } = ingest();
    const answer = await handle(request('/admission', sample('admission-review.create')));
    expect(JSON.parse(answer?.body ?? '')).toMatchObject({
      kind: 'AdmissionReview',
      response: { allowed: true, uid: '05fb07d5-c574-4747-92c8-197613e4dc6e' },
    });
  });

  it.each([
    ['a log batch', 'cloudwatch-logs', 1],
    ['an event of the bus', 'event-bridge.reference', 1],
    ['a CloudEvent on the bus', 'event-bridge.cloud-event', 1],
  ])('%s by IAM', async (_title, name, hints) => {
    const { handle, sent } = ingest();
    expect(await handle(sample(name))).toBeUndefined();
    expect(sent.length).toBeGreaterThanOrEqual(hints);
  });

  it.each([
    ['the secret in the path', `/admission/${SECRET}`, anonymous, 200],
    ['the previous secret', '/admission', { headers: { authorization: 'Bearer previous-secret' } }, 200],
    ['IAM', '/admission', { ...anonymous, iam: true }, 200],
    ['nothing', '/admission', anonymous, 401],
    ['an empty segment', '/admission/', anonymous, 401],
    ['a wrong secret', '/admission/wrong', anonymous, 401],
    ['a prefix of the secret', `/admission/${SECRET.slice(0, -1)}`, anonymous, 401],
    ['no secret on an unknown path', '/', anonymous, 401],
    ['the secret on an unknown path', '/other', {}, 404],
    ['a path that goes on', `/admission/${SECRET}/more`, {}, 404],
    ['another method', '/admission', { method: 'GET' }, 405],
  ])('%s: who may ask what', async (_title, at, more, status) => {
    const { handle, sent, lines } = ingest();
    const answer = await handle(request(at, sample('admission-review.update'), more));
    expect(answer?.statusCode).toBe(status);
    expect(sent).toHaveLength(status === 200 ? 1 : 0);
    expect(lines.join()).not.toContain(SECRET.slice(0, 20));
  });

  it('knows nobody where there is no secret', async () => {
    const { handle } = ingest({ secrets: async () => [] });
    expect((await handle(request('/admission', {})))?.statusCode).toBe(401);
  });

  it.each([
    ['half a body', '/audit', '{', 400],
    ['another kind', '/audit', '{"kind":"List"}', 400],
    ['no CloudEvent', '/events', 'hello', 400],
    ['more than 5 MiB', '/audit', 'x'.repeat(5 * 1024 * 1024 + 1), 413],
  ])('%s is refused, counted and never worth another try', async (_title, at, body, status) => {
    const { handle, sent, counted } = ingest();
    expect((await handle(request(at, body)))?.statusCode).toBe(status);
    expect(sent).toEqual([]);
    expect(counted.get('EventsRefused')).toBe(1);
  });

  it.each([null, 'text', {}, { awslogs: { data: 'no gzip' } }, { 'detail-type': 'x' }])(
    '%j is counted and gone',
    async (event) => {
      const { handle, sent, counted } = ingest();
      expect(await handle(event)).toBeUndefined();
      expect(sent).toEqual([]);
      expect(counted.get('EventsRefused')).toBe(1);
    },
  );

  it('throws when the hints could not be queued, so that the sender tries again', async () => {
    const { handle } = ingest({ queues: { hint: () => Promise.reject(new Error('no queue')) } });
    await expect(handle(sample('cloudwatch-logs'))).rejects.toThrow('no queue');
    await expect(handle(request('/audit', sample('audit-event-list.metadata')))).rejects.toThrow('no queue');
  });
});

describe('reconcile', () => {
  it('reconciles a batch together, reading each object once', async () => {
    const world = worldOfOne();
    const { deps } = watching();
    const handle = handleReconcile({ ...deps, context: world.context });
    const response = await handle(batchOf(hintOf('e', 'Zone'), hintOf('www'), hintOf('www')));
    expect(failures(response)).toEqual([]);
    expect(world.cluster.calls.get).toBeLessThanOrEqual(4);
    expect([...world.queued.publish]).toEqual(['Z1']);
  });

  it('loses only the hint that fails, which comes back soon', async () => {
    const world = worldOfOne();
    const { deps, retried, counted } = watching();
    const handle = handleReconcile({ ...deps, context: failingFor(world, 'bad') });
    const response = await handle(batchOf(hintOf('e', 'Zone'), hintOf('bad'), hintOf('www')));
    expect(failures(response)).toEqual(['m1']);
    expect(retried).toEqual(['m1']);
    expect(counted.get('MessagesFailed')).toBe(1);
    expect([...world.queued.publish]).toEqual(['Z1']);
  });

  it('sends on a publish whose delay is over', async () => {
    const world = worldOfOne();
    const { deps } = watching();
    const handle = handleReconcile({ ...deps, context: world.context });
    expect(failures(await handle(batchOf({ kind: 'publish', hostedZoneId: 'Z9' })))).toEqual([]);
    expect([...world.queued.publish]).toEqual(['Z9']);
  });

  it('measures from the event to its end', async () => {
    const world = worldOfOne();
    const { deps, counted } = watching();
    const handle = handleReconcile({ ...deps, context: world.context });
    const atMs = world.clock.ms - 250;
    await handle(batchOf({ kind: 'hint', hint: { kind: 'Zone', namespace: 'a', name: 'e', atMs } }));
    expect(counted.get('ReconcileLatency')).toBe(250);
  });
});

describe('publish', () => {
  async function reconciled() {
    const world = worldOfOne();
    const watch = watching();
    await handleReconcile({ ...watch.deps, context: world.context })(batchOf(hintOf('e', 'Zone'), hintOf('www')));
    return { world, ...watch };
  }
  const publishZ1: QueueMessage = { kind: 'publish', hostedZoneId: 'Z1' };

  it('publishes a hosted zone once for all its messages in a batch', async () => {
    const { world, deps, counted } = await reconciled();
    const handle = handlePublish({ ...deps, publishDeps: world.deps });
    expect(failures(await handle(batchOf(publishZ1, publishZ1, publishZ1), INVOCATION))).toEqual([]);
    expect(world.route53.calls.filter(({ method }) => method === 'change')).toHaveLength(2);
    expect(standingInRoute53(world).join()).toContain('www.e.');
    expect(counted.get('Changes')).toBe(2); // the record, and the SOA's timers
    expect(counted.get('PublishLatency')).toBe(0);
  });

  it('comes back later where another run holds the lease: nothing failed', async () => {
    const { world, deps } = await reconciled();
    const later: [string, number][] = [];
    const queues = { ...world.deps.queues, publish: async (id: string, s = 0) => void later.push([id, s]) };
    const slow = handlePublish({ ...deps, publishDeps: { ...world.deps, queues } });
    const blocked = handlePublish({
      ...deps,
      publishDeps: {
        ...world.deps,
        queues,
        hostedZones: {
          ...world.deps.hostedZones,
          change: async (id, changes, comment) => {
            expect(failures(await slow(batchOf(publishZ1), INVOCATION))).toEqual([]);
            return world.deps.hostedZones.change(id, changes, comment);
          },
        },
      },
    });
    await blocked(batchOf(publishZ1), INVOCATION);
    // Once for each batch of the run that held it.
    expect(later.filter(([, seconds]) => seconds > 0)).toEqual([
      ['Z1', 5],
      ['Z1', 5],
    ]);
    expect(standingInRoute53(world).join()).toContain('www.e.');
  });

  it('a failure takes the rest of its group along, and leaves the other groups alone', async () => {
    const { world, deps, retried } = await reconciled();
    const ledger: typeof world.ledger = {
      ...world.ledger,
      get: (key) => (key.sort === 'Z7' ? Promise.reject(new Error('no answer')) : world.ledger.get(key)),
    };
    const handle = handlePublish({ ...deps, publishDeps: { ...world.deps, ledger } });
    const publishZ7: QueueMessage = { kind: 'publish', hostedZoneId: 'Z7' };
    const response = await handle(batchOf(publishZ7, publishZ1, publishZ7), INVOCATION);
    expect(failures(response)).toEqual(['m0', 'm2']);
    expect(retried).toEqual(['m0', 'm2']);
    expect(standingInRoute53(world).join()).toContain('www.e.');
  });

  it('lets go of a hosted zone that the ledger does not know', async () => {
    const { world, deps, lines } = await reconciled();
    const handle = handlePublish({ ...deps, publishDeps: world.deps });
    expect(failures(await handle(batchOf({ kind: 'publish', hostedZoneId: 'Z404' }), INVOCATION))).toEqual([]);
    expect(lines.join()).toContain('the ledger knows no such hosted zone');
  });
});

describe('report', () => {
  it('reports each object once, and loses only what fails', async () => {
    const world = worldOfOne();
    const { deps } = watching();
    await handleReconcile({ ...deps, context: world.context })(batchOf(hintOf('e', 'Zone'), hintOf('www')));
    const refuse: Cluster['report'] = (ref, ...rest) =>
      ref.kind === 'Zone' ? Promise.reject(new Error('forbidden')) : world.context.cluster.report(ref, ...rest);
    const context = { ...world.context, cluster: { ...world.context.cluster, report: refuse } };
    const of = (kind: 'Zone' | 'Record', name: string): QueueMessage => ({
      kind: 'report',
      ref: { kind, namespace: 'a', name },
    });
    const response = await handleReport({ ...deps, context })(
      batchOf(of('Zone', 'e'), of('Record', 'www'), of('Record', 'www')),
    );
    expect(failures(response)).toEqual(['m0']);
    expect(world.cluster.statuses.get('Record a/www')?.fqdn).toBe('www.e.');
    expect(world.cluster.calls.report).toBe(1);
  });
});

describe('sweep', () => {
  async function swept() {
    const world = worldOfOne();
    const watch = watching();
    const context = { ...world.context, log: watch.deps.log };
    const handle = handleSweep({ ...watch.deps, context, ownRoles: ['arn:aws:iam::1:role/Publisher'] });
    await handle(sample('schedule.sweep'), INVOCATION);
    await deliverHints(world);
    return { world, handle, ...watch };
  }
  // biome-ignore lint/suspicious/noExplicitAny: the sample is changed at will
  function driftOf(hostedZoneId: string, eventTime: string): any {
    // biome-ignore lint/suspicious/noExplicitAny: the sample is changed at will
    const event = sample('event-bridge.route53-call') as any;
    Object.assign(event.detail, { eventTime });
    event.detail.requestParameters.hostedZoneId = hostedZoneId;
    return event;
  }
  const sweeps = (lines: readonly string[]) => lines.filter((line) => line.includes('swept a hosted zone')).length;

  it('compares everything and measures its age and what waits', async () => {
    const { world, handle, counted, lines } = await swept();
    expect([...world.queued.publish]).toEqual(['Z1']);
    expect(sweeps(lines)).toBe(1);
    world.clock.ms += 90_000;
    await handle(sample('schedule.measure'), INVOCATION);
    expect(Object.fromEntries(counted)).toMatchObject({ DirtyNames: 2, OldestDirty: 90, SweepAge: 90, HeldDeletes: 0 });
  });

  it('carries on with a sweep that did not fit one invocation whenever the schedule comes', async () => {
    const { world, handle, counted, lines } = await swept();
    world.clock.ms += 90_000;
    const short = { getRemainingTimeInMillis: () => 60_000 };
    await handle(sample('schedule.sweep'), short);
    const left = () => lines.filter((line) => line.includes('is carried on later')).length;
    let pieces = 1;
    for (; left() === pieces && pieces < 20; pieces += 1) await handle(sample('schedule.measure'), short);
    expect(pieces).toBeGreaterThan(3);
    // Every measurement until then saw the sweep of 90 seconds ago, and the one after it this sweep.
    expect(counted.get('SweepAge')).toBe((pieces - 1) * 90);
    await handle(sample('schedule.measure'), short);
    expect(counted.get('SweepAge')).toBe((pieces - 1) * 90);
    expect(sweeps(lines)).toBe(2);
  });

  it('looks at the hosted zone that somebody changed, once for all hints that waited', async () => {
    const { world, handle, lines } = await swept();
    const after = new Date(world.clock.ms + 1_000).toISOString();
    world.clock.ms += 5_000;
    await handle(driftOf('Z1', after), INVOCATION);
    expect(sweeps(lines)).toBe(2);
    await handle(driftOf('Z1', after), INVOCATION);
    expect(sweeps(lines)).toBe(2);
  });

  it('leaves a hosted zone that is too large for one invocation to the sweep of all, which is carried on', async () => {
    const { world, handle, lines } = await swept();
    for (let index = 0; index < 400; index += 1) {
      const content = { kind: 'values', ttlSeconds: 60, values: ['192.0.2.9'] } as const;
      world.route53.edit('Z1', { name: `r${index}.e.`, type: 'A', setIdentifier: null }, content);
    }
    const after = new Date(world.clock.ms + 1_000).toISOString();
    world.clock.ms += 5_000;
    const short = { getRemainingTimeInMillis: () => 60_000 };
    await handle(driftOf('Z1', after), short);
    expect(lines.join()).toContain('too large for one look');
    for (let more = 0; more < 20; more += 1) await handle(sample('schedule.measure'), short);
    expect(lines.filter((line) => line.includes('came to its end'))).toHaveLength(2);
  });

  it('does not look at a hosted zone that is none of ours, nor after our own changes', async () => {
    const { world, handle, lines } = await swept();
    const after = new Date(world.clock.ms + 1_000).toISOString();
    await handle(driftOf('Z404', after), INVOCATION);
    const own = driftOf('Z1', after);
    own.detail.userIdentity.sessionContext.sessionIssuer.arn = 'arn:aws:iam::1:role/Publisher';
    await handle(own, INVOCATION);
    expect(sweeps(lines)).toBe(1);
  });

  it('counts and drops what is no event of its own, and throws when it could not sweep', async () => {
    const { world, handle, counted } = await swept();
    await handle({ hello: 1 }, INVOCATION);
    expect(counted.get('EventsRefused')).toBe(1);
    const { deps } = watching();
    const listPage: Cluster['listPage'] = () => Promise.reject(new Error('no list'));
    const context = { ...world.context, cluster: { ...world.context.cluster, listPage } };
    const sick = handleSweep({ ...deps, context, ownRoles: [] });
    await expect(sick(sample('schedule.sweep'), INVOCATION)).rejects.toThrow('no list');
  });

  it('a note of an earlier look never takes back a later one', async () => {
    const { world, handle, counted } = await swept();
    const note = { hostedZoneId: 'Z1', beganMs: world.clock.ms - 60_000, whole: true };
    await noteSweep(world.ledger, 'default', note);
    await handle(sample('schedule.measure'), INVOCATION);
    expect(counted.get('SweepAge')).toBe(0);
  });
});

describe('pauseSeconds()', () => {
  it.each([
    [1, 2],
    [2, 4],
    [5, 32],
    [12, 300],
    [Number.NaN, Number.NaN],
  ])('after %i receives: %i', (receives, seconds) => {
    expect(pauseSeconds(receives)).toBe(seconds);
  });
});
