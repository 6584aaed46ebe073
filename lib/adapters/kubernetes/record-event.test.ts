import { describe, expect, it } from 'vitest';
import { ZONE_KIND } from '../../objects/kind.ts';
import { KubernetesError, type KubernetesRequest } from './http/kubernetes-error.ts';
import type { KubernetesTransport } from './http/transport.ts';
import { recordEvent } from './record-event.ts';

const TOLD = { type: 'Accepted', status: 'True', reason: 'Root', message: 'allowed by roots' } as const;
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
  const subject = { kind: ZONE_KIND, ref: { kind: 'Zone', namespace: 'n', name: 'z' }, metadata: { uid: 'u' } };
  return recordEvent(transport, 'c', subject, TOLD, 0);
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
});
