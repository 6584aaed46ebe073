// Notes on values that are published as written and are probably a mistake.
//
//   mail.                              a single label: a target is absolute, whatever Zone the record is in
//   www.example.org.example.org.       the target repeats its Zone, or a part of it
//   app.shop. in shop.example.org.     the target lacks the rest of its Zone
//   app.v2.                            no top-level domain has digits
//   a CNAME to its own name            nobody answers
//   two v=spf1 at a name               a receiver uses none (RFC 7208 §3.2)
//   a space in the key of DKIM         a long key that was split at the wrong place
import { isBelow, labelsOf } from '../dns/names/name.ts';
import { realName } from '../dns/names/view.ts';
import { targetOf } from '../dns/rdata/target-of.ts';

/** Up to so many targets of one endpoint have a note each. */
const TARGETS_MAX = 3;

/** The notes on the values of one endpoint. `zoneName`: the fqdn of its Zone. Names and values are canonical. */
export function notesOnValues(
  name: string,
  type: string,
  values: readonly string[],
  zoneName: string,
): readonly string[] {
  const [fqdn, zone] = [realName(name), realName(zoneName)];
  const targets = [...new Set(values.flatMap((rdata) => targetOf(type, rdata) ?? []))];
  const onTargets = targets.flatMap((target) => aboutTarget(target, fqdn, zone) ?? []).slice(0, TARGETS_MAX);
  const onTexts = type === 'TXT' ? values.flatMap((rdata) => aboutText(fqdn, joinedStrings(rdata)) ?? []) : [];
  const isRing = type === 'CNAME' && values.includes(fqdn);
  return [
    ...onTargets,
    ...(isRing ? [`the CNAME ${fqdn} leads to itself, so nobody answers`] : []),
    ...new Set(onTexts),
  ];
}

/** The note on a target that is probably not meant so; null for any other. */
function aboutTarget(target: string, fqdn: string, zone: string): string | null {
  const labels = labelsOf(target);
  const meant = (name: string) => (zone.endsWith('.arpa.') ? 'write its whole name' : `${name} may have been meant`);
  if (labels.length === 1)
    return `the target ${target} is a single label, and a target is absolute: ${meant(`${target}${zone}`)}`;
  const repeated = repeatedPart(target, zone);
  if (repeated !== null)
    return `the target ${target} repeats its Zone, ${repeated}: ${meant(target.slice(0, -zone.length))}`;
  const rest = missingPart(labels, fqdn, zone);
  if (rest !== null) return `the target ${target} is absolute, and not below its Zone: ${meant(`${target}${rest}`)}`;
  const last = labels.at(-1) as string;
  if (/[0-9_]/.test(last) && !last.startsWith('xn--') && last !== labelsOf(zone).at(-1))
    return `the target ${target} is absolute, and no top-level domain is called ${last}: ${meant(`${target}${zone}`)}`;
  return null;
}

/** The Zone's name, or the end of it, if a target has it twice, one behind the other; else null. */
function repeatedPart(target: string, zone: string): string | null {
  if (zone === '.' || !isBelow(target, zone)) return null;
  const before = target.slice(0, -zone.length);
  const labels = labelsOf(zone);
  const ends = labels.slice(0, Math.max(labels.length - 1, 1)).map((_, index) => `${labels.slice(index).join('.')}.`);
  return ends.find((end) => before === end || isBelow(before, end)) ?? null;
}

/**
 * What a target lacks that ends in the first labels of its Zone, or in the label below it that the record's own name
 * has. Only short targets: a longer one is rather a name below a top-level domain of that name, such as `dev`.
 */
function missingPart(labels: readonly string[], fqdn: string, zone: string): string | null {
  const ofZone = labelsOf(zone);
  const own = isBelow(fqdn, zone) ? labelsOf(fqdn).at(-ofZone.length - 1) : undefined;
  if (labels.length === 2 && labels[1] === own) return zone;
  for (let count = ofZone.length - 1; count > 0; count -= 1) {
    const isEnd = ofZone.slice(0, count).join('.') === labels.slice(-count).join('.');
    if (isEnd && labels.length <= count + 1) return `${ofZone.slice(count).join('.')}.`;
  }
  return null;
}

/** The strings of a TXT, joined as a reader joins them. Escapes stay. */
function joinedStrings(rdata: string): string {
  return [...rdata.matchAll(/"((?:\\.|[^"\\])*)"/gs)].map(([, text]) => text).join('');
}

function aboutText(fqdn: string, text: string): string | null {
  if (!labelsOf(fqdn).includes('_domainkey')) return null;
  const key = /(?:^|;)\s*p\s*=([^;]*)/i.exec(text)?.[1]?.trim() ?? '';
  return /\s/.test(key)
    ? 'the key of DKIM (p=) has a space in it: a long key is several strings, each in quotes'
    : null;
}

/** True for a TXT that states a policy of SPF. */
export function isSpf(rdata: string): boolean {
  return /^v=spf1(?: |$)/i.test(joinedStrings(rdata));
}

/** The note on a name with several policies of SPF; none for one. */
export function notesOnSpf(count: number): readonly string[] {
  if (count < 2) return [];
  return [`the name has ${count} policies of SPF (v=spf1), and a receiver then uses none (RFC 7208 §3.2): write one`];
}
