// The rows of the screens Names and Waiting: of a hosted zone by the items of its record sets, of what is in none by
// the objects that ask for it. The words are those of the conditions.

import { compareText } from '../../lib/dns/names/compare-text.ts';
import { reversedKey } from '../../lib/dns/names/name.ts';
import type { RecordSetContent } from '../../lib/dns/record-set.ts';
import { findRef, formatRef } from '../../lib/objects/object-ref.ts';
import type { HostedZoneItem } from '../../lib/record-sets/hosted-zone-item.ts';
import { hostedZoneIdOf } from '../../lib/record-sets/hosted-zone-item.ts';
import type { RecordSetItem } from '../../lib/record-sets/record-set-item.ts';
import { verdictOfItem, worstVerdict } from '../../lib/report/programmed.ts';
import type { JudgedEndpoint } from '../../lib/zones/resolve-cluster.ts';
import type { NameRow } from './answers.ts';

/** A row with its place in the list, and what is searched in it. */
export type KnownName = {
  readonly key: string;
  readonly row: NameRow;
  /** Lower case. */
  readonly text: string;
  readonly namespaces: ReadonlySet<string>;
};

const VALUES_SHOWN = 5;
const OBJECTS_SHOWN = 20;
const CHARACTERS_SHOWN = 200;
const SEARCHED_CHARACTERS = 4_000;

/** What the marks of a hosted zone say: since when names wait, and of which the guard holds the delete. */
export type Marks = { readonly dirtySince: ReadonlyMap<string, number>; readonly held: ReadonlySet<string> };

/** The rows of a hosted zone. */
export function namesOfHostedZone(
  hostedZone: HostedZoneItem,
  items: readonly RecordSetItem[],
  marks: Marks,
): readonly KnownName[] {
  const names = Map.groupBy(items, ({ name }) => name);
  return [...names]
    .flatMap(([name, ofName]) => nameOf(hostedZone, name, ofName, marks) ?? [])
    .toSorted((a, b) => compareText(a.key, b.key));
}

function nameOf(
  hostedZone: HostedZoneItem,
  name: string,
  all: readonly RecordSetItem[],
  { dirtySince, held }: Marks,
): KnownName | null {
  const judged = all.flatMap((item) => {
    const verdict = verdictOf(hostedZone, item, held);
    return verdict === null ? [] : [{ item, verdict }];
  });
  const worst = worstVerdict(judged.map(({ verdict }) => verdict));
  if (worst === null) return null;
  const items = judged.map(({ item }) => item);
  const refusedMs = judged.find(({ verdict }) => verdict === worst)?.item.refusal?.atMs ?? null;
  return known({
    name,
    hostedZone: { id: hostedZoneIdOf(hostedZone.id), name: hostedZone.name },
    view: hostedZone.isPrivate ? 'private' : 'public',
    cluster: hostedZone.cluster,
    zone: items.find(({ zone }) => zone !== '')?.zone ?? (hostedZone.zone === '' ? null : hostedZone.zone),
    types: [...new Set(items.map(({ type }) => type))],
    values: items.flatMap(({ published, desired }) => valuesOf(published ?? desired)),
    objects: [
      ...new Set(items.flatMap(({ objects, publishedObjects }) => (objects.length > 0 ? objects : publishedObjects))),
    ],
    ...worst,
    sinceMs: worst.reason === 'Published' ? null : (refusedMs ?? dirtySince.get(name) ?? null),
  });
}

/** The verdict on a record set; of a delete that the guard holds, why. */
export function verdictOf(
  hostedZone: HostedZoneItem,
  item: RecordSetItem,
  held: ReadonlySet<string>,
): ReturnType<typeof verdictOfItem> {
  const verdict = verdictOfItem(item, hostedZone);
  const isHeld = verdict?.reason === 'Pending' && item.desired === null && held.has(item.name);
  if (!isHeld) return verdict;
  return { reason: 'HeldByGuard', message: (hostedZone.held?.reasons ?? []).join(' ') };
}

/**
 * The rows of endpoints that no hosted zone of the ledger has: not accepted, or not published yet. `nameOf`: the name
 * that one asks for; null: it cannot be told.
 */
export function namesAsked(
  cluster: string,
  judged: readonly JudgedEndpoint[],
  nameOf: (judged: JudgedEndpoint) => string | null,
  isKnown: (name: string) => boolean,
): readonly KnownName[] {
  const asked = judged.flatMap((one) => {
    const fqdn = nameOf(one);
    return fqdn === null || (one.adopted !== null && isKnown(fqdn)) ? [] : [{ ...one, fqdn }];
  });
  return [...Map.groupBy(asked, ({ fqdn }) => fqdn)]
    .map(([name, all]) => {
      const refused = all.find(({ adopted }) => adopted === null);
      const zone = all.find(({ adoption }) => adoption.parent !== null)?.adoption.parent?.key ?? null;
      const verdict = refused?.adoption.verdict ?? { reason: 'Pending', message: NOT_PUBLISHED };
      return known({
        ...{ name, hostedZone: null, view: 'public', cluster, zone },
        types: [...new Set(all.flatMap(({ endpoint }) => endpoint?.type ?? []))],
        values: all.flatMap(({ endpoint }) =>
          endpoint === null ? [] : endpoint.alias === undefined ? endpoint.values : [endpoint.alias.target],
        ),
        objects: [...new Set(all.map(({ object }) => formatRef(object.ref)))],
        ...{ reason: verdict.reason, message: verdict.message, sinceMs: null },
      });
    })
    .toSorted((a, b) => compareText(a.key, b.key));
}

const NOT_PUBLISHED = 'not published: no run of zone53 has put it into a hosted zone yet';

function known({
  sinceMs,
  values,
  objects,
  ...row
}: Omit<NameRow, 'since'> & { readonly sinceMs: number | null }): KnownName {
  const said = [row.name, row.zone ?? '', ...row.types, ...objects, ...values].join('\n').toLowerCase();
  return {
    key: reversedKey(row.name),
    row: {
      ...row,
      values: values.slice(0, VALUES_SHOWN).map((value) => cut(value, CHARACTERS_SHOWN)),
      objects: objects.slice(0, OBJECTS_SHOWN),
      since: sinceMs === null ? null : new Date(sinceMs).toISOString(),
    },
    text: cut(said, SEARCHED_CHARACTERS),
    namespaces: new Set(objects.flatMap((object) => findRef(object)?.namespace ?? [])),
  };
}

function cut(text: string, charactersMax: number): string {
  return text.length <= charactersMax ? text : `${text.slice(0, charactersMax - 1).toWellFormed()}…`;
}

function valuesOf(content: RecordSetContent | null): readonly string[] {
  if (content === null) return [];
  return content.kind === 'alias' ? [content.alias.dnsName] : content.values;
}
