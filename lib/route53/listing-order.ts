// The order in which Route 53 lists names: labels reversed, each followed by a dot, compared as ASCII
// ("com.example.www.", API_ListResourceRecordSets; last verified 2026-11-21). In the ledger the labels are followed by
// a space. Some characters, above all the hyphen, are less than a dot, but none is less than a space. So `web-1` comes
// before `web` in Route 53 and after it in the ledger, and a range of names in Route 53 is a somewhat wider range in
// the ledger.
import { compareText } from '../dns/names/compare-text.ts';
import { labelsOf } from '../dns/names/name.ts';

const DOT = '.';

export function route53SortKey(name: string): string {
  const labels = labelsOf(name).map((label) =>
    label.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8))),
  );
  return labels
    .reverse()
    .map((label) => `${label}${DOT}`)
    .join('');
}

/** Compares two names as Route 53 does. */
export function compareRoute53Names(a: string, b: string): number {
  return compareText(route53SortKey(a), route53SortKey(b));
}

/** Sort keys that begin with a `reversedKey`, from `from` (inclusive) to `to` (exclusive; null: to the end). */
export type KeyRange = { readonly from: string; readonly to: string | null };

/**
 * The smallest range of the ledger that has all names which Route 53 lists after `after` and up to `through`; null:
 * from the first, to the last. The range has other names too, so the caller must compare each name.
 */
export function ledgerRange(after: string | null, through: string | null): KeyRange {
  const low = after === null ? '' : route53SortKey(after);
  const high = through === null ? null : route53SortKey(through);
  const common = commonLength(low, high ?? '');
  return { from: rangeFrom(low, common), to: high === null ? null : rangeTo(high, common) };
}

/**
 * Extends the lower bound when it has a character less than the dot: a name whose label ends before that character is
 * later in Route 53 but earlier in the ledger.
 */
function rangeFrom(low: string, common: number): string {
  for (let at = common; at < low.length; at += 1) {
    if ((low[at] as string) < DOT) return `${ledgerText(low.slice(0, at))} `;
  }
  return ledgerText(low);
}

/**
 * Extends the upper bound at its first dot: a name with a smaller character there is earlier in Route 53 but later in
 * the ledger.
 */
function rangeTo(high: string, common: number): string {
  const at = high.indexOf(DOT, common);
  return `${ledgerText(high.slice(0, at === -1 ? high.length : at))}${DOT}`;
}

function ledgerText(sortKey: string): string {
  return sortKey.replaceAll(DOT, ' ');
}

function commonLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}
