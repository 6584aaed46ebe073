import { describe, expect, it } from 'vitest';
import { formatQueueMessage, parseQueueMessage, type QueueMessage } from './queue-message.ts';

describe('parseQueueMessage()', () => {
  it.each<QueueMessage>([
    { kind: 'hint', hint: { kind: 'Zone', namespace: null, name: null } },
    { kind: 'hint', hint: { kind: 'Record', namespace: 'n', name: 'müller', oldVersion: '', atMs: 1, attempt: 2 } },
    { kind: 'hint', hint: { kind: 'Record', namespace: 'n', name: 'a', awaited: { uid: 'u', generation: null } } },
    { kind: 'hint', hint: { kind: 'Record', namespace: 'n', name: 'a', noted: '17' } },
    { kind: 'report', ref: { kind: 'Record', namespace: 'n', name: 'www' } },
    { kind: 'publish', hostedZoneId: 'Z1' },
    { kind: 'hint', hint: { kind: 'Zone', namespace: 'n', name: 'z', correlationId: 'c-1' } },
    { kind: 'report', ref: { kind: 'Zone', namespace: 'n', name: 'z' }, cause: { correlationId: 'c-1' } },
    { kind: 'publish', hostedZoneId: 'Z1', cause: { atMs: 5, correlationId: 'c-1' }, after: 7 },
  ])('reads what formatQueueMessage() wrote: $kind', (message) => {
    expect(parseQueueMessage(formatQueueMessage(message))).toEqual(message);
  });

  it.each<[string, QueueMessage]>([
    [
      '{"v":1,"kind":"hint","hint":{"kind":"Record","namespace":"n","name":"www","atMs":7}}',
      { kind: 'hint', hint: { kind: 'Record', namespace: 'n', name: 'www', atMs: 7 } },
    ],
    ['{"v":1,"kind":"publish","hostedZoneId":"Z1"}', { kind: 'publish', hostedZoneId: 'Z1' }],
    [
      '{"v":1,"kind":"report","ref":{"kind":"Zone","namespace":"n","name":"z"}}',
      { kind: 'report', ref: { kind: 'Zone', namespace: 'n', name: 'z' } },
    ],
  ])('reads what versions before the correlation id sent: %s', (body, content) => {
    expect(parseQueueMessage(body)).toEqual(content);
  });

  it('ignores what later versions add', () => {
    const body = '{"v":1,"kind":"publish","hostedZoneId":"Z1","cause":{"correlationId":"c","hops":3},"colour":"red"}';
    expect(parseQueueMessage(body)).toEqual({ kind: 'publish', hostedZoneId: 'Z1', cause: { correlationId: 'c' } });
  });

  it('reads a message as versions before the correlation id read it', () => {
    const message: QueueMessage = { kind: 'publish', hostedZoneId: 'Z1', cause: { correlationId: 'c' } };
    expect(JSON.parse(formatQueueMessage(message))).toMatchObject({ v: 1, kind: 'publish', hostedZoneId: 'Z1' });
  });

  it.each([
    ['no JSON', 'hello'],
    ['another version', '{"v":2,"kind":"publish","hostedZoneId":"Z1"}'],
    ['another kind', '{"v":1,"kind":"delete","hostedZoneId":"Z1"}'],
    ['no hosted zone', '{"v":1,"kind":"publish","hostedZoneId":""}'],
    [
      'a name longer than any',
      JSON.stringify({ v: 1, kind: 'report', ref: { kind: 'Zone', namespace: 'n', name: 'x'.repeat(254) } }),
    ],
    ['a huge body', JSON.stringify({ v: 1, kind: 'publish', hostedZoneId: 'Z'.repeat(1_000_000) })],
    ['a name that is a number', '{"v":1,"kind":"hint","hint":{"kind":"Zone","namespace":null,"name":5}}'],
  ])('throws at %s', (_, body) => {
    expect(() => parseQueueMessage(body)).toThrow();
  });
});
