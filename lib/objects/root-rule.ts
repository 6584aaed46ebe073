// One rule of the operator's `roots`.
import type { Pattern } from '../dns/names/pattern.ts';

/** A rule of `roots`: which names Zones of these namespaces (null: of all) may have without a parent. */
export type RootRule = { readonly pattern: Pattern; readonly namespaces: readonly string[] | null };
