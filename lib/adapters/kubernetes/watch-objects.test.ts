import { describe, expect, it } from 'vitest';
import { kindsOf } from '../../objects/source.ts';
import type { Hint } from '../../ports/queues.ts';
import { DNS_ENDPOINT } from '../../sources/external-dns/dns-endpoint.ts';
import { RECORD } from '../../sources/kubizone/parse-record.ts';
import { servedKinds } from './discover-kinds.ts';
import { KubernetesError, type KubernetesRequest, unreachableError } from './http/kubernetes-error.ts';
import type { KubernetesTransport } from './http/transport.ts';
import { kubernetesCluster } from './kubernetes-cluster.ts';
import { watchKubernetes } from './watch-objects.ts';

/** The lines of a watch; one that begins with an error is refused. */
type Script = readonly (string | Error)[];

/** A server that plays one script for each watch of Records and then ends the test. Zones never change. */
async function play(scripts: readonly Script[]) {
  const hints: Hint[] = [];
  const problems: (string | null)[] = [];
  const from: string[] = [];
  const stop = new AbortController();
  let version = 100;
  const transport: KubernetesTransport = {
    requests: { count: 0 },
    close: () => {},
    send: async ({ path }: KubernetesRequest) => {
      version += 100;
      const kind = path.endsWith('zones') ? 'ZoneList' : 'RecordList';
      return { kind, items: [], metadata: { resourceVersion: String(version) } };
    },
    async *lines({ path, query }: KubernetesRequest, _idleMs: number, signal: AbortSignal, onOpen = () => {}) {
      if (path.endsWith('zones')) {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        return;
      }
      const script = scripts[from.length];
      from.push(query?.resourceVersion ?? '');
      if (script === undefined) {
        stop.abort();
        return;
      }
      if (!(script[0] instanceof Error)) onOpen();
      for (const step of script) {
        if (step instanceof Error) throw step;
        yield step;
      }
    },
  };
  await watchKubernetes({
    kinds: kindsOf([RECORD]),
    transport,
    signal: stop.signal,
    onHints: (more) => hints.push(...more.filter(({ kind }) => kind === 'Record')),
    onProblem: (problem) => problems.push(problem),
    ownWrites: { has: (_ref, resourceVersion) => resourceVersion === '999' },
  });
  return { names: hints.map(({ name }) => name), problems, from };
}

const event = (type: string, name: string | undefined, resourceVersion: string) =>
  JSON.stringify({ type, object: { kind: 'Record', metadata: { namespace: 'n', name, resourceVersion } } });
const gone = JSON.stringify({
  type: 'ERROR',
  object: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' },
});

describe('watchKubernetes()', () => {
  it('continues after the last event or bookmark', async () => {
    const { names, from, problems } = await play([
      [event('ADDED', 'a', '301'), event('MODIFIED', 'b', '302')],
      [event('BOOKMARK', undefined, '350')],
      [event('DELETED', 'a', '351')],
    ]);
    expect([names, problems]).toEqual([[null, 'a', 'b', 'a'], []]);
    expect(from.slice(1)).toEqual(['302', '350', '351']);
  });

  it.each([
    ['as an event', gone],
    ['as an answer', new KubernetesError('Cannot watch records: 410: too old', { status: 410 })],
  ])('starts again from now, with a hint at everything, after a 410 that comes %s', async (_title, step) => {
    const { names, from, problems } = await play([[event('ADDED', 'a', '301'), step], [event('ADDED', 'b', '500')]]);
    expect([names, problems]).toEqual([[null, 'a', null, 'b'], []]);
    expect(from[1]).toBe('400');
  });

  it('makes no hint for our own write, but makes one for the deletion of its object', async () => {
    const { names } = await play([[event('MODIFIED', 'ours', '999'), event('DELETED', 'ours', '999')]]);
    expect(names).toEqual([null, 'ours']);
  });

  it.each([
    ['is refused', [new KubernetesError('Cannot watch records: 403: forbidden', { status: 403 })], 1],
    ['ends at once', [], 3],
    ['is answered 410 as an event', [gone], 0],
  ])('pauses longer each time while a watch %s', async (_title, script, told) => {
    const begunMs = performance.now();
    const { problems, from } = await play([script, script, script, [event('ADDED', 'b', '900')]]);
    expect(performance.now() - begunMs).toBeGreaterThan(250 + 500 + 1_000 - 50);
    expect(from).toHaveLength(5);
    // A watch that was open has worked for a moment.
    expect(problems.filter((problem) => problem !== null)).toHaveLength(told);
    expect(problems.at(-1) ?? null).toBeNull();
  });

  it('reports each failed try once, and reports that the watch works again', async () => {
    const lost = new KubernetesError('Cannot watch records: connection lost', { status: null });
    const { names, problems, from } = await play([
      [event('ADDED', 'a', '301'), lost],
      ['no json'],
      [event('ADDED', 'b', '302')],
    ]);
    expect(names).toEqual([null, 'a', 'b']);
    expect(problems[0]).toContain('connection lost');
    expect(problems.at(-1)).toBeNull();
    expect(problems.join()).toContain('a line is not JSON: "no json"');
    expect(from.slice(1, 3)).toEqual(['301', '301']);
  });
});

it('reports once for all kinds that the server is away, and once that all are watched again', async () => {
  const stop = new AbortController();
  const problems: (string | null)[] = [];
  const rule = { group: '', resource: 'x', verb: 'watch' };
  const lost = unreachableError(
    { action: 'watch x', method: 'GET', path: '/', rule },
    'https://a',
    new Error('aborted'),
  );
  const busy = new KubernetesError('Cannot watch x: 429: storage is (re)initializing', { status: 429 });
  const tries = new Map<string, number>();
  const transport: KubernetesTransport = {
    requests: { count: 0 },
    close: () => {},
    send: async ({ path }: KubernetesRequest) => {
      const kind = path.endsWith('zones') ? 'ZoneList' : 'RecordList';
      return { kind, items: [], metadata: { resourceVersion: '7' } };
    },
    async *lines({ path }: KubernetesRequest, _idleMs: number, signal: AbortSignal, onOpen = () => {}) {
      const count = (tries.get(path) ?? 0) + 1;
      tries.set(path, count);
      if (count === 1) throw lost;
      if (count === 2) throw busy;
      onOpen();
      if (problems.at(-1) === null) stop.abort();
      else await new Promise((resolve) => signal.addEventListener('abort', resolve));
      yield* [];
    },
  };
  const onProblem = (problem: string | null) => problems.push(problem);
  await watchKubernetes({ kinds: kindsOf([RECORD]), transport, signal: stop.signal, onHints: () => {}, onProblem });
  expect(problems).toEqual([lost.message, null]);
});

it('what a watch finds again is listed, also just after an object of it was read in vain', async () => {
  const stop = new AbortController();
  let nowMs = 0;
  let isThere = false;
  const kind = DNS_ENDPOINT;
  const group = `/apis/${kind.group}`;
  const answers: Readonly<Record<string, unknown>> = {
    [group]: { preferredVersion: { version: 'v1' }, versions: [{ version: 'v1' }] },
    [`${group}/v1`]: { resources: [{ name: kind.resource }] },
    [`${group}/v1/${kind.resource}`]: { kind: `${kind.kind}List`, items: [], metadata: { resourceVersion: '7' } },
  };
  const transport: KubernetesTransport = {
    requests: { count: 0 },
    close: () => {},
    send: async ({ path }) => {
      if (!isThere || answers[path] === undefined) throw new KubernetesError(`404: ${path}`, { status: 404 });
      return answers[path];
    },
    // biome-ignore lint/correctness/useYield: it ends the test
    async *lines() {
      stop.abort();
    },
  };
  const clock = { nowMs: () => nowMs };
  const served = servedKinds(transport, clock);
  const cluster = kubernetesCluster({ clusterId: 'default', kinds: [kind], transport, clock, served });
  expect(await cluster.get({ kind: kind.kind, namespace: 'a', name: 'www' }, null)).toMatchObject({ kind: 'unknown' });
  isThere = true;
  const listed: Promise<unknown>[] = [];
  const onHints = (hints: readonly Hint[]) => {
    for (const hint of hints) listed.push(cluster.listPage(hint.kind, hint.namespace, null));
  };
  const onProblem = () => {
    nowMs += 5_000;
  };
  await watchKubernetes({ kinds: [kind], served, transport, signal: stop.signal, onHints, onProblem });
  expect(await Promise.all(listed)).toEqual([{ objects: [], next: null, unreadable: new Set() }]);
});
