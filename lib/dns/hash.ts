// Hashes that show whether something changed. They are only compared. The prefix is the version of the hashed form.
// Increase it whenever the same content would get another hash; then every stored hash counts as changed once.
import { createHash, hash } from 'node:crypto';
import { describeEntry, type Entry } from './entry.ts';
import type { RecordSetContent } from './record-set.ts';
import { describeRouting } from './routing-policy.ts';

/** The settings of an SOA in seconds, without the serial. `ttl` is also the default TTL of the Zone's records. */
export type SoaSettings = {
  readonly ttl: number;
  readonly refresh: number;
  readonly retry: number;
  readonly expire: number;
  readonly negativeResponseCache: number;
};

const VERSION = 'v1';

/** The hash of the canonical content of a record set (null: nothing): "v1:" and 64 hex digits. */
export function hashRecordSet(content: RecordSetContent | null): string {
  return `${VERSION}:${hash('sha256', JSON.stringify(describeContent(content)), 'hex')}`;
}

/** The hash of a Zone's entries without the SOA: "v1:" and 64 hex digits. The order of the entries does not matter. */
export function hashZone(entries: Iterable<Entry>, soa: SoaSettings): string {
  const lines = new Set<string>();
  for (const entry of entries) lines.add(JSON.stringify(describeEntry(entry)));
  const settings = [soa.ttl, soa.refresh, soa.retry, soa.expire, soa.negativeResponseCache];
  const sum = createHash('sha256').update(`[${JSON.stringify(settings)},[`);
  // Hashed line by line, because the JSON of a large zone is long.
  for (const [index, line] of [...lines].sort().entries())
    sum.update(`${index === 0 ? '' : ','}${JSON.stringify(line)}`);
  return `${VERSION}:${sum.update(']]').digest('hex')}`;
}

/** The content of a record set as JSON. Equal contents give equal JSON, whatever the order of their fields. */
export function describeContent(content: RecordSetContent | null): unknown {
  if (content === null) return null;
  // Content without routing keeps the form it had before routing existed, so that no stored hash changes.
  const routing = content.routing === undefined ? [] : [describeRouting(content.routing)];
  if (content.kind === 'values') return [content.ttlSeconds, content.values, ...routing];
  const { hostedZoneId, dnsName, evaluateTargetHealth } = content.alias;
  return ['alias', hostedZoneId, dnsName, evaluateTargetHealth, ...routing];
}
