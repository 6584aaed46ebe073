import { describe, expect, it, test } from 'vitest';
import { answerReader, type HttpAnswer } from './read-answer.ts';

const OCTETS_MAX = 100;

function reader() {
  return answerReader(OCTETS_MAX, () => new Error('too large'));
}

function head(...lines: string[]): string {
  return `${lines.join('\r\n')}\r\n\r\n`;
}

type Case = {
  readonly name: string;
  readonly octets: string;
  readonly answer: Partial<HttpAnswer>;
  readonly ends?: true;
};

const CASES: readonly Case[] = [
  {
    name: 'a body of a stated length',
    octets: `${head('HTTP/1.1 200 OK', 'Date: now', 'Content-Length: 5')}wört`,
    answer: { status: 200, body: 'wört', staysOpen: true, retryAfter: undefined },
  },
  { name: 'an empty body', octets: head('HTTP/1.1 200 OK', 'content-length:0'), answer: { body: '', staysOpen: true } },
  {
    name: 'chunks, of which one cuts a character, with extensions and trailers',
    octets: `${head('HTTP/1.1 201 Created', 'Transfer-Encoding: Chunked')}2;a=b\r\nw\xc3\r\nA \r\n\xb6rt {} x\n!\r\n00\r\nX-Sum: 1\r\n\r\n`,
    answer: { status: 201, body: 'wört {} x\n!', staysOpen: true },
  },
  {
    name: 'what is announced before the answer',
    octets: `${head('HTTP/1.1 103 Early Hints', 'Link: x')}${head('HTTP/1.1 200', 'Content-Length: 1')}1`,
    answer: { status: 200, body: '1' },
  },
  {
    name: 'an answer without a body, whatever length it states',
    octets: head('HTTP/1.1 204 No Content', 'Content-Length: 3'),
    answer: { status: 204, body: '', staysOpen: true },
  },
  {
    name: 'a pause that is asked for',
    octets: head('HTTP/1.1 429 Too Many Requests', 'Retry-After:  7 ', 'Content-Length: 0'),
    answer: { status: 429, retryAfter: '7' },
  },
  {
    name: 'the last answer of its connection',
    octets: head('HTTP/1.1 200 OK', 'Connection: Close', 'Content-Length: 0'),
    answer: { staysOpen: false },
  },
  {
    name: 'one of HTTP/1.0, which is the last unless it says otherwise',
    octets: head('HTTP/1.0 200 OK', 'Content-Length: 0'),
    answer: { staysOpen: false },
  },
  {
    name: 'one of HTTP/1.0 that says otherwise',
    octets: head('HTTP/1.0 200 OK', 'Connection: keep-alive', 'Content-Length: 0'),
    answer: { staysOpen: true },
  },
  {
    name: 'a body until the connection ends',
    octets: `${head('HTTP/1.1 200 OK')}all of it`,
    answer: { body: 'all of it', staysOpen: false },
    ends: true,
  },
];

describe('answerReader() reads, however the octets are cut:', () => {
  for (const { name, octets, answer, ends } of CASES)
    it(name, () => {
      // Characters are octets, but for the two of "ö".
      const all = Buffer.from(octets.replace('ö', '\xc3\xb6'), 'latin1');
      for (let cut = 0; cut <= all.length; cut += 1) {
        const { push, end, begun } = reader();
        const first = cut === 0 ? null : push(all.subarray(0, cut));
        expect(first === null || cut === all.length).toBe(true);
        const second = first ?? (cut === all.length ? null : push(all.subarray(cut)));
        expect(ends ? end() : second).toMatchObject(answer);
        expect(begun()).toBe(false);
        expect(end()).toBeNull();
      }
      const { push, end } = reader();
      const found = [...all].map((octet) => push(Buffer.from([octet])));
      expect(found.slice(0, -1).every((one) => one === null)).toBe(true);
      expect(ends ? end() : found.at(-1)).toMatchObject(answer);
    });
});

test.each([
  ['no HTTP', 'SSH-2.0-x\r\n\r\n', 'the answer is no HTTP: "SSH-2.0-x"'],
  ['another protocol', head('HTTP/1.1 101 Switching Protocols'), 'the answer switches to another protocol'],
  ['two lengths', head('HTTP/1.1 200 OK', 'Content-Length: 1', 'Content-Length: 2'), 'the answer has two lengths'],
  [
    'a length that is no number',
    head('HTTP/1.1 200 OK', 'Content-Length: +1'),
    'the answer\'s length is no number: "+1"',
  ],
  [
    'a length, and chunks',
    head('HTTP/1.1 200 OK', 'Content-Length: 1', 'Transfer-Encoding: chunked'),
    'the answer has a length and is chunked',
  ],
  [
    'a coding that was not asked for',
    head('HTTP/1.1 200 OK', 'Transfer-Encoding: gzip, chunked'),
    "the answer's transfer coding is not known: gzip, chunked",
  ],
  [
    'a chunk size that is no number',
    `${head('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked')}0x2\r\n`,
    'a chunk\'s size is no number: "0x2"',
  ],
  [
    'a chunk that is longer than announced',
    `${head('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked')}1\r\nab\r\n`,
    'a chunk of the answer is longer than announced',
  ],
  ['a head without an end', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(70_000)}`, "the answer's head does not end"],
  [
    'a chunk size without an end',
    `${head('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked')}${'1'.repeat(2_000)}`,
    "the answer's chunk size does not end",
  ],
  ['a body that is announced too large', head('HTTP/1.1 200 OK', `Content-Length: ${OCTETS_MAX + 1}`), 'too large'],
  [
    'chunks that come to too much',
    `${head('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked')}40\r\n${'x'.repeat(64)}\r\n40\r\n${'x'.repeat(64)}\r\n`,
    'too large',
  ],
])('answerReader() refuses %s', (_name, octets, message) => {
  const { push } = reader();
  expect(() => push(Buffer.from(octets))).toThrow(message);
});

test('answerReader() reads one answer after the other, and ends the connection where more comes than was asked for', () => {
  const { push } = reader();
  const one = head('HTTP/1.1 200 OK', 'Content-Length: 1');
  expect(push(Buffer.from(`${one}1`))).toMatchObject({ body: '1', staysOpen: true });
  expect(push(Buffer.from(`${one}2`))).toMatchObject({ body: '2', staysOpen: true });
  expect(push(Buffer.from(`${one}3${one}4`))).toMatchObject({ body: '3', staysOpen: false });
});

test('answerReader() takes no half answer for a whole one', () => {
  const { push, end, begun } = reader();
  expect(push(Buffer.from(`${head('HTTP/1.1 200 OK', 'Content-Length: 5')}1234`))).toBeNull();
  expect([end(), begun()]).toEqual([null, true]);
});
