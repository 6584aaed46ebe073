// At which names external-dns keeps the TXT records that say whom a record set belongs to, and which record sets such a
// name speaks for (registry/mapper of external-dns 0.21 and 0.22; last verified 2026-11-22). For www.example.org. of
// type A:
//
//   prefix, suffix            | new format               | old format
//   none                      | a-www.example.org.       | www.example.org.
//   txt.                      | txt.a-www.example.org.   | txt.www.example.org.
//   %{record_type}-owner.     | a-owner.www.example.org. | -owner.www.example.org.
//   -%{record_type} (suffix)  | www-a.example.org.       | www-.example.org.
//
// A name of the old format speaks for every type but AAAA. An alias of type A has "cname" up to 0.21, and "a" from 0.22
// on.

/** How external-dns was told to name its TXT records: `--txt-prefix`, `--txt-suffix`, `--txt-wildcard-replacement`. */
export type TxtAffixes = {
  readonly txtPrefix: string;
  readonly txtSuffix: string;
  readonly wildcardReplacement: string;
};

/** The record sets that a TXT record speaks for: of one type, or with null (old format) of all types but AAAA. */
export type SpokenFor = { readonly name: string; readonly type: string | null };

/** What is to be known of a record set to find its TXT records. */
export type Subject = { readonly name: string; readonly type: string; readonly isAlias: boolean };

const TEMPLATE = '%{record_type}';
/** The types that external-dns looks for in a name, in its order. */
const TYPES = ['A', 'AAAA', 'CNAME', 'NS', 'MX', 'PTR', 'SRV', 'NAPTR', 'TXT', 'DNAME'];

/** Canonical names at which TXT records may speak for a record set, without those that external-dns reads otherwise. */
export function ownershipNames(affixes: TxtAffixes, subject: Subject): readonly string[] {
  const types = typesOf(subject);
  const written = [...types.map((type) => nameFor(affixes, subject.name, type)), nameFor(affixes, subject.name, null)];
  return [...new Set(written)].filter((name) => speaksFor(affixes, name, subject));
}

/** True when a TXT record at this name speaks for the record set. */
export function speaksFor(affixes: TxtAffixes, txtName: string, subject: Subject): boolean {
  const spoken = spokenFor(affixes, txtName);
  if (spoken === null || spoken.name !== withoutWildcard(affixes, subject.name)) return false;
  return spoken.type === null ? subject.type !== 'AAAA' : typesOf(subject).includes(spoken.type);
}

/** For which record sets a TXT record at this name speaks, its wildcard replaced; null: for none. */
export function spokenFor(affixes: TxtAffixes, txtName: string): SpokenFor | null {
  const suffix = affixes.txtSuffix.toLowerCase();
  if (suffix === '') return withoutAffix(affixes, txtName);
  if (affixes.txtPrefix !== '') return null;
  // The suffix stands behind the first label, and may have dots of its own.
  const labels = txtName.split('.');
  const split = 1 + suffix.split('.').length - 1;
  const spoken = withoutAffix(affixes, labels.slice(0, split).join('.'));
  return spoken === null ? null : { ...spoken, name: `${spoken.name}.${labels.slice(split).join('.')}` };
}

/** Of an alias of type A both what older versions call it and what newer ones do. */
function typesOf({ type, isAlias }: Subject): readonly string[] {
  return type === 'A' && isAlias ? ['A', 'CNAME'] : [type];
}

function withoutWildcard({ wildcardReplacement }: TxtAffixes, name: string): string {
  if (wildcardReplacement === '' || !name.startsWith('*.')) return name;
  return `${wildcardReplacement.toLowerCase()}${name.slice(1)}`;
}

/** The name of the new format for a type, or with null that of the old format. */
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

function withoutAffix(affixes: TxtAffixes, text: string): SpokenFor | null {
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

function typeInFront(text: string): SpokenFor {
  const dash = text.indexOf('-');
  const type = dash === -1 ? undefined : TYPES.find((one) => one.toLowerCase() === text.slice(0, dash));
  return type === undefined ? { name: text, type: null } : { name: text.slice(dash + 1), type };
}
