// The operator's `roots`, rule by rule.
import type { Pattern } from '../dns/names/pattern.ts';

/** An entry of the operator's `roots`: names that Zones of these namespaces (null: all) may have without a parent. */
export type RootRule = { readonly pattern: Pattern; readonly namespaces: readonly string[] | null };
