// What the CRD of a kind says, by the answers of an API server.
import { describe, expect, it } from 'vitest';
import { ZONE_KIND } from '../../objects/kind.ts';
import { SERVICE } from '../../sources/external-dns/service.ts';
import { KubernetesError, type KubernetesRequest } from './http/kubernetes-error.ts';
import type { KubernetesTransport } from './http/transport.ts';
import { crdReader } from './read-crd.ts';

function answering(answer: unknown) {
  const asked: KubernetesRequest[] = [];
  const transport: KubernetesTransport = {
    send: async (request) => {
      asked.push(request);
      await Promise.resolve();
      if (answer instanceof Error) throw answer;
      return answer;
    },
    lines: () => {
      throw new Error('nobody watches here');
    },
    requests: { count: 0 },
    close: () => {},
  };
  return { transport, asked };
}

const crd = (metadata: object) => ({ metadata: { name: 'zones.kubi.zone', ...metadata } });
const CREATED = { creationTimestamp: '2026-01-01T00:00:00Z' };

describe('crdReader()', () => {
  it('says since when the CRD exists, that it is being deleted, that there is none, and that it may not be read', async () => {
    const state = (answer: unknown) => crdReader(answering(answer).transport)(ZONE_KIND);
    expect(await state(crd(CREATED))).toEqual({ kind: 'since', createdAt: CREATED.creationTimestamp });
    expect(await state(crd({ ...CREATED, deletionTimestamp: '2026-01-02T00:00:00Z' }))).toEqual({ kind: 'leaving' });
    expect(await state(new KubernetesError('404', { status: 404 }))).toEqual({ kind: 'missing' });
    expect(await state(new KubernetesError('no rule', { status: 403 }))).toEqual({
      kind: 'unread',
      message: 'no rule',
    });
    await expect(state(new KubernetesError('busy', { status: 503 }))).rejects.toThrow('busy');
    await expect(state(crd({}))).rejects.toThrow('has no metadata.creationTimestamp');
  });

  it('asks nothing for a kind that every API server has', async () => {
    const { transport, asked } = answering(crd(CREATED));
    expect(await crdReader(transport)(SERVICE)).toEqual({ kind: 'none' });
    expect(asked).toEqual([]);
  });

  it('answers many questions at once with two requests, none of which is older than its question', async () => {
    const { transport, asked } = answering(crd(CREATED));
    const read = crdReader(transport);
    await Promise.all(Array.from({ length: 50 }, () => read(ZONE_KIND)));
    expect(asked.map(({ path }) => path)).toEqual([
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/zones.kubi.zone',
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/zones.kubi.zone',
    ]);
    await read(ZONE_KIND);
    expect(asked).toHaveLength(3);
  });
});
