// What stands in a hosted zone and nobody asks for (`plan --unmanaged`): record sets of others, and those that zone53
// published before its ledger was lost.
import type { PlannedHostedZone } from '../../lib/apply/plan-cluster.ts';
import { realName } from '../../lib/dns/names/view.ts';
import { recordSetId } from '../../lib/dns/record-set.ts';
import { UnreadableItemError } from '../../lib/ledger/item-codec.ts';
import { eachItem } from '../../lib/ledger/pages.ts';
import { errorMessage } from '../../lib/objects/plain.ts';
import type { Context } from '../../lib/ports/context.ts';
import { readWhole } from '../../lib/publish/existing/read-existing.ts';
import { fellowsOf } from '../../lib/record-sets/fellows.ts';
import { type RecordSetItem, recordSetCodec, recordSetsPartition } from '../../lib/record-sets/record-set-item.ts';
import { describeContent } from '../print/describe-plan.ts';
import type { ChangeOutput, HostedZoneOutput } from '../print/output.ts';

/**
 * The record sets that are neither wanted nor published by zone53, for any cluster, without NS and SOA of the apex. A
 * part of the plan that is another cluster's has none.
 */
export async function withUnmanaged(
  { account: { hostedZones }, ledger }: Context,
  { hostedZone, items, pending, isOthers }: PlannedHostedZone,
  output: HostedZoneOutput<ChangeOutput>,
): Promise<HostedZoneOutput<ChangeOutput>> {
  const { id, name: apex } = hostedZone;
  const sets = pending || isOthers === true ? [] : await readWhole({ hostedZones, id, apex }).catch(errorMessage);
  if (sets === null || typeof sets === 'string') {
    const note = `What nobody asks for is not listed: ${sets ?? 'the hosted zone does not exist any more'}.`;
    return { ...output, notes: [...(output.notes ?? []), note], unmanaged: [] };
  }
  const others = await itemsOfFellows(ledger, hostedZone);
  const unmanaged = sets.filter((set) => {
    const item = items.get(recordSetId(set)) ?? others.get(recordSetId(set));
    const isRoute53s = set.name === apex && (set.type === 'NS' || set.type === 'SOA');
    return !isRoute53s && item?.desired == null && item?.published == null;
  });
  return {
    ...output,
    unmanaged: unmanaged.map(({ name, type, setIdentifier, content }) => ({
      ...{ name: realName(name), type, setIdentifier, content: describeContent(content) },
    })),
  };
}

/** What other clusters have in the hosted zone, by record set id. */
async function itemsOfFellows(ledger: Context['ledger'], hostedZone: PlannedHostedZone['hostedZone']) {
  const found = new Map<string, RecordSetItem>();
  for (const { id } of await fellowsOf(ledger, hostedZone))
    for await (const stored of eachItem(ledger, recordSetsPartition(id))) {
      const item = recordSetCodec.read(stored);
      if (!(item instanceof UnreadableItemError)) found.set(recordSetId(item), item);
    }
  return found;
}
