// Encodes the reply to a message. dns-packet is not used for this, because it does not compress names and cannot hold
// labels that are not UTF-8; the tests decode replies with dns-packet, node:dns and dig. A reply that is too long for
// UDP is sent with TC and empty sections, so that the client asks again over TCP (RFC 2181 §9).
import { encodeOwner } from './octet-name.ts';
import { parseQuery, type Query } from './query.ts';
import { encodeRdata } from './rdata-wire.ts';
import type { DnsQuestion, DnsRecord, Resolution } from './resolve.ts';
import { numberOfType } from './type-numbers.ts';

export type Transport = 'udp' | 'tcp';

type Sections = Pick<Resolution, 'answers' | 'authorities' | 'additionals'>;
type Outcome = Sections & { readonly rcode: string; readonly aa: boolean; readonly problem: string | null };

const RCODES: Readonly<Record<string, number>> = {
  NOERROR: 0,
  FORMERR: 1,
  SERVFAIL: 2,
  NXDOMAIN: 3,
  NOTIMP: 4,
  REFUSED: 5,
  BADVERS: 16,
};
const UDP_OCTETS = 512; // RFC 1035 §4.2.1, for clients without EDNS0
const EDNS_UDP_OCTETS_MAX = 4096;
const EDNS_UDP_OCTETS_OFFERED = 1232; // DNS flag day 2020
const TCP_OCTETS_MAX = 65_535;
const CLASS_IN = 1;
const TYPE_OPT = 41;
const EDNS_ERROR_OPTION = 15; // RFC 8914: the reason for a SERVFAIL or an empty answer, which dig prints
const PROBLEM_CHARACTERS_MAX = 200; // so that it fits any reply
const NOTHING: Sections = { answers: [], authorities: [], additionals: [] };

/** The reply to a message, or null if it gets none. `resolve` is called only with questions of class IN. */
export function replyTo(
  message: Buffer,
  transport: Transport,
  resolve: (question: DnsQuestion) => Resolution,
): Buffer | null {
  const query = parseQuery(message);
  if (query === null) return null;
  try {
    const reply = encodeReply(query, outcomeOf(query, resolve), false);
    if (reply.length <= octetsMax(query, transport)) return reply;
    return encodeReply(query, { ...outcomeOf(query, resolve), ...NOTHING }, true);
  } catch (error) {
    // A zone that cannot be encoded is answered with SERVFAIL and the reason, and the server continues.
    const problem = error instanceof Error ? error.message : String(error);
    return encodeReply(query, { rcode: 'SERVFAIL', aa: false, ...NOTHING, problem }, false);
  }
}

function outcomeOf(query: Query, resolve: (question: DnsQuestion) => Resolution): Outcome {
  if (query.refusal !== null || query.question === null) {
    return { rcode: query.refusal ?? 'FORMERR', aa: false, ...NOTHING, problem: null };
  }
  const { note, ...resolution } = resolve({ name: query.question.name, type: query.question.type });
  return { ...resolution, problem: note };
}

function octetsMax(query: Query, transport: Transport): number {
  if (transport === 'tcp') return TCP_OCTETS_MAX;
  return Math.min(Math.max(query.edns?.udpOctetsMax ?? UDP_OCTETS, UDP_OCTETS), EDNS_UDP_OCTETS_MAX);
}

function encodeReply(query: Query, outcome: Outcome, truncated: boolean): Buffer {
  const rcode = RCODES[outcome.rcode] ?? 2;
  const question = query.question?.octets ?? Buffer.alloc(0);
  const opt = query.edns === null ? [] : [encodeOpt(rcode >> 4, query.edns.dnssecOk, outcome.problem)];
  const header = Buffer.alloc(12);
  const flags =
    0x8000 |
    (query.opcode << 11) |
    (outcome.aa ? 0x0400 : 0) |
    (truncated ? 0x0200 : 0) |
    (query.recursionDesired ? 0x0100 : 0) |
    (rcode & 15);
  const { answers, authorities, additionals } = outcome;
  const counts = [query.question === null ? 0 : 1, answers.length, authorities.length, additionals.length + opt.length];
  [query.id, flags, ...counts].forEach((word, index) => {
    header.writeUInt16BE(word, index * 2);
  });
  const parts = [header, question];
  let offset = header.length + question.length;
  const known = new Map<string, number>();
  if (query.question !== null) encodeOwner(query.question.name, header.length, known);
  for (const record of [...answers, ...authorities, ...additionals]) {
    const encoded = encodeRecord(record, offset, known);
    parts.push(encoded);
    offset += encoded.length;
  }
  return Buffer.concat([...parts, ...opt]);
}

function encodeRecord(record: DnsRecord, offset: number, known: Map<string, number>): Buffer {
  const rdata = encodeRdata(record.type, record.value);
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(numberOfType(record.type), 0);
  fixed.writeUInt16BE(CLASS_IN, 2);
  fixed.writeUInt32BE(record.ttl, 4);
  fixed.writeUInt16BE(rdata.length, 8);
  return Buffer.concat([encodeOwner(record.name, offset, known), fixed, rdata]);
}

/** OPT (RFC 6891 §6.1): the DO bit is returned as received; the client's options are not answered. */
function encodeOpt(extendedRcode: number, dnssecOk: boolean, problem: string | null): Buffer {
  const text = Buffer.from((problem ?? '').slice(0, PROBLEM_CHARACTERS_MAX));
  const option = Buffer.alloc(problem === null ? 0 : 6);
  if (problem !== null) {
    option.writeUInt16BE(EDNS_ERROR_OPTION, 0);
    option.writeUInt16BE(text.length + 2, 2); // then code 0: Other Error
  }
  const fixed = Buffer.alloc(11);
  fixed.writeUInt16BE(TYPE_OPT, 1);
  fixed.writeUInt16BE(EDNS_UDP_OCTETS_OFFERED, 3);
  fixed.writeUInt8(extendedRcode, 5);
  fixed.writeUInt16BE(dnssecOk ? 0x8000 : 0, 7);
  fixed.writeUInt16BE(option.length + text.length, 9);
  return Buffer.concat([fixed, option, text]);
}
