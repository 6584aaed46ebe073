import { Route53Client } from '@aws-sdk/client-route-53';
import { describe, expect, it } from 'vitest';
import {
  type Answer,
  accepted,
  answeringRoute53,
  bare,
  credentials,
  refusal,
} from '../../../test/fakes/answering-route53.ts';
import type { BatchOutcome, HostedZones } from '../../ports/hosted-zones.ts';
import { callBudget } from './call-budget.ts';
import { route53Client } from './route53-client.ts';
import { route53HostedZones } from './route53-hosted-zones.ts';

const route53 = answeringRoute53();

const change = (zones: HostedZones): Promise<BatchOutcome> =>
  zones.change(
    'Z1',
    [
      {
        action: 'CREATE',
        recordSet: {
          name: 'www.example.',
          type: 'A',
          setIdentifier: null,
          content: { kind: 'values', ttlSeconds: 1, values: ['192.0.2.1'] },
        },
      },
    ],
    'comment '.repeat(100),
  );

describe('change()', () => {
  it.each<[string, Answer, BatchOutcome]>([
    ['accepted', accepted, { kind: 'accepted', changeId: 'C1' }],
    ['no change id', { status: 200, body: '' }, { kind: 'unknown', message: 'Route 53 answered without a change id' }],
    [
      'InvalidChangeBatch, one text',
      refusal(400, 'InvalidChangeBatch', '[RRSet a, RRSet b]'),
      { kind: 'refused', messages: ['RRSet a', 'RRSet b'] },
    ],
    ['InvalidChangeBatch, messages', bare('RRSet a', 'b, c'), { kind: 'refused', messages: ['RRSet a', 'b, c'] }],
    [
      'InvalidChangeBatch, one message',
      bare('[RRSet a, RRSet b]'),
      { kind: 'refused', messages: ['RRSet a', 'RRSet b'] },
    ],
    [
      'InvalidInput',
      refusal(400, 'InvalidInput', 'Invalid XML ; x'),
      { kind: 'refused', messages: ['Invalid XML ; x'] },
    ],
    [
      'LimitsExceeded',
      refusal(400, 'LimitsExceeded', 'no more of them'),
      { kind: 'refused', messages: ['LimitsExceeded: no more of them'] },
    ],
    [
      'NoSuchCidrCollectionException',
      refusal(404, 'NoSuchCidrCollectionException'),
      { kind: 'refused', messages: ['NoSuchCidrCollectionException: why'] },
    ],
    [
      'NoSuchCidrLocationException',
      refusal(404, 'NoSuchCidrLocationException'),
      { kind: 'refused', messages: ['NoSuchCidrLocationException: why'] },
    ],
    ['InvalidArgument', refusal(400, 'InvalidArgument'), { kind: 'refused', messages: ['InvalidArgument: why'] }],
    [
      'ValidationError',
      refusal(400, 'ValidationError', '1 validation error detected'),
      { kind: 'refused', messages: ['ValidationError: 1 validation error detected'] },
    ],
    ['NoSuchHealthCheck', refusal(404, 'NoSuchHealthCheck'), { kind: 'refused', messages: ['why'] }],
    [
      'Throttling',
      refusal(400, 'Throttling', 'Rate exceeded'),
      { kind: 'throttled', message: 'Throttling: Rate exceeded', isOfAccount: true },
    ],
    [
      'ThrottlingException',
      refusal(400, 'ThrottlingException'),
      { kind: 'throttled', message: 'ThrottlingException: why', isOfAccount: true },
    ],
    [
      'Rate exceeded by another code',
      refusal(400, 'Sender', 'Rate exceeded'),
      { kind: 'throttled', message: 'Sender: Rate exceeded', isOfAccount: true },
    ],
    [
      'PriorRequestNotComplete',
      refusal(400, 'PriorRequestNotComplete'),
      { kind: 'throttled', message: 'PriorRequestNotComplete: why' },
    ],
    [
      'ConcurrentModification',
      refusal(400, 'ConcurrentModification'),
      { kind: 'throttled', message: 'ConcurrentModification: why' },
    ],
    ['NoSuchHostedZone', refusal(404, 'NoSuchHostedZone'), { kind: 'gone', message: 'NoSuchHostedZone: why' }],
    ['AccessDenied', refusal(403, 'AccessDenied'), { kind: 'denied', message: 'AccessDenied: why' }],
    [
      'NotAuthorizedException',
      refusal(401, 'NotAuthorizedException'),
      { kind: 'denied', message: 'NotAuthorizedException: why' },
    ],
    [
      'InvalidClientTokenId',
      refusal(403, 'InvalidClientTokenId'),
      { kind: 'denied', message: 'InvalidClientTokenId: why' },
    ],
    ['ExpiredToken', refusal(403, 'ExpiredToken'), { kind: 'denied', message: 'ExpiredToken: why' }],
    ['a code that nobody knows', refusal(400, 'SomethingNew'), { kind: 'denied', message: 'SomethingNew: why' }],
  ])('%s', async (_, answer, outcome) => {
    route53.answers = [answer];
    expect(await change(route53.zonesAt(route53.url))).toEqual(outcome);
    expect([route53.requests, route53.taken]).toEqual([1, 1]);
  });

  it.each<[string, Answer]>([
    ['500 InternalFailure', refusal(500, 'InternalFailure')],
    ['503 of a proxy', { status: 503, body: '<html>busy' }],
    ['an answer that is not XML', { status: 200, body: 'hello' }],
    ['a 400 that is not XML', { status: 400, body: 'hello' }],
    ['a 403 of a proxy', { status: 403, body: '<html>no</html>' }],
    ['a 404 of a proxy', { status: 404, body: '' }],
    ['a connection that breaks', { status: 0, body: '' }],
    ['no answer in time', { status: -1, body: '' }],
  ])('says unknown after %s, and does not send the batch again', async (_, answer) => {
    route53.answers = [answer];
    expect(await change(route53.zonesAt(route53.url, 200))).toMatchObject({ kind: 'unknown' });
    expect(route53.requests).toBe(1);
  });

  it('says throttled for a refused connection, because nothing was applied', async () => {
    expect(await change(route53.zonesAt('http://127.0.0.1:9'))).toMatchObject({
      kind: 'throttled',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('says throttled for a batch whose turn comes too late, and does not send it', async () => {
    const ONE = { requestsPerSecond: 1, burst: 1, reserve: 0, changesPerSecond: 'auto' } as const;
    let nowMs = 0;
    const sleep = async (ms: number) => {
      nowMs += ms;
    };
    const shared = callBudget({ ...ONE, clock: { nowMs: () => nowMs }, sleep });
    const zones = route53HostedZones(route53Client({ endpoint: route53.url, credentials }), shared);
    route53.answers = [accepted];
    expect(await zones.change('Z1', [], '', 0)).toMatchObject({ kind: 'accepted' });
    expect(await zones.change('Z1', [], '', 999)).toMatchObject({ kind: 'throttled', unsent: true });
    expect(route53.requests).toBe(1);
    expect(await zones.change('Z1', [], '', 1_000)).toMatchObject({ kind: 'accepted' });
    expect(route53.requests).toBe(2);
  });

  it('says denied without credentials', async () => {
    const failing = async () => {
      throw Object.assign(new Error('none'), { name: 'CredentialsProviderError' });
    };
    const zones = route53HostedZones(route53Client({ endpoint: route53.url, credentials: failing }), route53.budget);
    expect(await change(zones)).toMatchObject({ kind: 'denied' });
    expect(route53.requests).toBe(0);
  });

  it('throws an Error for a client that repeats calls by itself', async () => {
    const zones = route53HostedZones(
      new Route53Client({ endpoint: route53.url, region: 'us-east-1', credentials }),
      route53.budget,
    );
    await expect(change(zones)).rejects.toThrow('route53Client()');
    expect(route53.requests).toBe(0);
  });
});
