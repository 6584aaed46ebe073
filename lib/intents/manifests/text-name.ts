// The names of the TXT records of ownership, as external-dns makes them (registry/mapper of external-dns 0.21).
import { parseName } from '../../dns/names/name.ts';
import type { Parameters } from '../model/parameters.ts';

/**
 * The name of the TXT record for a name and a type, without the final dot. Null: it is no valid name, because of the
 * prefix, because there is no room for the type, or because the name is a wildcard; then there is no TXT record.
 */
export function textNameOf({ 'txt-prefix': written }: Parameters, type: string, dnsName: string): string | null {
  const prefix = typeof written === 'string' ? written.toLowerCase() : '';
  const name = prefix.includes('%{record_type}')
    ? `${prefix.replaceAll('%{record_type}', type)}${dnsName}`
    : `${prefix}${type}-${dnsName}`;
  return parseName(name).ok ? name : null;
}
