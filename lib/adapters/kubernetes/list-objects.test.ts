// Pages of a list, and the other answers that an API server may give instead of a page.

import { describe, expect, it } from 'vitest';
import { RECORD as KIND } from '../../sources/kubizone/parse-record.ts';
import { KubernetesError, type KubernetesRequest, tooLargeAnswer } from './http/kubernetes-error.ts';
import type { KubernetesTransport } from './http/transport.ts';
import { listAll, listPage } from './list-objects.ts';

const RECORD = {
  metadata: { namespace: 'a', name: 'www', uid: 'u', resourceVersion: '7', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: {},
};

function page(token: string | null, items: readonly unknown[] = [RECORD]): unknown {
  return {
    kind: 'RecordList',
    metadata: { resourceVersion: '9', ...(token === null ? {} : { continue: token }) },
    items,
  };
}

function expired(continueToken: string | null): KubernetesError {
  return new KubernetesError('410', { status: 410, reason: 'Expired', continueToken });
}

/** Gives these answers in turn, and then the last one again and again. Remembers the requests. */
function answering(...answers: readonly unknown[]) {
  const asked: KubernetesRequest[] = [];
  const transport: KubernetesTransport = {
    send: async (request) => {
      const answer = answers[Math.min(asked.length, answers.length - 1)];
      asked.push(request);
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

describe('listPage()', () => {
  it('asks for the page of a cursor, of all namespaces or of one', async () => {
    const { transport, asked } = answering(page('t1'), page(null));
    const first = await listPage(transport, KIND, null, null);
    expect(first?.next).toBe('t1');
    expect(first?.objects.map(({ ref }) => ref)).toEqual([{ kind: 'Record', namespace: 'a', name: 'www' }]);
    expect((await listPage(transport, KIND, 'team-a', 't1'))?.next).toBe(null);
    expect(asked.map(({ path, query }) => [path, query?.continue])).toEqual([
      ['/apis/kubi.zone/v1alpha1/records', undefined],
      ['/apis/kubi.zone/v1alpha1/namespaces/team-a/records', 't1'],
    ]);
  });

  it('asks for fewer objects when a page is too large to hold, down to one', async () => {
    const { transport, asked } = answering(tooLargeAnswer(), tooLargeAnswer(), page('t2'), page(null));
    expect((await listPage(transport, KIND, null, 't1'))?.next).toBe('t2');
    expect((await listPage(transport, KIND, null, 't2'))?.next).toBe(null);
    expect(asked.map(({ query }) => `${query?.limit} ${query?.continue}`)).toEqual([
      '500 t1',
      '63 t1',
      '8 t1',
      '500 t2',
    ]);
    const never = answering(tooLargeAnswer());
    await expect(listPage(never.transport, KIND, null, null)).rejects.toThrow('more than 33554432 octets');
    expect(never.asked.map(({ query }) => query?.limit)).toEqual(['500', '63', '8', '1']);
  });

  it('continues with the token of a 410', async () => {
    const { transport, asked } = answering(expired('fresh'), page('t3'));
    expect((await listPage(transport, KIND, null, 't1'))?.next).toBe('t3');
    expect(asked.map(({ query }) => query?.continue)).toEqual(['t1', 'fresh']);
  });

  it('makes its caller start over after a 410 without a token, or after two in a row', async () => {
    expect(await listPage(answering(expired(null)).transport, KIND, null, 't1')).toBe(null);
    expect(await listPage(answering(expired('again')).transport, KIND, null, 't1')).toBe(null);
  });

  it.each<[string, unknown]>([
    ['another error', new KubernetesError('no such type', { status: 404 })],
    ['a 410 for a first page', expired('fresh')],
    ['no list', { kind: 'Status' }],
    ['a list of another kind', { ...(page(null) as object), kind: 'ZoneList' }],
    ['an object without a name', page(null, [{ metadata: {} }])],
  ])('%s is an error', async (_what, answer) => {
    await expect(listPage(answering(answer).transport, KIND, null, null)).rejects.toThrow();
  });
});

describe('listAll()', () => {
  it('starts over after a 410, also when that has a token', async () => {
    const { transport, asked } = answering(page('t1'), expired('fresh'), page('t2'), page(null));
    expect((await listAll(transport, KIND)).objects).toHaveLength(2);
    expect(asked.map(({ query }) => query?.continue)).toEqual([undefined, 't1', undefined, 't2']);
  });
});
