// Prints the statuses that `zone53 local` reports: problems, and notes on accepted objects, when they appear or change;
// and when a problem is over. A file that cannot be read is one error about the file, so its objects, which are all
// kept, are not listed; nor are those of a kind that is not served any more.
import { formatPlace } from '../../lib/adapters/manifests/format-problem.ts';
import type { Condition } from '../../lib/objects/conditions.ts';
import { formatRef, type ObjectRef } from '../../lib/objects/object-ref.ts';
import { FILE_UNREAD, KIND_NOT_SERVED, type ObjectStatus, type Origin } from '../../lib/ports/cluster.ts';
import { notesIn } from '../../lib/zones/adoption-notes.ts';
import { safeText } from './terminal-text.ts';

/** The status before; null if it is not known. */
export type StatusBefore = Pick<ObjectStatus, 'conditions'> | null;

/** What to print of a condition; `text` is null when it is well. */
type Remark = { readonly text: string | null; readonly isTrouble: boolean };

const WELL: Remark = { text: null, isTrouble: false };

/** Takes each report, and prints what is new in it. `placeOf`: the file and line of an object, if it has one. */
export function statusTeller(
  print: (line: string) => void,
  placeOf: (ref: ObjectRef) => Origin | null,
): (ref: ObjectRef, status: ObjectStatus, before: StatusBefore) => void {
  const told = new Map<string, Remark>();
  return (ref, { conditions }, before) => {
    for (const condition of conditions) {
      const key = `${formatRef(ref)} ${condition.type}`;
      const was = before?.conditions.find(({ type }) => type === condition.type);
      // Reports may overtake one another, so the status before counts only until something was printed.
      const said = told.get(key) ?? (was === undefined ? WELL : remarkOf(was));
      const remark = remarkOf(condition);
      told.set(key, remark);
      if (remark.text === said.text) continue;
      const origin = remark.text === null ? null : placeOf(ref);
      const place = origin === null ? '' : `${formatPlace(origin)}: `;
      if (remark.text !== null) print(safeText(`${place}${formatRef(ref)}: ${remark.text}`));
      else if (condition.status === 'True' && said.isTrouble) {
        print(safeText(`${formatRef(ref)}: ${condition.type} is True again`));
      }
    }
  };
}

/** A condition that is only pending is not worth printing. */
function remarkOf({ type, status, reason, message }: Condition): Remark {
  const notes = status === 'True' ? notesIn(message) : null;
  if (notes !== null) return { text: `note: ${notes}`, isTrouble: false };
  const isOfMany = message.startsWith(FILE_UNREAD) || message.includes(KIND_NOT_SERVED);
  if (status !== 'False' || reason === 'Pending' || isOfMany) return WELL;
  return { text: `${type} is False, ${reason}: ${message}`, isTrouble: true };
}
