// The order in which Route 53 lists names: labels reversed, joined and ended by dots, compared as ASCII
// ("com.example.www.", API_ListResourceRecordSets; last verified 2026-11-21). What sorts before the dot, a hyphen above
// all, sorts there before the end of a label; in the ledger, whose labels end in a space, nothing does. So `web-1`
// comes before `web` in one and after it in the other, and what is one stretch in Route 53 is a somewhat wider one in
// the ledger.
import { labelsOf } from '../dns/names/name.ts';

const DOT = '.';

/** What Route 53 sorts a canonical name by. */
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
  const [left, right] = [route53SortKey(a), route53SortKey(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** A stretch of sort keys that begin with a `reversedKey`: from `from` on, up to but without `to`; null: to the end. */
export type KeyStretch = { readonly from: string; readonly to: string | null };

/**
 * The least stretch of the ledger's keys that holds every name which Route 53 lists after `after` and up to `through`;
 * null: from the first, to the last. It holds others too, so whoever reads it compares each name.
 */
export function ledgerStretch(after: string | null, through: string | null): KeyStretch {
  const low = after === null ? '' : route53SortKey(after);
  const high = through === null ? null : route53SortKey(through);
  const common = commonLength(low, high ?? '');
  return { from: stretchFrom(low, common), to: high === null ? null : stretchTo(high, common) };
}

/** If the lower end has a character below the dot, a label may end there: later in Route 53, earlier in the ledger. */
function stretchFrom(low: string, common: number): string {
  for (let at = common; at < low.length; at += 1) {
    if ((low[at] as string) < DOT) return `${ledgerText(low.slice(0, at))} `;
  }
  return ledgerText(low);
}

/** Where the upper end has a dot, what sorts before it may stand instead: earlier for Route 53, later in the ledger. */
function stretchTo(high: string, common: number): string {
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
