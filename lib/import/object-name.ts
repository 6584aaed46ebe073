// The name of an object for a DNS name. It depends only on name, type and set identifier. For plain names it is the
// name and the type, such as www.example.org-a. If Kubernetes does not allow that name, or if there is a set
// identifier, a hash of everything is added (RFC 1123 names; Kubernetes "Object Names and IDs").
import { hash } from 'node:crypto';
import type { RecordSetKey } from '../dns/record-set.ts';
import { isObjectName } from '../objects/object-ref.ts';

const NAME_CHARACTERS_MAX = 253;
const HASH_DIGITS = 8;

export function recordObjectName({ name, type, setIdentifier }: RecordSetKey): string {
  const plain = `${name.slice(0, -1)}-${type.toLowerCase()}`;
  if (setIdentifier === null && isObjectName(plain)) return plain;
  return hashed(plain, JSON.stringify([name, type, setIdentifier]));
}

export function zoneObjectName(apex: string): string {
  const plain = apex.slice(0, -1);
  return isObjectName(plain) ? plain : hashed(plain, apex);
}

function hashed(plain: string, whole: string): string {
  const labels = plain.split('.').map((label) => {
    const readable = label
      .replace(/^\*$/, 'wildcard')
      .replaceAll(/[^a-z0-9-]/g, '-')
      .replaceAll(/^-+|-+$/g, '');
    return readable === '' ? 'x' : readable;
  });
  const room = NAME_CHARACTERS_MAX - HASH_DIGITS - 1;
  const readable = labels
    .join('.')
    .slice(0, room)
    .replace(/[-.]+$/, '');
  return `${readable}-${hash('sha256', whole, 'hex').slice(0, HASH_DIGITS)}`;
}
