// Who asked first for a name, as the ledger of a state folder has it: input for a judgement from scratch, which has no
// memory of its own. No kill and no fault may change what follows from it.
import { copyStateFolder, hasLedger } from '../../lib/adapters/ledger/state-folder.ts';
import { readAllAges } from '../../lib/directory/name-ages-item.ts';
import { typeGroup } from '../../lib/dns/record-type.ts';
import { DEFAULT_CONFIG } from '../../lib/ports/config.ts';
import type { RecordSets } from './expected-record-sets.ts';
import type { Asking } from './manifest-edits.ts';

/** A gap of this length ends an age. */
const GAP_MS = 600_000;

/**
 * A time of creation for what an object asks for, by the order of the ages: null for who is not known. Within a
 * namespace, content that is in `before` comes first.
 */
export async function agesInFolder(
  folder: string,
  before: ReadonlyMap<string, RecordSets>,
  nowMs: number,
): Promise<(asking: Asking) => Date | null> {
  if (!hasLedger(folder)) return () => null;
  const copy = await copyStateFolder(folder);
  const known = await readAllAges(copy.ledger, DEFAULT_CONFIG.clusterId).finally(() => copy.close());
  return ({ namespace, fqdn, type, rdata }) => {
    const ages = known.get(fqdn)?.item.ages ?? [];
    const counting = ages.filter(({ goneMs }) => goneMs === undefined || nowMs - goneMs < GAP_MS);
    const rank = counting.findIndex((one) => one.namespace === namespace && one.group === typeGroup(type));
    if (rank === -1) return null;
    const stood = [...before.values()].some((sets) => sets.get(`${fqdn} ${type}`)?.split(/[ ,]/).includes(rdata));
    return new Date(rank * 2_000 + (stood ? 0 : 1_000));
  };
}
