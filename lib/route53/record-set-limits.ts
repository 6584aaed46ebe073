// The limits of Route 53 for a single record set. One that exceeds them is refused in any batch, so it is never sent.
import type { RecordSetContent } from '../dns/record-set.ts';
import { isRoute53Type } from '../dns/record-type.ts';
import { BATCH_CHARACTERS_MAX } from './batch-changes.ts';
import { formatRoute53Rdata } from './escapes.ts';

/** Maximum number of ResourceRecord elements in a record set (Route 53 quotas). Last verified 2026-11-21. */
export const VALUES_MAX = 400;
/** Maximum length of a Value, with quotes and escapes (API, ResourceRecord). Last verified 2026-11-21. */
const VALUE_CHARACTERS_MAX = 4_000;

/**
 * What is wrong with the length of a value, in words for its author; null if Route 53 takes it. `rdata` is canonical.
 * The API counts a value as it is sent (ResourceRecord, "Length Constraints"): with the quotes of each string of at
 * most 255 octets and the spaces between, and with four characters for each octet that is not ASCII.
 */
export function valueTooLong(type: string, rdata: string): string | null {
  if (!isRoute53Type(type)) return null;
  const { length } = formatRoute53Rdata(type, rdata);
  if (length <= VALUE_CHARACTERS_MAX) return null;
  return `Route 53 allows at most ${VALUE_CHARACTERS_MAX} characters in a value, and this one has ${length} as it is sent, with quotes and escapes; shorten it, or spread it over several names`;
}

/** The limit of Route 53 that a record set of this type and content exceeds, in words; null for none. */
export function exceededLimit(type: string, content: RecordSetContent | null): string | null {
  if (content?.kind !== 'values') return null;
  const { values } = content;
  if (values.length > VALUES_MAX) {
    return `Route 53 allows at most ${VALUES_MAX} values in a record set, and this one has ${values.length}`;
  }
  const lengths = values.map((value) => formatRoute53Rdata(type, value).length);
  const longest = lengths.reduce((a, b) => Math.max(a, b), 0);
  if (longest > VALUE_CHARACTERS_MAX) {
    return `Route 53 allows at most ${VALUE_CHARACTERS_MAX} characters in a value, and one of these has ${longest} in the form of Route 53`;
  }
  const characters = lengths.reduce((sum, length) => sum + length, 0);
  if (characters <= BATCH_CHARACTERS_MAX) return null;
  return `one call of Route 53 allows at most ${BATCH_CHARACTERS_MAX} characters of values, and those of this record set have ${characters}`;
}
