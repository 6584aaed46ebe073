// When two contents are the same for publishing: for an SOA only the parts that are ours count.
import { type RecordSetContent, sameContent } from '../dns/record-set.ts';

/** The parts of an SOA's rdata, even with other text around it; null if the text has none. */
export function parseSoa(text: string): {
  readonly mname: string;
  readonly rname: string;
  readonly serial: number;
  readonly timers: readonly string[];
} | null {
  const [, mname, rname, serial, timers] =
    /([^\s'"{}]+)\s+([^\s'"{}]+)\s+(\d+)\s+(\d+\s+\d+\s+\d+\s+\d+)/.exec(text) ?? [];
  if (mname === undefined || rname === undefined || timers === undefined) return null;
  return { mname, rname, serial: Number(serial), timers: timers.split(/\s+/) };
}

function soaSettings(content: RecordSetContent): string {
  if (content.kind !== 'values') return 'alias';
  return [content.ttlSeconds, ...(parseSoa(content.values[0] ?? '')?.timers ?? ['unreadable'])].join(' ');
}

/** True if both are equal for publishing. Of an SOA only the TTL and the four timers count; the rest is Route 53's. */
export function samePublishing(type: string, a: RecordSetContent | null, b: RecordSetContent | null): boolean {
  if (type !== 'SOA' || a === null || b === null) return sameContent(a, b);
  return soaSettings(a) === soaSettings(b);
}
