// What a view that extends another one has of it at a name: a pure function. A private hosted zone hides the public one
// of its name, so whatever only the other view publishes would not exist inside.
import { inViewOf, realName } from '../dns/names/view.ts';
import {
  type RecordSet,
  type RecordSetContent,
  type RecordSetKey,
  recordSetId,
  showRecordSet,
  typesExclude,
} from '../dns/record-set.ts';
import { typeGroup } from '../dns/record-type.ts';

/** What the other view publishes, and the id in Route 53 of the hosted zone where it does. */
export type PublishedElsewhere = RecordSet & { readonly hostedZoneId: string };

/** The name in the view that extends, and the hosted zone of that view where it is. */
export type InheritingName = {
  readonly name: string;
  readonly isApex: boolean;
  /** The id of Route 53. */
  readonly hostedZoneId: string;
  readonly isPrivate: boolean;
  /** The TTL of a CNAME in place of an alias: that of the Zone. */
  readonly ttlSeconds: number;
  /** The types that the view itself asks for at the name. */
  readonly ownTypes: ReadonlySet<string>;
  /** True if the view has a record set of this type at this name in the same hosted zone. */
  readonly stands: (name: string, type: string) => boolean;
};

export type Inherited = {
  readonly sets: readonly RecordSet[];
  /** What the view has not, and why, for people. */
  readonly leftOut: readonly string[];
};

/** What an alias is to, within its hosted zone. */
export type AliasTarget = Omit<RecordSetKey, 'setIdentifier'>;

/** These belong to a hosted zone itself. */
const NEVER: ReadonlySet<string> = new Set(['NS', 'DS', 'SOA']);

/**
 * The services whose hosted zones Route 53 refuses as alias targets in a private hosted zone: CloudFront, which edge
 * APIs of API Gateway share (API_AliasTarget; last verified 2026-11-30).
 */
const NOT_IN_PRIVATE: ReadonlySet<string> = new Set(['Z2FDTNDATAQYW2', 'Z3RFFRIM2A3IF5']);

/** The names within the same hosted zone to which these record sets are aliases, with the type, in the other view. */
export function targetsWithin(published: readonly PublishedElsewhere[]): readonly AliasTarget[] {
  return published.flatMap(({ type, content, hostedZoneId }) =>
    content.kind === 'alias' && content.alias.hostedZoneId === hostedZoneId
      ? [{ name: content.alias.dnsName, type }]
      : [],
  );
}

/** What the view has at the name of what the other view publishes there. Its own record sets come first. */
export function inherit(published: readonly PublishedElsewhere[], at: InheritingName): Inherited {
  const ownGroups = new Set([...at.ownTypes].map(typeGroup));
  const open = published.filter(({ type }) => !NEVER.has(type) && !ownGroups.has(typeGroup(type)));
  const copies = open.map((set) => ({ ...copyOf(set, at), of: set }));
  const cnames = copies.filter(({ type }) => type === 'CNAME');
  if (at.isApex && cnames.length > 0) {
    const rest = copies.filter(({ type }) => typeGroup(type) !== typeGroup('CNAME'));
    const leftOut = cnames.map(({ of, isCname }) => {
      const why = isCname ? 'its alias cannot be here, and a CNAME' : 'a CNAME';
      return `${showRecordSet(of)} is not inherited: ${why} cannot be at the apex of a hosted zone`;
    });
    return { sets: besideOwn(rest, at), leftOut };
  }
  const replaced = copies.filter(({ isCname }) => isCname);
  if (replaced.length === 0) return { sets: besideOwn(copies, at), leftOut: [] };
  // A and AAAA to one target are one CNAME.
  const once = [...new Map(replaced.map((set) => [recordSetId(set), set])).values()];
  return { sets: besideOwn(once, at), leftOut: [] };
}

function besideOwn(copies: readonly RecordSet[], { ownTypes }: InheritingName): readonly RecordSet[] {
  return copies
    .filter(({ type }) => ![...ownTypes].some((own) => typesExclude(own, type)))
    .map(({ name, type, setIdentifier, content }) => ({ name, type, setIdentifier, content }));
}

/** The record set as the view has it. `isCname`: it is a CNAME in place of an alias. */
function copyOf(set: PublishedElsewhere, at: InheritingName): RecordSet & { readonly isCname: boolean } {
  const { type, setIdentifier, content } = set;
  const copy = { name: at.name, type, setIdentifier };
  if (content.kind === 'values') return { ...copy, content, isCname: false };
  const { alias } = content;
  if (alias.hostedZoneId !== set.hostedZoneId) {
    const isRefused = at.isPrivate && NOT_IN_PRIVATE.has(alias.hostedZoneId);
    return isRefused ? cnameOf(set, content, at) : { ...copy, content, isCname: false };
  }
  const dnsName = inViewOf(at.name, realName(alias.dnsName));
  if (!at.stands(dnsName, type)) return cnameOf(set, content, at);
  const within = { ...alias, hostedZoneId: at.hostedZoneId, dnsName };
  return { ...copy, content: { ...content, alias: within }, isCname: false };
}

function cnameOf(
  { setIdentifier }: RecordSet,
  { alias, routing }: Extract<RecordSetContent, { kind: 'alias' }>,
  { name, ttlSeconds }: InheritingName,
): RecordSet & { readonly isCname: boolean } {
  const content = { kind: 'values' as const, ttlSeconds, values: [realName(alias.dnsName)] };
  const routed = routing === undefined ? content : { ...content, routing };
  return { name, type: 'CNAME', setIdentifier, content: routed, isCname: true };
}
