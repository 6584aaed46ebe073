// Hashes that say whether something changed. They are compared, never taken apart. The prefix is the version of the
// input's form: raise it whenever the same content would hash differently, and every stored hash counts as changed
// once.
import { createHash, hash } from 'node:crypto';
import { describeEntry, type Entry } from './entry.ts';
import type { RecordSetContent } from './record-set.ts';
import { describeRouting } from './routing-policy.ts';

/** The SOA's own settings, in seconds; the serial is none of them. */
export type HashedSoa = {
  readonly ttl: number;
  readonly refresh: number;
  readonly retry: number;
  readonly expire: number;
  readonly negativeResponseCache: number;
};

const VERSION = 'v1';

/** The hash of one record set's content, canonical; null is "nothing". "v1:" and 64 hex digits. */
export function hashRecordSet(content: RecordSetContent | null): string {
  return digest(describeContent(content));
}

/** The hash of a Zone's entries without the SOA, in any order: "v1:" and 64 hex digits. */
export function hashZone(entries: Iterable<Entry>, soa: HashedSoa): string {
  const lines = new Set<string>();
  for (const entry of entries) lines.add(JSON.stringify(describeEntry(entry)));
  const settings = [soa.ttl, soa.refresh, soa.retry, soa.expire, soa.negativeResponseCache];
  const sum = createHash('sha256').update(`[${JSON.stringify(settings)},[`);
  // The JSON of all lines, line by line: that of a large zone is long.
  for (const [index, line] of [...lines].sort().entries())
    sum.update(`${index === 0 ? '' : ','}${JSON.stringify(line)}`);
  return `${VERSION}:${sum.update(']]').digest('hex')}`;
}

/** A record set's content as JSON of one form only, whatever the order of its fields in memory. */
export function describeContent(content: RecordSetContent | null): unknown {
  if (content === null) return null;
  // Content without routing has the form that it always had, so that no stored hash changes.
  const routing = content.routing === undefined ? [] : [describeRouting(content.routing)];
  if (content.kind === 'values') return [content.ttlSeconds, content.values, ...routing];
  const { hostedZoneId, dnsName, evaluateTargetHealth } = content.alias;
  return ['alias', hostedZoneId, dnsName, evaluateTargetHealth, ...routing];
}

function digest(value: unknown): string {
  return `${VERSION}:${hash('sha256', JSON.stringify(value), 'hex')}`;
}
