// Reads the answers of one HTTP/1.1 connection (RFC 9112), whatever pieces their octets come in. An answer whose end is
// not certain is an error: two lengths, a length that is not a number, a transfer coding other than "chunked".

/** An answer, whole. */
export type HttpAnswer = {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: string;
  /** False: the connection ends with this answer. */
  readonly staysOpen: boolean;
};

export type AnswerReader = {
  /** Takes octets as they come, and gives the answer once it is complete. Throws for what is no HTTP. */
  push(octets: Buffer): HttpAnswer | null;
  /** The connection has ended. The answer, where its end is the end of the connection; otherwise null. */
  end(): HttpAnswer | null;
  /** True when octets of an answer have come that is not whole yet. */
  begun(): boolean;
};

const HEAD_OCTETS_MAX = 64 * 1024;
const CHUNK_LINE_OCTETS_MAX = 1_024;
const LINE_END = '\r\n';

type Head = Pick<HttpAnswer, 'status' | 'retryAfter' | 'staysOpen'> & {
  /** Octets of the body: a number, in chunks, or until the connection ends. */
  readonly length: number | 'chunked' | 'until the end';
};

type Part = 'head' | 'body' | 'chunk size' | 'chunk' | 'chunk end' | 'trailer';

/** Of one connection; after an answer it reads the next. A body is read up to `octetsMax`. */
export function answerReader(octetsMax: number, tooLarge: () => Error): AnswerReader {
  let part: Part = 'head';
  let head: Head | null = null;
  /** What came of a line, or of the head, that has not ended yet. */
  let rest: Buffer | null = null;
  let body: Buffer[] = [];
  let octets = 0;
  /** Of the body, or of the chunk. */
  let left = 0;

  const take = (from: Buffer, at: number): number => {
    const piece = from.subarray(at, at + left);
    octets += piece.length;
    if (octets > octetsMax) throw tooLarge();
    if (piece.length > 0) body.push(piece);
    left -= piece.length;
    return at + piece.length;
  };
  const whole = (overrun: boolean): HttpAnswer => {
    const { status, retryAfter, staysOpen } = head as Head;
    const [only] = body;
    const text = (only !== undefined && body.length === 1 ? only : Buffer.concat(body)).toString('utf8');
    part = 'head';
    head = null;
    body = [];
    octets = 0;
    // Who sends more than was asked for is not asked again.
    return { status, retryAfter, body: text, staysOpen: staysOpen && !overrun };
  };
  const begin = (found: Head): void => {
    head = found;
    if (typeof found.length === 'number' && found.length > octetsMax) throw tooLarge();
    left = typeof found.length === 'number' ? found.length : Number.POSITIVE_INFINITY;
    part = found.length === 'chunked' ? 'chunk size' : 'body';
  };
  /** Where the next octet to be read is; null: all that came is read, and more is to come. */
  const step = (from: Buffer, at: number): number | null => {
    if (part === 'body' || part === 'chunk') {
      const next = take(from, at);
      if (left > 0) return null;
      if (part === 'chunk') part = 'chunk end';
      return next;
    }
    const isHead = part === 'head';
    const ends = isHead ? LINE_END + LINE_END : LINE_END;
    const end = from.indexOf(ends, at, 'latin1');
    if (end === -1) {
      if (from.length - at > (isHead ? HEAD_OCTETS_MAX : CHUNK_LINE_OCTETS_MAX))
        throw new Error(`the answer's ${part} does not end`);
      rest = from.subarray(at);
      return null;
    }
    readLines(from.toString('latin1', at, end));
    return end + ends.length;
  };
  const readLines = (text: string): void => {
    if (part === 'head') {
      const found = parseHead(text);
      // 100 to 199 announce an answer.
      if (found.status >= 200) begin(found);
    } else if (part === 'chunk size') {
      left = parseChunkSize(text);
      part = left === 0 ? 'trailer' : 'chunk';
    } else if (part === 'chunk end') {
      if (text !== '') throw new Error('a chunk of the answer is longer than announced');
      part = 'chunk size';
    } else if (text === '') {
      part = 'body';
      left = 0;
    }
  };
  return {
    push: (came) => {
      const from: Buffer = rest === null ? came : Buffer.concat([rest, came]);
      rest = null;
      let at: number | null = 0;
      while (at !== null) {
        if (part === 'body' && left === 0) return whole(at < from.length);
        at = at < from.length || part === 'body' ? step(from, at) : null;
      }
      return null;
    },
    end: () => (part === 'body' && head?.length === 'until the end' ? whole(false) : null),
    begun: () => part !== 'head' || rest !== null,
  };
}

/** The fields that say how an answer is to be read, and when to ask again. */
const FIELDS = /\r\n(content-length|transfer-encoding|connection|retry-after):([^\r]*)/gi;

/** Status line and fields, without the empty line. */
function parseHead(text: string): Head {
  const [, minor, code] = /^HTTP\/1\.([01]) ([1-9]\d\d)(?=[ \r]|$)/.exec(text) ?? [];
  if (code === undefined) throw new Error(`the answer is no HTTP: ${JSON.stringify(text.slice(0, 100))}`);
  const status = Number(code);
  if (status === 101) throw new Error('the answer switches to another protocol');
  const said: Record<string, string> = {};
  for (const [, name = '', value = ''] of text.matchAll(FIELDS)) {
    const [field, one] = [name.toLowerCase(), value.trim()];
    const before = said[field];
    if (field === 'content-length' && before !== undefined && before !== one)
      throw new Error('the answer has two lengths');
    said[field] = before === undefined || field === 'content-length' ? one : `${before}, ${one}`;
  }
  const connection = said.connection?.toLowerCase() ?? '';
  const bodiless = status < 200 || status === 204 || status === 304;
  const length = bodiless ? 0 : lengthOf(said['content-length'], said['transfer-encoding']?.toLowerCase());
  const staysOpen = !connection.includes('close') && (minor === '1' || connection.includes('keep-alive'));
  return { status, retryAfter: said['retry-after'], staysOpen: staysOpen && length !== 'until the end', length };
}

function lengthOf(length: string | undefined, coding: string | undefined): Head['length'] {
  if (coding !== undefined) {
    if (coding !== 'chunked') throw new Error(`the answer's transfer coding is not known: ${coding}`);
    if (length !== undefined) throw new Error('the answer has a length and is chunked');
    return 'chunked';
  }
  if (length === undefined) return 'until the end';
  if (!/^\d{1,15}$/.test(length)) throw new Error(`the answer's length is no number: ${JSON.stringify(length)}`);
  return Number(length);
}

function parseChunkSize(line: string): number {
  const [, hex] = /^([0-9a-f]{1,8})[ \t]*(?:;.*)?$/i.exec(line) ?? [];
  if (hex === undefined) throw new Error(`a chunk's size is no number: ${JSON.stringify(line.slice(0, 100))}`);
  return Number.parseInt(hex, 16);
}
