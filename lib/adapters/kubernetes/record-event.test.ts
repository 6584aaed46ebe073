import { describe, expect, it } from 'vitest';
import { ZONE_KIND } from '../../objects/kind.ts';
import { type Mapping, mapping } from '../../objects/plain.ts';
import { KubernetesError, type KubernetesRequest } from './http/kubernetes-error.ts';
import type { KubernetesTransport } from './http/transport.ts';
import { recordEvent } from './record-event.ts';

const TOLD = { type: 'Accepted', status: 'True', reason: 'Root', message: 'allowed by roots' } as const;
const SUBJECT = { kind: ZONE_KIND, ref: { kind: 'Zone', namespace: 'n', name: 'z' }, metadata: { uid: 'u' } };
const EXISTS = new KubernetesError('409: events "z.1" already exists', { status: 409 });

/** Records an Event at an API server that answers a creation and a patch so. */
function recorded(created: Error | null, patched: Error | null = null): Promise<void> {
  const transport: KubernetesTransport = {
    requests: { count: 0 },
    lines: async function* () {},
    close: () => {},
    send: async ({ method }: KubernetesRequest) => {
      const error = method === 'POST' ? created : patched;
      if (error !== null) throw error;
      return { metadata: { resourceVersion: '1' } };
    },
  };
  return recordEvent(transport, 'c', SUBJECT, TOLD, 0);
}

describe('recordEvent()', () => {
  it.each([
    [
      'a namespace that is being deleted',
      403,
      'unable to create new content in namespace n because it is being terminated',
    ],
    [
      'a quota of Events',
      403,
      'events.events.k8s.io "z.1" is forbidden: exceeded quota: few, requested: count/events.events.k8s.io=1',
    ],
    ['the admission plugin EventRateLimit', 429, 'limit reached on type Namespace for key n'],
  ])('leaves out an Event that is refused by %s', async (_title, status, message) => {
    await recorded(new KubernetesError(message, { status }));
    await recorded(EXISTS, new KubernetesError(message, { status }));
  });

  it('fails for want of a right, and while the API server is busy', async () => {
    const denied = new KubernetesError('403: events.events.k8s.io is forbidden: no right', { status: 403 });
    await expect(recorded(denied)).rejects.toThrow('no right');
    await expect(recorded(EXISTS, denied)).rejects.toThrow('no right');
    const busy = new KubernetesError('429: too many requests, please try again later', { status: 429 });
    await expect(recorded(busy)).rejects.toThrow('too many requests');
  });

  it('counts a repetition', async () => {
    await recorded(EXISTS);
  });

  describe('when the answers to requests are lost, and each is sent again', () => {
    /** An API server with Events, by name. The first `lost` answers to requests that change something are lost. */
    function eventsAt(lost: number) {
      const events = new Map<string, Mapping>();
      let version = 0;
      let losing = lost;
      const apply = ({ method, path, body }: KubernetesRequest): Mapping => {
        const given = mapping(body);
        const name = method === 'POST' ? String(mapping(given.metadata).name) : path.slice(path.lastIndexOf('/') + 1);
        const existing = events.get(name);
        if (method === 'POST' && existing !== undefined) throw EXISTS;
        if (existing !== undefined && Object.keys(given).length === 0) return existing;
        const { resourceVersion } = mapping(given.metadata);
        if (resourceVersion !== undefined && resourceVersion !== mapping(existing?.metadata).resourceVersion)
          throw new KubernetesError('409: the object has been modified', { status: 409 });
        version += 1;
        const next = { ...existing, ...given, metadata: { name, resourceVersion: String(version) } };
        events.set(name, next);
        return next;
      };
      const transport: KubernetesTransport = {
        requests: { count: 0 },
        lines: async function* () {},
        close: () => {},
        send: async (request: KubernetesRequest) => {
          const before = version;
          const answer = apply(request);
          if (version === before || losing === 0) return answer;
          losing -= 1;
          return apply(request);
        },
      };
      const record = (nowMs: number, counts = true) => recordEvent(transport, 'c', SUBJECT, TOLD, nowMs, counts);
      return { record, counts: () => [...events.values()].map(({ series }) => mapping(series).count ?? 1) };
    }

    it('counts each occurrence once', async () => {
      const { record, counts } = eventsAt(3);
      await record(1_000);
      expect(counts()).toEqual([1]);
      await record(2_000);
      expect(counts()).toEqual([2]);
      await record(3_000);
      expect(counts()).toEqual([3]);
    });

    it('counts two occurrences within one millisecond', async () => {
      const { record, counts } = eventsAt(2);
      await record(1_000);
      await record(1_000);
      expect(counts()).toEqual([2]);
    });

    it('does not count an Event that may be that of the same transition', async () => {
      const { record, counts } = eventsAt(0);
      await record(1_000, false);
      await record(2_000, false);
      expect(counts()).toEqual([1]);
    });
  });
});
