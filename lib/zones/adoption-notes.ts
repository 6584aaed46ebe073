// Notes on endpoints and Zones that are published as written, but are probably a mistake. They are part of the message
// of `Accepted`, which stays True.
//
//   the name repeats its Zone          a.acme.com below acme.com.: write the last dot, or leave out the Zone's name
//   its values                         content-notes.ts
//   a control character in a TXT       mostly a line break that YAML kept
//   what the source says               such as an annotation that has no meaning for zone53
//   a root that a live Zone covers     nothing delegates to it, unless somebody does by hand
//   another TTL than the record set's  Route 53 has one TTL for all values of a name and type: the lowest
import type { AdoptedEndpoint } from './adopt-endpoint.ts';
import { notesOnSpf, notesOnValues } from './content-notes.ts';

/** What is known of the record set of an endpoint: its TTL in seconds, and how many of its values are SPF policies. */
export type OfSet = { readonly ttl: number; readonly spfCount?: number };

/** The notes on an adopted endpoint, one sentence each. `zone`: fqdn of its Zone. */
export function notesOf(endpoint: AdoptedEndpoint, zone: string, ofSet: OfSet): readonly string[] {
  const { fqdn, type, class: recordClass, ttl, values, note } = endpoint;
  const notes: string[] = note === undefined ? [] : [note];
  const repeated = `${zone}${zone}`;
  if (zone !== '.' && (fqdn === repeated || fqdn.endsWith(`.${repeated}`))) {
    const meant = fqdn.slice(0, -zone.length);
    notes.push(`the name repeats its Zone, ${zone}: ${meant} may have been meant`);
  }
  if (recordClass !== 'IN') return notes;
  notes.push(...notesOnValues(fqdn, type, values, zone), ...notesOnSpf(ofSet.spfCount ?? 0));
  if (type === 'TXT' && values.some(hasControlCharacter))
    notes.push('the text has a control character, such as a line break');
  if (ttl !== ofSet.ttl) {
    const which =
      ttl < ofSet.ttl
        ? `${fqdn} ${type} belongs to another namespace, whose TTL counts`
        : `other objects ask for ${fqdn} ${type} too, and the lowest TTL counts`;
    notes.push(`its TTL, ${ttl}, is not used: ${which}, ${ofSet.ttl}`);
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
