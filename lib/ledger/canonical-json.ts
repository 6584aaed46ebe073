// JSON text that is the same for equal values, and its digest.
import { hash } from 'node:crypto';
import type { JsonObject, JsonValue } from '../ports/ledger.ts';

/** SHA-256 in hex of a value as JSON with sorted keys. */
export function digestOf(value: JsonValue): string {
  return hash('sha256', canonicalJson(value), 'hex');
}

/** JSON whose keys are sorted, so that equal values have equal text. */
export function canonicalJson(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const fields = value as JsonObject;
  let text = '';
  for (const key of Object.keys(fields).sort()) {
    const inner = fields[key];
    if (inner !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(inner)}`;
  }
  return `{${text}}`;
}
