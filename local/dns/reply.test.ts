// Replies are read back with dns-packet, which shares no code with what wrote them.
import { decode, encode, type Packet } from 'dns-packet';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EXAMPLE_ZONES, recordSet } from '../../test/fakes/dns-zones.ts';
import { replyTo, type Transport } from './reply.ts';
import { resolve } from './resolve.ts';
import { buildZoneIndex } from './zone-index.ts';

const index = buildZoneIndex([
  ...EXAMPLE_ZONES,
  { id: 'Z0BROKEN', name: 'broken.example.', recordSets: [recordSet('broken.example.', 'A', ['nonsense'])] },
]);

function reply(message: Buffer, transport: Transport = 'udp'): Buffer | null {
  return replyTo(message, transport, (question) => resolve(index, question, () => 0));
}

/** What dns-packet decodes and its types do not name. */
type Decoded = ReturnType<typeof decode> & { readonly rcode: string; readonly opcode: string };
type Opt = {
  readonly udpPayloadSize: number;
  readonly extendedRcode: number;
  readonly flag_do: boolean;
  readonly options: readonly { readonly data: Buffer }[];
};

function read(message: Buffer | null): Decoded {
  if (message === null) throw new Error('no reply');
  return decode(message) as Decoded;
}

function query(name: string, type: string, more: Partial<Packet> = {}): Buffer {
  return encode({ type: 'query', id: 4711, questions: [{ name, type: type as 'A', class: 'IN' }], ...more });
}

function edns(udpPayloadSize: number, more: Partial<{ ednsVersion: number; flags: number }> = {}): Partial<Packet> {
  const opt = {
    type: 'OPT' as const,
    name: '.',
    udpPayloadSize,
    extendedRcode: 0,
    ednsVersion: 0,
    flags: 0,
    flag_do: false,
    options: [],
  };
  return { additionals: [{ ...opt, ...more }] };
}

const optOf = (packet: Decoded): Opt => packet.additionals?.find(({ type }) => type === 'OPT') as unknown as Opt;

/** Two octets of a message replaced. */
function patched(message: Buffer, offset: number, word: number): Buffer {
  const copy = Buffer.from(message);
  copy.writeUInt16BE(word, offset);
  return copy;
}

test('replyTo() names the target of an AWS alias in EDNS0 replies, and not in others', () => {
  const told = read(reply(query('elb.example.org', 'A', edns(1232))));
  expect(told).toMatchObject({ rcode: 'NOERROR', answers: [] });
  expect(optOf(told).options[0]?.data.toString()).toContain('alias of lb.eu-central-1.elb.example.net.');
  expect(read(reply(query('elb.example.org', 'A'))).additionals).toEqual([]);
  expect(optOf(read(reply(query('a.example.org', 'A', edns(1232))))).options).toEqual([]);
});

describe('replyTo() answers', () => {
  test('with the id, the question as it was spelt, AA, RD as asked and never RA', () => {
    const message = reply(query('A.ExAmPlE.Org', 'A', { flags: 0x0100 }));
    const packet = read(message);
    expect(packet).toMatchObject({
      id: 4711,
      flag_qr: true,
      flag_aa: true,
      flag_rd: true,
      flag_ra: false,
      flag_tc: false,
      rcode: 'NOERROR',
    });
    expect(packet.questions).toEqual([{ name: 'A.ExAmPlE.Org', type: 'A', class: 'IN' }]);
    expect(packet.answers).toMatchObject([
      { name: 'A.ExAmPlE.Org', type: 'A', class: 'IN', ttl: 300, data: '192.0.2.1' },
      { name: 'A.ExAmPlE.Org', type: 'A', class: 'IN', ttl: 300, data: '192.0.2.2' },
    ]);
    expect(read(reply(query('a.example.org', 'A'))).flag_rd).toBe(false);
  });

  test('with each octet of a name that is not UTF-8', () => {
    const labels = Buffer.concat([
      Buffer.from('\x06ODD@.\xe4\x07example\x03org\x00', 'latin1'),
      Buffer.from([0, 1, 0, 1]),
    ]);
    const header = query('x', 'A').subarray(0, 12);
    const message = reply(Buffer.concat([header, labels]));
    expect(message?.subarray(12, 12 + labels.length)).toEqual(labels);
    expect(read(message).answers).toMatchObject([{ data: '192.0.2.77' }]);
  });

  test('with compressed owner names, which dns-packet expands', () => {
    const message = reply(query('child.example.org', 'NS'));
    expect(read(message).additionals?.map(({ name }) => name)).toEqual([
      'ns1.child.example.org',
      'ns1.child.example.org',
      'ns.other.example.org',
    ]);
    expect(message?.length).toBeLessThan(220);
  });
});

describe('replyTo() truncates', () => {
  test.each<[string, Buffer, Transport, boolean]>([
    ['beyond 512 octets without EDNS0', query('big.example.org', 'TXT'), 'udp', true],
    ['beyond the size of EDNS0', query('big.example.org', 'TXT', edns(1232)), 'udp', true],
    ['beyond 512 octets when EDNS0 says less', query('naptr.example.org', 'NAPTR', edns(100)), 'udp', false],
    ['not if it fits the size of EDNS0', query('big.example.org', 'TXT', edns(4096)), 'udp', false],
    ['beyond 4096 octets whatever EDNS0 says', query('huge.example.org', 'TXT', edns(65_535)), 'udp', true],
    ['not over TCP', query('huge.example.org', 'TXT'), 'tcp', false],
  ])('%s', (_, message, transport, truncated) => {
    const packet = read(reply(message, transport));
    expect(packet.flag_tc).toBe(truncated);
    expect(packet.rcode).toBe('NOERROR');
    expect((packet.answers ?? []).length === 0).toBe(truncated);
  });
});

describe('replyTo() speaks EDNS0', () => {
  test('only if the query does, with its own size and the DO bit of the query', () => {
    expect(read(reply(query('a.example.org', 'A'))).additionals).toEqual([]);
    expect(optOf(read(reply(query('a.example.org', 'A', edns(4096)))))).toMatchObject({
      udpPayloadSize: 1232,
      extendedRcode: 0,
      flag_do: false,
    });
    expect(optOf(read(reply(query('a.example.org', 'A', edns(4096, { flags: 0x8000 })))))).toMatchObject({
      flag_do: true,
    });
  });

  test('and answers BADVERS to an unknown version', () => {
    const packet = read(reply(query('a.example.org', 'A', edns(4096, { ednsVersion: 1 }))));
    expect(packet).toMatchObject({ rcode: 'NOERROR', answers: [] });
    expect(optOf(packet)).toMatchObject({ extendedRcode: 1, ednsVersion: 0 });
  });

  test('and answers FORMERR to two OPT records', () => {
    const [opt] = edns(4096).additionals ?? [];
    expect(opt).toBeDefined();
    const two = { additionals: opt === undefined ? [] : [opt, opt] };
    expect(read(reply(query('a.example.org', 'A', two))).rcode).toBe('FORMERR');
  });
});

describe('replyTo() refuses', () => {
  const plain = query('a.example.org', 'A');
  const end = plain.length;
  test.each<[string, Buffer, string]>([
    ['a zone that is not ours', query('www.example.net', 'A'), 'REFUSED'],
    ['class CH', patched(plain, end - 2, 3), 'REFUSED'],
    ['class ANY', patched(plain, end - 2, 255), 'REFUSED'],
    ['AXFR', query('example.org', 'AXFR'), 'REFUSED'],
    ['IXFR', query('example.org', 'IXFR'), 'REFUSED'],
    ['a type of other protocols (TKEY)', patched(plain, end - 4, 249), 'NOTIMP'],
    ['OPT as a question', patched(plain, end - 4, 41), 'FORMERR'],
    ['another opcode (NOTIFY)', patched(plain, 2, 4 << 11), 'NOTIMP'],
    ['another opcode (UPDATE), whatever follows', patched(plain.subarray(0, 12), 2, 5 << 11), 'NOTIMP'],
    ['no question', patched(plain.subarray(0, 12), 4, 0), 'FORMERR'],
    ['two questions', patched(Buffer.concat([plain, plain.subarray(12)]), 4, 2), 'FORMERR'],
    ['a question that ends early', plain.subarray(0, end - 3), 'FORMERR'],
    ['a wrong count of records', patched(plain, 6, 1), 'FORMERR'],
    ['garbage behind the message', Buffer.concat([plain, Buffer.from([1, 2, 3])]), 'FORMERR'],
    [
      'a pointer in the question',
      Buffer.concat([plain.subarray(0, 12), Buffer.from([0xc0, 4, 0, 1, 0, 1])]),
      'FORMERR',
    ],
    ['rubbish', Buffer.from('12\x01\x00rubbish that is no message', 'latin1'), 'FORMERR'],
  ])('%s', (_, message, rcode) => {
    const packet = read(reply(message));
    expect(packet).toMatchObject({ id: message.readUInt16BE(0), rcode, flag_qr: true, flag_aa: false, answers: [] });
  });

  test('an unknown opcode, with that opcode, and with EDNS0 if the query has it', () => {
    const packet = read(reply(patched(query('a.example.org', 'A', edns(1232)), 2, 4 << 11)));
    expect(packet).toMatchObject({ opcode: 'NOTIFY', rcode: 'NOTIMP' });
    expect(optOf(packet)).toMatchObject({ udpPayloadSize: 1232 });
  });

  test('to answer a message shorter than a header, and a response', () => {
    expect(reply(Buffer.alloc(11))).toBeNull();
    expect(reply(patched(plain, 2, 0x8000))).toBeNull();
  });
});

test('replyTo() answers SERVFAIL with the reason for a zone that cannot be read', () => {
  const packet = read(reply(query('broken.example', 'A', edns(1232))));
  expect(packet).toMatchObject({ rcode: 'SERVFAIL', flag_aa: false, answers: [] });
  expect(optOf(packet).options[0]?.data.toString('latin1')).toContain('Cannot encode A value "nonsense"');
  expect(read(reply(query('broken.example', 'A'))).rcode).toBe('SERVFAIL');
});

test('replyTo() answers or ignores any message, and never throws', () => {
  const whole = query('x.wild.example.org', 'A', edns(1232));
  const mutated = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 6 }).map((changes) => {
    const copy = Buffer.from(whole);
    for (const [at, octet] of changes) copy.writeUInt8(octet, at);
    return copy;
  });
  const any = fc.uint8Array({ maxLength: 80 }).map((octets) => Buffer.from(octets));
  fc.assert(
    fc.property(fc.oneof(mutated, any), (message) => {
      const answer = reply(message);
      if (answer === null) return;
      expect(answer.readUInt16BE(0)).toBe(message.readUInt16BE(0));
      expect(read(answer).flag_qr).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});
