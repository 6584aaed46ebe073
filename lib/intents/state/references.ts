// Finds the lists that name a DNS Update Record: those of its project's clouds, and of clusters. They are searched on
// request; no index is stored.
import { eachItem } from '../../ledger/pages.ts';
import { recordsIn } from '../model/key-values.ts';
import type { IntentState } from './intent-state.ts';
import { pairCodec } from './items.ts';

/** Descriptions of the lists that name a record. */
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
