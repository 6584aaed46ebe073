import { describe, expect, it } from 'vitest';
import { formatQueueMessage, parseQueueMessage, type QueueMessage } from './sqs-queues-messages.ts';

describe('parseQueueMessage()', () => {
  it.each<QueueMessage>([
    { kind: 'hint', hint: { kind: 'Zone', namespace: null, name: null } },
    { kind: 'hint', hint: { kind: 'Record', namespace: 'n', name: 'müller', oldVersion: '', atMs: 1, attempt: 2 } },
    { kind: 'report', ref: { kind: 'Record', namespace: 'n', name: 'www' } },
    { kind: 'publish', hostedZoneId: 'Z1' },
  ])('reads what formatQueueMessage() wrote: $kind', (message) => {
    expect(parseQueueMessage(formatQueueMessage(message))).toEqual(message);
  });

  it.each([
    ['no JSON', 'hello'],
    ['another version', '{"v":2,"kind":"publish","hostedZoneId":"Z1"}'],
    ['another kind', '{"v":1,"kind":"delete","hostedZoneId":"Z1"}'],
    ['no hosted zone', '{"v":1,"kind":"publish","hostedZoneId":""}'],
    ['a name that is a number', '{"v":1,"kind":"hint","hint":{"kind":"Zone","namespace":null,"name":5}}'],
  ])('throws at %s', (_, body) => {
    expect(() => parseQueueMessage(body)).toThrow();
  });
});
