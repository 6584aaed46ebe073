// What `zone53 local` says of the statuses that it reports: what is not as it should be, and notes on what is accepted,
// when they come up or change, not at every report; and once that all is well again. A file that cannot be read is one
// error, said of the file: its objects, which are all kept, are not named one by one.
import type { Condition } from '../../lib/objects/conditions.ts';
import { formatRef, type ObjectRef } from '../../lib/objects/object-ref.ts';
import { FILE_UNREAD, type ObjectStatus } from '../../lib/ports/cluster.ts';
import { notesIn } from '../../lib/zones/adoption-notes.ts';
import { safeText } from './terminal-text.ts';

/** What the object showed before; null where that is not known. */
export type StatusBefore = Pick<ObjectStatus, 'conditions'> | null;

/** What a condition gives to say: `text` is null when it is well. */
type Remark = { readonly text: string | null; readonly isTrouble: boolean };

const WELL: Remark = { text: null, isTrouble: false };

/** Takes each report as it is made, and prints what is new about it. */
export function statusTeller(
  print: (line: string) => void,
): (ref: ObjectRef, status: ObjectStatus, before: StatusBefore) => void {
  const told = new Map<string, Remark>();
  return (ref, { conditions }, before) => {
    for (const condition of conditions) {
      const key = `${formatRef(ref)} ${condition.type}`;
      const was = before?.conditions.find(({ type }) => type === condition.type);
      // Reports overtake one another: what was there before is asked only until something was told.
      const said = told.get(key) ?? (was === undefined ? WELL : remarkOf(was));
      const remark = remarkOf(condition);
      told.set(key, remark);
      if (remark.text === said.text) continue;
      if (remark.text !== null) print(safeText(`${formatRef(ref)}: ${remark.text}`));
      else if (condition.status === 'True' && said.isTrouble) {
        print(safeText(`${formatRef(ref)}: ${condition.type} is True again`));
      }
    }
  };
}

/** A condition that is only not there yet says nothing. */
function remarkOf({ type, status, reason, message }: Condition): Remark {
  const notes = status === 'True' ? notesIn(message) : null;
  if (notes !== null) return { text: `note: ${notes}`, isTrouble: false };
  if (status !== 'False' || reason === 'Pending' || message.startsWith(FILE_UNREAD)) return WELL;
  return { text: `${type} is False, ${reason}: ${message}`, isTrouble: true };
}
