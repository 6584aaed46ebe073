// A run of publish for a plan. It judges and counts as one that has the lease does, and what it saves stays in memory.
import { recordSetId } from '../dns/record-set.ts';
import { errorMessage } from '../objects/plain.ts';
import { guardLimitsOf } from '../ports/config.ts';
import type { Context } from '../ports/context.ts';
import type { Ledger } from '../ports/ledger.ts';
import { readExistingWithTexts } from '../publish/existing/read-existing.ts';
import { newProgress } from '../publish/plan/progress.ts';
import { namesToRead, resolveDoubts } from '../publish/run/read-back.ts';
import type { ItemsOfRun } from '../publish/run/run.ts';
import type { HostedZoneItem } from '../record-sets/hosted-zone-item.ts';
import { type RecordSetItem, recordSetsPartition } from '../record-sets/record-set-item.ts';

/** Accepts every write and forgets it: the run keeps its items itself, and knows all of its hosted zone. */
function forgetful(below: Ledger, hostedZoneId: string): Ledger {
  return {
    get: async (key) => (key.partition === recordSetsPartition(hostedZoneId) ? null : below.get(key)),
    query: (partition, options) => below.query(partition, options),
    put: async () => 'rehearsed',
    remove: async () => true,
  };
}

/** A run over these items of a hosted zone. */
export function rehearsedRun(
  { ledger, clock, account: { externalDns = [] }, config }: Context,
  hostedZone: HostedZoneItem,
  items: Iterable<RecordSetItem>,
): ItemsOfRun {
  const { id: hostedZoneId, epoch } = hostedZone;
  return {
    deps: {
      ledger: forgetful(ledger, hostedZoneId),
      clock,
      config: { guard: guardLimitsOf(config), externalDns, standby: config.standby },
    },
    lease: { hostedZoneId, holder: 'plan', epoch, known: { stored: { item: hostedZone, revision: 'rehearsed' } } },
    hostedZone,
    abandoned: hostedZone.lease,
    items: new Map([...items].map((item) => [recordSetId(item), { item, revision: 'rehearsed' }])),
    names: new Map(),
    progress: newProgress(),
  };
}

export function itemsIn({ items }: ItemsOfRun): readonly RecordSetItem[] {
  return [...items.values()].map(({ item }) => item);
}

/**
 * Finds out whether writes of a run that died have landed: reads Route 53 at names with an intent, if `reads`. If it
 * cannot be read, the plan is made from the ledger as it is.
 */
export async function resolveWrites({ account, log }: Context, run: ItemsOfRun, reads: boolean): Promise<void> {
  const { id, name: apex } = run.hostedZone;
  await resolveDoubts(run, {
    isDoubtful: ({ intent, type }) => reads && intent !== null && type !== 'SOA',
    retryNames: new Set(),
    read: (doubtful) => {
      const reader = { hostedZones: account.hostedZones, id, apex };
      return readExistingWithTexts(reader, namesToRead(doubtful), account.externalDns ?? []).catch((error: unknown) => {
        log('warn', 'cannot read what a run that died has left', { hostedZone: id, error: errorMessage(error) });
        return null;
      });
    },
  });
}
