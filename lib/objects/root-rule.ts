// The operator's `roots`, rule by rule.
import type { Pattern } from '../dns/names/pattern.ts';

/**
 * One entry of the operator's `roots`: names that a Zone of these namespaces (null: of any) may have without a parent.
 */
export type RootRule = { readonly pattern: Pattern; readonly namespaces: readonly string[] | null };
