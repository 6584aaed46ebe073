// Notes on endpoints that are published as written, but are probably a mistake. They are part of the message of
// `Accepted`, which stays True.
//
//   the name repeats its Zone          a.acme.com below acme.com.: write the last dot, or leave out the Zone's name
//   a CNAME to a single label          www: the target is absolute, whatever Zone the Record is in
//   a control character in a TXT       mostly a line break that YAML kept
//   what the source says               such as an annotation that has no meaning for zone53
//   another TTL than the record set's  Route 53 has one TTL for all values of a name and type: the lowest
import { labelsOf } from '../dns/names/name.ts';
import type { AdoptedEndpoint } from './adopt-endpoint.ts';

const NOTE = '; note: ';

export function withNotes(message: string, notes: readonly string[]): string {
  return notes.length === 0 ? message : `${message}${NOTE}${notes.join('; ')}`;
}

/** The notes in a message; null if there are none. */
export function notesIn(message: string): string | null {
  const at = message.indexOf(NOTE);
  return at < 0 ? null : message.slice(at + NOTE.length);
}

/** The notes on an adopted endpoint, one sentence each. `zone`: fqdn of its Zone; `ttlOfSet`: in seconds. */
export function notesOf(endpoint: AdoptedEndpoint, zone: string, ttlOfSet: number): readonly string[] {
  const { fqdn, type, class: recordClass, ttl, values, note } = endpoint;
  const notes: string[] = note === undefined ? [] : [note];
  const repeated = `${zone}${zone}`;
  if (zone !== '.' && (fqdn === repeated || fqdn.endsWith(`.${repeated}`))) {
    const meant = fqdn.slice(0, -zone.length);
    notes.push(`the name repeats its Zone, ${zone}: ${meant} may have been meant`);
  }
  if (recordClass !== 'IN') return notes;
  const single = type === 'CNAME' ? values.find((target) => labelsOf(target).length === 1) : undefined;
  if (single !== undefined) {
    notes.push(
      `the target ${single} is a single label, and a target is absolute: ${single}${zone} may have been meant`,
    );
  }
  if (type === 'TXT' && values.some(hasControlCharacter))
    notes.push('the text has a control character, such as a line break');
  if (ttl !== ttlOfSet) {
    notes.push(
      `its TTL, ${ttl}, is not used: other objects ask for ${fqdn} ${type} too, and the lowest TTL counts, ${ttlOfSet}`,
    );
  }
  return notes;
}

/** True for rdata with an escape `\DDD` of an octet below 32, or 127 (RFC 1035 §5.1). */
function hasControlCharacter(rdata: string): boolean {
  return [...rdata.matchAll(/\\(\d{3}|.)/gs)].some(([, escaped]) => {
    const octet = escaped?.length === 3 ? Number(escaped) : 32;
    return octet < 32 || octet === 127;
  });
}
