// The auditor's texts for the key and the content of a record set. They do not depend on the order of fields in memory.
import type { RecordSetKey } from '../../lib/dns/record-set.ts';

/** A record set of one hosted zone. The set identifiers of simulated worlds have no spaces. */
export function standingKey(id: string, { name, type, setIdentifier }: RecordSetKey): string {
  return setIdentifier === null ? `${id} ${name} ${type}` : `${id} ${name} ${type} ${setIdentifier}`;
}

/** The start of the keys of all record sets of this name and type; the simple one's is the whole of it. */
export function isOfType(key: string, id: string, { name, type }: Pick<RecordSetKey, 'name' | 'type'>): boolean {
  const simple = `${id} ${name} ${type}`;
  return key === simple || key.startsWith(`${simple} `);
}

/**
 * True for the key of what a Zone derives from addresses, or may: the guard does not count that. Tenants ask for no
 * HTTPS, and Services may have PTRs among these.
 */
export function isDerived(key: string): boolean {
  return /^\S+ (?:_acme-challenge\.\S+ CNAME|\S+ HTTPS|\S+\.2\.0\.192\.in-addr\.arpa\. PTR)$/.test(key);
}

/** The content of a record set, in Route 53 or in the ledger, as text. */
export function textOf(content: unknown): string {
  return JSON.stringify(content ?? null, (_, value) =>
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}
