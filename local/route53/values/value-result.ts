// The problem of a Value, and the small readers that the types share: integers, host names, hexadecimal. Each reader
// throws a ValueProblem, which `checkValue` turns into Route 53's "FATAL problem" text.
import { parseDomainName } from './domain-name.ts';

/** Why a value is refused: the text between "FATAL problem:" and "encountered with". */
export class ValueProblem extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'ValueProblem';
  }
}

/** An unsigned integer of `bits` bits, in canonical decimal. */
export function unsigned(text: string, bits: 8 | 16 | 32, what: string): string {
  if (!/^\d{1,10}$/.test(text) || Number(text) >= 2 ** bits) {
    throw new ValueProblem(`${what}OutOfRange (Value is not an unsigned ${bits}-bit integer)`);
  }
  return String(Number(text));
}

/** A host name in kept form. The root is accepted only if `root` allows it. */
export function hostName(text: string, root: 'root' | 'no root' = 'no root'): string {
  if (text === '.' && root === 'no root') throw new ValueProblem('DomainLabelEmpty (Domain label is empty)');
  const parsed = parseDomainName(text);
  if (!parsed.ok)
    throw new ValueProblem(/^FATAL problem: (.*) encountered with '/s.exec(parsed.problem)?.[1] ?? 'Invalid');
  return parsed.name;
}

/** Whole octets in hexadecimal, lower case. `octets` is the length, if an algorithm determines it. */
export function hexadecimal(text: string, octets: number | undefined, what: string): string {
  if (!/^(?:[0-9a-fA-F]{2})+$/.test(text)) throw new ValueProblem(`${what}NotHexadecimal (Value is not hexadecimal)`);
  if (octets !== undefined && text.length !== octets * 2) {
    throw new ValueProblem(`${what}LengthInvalid (Value is not ${octets} octets long)`);
  }
  return text.toLowerCase();
}

/** The fields as a tuple of exactly `count`, or a problem that names the record type. */
export function exactly(fields: readonly string[], count: number, type: string): string[] {
  if (fields.length !== count) {
    throw new ValueProblem(`${type}RRDATAFieldCount (${type} record doesn't have ${count} fields)`);
  }
  return [...fields];
}
