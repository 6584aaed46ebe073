// The check of the ledger: the table is there, and answers.
import { errorMessage } from '../../../lib/objects/plain.ts';
import { UsageError } from '../../print/usage-error.ts';
import { openTable } from '../../run/open-table.ts';
import { ALLOW, type Check, fine, wrong } from './finding.ts';

/** Reads an item of the table. `find`: its name; null if the stack has none. */
export function tableCheck(name: string, find: () => Promise<string | null>): Check {
  return {
    name: `table ${name}`,
    run: async () => {
      const table = await find();
      if (table === null) return wrong('the stack has no output Table', 'Name it with --table.');
      try {
        const { close } = await openTable({ kind: 'table', table, create: false }, true);
        await close();
        return fine(`${table} answers`);
      } catch (error) {
        if (error instanceof UsageError)
          return wrong(`there is no table ${table} in this region`, 'Correct its name, or set AWS_REGION.');
        return wrong(errorMessage(error), ALLOW);
      }
    },
  };
}
