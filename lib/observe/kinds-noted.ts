// The kinds of sources of the configuration, which no table lists. The ledger has those that were ever read, so that
// the objects of a source that has been removed are found. A kind is noted before its first object is saved.
import * as z from 'zod';
import { swap } from '../ledger/compare-and-swap.ts';
import { itemCodec, readItem, UnreadableItemError } from '../ledger/item-codec.ts';
import { orUnread } from '../ledger/skip-unreadable.ts';
import { kindsOf, relatedKindsOf, type Source } from '../objects/source.ts';
import type { Context } from '../ports/context.ts';
import type { Ledger, LedgerKey } from '../ports/ledger.ts';
import { SOURCES } from '../sources/source.ts';

/** `own`: kinds of objects. `related`: kinds of related objects. */
const kindsBody = z.object({ own: z.array(z.string()), related: z.array(z.string()) });
type Kinds = { readonly own: readonly string[]; readonly related: readonly string[] };
export const kindsCodec = itemCodec(kindsBody);

const NONE: Kinds = { own: [], related: [] };

function kindsKey(clusterId: string): LedgerKey {
  return { partition: `kinds#${clusterId}`, sort: 'custom' };
}

function namesOf(kinds: readonly { readonly kind: string; readonly apiKind?: string }[]): readonly string[] {
  return kinds.flatMap(({ kind, apiKind }) => (apiKind === undefined ? [] : [kind]));
}

/** Notes the kinds of the configuration. Call it before objects are saved; without such kinds it does nothing. */
export async function noteKinds({ ledger, config, sources }: Pick<Context, 'ledger' | 'config' | 'sources'>) {
  const now = { own: namesOf(sources), related: namesOf(relatedKindsOf(sources)) };
  if (now.own.length === 0) return;
  // An item that cannot be read stays: the objects of a source that was removed may then be left in the ledger.
  await orUnread(() =>
    swap(ledger, kindsKey(config.clusterId), kindsCodec, (before) => {
      const [own, related] = [new Set(before?.own), new Set(before?.related)];
      if (now.own.every((kind) => own.has(kind)) && now.related.every((kind) => related.has(kind))) return null;
      return { own: [...own.union(new Set(now.own))], related: [...related.union(new Set(now.related))] };
    }),
  );
}

/** Every kind that may have been read, including kinds of sources that are switched off now. */
export async function kindsEverRead(ledger: Ledger, clusterId: string, sources: readonly Source[]): Promise<Kinds> {
  const stored = await orUnread(() => readItem(ledger, kindsKey(clusterId), kindsCodec));
  const noted: Kinds = stored instanceof UnreadableItemError ? NONE : (stored?.item ?? NONE);
  const own = [...kindsOf(sources), ...SOURCES].map(({ kind }) => kind);
  const related = relatedKindsOf([...sources, ...SOURCES]).map(({ kind }) => kind);
  return { own: [...new Set([...own, ...noted.own])], related: [...new Set([...related, ...noted.related])] };
}
