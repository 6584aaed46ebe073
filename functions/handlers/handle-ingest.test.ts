import { describe, expect, it } from 'vitest';
import type { Hint } from '../../lib/ports/queues.ts';
import { sample, watching } from '../../test/fakes/handler-world.ts';
import { handleIngest, type IngestDeps } from './handle-ingest.ts';

const NOW_MS = Date.parse('2026-11-21T12:00:00Z');
const SECRET = 'current-secret-of-forty-three-characters-xx';

describe('ingest', () => {
  function ingest(change: Partial<IngestDeps> = {}) {
    const { deps, counted, lines } = watching();
    const sent: Hint[] = [];
    const queues: IngestDeps['queues'] = { hint: async (hints) => void sent.push(...hints) };
    const handle = handleIngest({
      ...deps,
      newId: () => 'made-for-this-event',
      queues,
      secrets: async () => [SECRET, 'previous-secret', 'of/one %'],
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
  /** What a load balancer makes of a POST (its user guide, "Receive events from the load balancer"). */
  function balanced(headers: object, isBase64Encoded = false) {
    const body = JSON.stringify(sample('admission-review.update'));
    return {
      requestContext: { elb: { targetGroupArn: 'arn:aws:elasticloadbalancing:eu-west-1:1:targetgroup/zone53/1' } },
      httpMethod: 'POST',
      path: '/admission',
      queryStringParameters: { timeout: '3s' },
      ...headers,
      body: isBase64Encoded ? Buffer.from(body).toString('base64') : body,
      isBase64Encoded,
    };
  }
  const anonymous = { headers: { authorization: undefined } };

  it('takes a body with a byte order mark', async () => {
    const { handle, sent } = ingest();
    const body = `\uFEFF${JSON.stringify(sample('admission-review.update'))}`;
    const answer = await handle(request('/admission', body));
    expect(answer?.statusCode).toBe(200);
    expect(sent).toHaveLength(1);
  });

  it.each([
    [
      'an HTTP API',
      request('/admission', sample('admission-review.update'), { headers: { via: 'HTTP/1.1 AmazonAPIGateway' } }),
    ],
    ['a load balancer', balanced({ headers: { Authorization: `Bearer ${SECRET}` } })],
    [
      'a load balancer with multi-value headers',
      balanced({ multiValueHeaders: { authorization: [`Bearer ${SECRET}`] } }),
    ],
    ['a load balancer, the body in base64', balanced({ headers: { authorization: `Bearer ${SECRET}` } }, true)],
    ['a load balancer, the secret in the path', { ...balanced({ headers: {} }), path: `/admission/${SECRET}` }],
  ])('takes an event through %s', async (_title, event) => {
    const { handle, sent } = ingest();
    expect((await handle(event))?.statusCode).toBe(200);
    expect(sent).toMatchObject([{ kind: 'Record', name: expect.any(String) }]);
  });

  it('refuses a load balancer that forwards a request without the secret, and trusts no header about IAM', async () => {
    const { handle, sent, counted } = ingest();
    const headers = { 'x-amzn-iam': 'arn:aws:iam::1:role/sender', authorization: 'Bearer wrong' };
    expect((await handle(balanced({ headers })))?.statusCode).toBe(401);
    expect([sent, counted.get('EventsRefused')]).toEqual([[], 1]);
  });

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

  it.each([
    ['/admission', 'admission-review.update', {}, 'webhook', 'admin'],
    ['/audit', 'audit-event-list.metadata', {}, 'audit', 'admin'],
    ['/events', 'cloud-event.structured', { 'content-type': 'application/cloudevents+json' }, 'watch', undefined],
    [null, 'cloudwatch-logs', {}, 'audit', expect.stringContaining('')],
    [null, 'event-bridge.reference', {}, 'watch', undefined],
    [null, 'event-bridge.cloud-event', {}, 'watch', undefined],
  ])(
    'says how the event came (%s %s), and by whom only if the history names users',
    async (at, name, headers, via, user) => {
      for (const users of [true, false]) {
        const { handle, sent } = ingest({ users });
        await handle(at === null ? sample(name) : request(at, sample(name), { headers }));
        expect(sent.length).toBeGreaterThan(0);
        for (const hint of sent) expect([hint.via, hint.user]).toEqual([via, users ? user : undefined]);
      }
    },
  );

  it('logs the objects that an event is about, 20 of them', async () => {
    const { handle, lines } = ingest();
    const list = sample('audit-event-list.metadata') as { items: { verb: string; objectRef: object }[] };
    const event = list.items.find(({ verb }) => verb === 'patch');
    const of = (change: object) => ({ ...event, objectRef: { ...event?.objectRef, ...change } });
    const many = Array.from({ length: 30 }, (_, index) => of({ name: `r${index}` }));
    await handle(request('/audit', { ...list, items: [{ ...of({}), verb: 'deletecollection' }, ...many] }));
    const said = lines.find((line) => line.includes('hints queued')) ?? '';
    expect(said).toMatch(/"hints":31,"objects":\["(Zone|Record) [^"]+\/\*","(Zone|Record) [^"]+\/r0",/);
    expect(said.match(/\/(r\d+|\*)"/g)).toHaveLength(20);
  });

  it('allows every admission, and answers with its uid', async () => {
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
    ['a secret with a slash, as it was sent', '/admission/of%2Fone%20%25', anonymous, 200],
    ['a secret with a slash that was unescaped on the way', '/admission/of/one %', anonymous, 200],
    ['half of a secret with a slash', '/admission/of', anonymous, 401],
    ['the previous secret', '/admission', { headers: { authorization: 'Bearer previous-secret' } }, 200],
    ['IAM', '/admission', { ...anonymous, iam: true }, 200],
    ['nothing', '/admission', anonymous, 401],
    ['an empty segment', '/admission/', anonymous, 401],
    ['a wrong secret', '/admission/wrong', anonymous, 401],
    ['a prefix of the secret', `/admission/${SECRET.slice(0, -1)}`, anonymous, 401],
    ['no secret on an unknown path', '/', anonymous, 401],
    ['the secret on an unknown path', '/other', {}, 404],
    ['a longer path', `/admission/${SECRET}/more`, {}, 404],
    ['another method', '/admission', { method: 'GET' }, 405],
  ])('%s: the status of the answer', async (_title, at, more, status) => {
    const { handle, sent, lines } = ingest();
    const answer = await handle(request(at, sample('admission-review.update'), more));
    expect(answer?.statusCode).toBe(status);
    expect(sent).toHaveLength(status === 200 ? 1 : 0);
    expect(lines.join()).not.toContain(SECRET.slice(0, 20));
  });

  it('counts a hint as lost if an API server sends another secret, but not for a stranger', async () => {
    const { handle, counted } = ingest();
    const from = (agent: string) => ({ headers: { authorization: undefined, 'user-agent': agent } });
    await handle(request('/admission/old', {}, from('Mozilla/5.0')));
    await handle(request('/audit/old', {}, from('kube-apiserver-audit')));
    expect(counted.get('HintsLost')).toBeUndefined();
    await handle(request('/admission/old', {}, from('kube-apiserver-admission')));
    expect(counted.get('HintsLost')).toBe(1);
  });

  it('counts hints as lost if the audit webhook of an API server is refused, which drops its batch in the end', async () => {
    const { handle, counted } = ingest();
    // The user agent that kube-apiserver 1.36 gives there.
    await handle(
      request('/audit/old', {}, { headers: { authorization: undefined, 'user-agent': 'Go-http-client/1.1' } }),
    );
    expect(counted.get('HintsLost')).toBe(1);
    const many = { ...(sample('audit-event-list.metadata') as object), items: Array(1_001).fill({}) };
    expect((await handle(request('/audit', many)))?.statusCode).toBe(413);
    expect(counted.get('HintsLost')).toBe(2);
    expect((await handle(request('/audit', 'x'.repeat(5 * 1024 * 1024 + 1))))?.statusCode).toBe(413);
    expect((await handle(request('/audit', '{')))?.statusCode).toBe(400);
    expect(counted.get('HintsLost')).toBe(4);
    await handle(request('/events', 'hello'));
    await handle(
      request('/events/old', {}, { headers: { authorization: undefined, 'user-agent': 'Go-http-client/1.1' } }),
    );
    expect(counted.get('HintsLost')).toBe(4);
  });

  it('logs one line a minute about unknown senders, and counts them all', async () => {
    const clock = { nowMs: () => nowMs };
    let nowMs = NOW_MS;
    const { handle, lines, counted } = ingest({ clock });
    for (nowMs = NOW_MS; nowMs < NOW_MS + 120_000; nowMs += 1_000) await handle(request('/admission/x', {}, anonymous));
    expect(counted.get('EventsRefused')).toBe(120);
    const said = lines.filter((line) => line.includes('401: the sender is not known'));
    expect(said).toHaveLength(2);
    expect(said[1]).toContain('"count":60');
    await handle(request('/audit', '{', {}));
    await handle(request('/audit', '{', {}));
    expect(lines.filter((line) => line.includes('400: '))).toHaveLength(2);
  });

  it('accepts no sender if there is no secret', async () => {
    const { handle } = ingest({ secrets: async () => [] });
    expect((await handle(request('/admission', {})))?.statusCode).toBe(401);
  });

  it.each([
    ['a body that is cut off', '/audit', '{', 400],
    ['another kind', '/audit', '{"kind":"List"}', 400],
    ['not a CloudEvent', '/events', 'hello', 400],
    ['more than 5 MiB', '/audit', 'x'.repeat(5 * 1024 * 1024 + 1), 413],
    [
      '1,001 audit events',
      '/audit',
      { ...(sample('audit-event-list.metadata') as object), items: Array(1_001).fill({}) },
      413,
    ],
  ])('%s is refused and counted, with a status that is not tried again', async (_title, at, body, status) => {
    const { handle, sent, counted } = ingest();
    expect((await handle(request(at, body)))?.statusCode).toBe(status);
    expect(sent).toEqual([]);
    expect(counted.get('EventsRefused')).toBe(1);
  });

  it('1,001 CloudEvents in one batch are refused, and 1,000 are not', async () => {
    const headers = { 'content-type': 'application/cloudevents-batch+json' };
    const events = (count: number) => Array(count).fill(sample('cloud-event.structured'));
    const { handle, sent } = ingest();
    expect((await handle(request('/events', events(1_001), { headers })))?.statusCode).toBe(413);
    expect(sent).toEqual([]);
    expect((await handle(request('/events', events(1_000), { headers })))?.statusCode).toBe(202);
    expect(sent).toHaveLength(1);
  });

  it.each([
    ['a name with a slash', 'team-a', 'a/b'],
    ['a name in upper case', 'team-a', 'WWW'],
    ['a name of 254 characters', 'team-a', 'a'.repeat(254)],
    ['a name with a line break', 'team-a', 'a\nb'],
    ['a namespace with a dot', 'team.a', 'www'],
    ['a namespace of 64 characters', 'a'.repeat(64), 'www'],
    ['no namespace', null, 'www'],
  ])('an event with %s is counted, and causes no read', async (_title, namespace, name) => {
    const { handle, sent, counted } = ingest();
    const data = { apiVersion: 'kubi.zone/v1alpha1', kind: 'Record', namespace, name };
    const event = { specversion: '1.0', id: '1', source: 's', type: 't', data };
    const headers = { 'content-type': 'application/cloudevents+json' };
    await handle(request('/events', event, { headers }));
    expect(sent).toEqual([]);
    expect(counted.get('EventsRefused')).toBe(1);
  });

  it('counts all problems of a request, and notes 20 of them', async () => {
    const { handle, counted, lines } = ingest();
    const data = (index: number) => ({
      apiVersion: 'kubi.zone/v1alpha1',
      kind: 'Record',
      namespace: 'x',
      name: `NO-${index}`,
    });
    const events = Array.from({ length: 500 }, (_, index) => ({
      specversion: '1.0',
      id: '1',
      source: 's',
      type: 't',
      data: data(index),
    }));
    await handle(request('/events', events, { headers: { 'content-type': 'application/cloudevents-batch+json' } }));
    expect(counted.get('EventsRefused')).toBe(500);
    expect(lines.join().match(/NO-/g)).toHaveLength(20);
  });

  it.each([null, 'text', {}, { awslogs: { data: 'no gzip' } }, { 'detail-type': 'x' }])(
    '%j is counted and dropped',
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
