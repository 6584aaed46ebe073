// Types whose rdata ends in a host name: CNAME, NS, PTR (RFC 1035 §3.3), MX (§3.3.9; "." by RFC 7505) and SRV (RFC
// 2782; "." means that there is no such service). Names are absolute, with or without their last dot.
import { joinFields, type ParsedRdata, readHost, readNumber, splitFields } from './fields.ts';

/** Parses the rdata of CNAME, NS or PTR. */
export function parseHost(text: string, problems: string[]): ParsedRdata | null {
  const fields = splitFields(text, '<host>', problems);
  return fields === null ? null : readHost(fields[0] as string, 'host', false, problems);
}

export function parseMx(text: string, problems: string[]): ParsedRdata | null {
  const fields = splitFields(text, '<preference> <exchange>', problems);
  if (fields === null) return null;
  const [preference, exchange] = fields as [string, string];
  return joinFields([
    readNumber(preference, 'preference', 2, problems),
    readHost(exchange, 'exchange', true, problems),
  ]);
}

export function parseSrv(text: string, problems: string[]): ParsedRdata | null {
  const fields = splitFields(text, '<priority> <weight> <port> <target>', problems);
  if (fields === null) return null;
  const [priority, weight, port, target] = fields as [string, string, string, string];
  return joinFields([
    readNumber(priority, 'priority', 2, problems),
    readNumber(weight, 'weight', 2, problems),
    readNumber(port, 'port', 2, problems),
    readHost(target, 'target', true, problems),
  ]);
}
