// The role and the batch size with which the record sets of a record are written.
import type { Parameters } from '../model/parameters.ts';

/** The role to assume, and the most changes of a batch; null: the default. */
type Orders = { readonly role: string | null; readonly changesMax: number | null };

/** The settings in these parameters; null if they have none. */
export function writerBy(parameters: Parameters): Orders | null {
  const { 'aws-assume-role': role, 'aws-batch-change-size': changesMax } = parameters;
  if (role === undefined && changesMax === undefined) return null;
  return {
    role: typeof role === 'string' ? role : null,
    changesMax: typeof changesMax === 'number' ? changesMax : null,
  };
}
