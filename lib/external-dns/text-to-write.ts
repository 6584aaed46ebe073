// The TXT record set with which external-dns 0.21 on Route 53 owns a record set (registry/txt, registry/mapper and
// provider/aws of external-dns; Last verified 2026-11-29). It has the routing of the record set, and the TTL that
// external-dns gives to what names none: with another one it could not delete it.
import { formatString } from '../dns/rdata/character-string.ts';
import type { RecordSet } from '../dns/record-set.ts';
import { nameToWrite, type TxtAffixes } from './txt-names.ts';

const TTL_SECONDS = 300;

/**
 * The types that external-dns 0.21 manages in Route 53 and whose TXT record it finds again. It writes TXT record sets,
 * too, and does not find the owner of those.
 */
const MANAGED_TYPES: readonly string[] = ['A', 'AAAA', 'CNAME', 'MX', 'NAPTR', 'NS', 'SRV'];

/** True if external-dns manages record sets of this type in Route 53. */
export function isManagedType(type: string): boolean {
  return MANAGED_TYPES.includes(type);
}

/** True for text that may be an owner: it is part of a list with "," and "=" in quotes. */
export function isOwnerId(text: string): boolean {
  return /^[!#-+\--<>-~]+$/.test(text);
}

/** The TXT record set; null if its name would be one that DNS does not allow, or that is read as another's. */
export function textToWrite(affixes: TxtAffixes, ownerId: string, recordSet: RecordSet): RecordSet | null {
  const { name: of, type, setIdentifier, content } = recordSet;
  const name = nameToWrite(affixes, { name: of, type, isAlias: content.kind === 'alias' });
  if (name === null) return null;
  const value = formatString(Buffer.from(`heritage=external-dns,external-dns/owner=${ownerId}`));
  const routed = content.routing === undefined ? {} : { routing: content.routing };
  return {
    name,
    type: 'TXT',
    setIdentifier,
    content: { kind: 'values', ttlSeconds: TTL_SECONDS, values: [value], ...routed },
  };
}
