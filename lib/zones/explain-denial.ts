// The message of `DelegationDenied`: whether namespace, pattern or type fails in the nearest rule, and the narrowest
// rule that would allow this one object. Other namespaces are never named, because a tenant may read the message.
import { isBelow } from '../dns/names/name.ts';
import { matchesPattern, type Pattern, patternMeaning } from '../dns/names/pattern.ts';
import { appliesTo, isOwn, type LiveZone } from './delegation.ts';
import { repeatsZone } from './pattern-notes.ts';

/** One pattern of a rule, and which parts of the rule match. `types` empty: every type. */
type Candidate = {
  readonly pattern: Pattern;
  readonly types: readonly string[];
  readonly fits: { readonly name: boolean; readonly namespace: boolean; readonly type: boolean };
};

/** The most items of a list that a message shows. */
const SHOWN_MAX = 5;

/**
 * Why no rule of the Zone delegates `fqdn` to `namespace`, and what to add. `type` null: for a sub-zone. An object
 * of no namespace has the empty one, and needs a rule for all.
 */
export function explainDenial(zone: LiveZone, fqdn: string, type: string | null, namespace: string): string {
  const what = type === null ? `Zone ${fqdn}` : `${fqdn} (${type})`;
  return `Zone ${zone.key} (${zone.fqdn}) does not delegate ${what} to ${namespace === '' ? 'all namespaces' : `namespace ${namespace}`}: ${obstacle(zone, fqdn, type, namespace)}; to allow it, add to its delegations ${remedy(zone, fqdn, type, namespace)}`;
}

/** What fails: the type alone, else the name in the rules for the namespace, else the namespace. */
function obstacle(zone: LiveZone, fqdn: string, type: string | null, namespace: string): string {
  if (rulesOf(zone).length === 0) return 'it has no delegations at all';
  const list = type === null ? 'zones' : 'records';
  const candidates = candidatesOf(zone, fqdn, type, namespace);
  const matching = candidates.filter(({ fits }) => fits.name);
  const wrongType = matching.filter(({ fits }) => fits.namespace);
  if (wrongType.length > 0) return `${given(wrongType)}, but only for ${typesWanted(wrongType)}`;
  const own = candidates.filter(({ fits }) => fits.namespace);
  if (own.length > 0) return `none of the ${list} patterns for that namespace matches: ${meaningsOf(own, zone.fqdn)}`;
  if (matching.length > 0) {
    const typed = matching.some(({ fits }) => fits.type);
    return `${given(matching)}, but not for that namespace${typed ? '' : `, and only for ${typesWanted(matching)}`}`;
  }
  const named = rulesOf(zone).some((rule) => appliesTo(rule, namespace));
  return named ? `its rules for that namespace have no ${list} patterns` : 'no rule names that namespace';
}

/** The rules for objects of the cluster itself. */
function rulesOf({ spec }: LiveZone): LiveZone['spec']['delegations'] {
  return spec.delegations.filter(isOwn);
}

function candidatesOf(zone: LiveZone, fqdn: string, type: string | null, namespace: string): readonly Candidate[] {
  return rulesOf(zone).flatMap(({ namespaces, zones, records }) => {
    const rules = type === null ? zones.map((pattern) => ({ pattern, types: [] })) : records;
    return rules.map(({ pattern, types }) => ({
      pattern,
      types,
      fits: {
        name: matchesPattern(pattern, fqdn, zone.fqdn),
        namespace: appliesTo({ namespaces }, namespace),
        type: type === null || types.length === 0 || types.includes(type),
      },
    }));
  });
}

function given(candidates: readonly Candidate[]): string {
  return `${patternsOf(candidates)} matches`;
}

function patternsOf(candidates: readonly Candidate[]): string {
  return listed(candidates.map(({ pattern }) => `"${pattern.text}"`));
}

/** Patterns that may lack their last dot are shown with what they mean. */
function meaningsOf(candidates: readonly Candidate[], zone: string): string {
  const meant = ({ pattern }: Candidate) => (mayLackDot(pattern, zone) ? ` (${patternMeaning(pattern, zone)})` : '');
  return listed(candidates.map((candidate) => `"${candidate.pattern.text}"${meant(candidate)}`));
}

function mayLackDot(pattern: Pattern, zone: string): boolean {
  if (pattern.absolute || pattern.text.endsWith('@') || pattern.labels.length < 2) return false;
  return repeatsZone(pattern, zone) || !pattern.text.includes('*');
}

function typesWanted(candidates: readonly Candidate[]): string {
  return `type ${listed(candidates.flatMap(({ types }) => types))}`;
}

function listed(items: readonly string[]): string {
  const different = [...new Set(items)];
  const more = different.length - SHOWN_MAX;
  return more > 0 ? `${different.slice(0, SHOWN_MAX).join(', ')} and ${more} more` : different.join(', ');
}

/** The rule that allows this name, type and namespace. Only the pattern of a wildcard name matches other names, too. */
function remedy(zone: LiveZone, fqdn: string, type: string | null, namespace: string): string {
  const pattern = fqdn === zone.fqdn ? '@' : isBelow(fqdn, zone.fqdn) ? fqdn.slice(0, -zone.fqdn.length - 1) : fqdn;
  const rule = type === null ? `zones: ["${pattern}"]` : `records: [{ pattern: "${pattern}", types: [${type}] }]`;
  return namespace === '' ? `{ ${rule} }` : `{ namespaces: [${quoted(namespace)}], ${rule} }`;
}

/** A namespace written so that YAML reads it as text: `123` and `true` need quotes. */
function quoted(namespace: string): string {
  return /^(?:[\d.-].*|true|false|null|yes|no|on|off|y|n)$/s.test(namespace) ? `"${namespace}"` : namespace;
}
