// What a name has in Route 53, as the ledger knows it: of two objects of one age, the one whose content is there is
// older (lib/zones/seniority.ts). What is desired counts, because it is what is there or is being written.
import type { StoredAges } from '../directory/name-ages-item.ts';
import { isAtOrBelow } from '../dns/names/name.ts';
import { realName } from '../dns/names/view.ts';
import { sameRouting } from '../dns/routing-policy.ts';
import { sameJson } from '../objects/same-json.ts';
import type { Context } from '../ports/context.ts';
import { inParallel } from '../ports/in-parallel.ts';
import type { RecordSetItem } from '../record-sets/record-set-item.ts';
import { readName } from '../record-sets/store.ts';
import type { AdoptedEndpoint } from '../zones/adopt-endpoint.ts';
import type { ResolvedCluster } from '../zones/resolve-cluster.ts';
import type { Past } from '../zones/seniority.ts';

/** How many names are read at once. */
const NAMES_AT_ONCE = 16;

type Standing = Pick<RecordSetItem, 'name' | 'type' | 'setIdentifier' | 'desired'>;

/** True for endpoints whose content these record sets have. */
export function standsIn(sets: readonly Standing[]): Past['stands'] {
  const byName = Map.groupBy(sets, ({ name }) => name);
  return (endpoint) => byName.get(endpoint.fqdn)?.some((set) => hasContent(set, endpoint)) ?? false;
}

function hasContent({ type, setIdentifier, desired }: Standing, endpoint: AdoptedEndpoint): boolean {
  const { alias, values, routing } = endpoint;
  if (desired === null || type !== endpoint.type || setIdentifier !== (routing?.setIdentifier ?? null)) return false;
  if (!sameRouting(desired.routing, routing)) return false;
  if (desired.kind === 'values') return alias === undefined && values.every((value) => desired.values.includes(value));
  if (alias === undefined) return false;
  const { hostedZoneId, dnsName, evaluateTargetHealth } = desired.alias;
  const own = { hostedZoneId: alias.hostedZoneId ?? hostedZoneId, dnsName: realName(alias.target) };
  return sameJson(
    { ...own, evaluateTargetHealth: alias.evaluateTargetHealth },
    { hostedZoneId, dnsName: realName(dnsName), evaluateTargetHealth },
  );
}

/** What Route 53 has at a name for which two objects compete; nothing if it cannot be read. */
export async function standingAt(
  { account: { hostedZones }, log }: Pick<Context, 'account' | 'log'>,
  id: string,
  name: string,
): Promise<readonly Standing[]> {
  try {
    const found = (await hostedZones.readName(id, name)) ?? [];
    return found.map((set) => ({ ...set, desired: set.content }));
  } catch (error) {
    log('warn', 'cannot read a name for which two objects compete', { hostedZone: id, name, error: String(error) });
    return [];
  }
}

/** What is known of earlier times, and how to find what a name has where the ledger has nothing. */
export type Remembered = {
  readonly ages: StoredAges;
  readonly nowMs: number;
  readonly standingAt?: (hostedZoneId: string, name: string) => Promise<readonly Standing[]>;
};

/** Resolves a cluster by the ages that are saved; where one endpoint excludes another, also by what its name has. */
export async function resolveByAge(
  { ledger }: Pick<Context, 'ledger'>,
  { ages, nowMs, standingAt: inRoute53 }: Remembered,
  resolve: (past: Past) => ResolvedCluster,
): Promise<ResolvedCluster> {
  const agesAt = (name: string) => ages.get(name)?.item.ages ?? [];
  const first = resolve({ nowMs, agesAt, stands: () => false });
  if (first.contested.size === 0) return first;
  const places = [...first.zones.values()].flatMap(({ placed }) => placed ?? []);
  const sets: Standing[] = [];
  await inParallel(first.contested, NAMES_AT_ONCE, async (name) => {
    const above = places.filter(({ live }) => isAtOrBelow(name, live.fqdn));
    const ids = new Set(above.flatMap(({ target }) => (target.kind === 'hosted' ? [target.hostedZoneId] : [])));
    for (const id of ids) {
      const known = (await readName(ledger, id, name)).map(({ item }) => item);
      sets.push(...known);
      if (known.length === 0 && inRoute53 !== undefined) sets.push(...(await inRoute53(id, name)));
    }
  });
  return resolve({ nowMs, agesAt, stands: standsIn(sets) });
}
