// Who still names a DNS Update Record: a list of its project's clouds, or of a cluster. Looked for when it is asked,
// never kept.
import { eachItem } from '../../ledger/pages.ts';
import { recordsIn } from '../model/key-values.ts';
import type { IntentState } from './intent-state.ts';
import { pairCodec } from './items.ts';

/** The lists that name a record, in words. */
export async function referencesTo(state: IntentState, project: string, record: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const prefix of [`cloud/${project}/`, 'cluster/']) {
    for await (const stored of eachItem(state.ledger, state.keys.partitions.pairs, prefix)) {
      if (!recordsIn(pairCodec.decode(stored)).includes(record)) continue;
      const [kind, first, second] = stored.sort.split('/');
      found.push(kind === 'cloud' ? `logical cloud ${second}` : `cluster ${first}/${second}`);
    }
  }
  return found;
}
