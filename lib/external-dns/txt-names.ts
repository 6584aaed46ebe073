// The names of the TXT records in which external-dns notes the owner of a record set, and the way back from such a name
// to its record sets (registry/mapper of external-dns 0.21 and 0.22; last verified 2026-11-22). For www.example.org. of
// type A:
//
//   prefix, suffix            | new format               | old format
//   none                      | a-www.example.org.       | www.example.org.
//   txt.                      | txt.a-www.example.org.   | txt.www.example.org.
//   %{record_type}-owner.     | a-owner.www.example.org. | -owner.www.example.org.
//   -%{record_type} (suffix)  | www-a.example.org.       | www-.example.org.
//
// A name in the old format belongs to A and CNAME: it is of the years when external-dns wrote no others. For an alias
// of type A the new format has "cname" up to 0.21 and "a" from 0.22 on. With prefix %{record_type}. the old format has
// an empty label, so no such TXT record exists.
import { LABEL_OCTETS_MAX } from '../dns/names/label.ts';
import { labelsOf, NAME_OCTETS_MAX, nameOctets } from '../dns/names/name.ts';

/** What names the TXT records: `--txt-prefix`, `--txt-suffix` and `--txt-wildcard-replacement`. */
export type TxtAffixes = {
  readonly txtPrefix: string;
  readonly txtSuffix: string;
  readonly wildcardReplacement: string;
};

/** The record sets that a TXT record belongs to: those of one type, or with null those of `OLD_FORMAT_TYPES`. */
export type TextSubject = { readonly name: string; readonly type: string | null };

/** The part of a record set that decides the names of its TXT records. */
export type Subject = { readonly name: string; readonly type: string; readonly isAlias: boolean };

const TEMPLATE = '%{record_type}';
/** The record types that external-dns looks for in the name of a TXT record, in its order. */
const TYPES = ['A', 'AAAA', 'CNAME', 'NS', 'MX', 'PTR', 'SRV', 'NAPTR', 'TXT', 'DNAME'];
/** The types of the record sets for which a TXT record in the old format speaks. */
const OLD_FORMAT_TYPES: readonly string[] = ['A', 'CNAME'];

/**
 * The canonical names at which the TXT records of a record set may be. Names that external-dns would read as those of
 * another record set are left out, and names that DNS does not allow: Route 53 refuses to read at these.
 */
export function ownershipNames(affixes: TxtAffixes, subject: Subject): readonly string[] {
  const types = typesInTxtName(subject);
  const written = [...types.map((type) => nameFor(affixes, subject.name, type)), nameFor(affixes, subject.name, null)];
  return [...new Set(written)].filter((name) => isAllowed(name) && isTextFor(affixes, name, subject));
}

/**
 * The name at which external-dns 0.21 writes the TXT record of a record set; null if it writes none, or would not find
 * it again.
 */
export function nameToWrite(affixes: TxtAffixes, subject: Subject): string | null {
  const type = typesInTxtName(subject).at(-1) ?? subject.type;
  const name = nameFor(affixes, subject.name, type);
  return isAllowed(name) && isTextFor(affixes, name, subject) ? name : null;
}

/** Whether DNS allows the name: no empty label, and none that is too long. */
function isAllowed(name: string): boolean {
  // Without its length octet and the octet of the root.
  const octetsOf = (label: string) => nameOctets(label) - 2;
  return (
    nameOctets(name) <= NAME_OCTETS_MAX &&
    labelsOf(name).every((label) => label !== '' && octetsOf(label) <= LABEL_OCTETS_MAX)
  );
}

/** True when a TXT record at this name belongs to the record set. */
export function isTextFor(affixes: TxtAffixes, txtName: string, subject: Subject): boolean {
  const found = subjectOfText(affixes, txtName);
  if (found === null || found.name !== withoutWildcard(affixes, subject.name)) return false;
  return found.type === null ? OLD_FORMAT_TYPES.includes(subject.type) : typesInTxtName(subject).includes(found.type);
}

/** The record sets that a TXT record at this name belongs to, with the wildcard as its replacement; null for none. */
export function subjectOfText(affixes: TxtAffixes, txtName: string): TextSubject | null {
  const suffix = affixes.txtSuffix.toLowerCase();
  if (suffix === '') return withoutAffix(affixes, txtName);
  if (affixes.txtPrefix !== '') return null;
  // The suffix follows the first label, and may have dots.
  const labels = txtName.split('.');
  const split = 1 + suffix.split('.').length - 1;
  const found = withoutAffix(affixes, labels.slice(0, split).join('.'));
  return found === null ? null : { ...found, name: `${found.name}.${labels.slice(split).join('.')}` };
}

/** For an alias of type A the name of the type in older versions and in newer ones. */
function typesInTxtName({ type, isAlias }: Subject): readonly string[] {
  return type === 'A' && isAlias ? ['A', 'CNAME'] : [type];
}

function withoutWildcard({ wildcardReplacement }: TxtAffixes, name: string): string {
  if (wildcardReplacement === '' || !name.startsWith('*.')) return name;
  return `${wildcardReplacement.toLowerCase()}${name.slice(1)}`;
}

/** The name in the new format for a type; with null the name in the old format. */
function nameFor(affixes: TxtAffixes, name: string, type: string | null): string {
  const word = type === null ? '' : type.toLowerCase();
  const [prefix, suffix] = [affixes.txtPrefix, affixes.txtSuffix].map((affix) =>
    affix.toLowerCase().replaceAll(TEMPLATE, word),
  );
  const [first = '', ...rest] = withoutWildcard(affixes, name).split('.');
  const label = type === null || hasTemplate(affixes) ? first : `${word}-${first}`;
  return [`${prefix}${label}${suffix}`, ...rest].join('.');
}

function hasTemplate({ txtPrefix, txtSuffix }: TxtAffixes): boolean {
  return `${txtPrefix} ${txtSuffix}`.toLowerCase().includes(TEMPLATE);
}

function withoutAffix(affixes: TxtAffixes, text: string): TextSubject | null {
  for (const type of hasTemplate(affixes) ? TYPES : []) {
    const rest = cutAffix(affixes, text, type.toLowerCase());
    if (rest !== null) return { name: rest, type };
  }
  const rest = cutAffix(affixes, text, '');
  return rest === null ? null : typeInFront(rest);
}

function cutAffix({ txtPrefix, txtSuffix }: TxtAffixes, text: string, word: string): string | null {
  const [prefix = '', suffix = ''] = [txtPrefix, txtSuffix].map((affix) =>
    affix.toLowerCase().replaceAll(TEMPLATE, word),
  );
  if (txtSuffix === '') return text.startsWith(prefix) ? text.slice(prefix.length) : null;
  return text.endsWith(suffix) ? text.slice(0, text.length - suffix.length) : null;
}

function typeInFront(text: string): TextSubject {
  const dash = text.indexOf('-');
  const type = dash === -1 ? undefined : TYPES.find((one) => one.toLowerCase() === text.slice(0, dash));
  return type === undefined ? { name: text, type: null } : { name: text.slice(dash + 1), type };
}
