// The names at which an apply tries again what Route 53 refused before, with the same content. Pure.
//
//   foreign, or changed by hand             always: reading the names shows whether they are free
//   protected                               only when `--refresh` finds the protection gone
//   refused by name, or because of a value  always: one call tests a thousand
//   refused, and the record set is unknown  when its pause is over, as in the sweep; also a few of those refused
//                                           longest ago, so that somebody who corrected one need not wait
import { compareText } from '../dns/names/compare-text.ts';
import type { RecordSetItem } from '../record-sets/record-set-item.ts';
import { isDueAgain, wasNamed } from '../record-sets/transitions.ts';

/** How many of the unknown ones are tried. Each may cost one or two refused calls. */
const UNNAMED_MAX = 8;

export function namesToRetry(items: Iterable<RecordSetItem>, nowMs: number): ReadonlySet<string> {
  const asked = new Set<string>();
  const unnamed: RecordSetItem[] = [];
  for (const item of items) {
    if (item.refusal === null || item.refusal.reason === 'Protected') continue;
    const isUnnamed = item.refusal.reason === 'Rejected' && item.refused !== null && !wasNamed(item.refused);
    if (isUnnamed && !isDueAgain(item, nowMs)) unnamed.push(item);
    else asked.add(item.name);
  }
  const triedAtMs = ({ refused }: RecordSetItem) => refused?.atMs ?? 0;
  const longest = unnamed.toSorted((a, b) => triedAtMs(a) - triedAtMs(b) || compareText(a.name, b.name));
  for (const { name } of longest.slice(0, UNNAMED_MAX)) asked.add(name);
  return asked;
}
