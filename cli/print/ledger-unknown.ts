// A ledger that has nothing of a hosted zone although Route 53 has record sets there exactly as wanted: it is lost, or
// it is the wrong one. One sentence says so for the whole plan, in place of one for each record set.
import type { ClusterPlan } from '../../lib/apply/plan-cluster.ts';
import { withViewsInWords } from '../../lib/dns/names/view.ts';
import { recordSetId } from '../../lib/dns/record-set.ts';
import { counted } from './terminal-text.ts';

export type UnknownLedger = {
  /** "ns/name" of the Zones whose hosted zones the ledger does not know. */
  readonly zones: readonly string[];
  readonly says: string;
};

/** So many hosted zones are named; the others are counted. */
const NAMED_MAX = 3;

/** Null if the ledger has published something of each hosted zone, or nothing stands there as wanted. */
export function unknownLedger({ hostedZones }: Pick<ClusterPlan, 'hostedZones'>, ledger: string): UnknownLedger | null {
  const unknown = hostedZones.flatMap(({ hostedZone, stored, plan, read }) => {
    if ([...stored.values()].some(({ item }) => item.published !== null)) return [];
    const equal = plan.changes.filter(
      (change) => change.action === 'create' && read?.existingById.get(recordSetId(change))?.standing === 'equal',
    );
    return equal.length === 0 ? [] : [{ hostedZone, count: equal.length }];
  });
  if (unknown.length === 0) return null;
  const names = unknown.map(({ hostedZone }) => withViewsInWords(hostedZone.name));
  const more = names.length > NAMED_MAX ? ` and ${counted(names.length - NAMED_MAX, 'more hosted zone')}` : '';
  const where = `${names.slice(0, NAMED_MAX).join(', ')}${more}`;
  const count = unknown.reduce((sum, one) => sum + one.count, 0);
  const zones = [...new Set(unknown.map(({ hostedZone }) => hostedZone.zone))];
  const sets = count === 1 ? '1 record set there exactly as wanted' : `${count} record sets there exactly as wanted`;
  const annotate = zones
    .slice(0, NAMED_MAX)
    .map((zone) => `Zone ${zone}`)
    .join(', ');
  const says = [
    `The ledger ${ledger} has published nothing in ${where} yet, and Route 53 has ${sets}.`,
    'If zone53 published them, this is not the ledger that did: run in the folder that has it, or name it with --state FOLDER or --table NAME.',
    `If not, and zone53 is to manage them as they are, annotate ${annotate}${more === '' ? '' : ' and the others'} with zone53.dev/takeover: "true".`,
  ];
  return { zones, says: says.join(' ') };
}
