// Notes on patterns of a Zone's delegations that probably lack their last dot: "www.example.org" in the Zone
// example.org. means www.example.org.example.org.
import { labelsOf } from '../dns/names/name.ts';
import { type Pattern, patternMeaning } from '../dns/names/pattern.ts';
import type { ZoneSpec } from './parse-zone.ts';

/** How many labels at the end of a pattern must be those of its Zone. */
const REPEATED_LABELS = 2;
/** How many patterns of a Zone are noted. */
const NOTES_MAX = 3;

/** The notes on the patterns of the Zone with this name, a sentence each. */
export function patternNotes({ delegations }: Pick<ZoneSpec, 'delegations'>, fqdn: string): readonly string[] {
  const patterns = delegations.flatMap(({ zones, records }) => [...zones, ...records.map(({ pattern }) => pattern)]);
  const repeating = new Map(
    patterns.filter((pattern) => repeatsZone(pattern, fqdn)).map((pattern) => [pattern.text, pattern]),
  );
  return [...repeating.values()]
    .slice(0, NOTES_MAX)
    .map(
      (pattern) =>
        `the pattern "${pattern.text}" has no last dot, so it means ${patternMeaning(pattern, fqdn)}: "${pattern.text}." may have been meant`,
    );
}

/** True for a relative pattern of several labels that ends in labels of its Zone's own name. */
export function repeatsZone({ absolute, labels, text }: Pattern, fqdn: string): boolean {
  const own = labelsOf(fqdn);
  const count = Math.min(REPEATED_LABELS, own.length);
  if (absolute || text.endsWith('@') || count === 0 || labels.length < REPEATED_LABELS) return false;
  return labels.slice(-count).join('.') === own.slice(-count).join('.');
}
