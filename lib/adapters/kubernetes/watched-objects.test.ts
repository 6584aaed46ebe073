// The requests that a watch in the same process saves: a change that it has shown is not read again, not even for the
// report. What is uncertain is read.
import { describe, expect, it } from 'vitest';
import { kindsOf } from '../../objects/source.ts';
import type { ObjectStatus } from '../../ports/cluster.ts';
import type { Hint } from '../../ports/queues.ts';
import { RECORD } from '../../sources/kubizone/parse-record.ts';
import { KubernetesError, type KubernetesRequest } from './http/kubernetes-error.ts';
import type { KubernetesTransport } from './http/transport.ts';
import { kubernetesCluster } from './kubernetes-cluster.ts';
import { watchKubernetes } from './watch-objects.ts';
import { rememberWatched } from './watched-objects.ts';

const WWW = { kind: 'Record', namespace: 'n', name: 'www' };
const OLDER = { uid: 'u1', version: '3' };
const STATUS: ObjectStatus = { fqdn: 'www.example.org.', parent: null, conditions: [] };

type Shown = { readonly version: string; readonly uid?: string; readonly padding?: string };

function recordOf({ version, uid = 'u1', padding = '' }: Shown) {
  return {
    kind: 'Record',
    metadata: { ...WWW, uid, creationTimestamp: '2026-01-01T00:00:00Z', generation: 1, resourceVersion: version },
    spec: { padding },
  };
}

const shows = (shown: Shown, type = 'MODIFIED') => JSON.stringify({ type, object: recordOf(shown) });

/** A cluster whose watch has shown these events. The API server has version 9, and refuses a write of any other. */
async function afterEvents(events: readonly string[]) {
  const watched = rememberWatched();
  const stop = new AbortController();
  const sent: string[] = [];
  const hints: Hint[] = [];
  let begun = false;
  const transport: KubernetesTransport = {
    requests: { count: 0 },
    close: () => {},
    send: async ({ method, path, body }: KubernetesRequest) => {
      if (!path.includes('/www')) return { kind: 'RecordList', items: [], metadata: { resourceVersion: '1' } };
      sent.push(method);
      if (method === 'GET') return recordOf({ version: '9' });
      const { metadata } = body as { readonly metadata: { readonly resourceVersion: string } };
      if (metadata.resourceVersion !== '9') throw new KubernetesError('changed', { status: 409, reason: 'Conflict' });
      return { ...recordOf({ version: '10' }), status: {} };
    },
    async *lines({ path }: KubernetesRequest, _idleMs: number, signal: AbortSignal) {
      if (path.endsWith('records') && !begun) {
        begun = true;
        yield* events;
        stop.abort();
      }
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
    },
  };
  const kinds = kindsOf([RECORD]);
  const watch = { kinds, transport, signal: stop.signal, onProblem: () => {}, watched };
  await watchKubernetes({
    ...watch,
    onHints: (more) => hints.push(...more),
    ownWrites: { has: (_, own) => own === '8' },
  });
  const cluster = kubernetesCluster({ clusterId: 'c', kinds, transport, clock: { nowMs: () => 0 }, watched });
  return { cluster, sent, hints };
}

describe('rememberWatched()', () => {
  it('answers who knows an older version, once, and who knows none reads', async () => {
    const { cluster, sent } = await afterEvents([shows({ version: '4' }), shows({ version: '5' })]);
    expect(await cluster.get(WWW, null, OLDER)).toMatchObject({ kind: 'present', object: { version: '5', ref: WWW } });
    expect(sent).toEqual([]);
    expect(await cluster.get(WWW, null, OLDER)).toMatchObject({ object: { version: '9' } });
    expect(await (await afterEvents([shows({ version: '5' })])).cluster.get(WWW, null)).toMatchObject({
      object: { version: '9' },
    });
  });

  it.each([
    ['is not newer than what is known', [shows({ version: '3' })]],
    ['is of another object', [shows({ version: '5', uid: 'u2' })]],
    ['was deleted', [shows({ version: '5' }), shows({ version: '6' }, 'DELETED')]],
    ['was shown after our own write only', [shows({ version: '8' })]],
    ['is large', [shows({ version: '5', padding: 'x'.repeat(20_000) })]],
  ])('has what %s read', async (_, events) => {
    const { cluster, sent } = await afterEvents(events);
    expect(await cluster.get(WWW, null, OLDER)).toMatchObject({ object: { version: '9' } });
    expect(sent).toEqual(['GET']);
  });

  it('lets a report be one request, and more if the object has changed since', async () => {
    const shown = await afterEvents([shows({ version: '9' })]);
    await shown.cluster.get(WWW, null, OLDER);
    await shown.cluster.report(WWW, STATUS, STATUS);
    expect(shown.sent).toEqual(['PATCH']);
    const changed = await afterEvents([shows({ version: '5' })]);
    await changed.cluster.report(WWW, STATUS, STATUS);
    expect(changed.sent).toEqual(['PATCH', 'GET', 'PATCH']);
  });
});
