// By whose orders the record sets of a record are written.
import type { Parameters } from '../model/parameters.ts';

/** The role to write with, and the changes of a batch at most; null: what holds for everybody. */
type Orders = { readonly role: string | null; readonly changesMax: number | null };

/** Null: they have none of their own. */
export function writerBy(parameters: Parameters): Orders | null {
  const { 'aws-assume-role': role, 'aws-batch-change-size': changesMax } = parameters;
  if (role === undefined && changesMax === undefined) return null;
  return {
    role: typeof role === 'string' ? role : null,
    changesMax: typeof changesMax === 'number' ? changesMax : null,
  };
}
