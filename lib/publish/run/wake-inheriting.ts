// Tells the views that extend this one what changed here. The marks are written before those of this hosted zone are
// cleared: if the run dies first, the next one writes them again.
import { extendedOf, usableHostedZones } from '../../directory/inherited-names.ts';
import { isAtOrBelow } from '../../dns/names/name.ts';
import { inView, realName, viewOf } from '../../dns/names/view.ts';
import { markDirty } from '../../record-sets/dirty-mark.ts';
import type { HostedZoneItem } from '../../record-sets/hosted-zone-item.ts';
import { nameOf } from '../plan/names.ts';
import { eachOf, type Run } from './run.ts';

/** Marks names dirty in the hosted zones that inherit them from this one, and queues those hosted zones. */
export async function wakeInheriting({ deps, hostedZone, names: known }: Run, names: readonly string[]): Promise<void> {
  const { ledger, config, clock, queues, log } = deps;
  const view = viewOf(hostedZone.name);
  const views = Object.entries(config.extendedViews ?? {}).flatMap(([by, of]) => (of === view ? [by] : []));
  if (views.length === 0 || names.length === 0) return;
  const inheriting: HostedZoneItem[] = [];
  for (const one of await usableHostedZones(ledger, log))
    if (views.includes(viewOf(one.name)) && (await extendedOf(ledger, one, config.extendedViews ?? {})) !== null)
      inheriting.push(one);
  const woken = new Set<string>();
  await eachOf(names, async (name) => {
    const { sinceMs: _, ...cause } = nameOf(known, name).cause ?? { sinceMs: 0 };
    for (const inside of views.map((by) => inView(realName(name), by)))
      for (const { id, name: apex } of inheriting) {
        if (!isAtOrBelow(inside, apex)) continue;
        await markDirty(ledger, id, inside, clock.nowMs(), { cause });
        woken.add(id);
      }
  });
  for (const id of woken) await queues.publish(id);
}
