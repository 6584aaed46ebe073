// Notes in the message of `Accepted`, on what is as written and probably a mistake. The condition stays True.

const NOTE = '; note: ';

/** A message, which may have notes already, with further ones. */
export function withNotes(message: string, notes: readonly string[]): string {
  if (notes.length === 0) return message;
  return `${message}${notesIn(message) === null ? NOTE : '; '}${notes.join('; ')}`;
}

/** The notes in a message; null if there are none. */
export function notesIn(message: string): string | null {
  const at = message.indexOf(NOTE);
  return at < 0 ? null : message.slice(at + NOTE.length);
}

const ONLY_IF_DELEGATED = 'are found only if the hosted zone above delegates them';

/** The note on a root that a live Zone covers. `why`: why that Zone does not adopt it. */
export function coveredRootNote(fqdn: string, why: string): string {
  return `names in ${fqdn} ${ONLY_IF_DELEGATED}: ${why}`;
}

/** True for the message of a root that a live Zone covers. */
export function saysCoveredRoot(message: string): boolean {
  return notesIn(message)?.includes(ONLY_IF_DELEGATED) === true;
}

const NEVER_SEEN = 'so resolvers ask those name servers and never see this one';

/** The note on what is published at or below a delegation. `by`: who asks for the delegation. */
export function hiddenNote(fqdn: string, delegation: string, by: readonly string[]): string {
  const where = fqdn === delegation ? 'at' : 'below';
  return `it is ${where} the delegation ${delegation} (${by.join(', ')}), ${NEVER_SEEN}: declare it there, or declare a Zone ${delegation} here in place of the NS`;
}

/** True for the message of what no resolver sees. */
export function saysHidden(message: string): boolean {
  return notesIn(message)?.includes(NEVER_SEEN) === true;
}
