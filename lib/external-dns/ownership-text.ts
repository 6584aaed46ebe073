// Reads the TXT record sets in which external-dns notes the owner of a record set:
// `heritage=external-dns,external-dns/owner=prod,…`, in plain text or encrypted. A text in any other form names no
// owner.
import type { RecordSetContent } from '../dns/record-set.ts';

export type Statement =
  /** A TXT record set that has nothing to do with external-dns. */
  | { readonly kind: 'none' }
  | { readonly kind: 'owner'; readonly owner: string; readonly resource: string | null }
  /** A TXT record set that is or may be one of external-dns, but whose owner cannot be read. */
  | { readonly kind: 'unreadable'; readonly problem: string };

/** Returns the plain text of an encrypted value; null when it is not encrypted, or not with this key. */
export type Decrypt = (text: string) => string | null;

const HERITAGE = 'external-dns';
/** Minimum length of an encrypted value in base64: 12 octets of nonce, 16 of tag and 18 of an empty gzip. */
const ENCRYPTED_CHARACTERS_MIN = 64;

/** Reads a TXT record set. `decrypts`: one function for each key that it may be encrypted with. */
export function readStatement(content: RecordSetContent, decrypts: readonly Decrypt[]): Statement {
  if (content.kind !== 'values') return { kind: 'none' };
  const statements = content.values.map((value) => readText(textOf(value), decrypts));
  const first = statements.find(({ kind }) => kind !== 'none');
  if (first === undefined) return { kind: 'none' };
  if (statements.length === 1) return first;
  // external-dns reads only the first value. To delete the record set would delete somebody's other values.
  return { kind: 'unreadable', problem: `it has ${statements.length} values where external-dns writes one` };
}

/**
 * Joins the character strings of canonical rdata, without quotes around the whole. Decimal escapes stay: external-dns
 * writes printable ASCII only.
 */
function textOf(rdata: string): string {
  return (rdata.match(/"(?:\\.|[^"\\])*"/gs) ?? [])
    .map((string) => string.slice(1, -1).replace(/\\(\D)/gs, '$1'))
    .join('')
    .replace(/^"+|"+$/g, '');
}

function readText(text: string, decrypts: readonly Decrypt[]): Statement {
  for (const decrypt of decrypts) {
    const plain = decrypt(text);
    if (plain !== null) return readLabels(plain);
  }
  if (text.includes('heritage=')) return readLabels(text);
  if (text.length < ENCRYPTED_CHARACTERS_MIN || !/^[A-Za-z0-9+/]+={0,2}$/.test(text) || text.length % 4 !== 0)
    return { kind: 'none' };
  const why = decrypts.length === 0 ? 'there is no key (aesKeySecret) to read it with' : 'the key does not fit';
  return { kind: 'unreadable', problem: `it seems to be encrypted, and ${why}` };
}

function readLabels(text: string): Statement {
  const labels = new Map<string, string>();
  let isExternalDns = false;
  for (const token of text.split(',')) {
    const [key = '', value, more] = token.split('=');
    if (value === undefined || more !== undefined) continue;
    if (key === 'heritage') {
      if (value !== HERITAGE) return { kind: 'none' };
      isExternalDns = true;
    } else if (key.startsWith(`${HERITAGE}/`)) labels.set(key.slice(HERITAGE.length + 1), value);
  }
  if (!isExternalDns) return { kind: 'none' };
  const owner = labels.get('owner') ?? '';
  if (owner === '') return { kind: 'unreadable', problem: 'it has the heritage of external-dns and no owner' };
  return { kind: 'owner', owner, resource: labels.get('resource') ?? null };
}
