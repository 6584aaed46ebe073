// Parses a message from the network: into a query, or into the error to answer without a lookup. dns-packet parses the
// sections and EDNS0. The question itself is parsed here octet by octet, because the reply must repeat it exactly (case
// included) and dns-packet would read its labels as UTF-8.
import { type DecodedPacket, decode, type OptAnswer } from 'dns-packet';
import { keyOfLabels } from './octet-name.ts';
import { typeOfNumber } from './type-numbers.ts';

type QueryQuestion = {
  /** The question as it was received, to be repeated in the reply. */
  readonly octets: Buffer;
  /** A key (octet-name.ts). */
  readonly name: string;
  readonly type: string;
};

export type Query = {
  readonly id: number;
  readonly opcode: number;
  readonly recursionDesired: boolean;
  readonly question: QueryQuestion | null;
  readonly edns: { readonly udpOctetsMax: number; readonly dnssecOk: boolean } | null;
  /** The error to answer at once; null for a question to be looked up. */
  readonly refusal: 'FORMERR' | 'NOTIMP' | 'REFUSED' | 'BADVERS' | null;
};

const HEADER_OCTETS = 12;
const CLASS_IN = 1;
const OPCODE_QUERY = 0;
const TYPE_OPT = 41;
/**
 * QTYPEs that this server does not answer: IXFR and AXFR (refused), and 128-249, 253, 254 (RFC 6895 §3.1).
 */
const TRANSFERS: readonly number[] = [251, 252];
const META_TYPES = { first: 128, last: 254 };

/** Reads a message; null if it gets no answer (shorter than a header, or itself a response). */
export function parseQuery(message: Buffer): Query | null {
  if (message.length < HEADER_OCTETS) return null;
  const flags = message.readUInt16BE(2);
  if ((flags & 0x8000) !== 0) return null;
  const packet = decodeWhole(message);
  const opts = (packet?.additionals ?? []).filter((record): record is OptAnswer => record.type === 'OPT');
  const [opt] = opts;
  const head = {
    id: message.readUInt16BE(0),
    opcode: (flags >> 11) & 15,
    recursionDesired: (flags & 0x0100) !== 0,
    edns: opt === undefined ? null : { udpOctetsMax: opt.udpPayloadSize, dnssecOk: opt.flag_do },
  };
  if (head.opcode !== OPCODE_QUERY) return { ...head, question: null, refusal: 'NOTIMP' };
  const question = packet?.questions?.length === 1 ? readQuestion(message) : null;
  if (question === null || opts.length > 1) return { ...head, question: null, refusal: 'FORMERR' };
  const badVersion = opt !== undefined && opt.ednsVersion > 0;
  return { ...head, question, refusal: badVersion ? 'BADVERS' : refusalOf(question.number, question.class) };
}

function decodeWhole(message: Buffer): DecodedPacket | null {
  try {
    const packet = decode(message);
    return decode.bytes === message.length ? packet : null;
  } catch {
    return null; // dns-packet throws when the message does not parse: FORMERR for the client, no error of ours
  }
}

function readQuestion(message: Buffer): (QueryQuestion & { readonly number: number; readonly class: number }) | null {
  const labels: string[] = [];
  let at = HEADER_OCTETS;
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    if (length > 63) return null; // a compression pointer in a question can only point into the header
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const number = message.readUInt16BE(at + 1);
  return {
    octets: message.subarray(HEADER_OCTETS, at + 5),
    name: keyOfLabels(labels),
    type: typeOfNumber(number),
    number,
    class: message.readUInt16BE(at + 3),
  };
}

function refusalOf(type: number, recordClass: number): Query['refusal'] {
  if (type === TYPE_OPT) return 'FORMERR';
  if (recordClass !== CLASS_IN || TRANSFERS.includes(type)) return 'REFUSED';
  return type >= META_TYPES.first && type <= META_TYPES.last ? 'NOTIMP' : null;
}
