// Which of several record sets with one name and type answer a question, by their routing policy. The client has no
// known location. "First" is by set identifier:
//   Weight                 one, by chance          Failover           the primary, else the secondary
//   Region, geoproximity   the first               MultiValueAnswer   up to eight, by chance
//   GeoLocation, CIDR      the default (`*`), else no answer
// Unhealthy is a set whose health check fails, and an alias that evaluates its target's health, if the target has no
// healthy record set. If no set is healthy, all count as healthy, as in Route 53.
import type { RecordSetView, RoutingValueView } from './zone-index.ts';

const MULTIVALUE_MAX = 8;

/** The record sets that answer. `random` yields [0, 1). */
export function chooseRecordSets(
  sets: readonly RecordSetView[],
  isHealthy: (set: RecordSetView) => boolean,
  random: () => number,
): readonly RecordSetView[] {
  const sorted = sets.toSorted(byIdentifier);
  const [first] = sorted;
  const policy = first?.routing?.policy;
  if (first === undefined || policy === undefined) return sorted;
  const healthy = sorted.filter(isHealthy);
  const candidates = healthy.length > 0 ? healthy : sorted;
  switch (policy) {
    case 'Weight':
      return chooseByWeight(candidates, random);
    case 'Failover':
      return candidates.toSorted((a, b) => roleRank(a) - roleRank(b)).slice(0, 1);
    case 'MultiValueAnswer':
      return chooseSome(candidates, MULTIVALUE_MAX, random).toSorted(byIdentifier);
    case 'GeoLocation':
      return candidates.filter((set) => elementOf(set, 'CountryCode') === '*');
    case 'CidrRoutingConfig':
      return candidates.filter((set) => elementOf(set, 'LocationName') === '*');
    default:
      return candidates.slice(0, 1);
  }
}

/** A set of weight 0 is chosen only if all of `sets` have weight 0; then all have the same chance. */
function chooseByWeight(sets: readonly RecordSetView[], random: () => number): readonly RecordSetView[] {
  const weights = sets.map((set) => Number(set.routing?.value ?? 0));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (total === 0) return sets.slice(Math.floor(random() * sets.length)).slice(0, 1);
  let rest = random() * total;
  const at = weights.findIndex((weight) => {
    rest -= weight;
    return rest < 0;
  });
  return sets.slice(at, at + 1);
}

function chooseSome(sets: readonly RecordSetView[], most: number, random: () => number): readonly RecordSetView[] {
  const left = [...sets];
  const chosen: RecordSetView[] = [];
  while (left.length > 0 && chosen.length < most) {
    chosen.push(...left.splice(Math.floor(random() * left.length), 1));
  }
  return chosen;
}

function roleRank(set: RecordSetView): number {
  return set.routing?.value === 'PRIMARY' ? 0 : 1;
}

function elementOf(set: RecordSetView, name: string): RoutingValueView | undefined {
  const value = set.routing?.value;
  return typeof value === 'object' ? value[name] : undefined;
}

function byIdentifier(a: RecordSetView, b: RecordSetView): number {
  const [left, right] = [a.setIdentifier ?? '', b.setIdentifier ?? ''];
  return left < right ? -1 : left > right ? 1 : 0;
}
