// Prints the statuses that `zone53 local` reports: problems, and notes on accepted objects, when they appear or change;
// and when a problem is over. A file that cannot be read is one error about the file, so its objects, which are all
// kept, are not listed; nor are those of a kind that is not served any more.
import { formatPlace } from '../../lib/adapters/manifests/format-problem.ts';
import { type Condition, invalidIn } from '../../lib/objects/conditions.ts';
import { formatRef, type ObjectRef } from '../../lib/objects/object-ref.ts';
import { FILE_UNREAD, KIND_NOT_SERVED, type ObjectStatus, type Origin } from '../../lib/ports/cluster.ts';
import { notesIn } from '../../lib/zones/notes.ts';
import { NOT_IN_FORCE } from '../../lib/zones/resolve-zones.ts';
import { digestIn, withoutHow } from './how-to-release.ts';
import { type Paint, plainPaint, safeText } from './terminal-text.ts';

/** The status before; null if it is not known. */
export type StatusBefore = Pick<ObjectStatus, 'conditions'> | null;

/** What to print of a condition; `text` is null when it is well. */
type Remark = { readonly text: string | null; readonly isTrouble: boolean };

const WELL: Remark = { text: null, isTrouble: false };

/** Takes each report, and prints what is new in it. `placeOf`: the file and line of an object, or of its problem. */
export function statusTeller(
  print: (line: string) => void,
  placeOf: (ref: ObjectRef, problem?: string) => Origin | null,
  paint: Paint = plainPaint,
  release: Release = () => [],
): (ref: ObjectRef, status: ObjectStatus, before: StatusBefore) => void {
  const told = new Map<string, Remark>();
  return (ref, { conditions }, before) => {
    for (const condition of conditions) {
      const key = `${formatRef(ref)} ${condition.type}`;
      const was = before?.conditions.find(({ type }) => type === condition.type);
      // Reports may overtake one another, so the status before counts only until something was printed.
      const said = told.get(key) ?? (was === undefined ? WELL : remarkOf(was));
      const remark = remarkOf(condition);
      if (remark.text === said.text) continue;
      told.set(key, remark);
      const origin = remark.text === null ? null : placeOf(ref, invalidIn([condition]));
      const place = origin === null ? '' : `${formatPlace(origin)}: `;
      if (remark.text !== null) for (const line of linesOf(place, ref, remark, paint, release)) print(line);
      else if (condition.status === 'True' && said.isTrouble) {
        print(`${safeText(formatRef(ref))}: ${paint('green', `${condition.type} is True again`)}`);
      }
    }
  };
}

/** The lines that release what the guard holds of an object, to be copied; none: the text says how. */
export type Release = (ref: ObjectRef, digest: string) => readonly string[];

/** The remark, and below it what to copy if the guard holds something. */
function linesOf(
  place: string,
  ref: ObjectRef,
  { text, isTrouble }: Remark,
  paint: Paint,
  release: Release,
): readonly string[] {
  const digest = digestIn(text ?? '');
  const commands = digest === null ? [] : release(ref, digest);
  const shown = commands.length === 0 ? text : withoutHow(text ?? '', digest);
  const said = painted(safeText(`${place}${formatRef(ref)}: `), { text: shown, isTrouble }, paint);
  return [said, ...commands.map((one) => `    ${safeText(one)}`)];
}

/** The first words in colour: the condition and its reason, or that it is a note. */
function painted(before: string, { text, isTrouble }: Remark, paint: Paint): string {
  const said = safeText(text ?? '');
  const end = said.indexOf(':');
  const colour = !isTrouble ? 'cyan' : said.startsWith('Accepted') ? 'red' : 'yellow';
  return `${before}${paint(colour, said.slice(0, end))}${said.slice(end)}`;
}

/** A condition that is only pending, or a change that resolvers do not answer yet, is not worth printing. */
function remarkOf({ type, status, reason, message }: Condition): Remark {
  const notes = status === 'True' ? notesIn(message) : null;
  if (notes !== null) return { text: `note: ${notes}`, isTrouble: false };
  const isKept = !message.includes(NOT_IN_FORCE);
  const isOfMany = isKept && (message.startsWith(FILE_UNREAD) || message.includes(KIND_NOT_SERVED));
  const isUnderWay = reason === 'Pending' || reason === 'Changing';
  if (status !== 'False' || isUnderWay || isOfMany) return WELL;
  return { text: `${type} is False, ${reason}: ${message}`, isTrouble: true };
}
