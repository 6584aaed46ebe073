// What stands in a hosted zone and nobody asks for (`plan --unmanaged`): record sets of others, and those that zone53
// published before its ledger was lost.
import type { PlannedHostedZone } from '../../lib/apply/plan-cluster.ts';
import { realName } from '../../lib/dns/names/view.ts';
import { recordSetId } from '../../lib/dns/record-set.ts';
import { errorMessage } from '../../lib/objects/plain.ts';
import type { Context } from '../../lib/ports/context.ts';
import { readWhole } from '../../lib/publish/existing/read-existing.ts';
import { describeContent } from '../print/describe-plan.ts';
import type { ChangeOutput, HostedZoneOutput } from '../print/output.ts';

/** The record sets that are neither wanted nor published by zone53, without NS and SOA of the apex. */
export async function withUnmanaged(
  { account: { hostedZones } }: Context,
  { hostedZone: { id, name: apex }, items, pending }: PlannedHostedZone,
  output: HostedZoneOutput<ChangeOutput>,
): Promise<HostedZoneOutput<ChangeOutput>> {
  const sets = pending ? [] : await readWhole({ hostedZones, id, apex }).catch(errorMessage);
  if (sets === null || typeof sets === 'string') {
    const note = `What nobody asks for is not listed: ${sets ?? 'the hosted zone does not exist any more'}.`;
    return { ...output, notes: [...(output.notes ?? []), note], unmanaged: [] };
  }
  const unmanaged = sets.filter((set) => {
    const item = items.get(recordSetId(set));
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
