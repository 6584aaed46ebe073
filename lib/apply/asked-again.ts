// At which names an apply has Route 53 asked again for what it refused before, with the same content. Pure.
//
//   somebody else's, or changed by hand     always: a look at the page tells
//   refused by name, or by a value          always: one call tells of a thousand
//   refused, and nobody knows for what      when its pause is over, as for the sweep; and a few, those refused longest
//                                           ago, so that somebody who mended one need not wait
import type { RecordSetItem } from '../record-sets/record-set-item.ts';
import { isDueAgain, wasNamed } from '../record-sets/transitions.ts';

/** Each takes a refused call, or two where it is found among others. */
const UNNAMED_MAX = 8;

/** The names, among those of which something is refused. */
export function askedAgain(items: Iterable<RecordSetItem>, nowMs: number): ReadonlySet<string> {
  const asked = new Set<string>();
  const unnamed: RecordSetItem[] = [];
  for (const item of items) {
    if (item.refusal === null) continue;
    const isUnnamed = item.refusal.reason === 'Rejected' && item.refused !== null && !wasNamed(item.refused);
    if (isUnnamed && !isDueAgain(item, nowMs)) unnamed.push(item);
    else asked.add(item.name);
  }
  const triedAtMs = ({ refused }: RecordSetItem) => refused?.atMs ?? 0;
  const longest = unnamed.toSorted((a, b) => triedAtMs(a) - triedAtMs(b) || (a.name < b.name ? -1 : 1));
  for (const { name } of longest.slice(0, UNNAMED_MAX)) asked.add(name);
  return asked;
}
