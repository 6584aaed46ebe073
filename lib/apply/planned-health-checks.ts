// The health checks that a plan creates, changes and deletes. As when it is published, one that is to be changed and
// that nothing else wants is changed in place; a health check is said with the first change that needs it.
import { canBecome, type HealthCheck, parseHealthCheckKey } from '../dns/health-check.ts';
import type { Change } from '../dns/plan-changes.ts';
import { type RecordSetContent, recordSetId } from '../dns/record-set.ts';
import { HEALTH_CHECKS_PARTITION, healthChecksCodec, type MadeCheck } from '../health-checks/health-checks-item.ts';
import { beyondQuota, usersIn } from '../health-checks/hosted-zones-with-health-checks.ts';
import { allItems } from '../ledger/pages.ts';
import type { Context } from '../ports/context.ts';
import type { HostedZoneItem } from '../record-sets/hosted-zone-item.ts';
import type { RecordSetItem } from '../record-sets/record-set-item.ts';
import { monthlyPrice } from '../route53/health-check-prices.ts';

/** `id` null: it is yet to be created. `monthly`: dollars a month, at most. */
export type PlannedHealthCheck = {
  readonly action: 'create' | 'update' | 'delete';
  readonly id: string | null;
  readonly config: HealthCheck;
  readonly monthly: number;
};

/** What a change does to health checks; `refusal`: why the one that it needs is not created. */
type OfChange = { readonly healthChecks: readonly PlannedHealthCheck[]; readonly refusal: string | null };

export type PlannedHealthChecks = (hostedZone: Pick<HostedZoneItem, 'id'>, change: Change) => OfChange;

/** The part of a hosted zone's plan that is needed here. `isSent`: the change is not held or refused. */
type Part = {
  readonly hostedZone: HostedZoneItem;
  readonly items: ReadonlyMap<string, RecordSetItem>;
  readonly changes: readonly Change[];
};

const NOTHING: OfChange = { healthChecks: [], refusal: null };
export const NO_HEALTH_CHECKS: PlannedHealthChecks = () => NOTHING;

/** `parts`: with the changes that will be sent. Without a change of a health check, nothing is read. */
export async function plannedHealthChecks(context: Context, parts: readonly Part[]): Promise<PlannedHealthChecks> {
  const asks = ({ before, after }: Change) => keyIn(before) !== keyIn(after);
  if (!parts.some(({ changes }) => changes.some(asks))) return NO_HEALTH_CHECKS;
  const { ledger, account, config } = context;
  const accountOf = async (id: string) => (await account.hostedZones.healthChecks?.accountOf(id)) ?? null;
  const standing = new Map<string, MadeCheck>();
  const items = (await allItems(ledger, HEALTH_CHECKS_PARTITION)).map(healthChecksCodec.read);
  for (const one of items.flatMap((item) => (item instanceof Error ? [] : item.checks)))
    if (one.isGoing !== true) standing.set(idOf(one.account, one.key), one);
  const wanted = await wantedIn(context, parts, standing, accountOf);
  const said = new Set<string>();
  const planned = new Map<string, OfChange>();
  for (const { hostedZone, changes } of parts) {
    const at = changes.some(asks) ? await accountOf(hostedZone.id) : null;
    for (const change of changes.filter(asks)) {
      const [before, after] = [keyIn(change.before), keyIn(change.after)].map((key) =>
        key === null ? null : { key, id: idOf(at, key), ...known(key) },
      );
      const all: PlannedHealthCheck[] = [];
      let refusal: string | null = null;
      const old = before == null || wanted.has(before.id) || said.has(before.id) ? undefined : standing.get(before.id);
      const isNew = after != null && !standing.has(after.id) && !said.has(after.id);
      const isChanged =
        isNew && before != null && old !== undefined && old.id !== null && canBecome(before.check, after.check);
      if (isNew && !isChanged) {
        const ofNamespace = [...wanted].filter(
          (id) => (standing.has(id) || said.has(id)) && known(keyOfId(id)).namespace === after.namespace,
        );
        refusal = beyondQuota(config, after.namespace, ofNamespace.length, ofNamespace.length);
      }
      if (isNew && refusal === null) {
        all.push({
          ...{ action: isChanged ? 'update' : 'create', id: isChanged ? old.id : null },
          config: after.check,
          monthly: monthlyPrice(after.check),
        });
        said.add(after.id);
      }
      if (before != null && old !== undefined && refusal === null) {
        if (!isChanged)
          all.push({ action: 'delete', id: old.id, config: before.check, monthly: monthlyPrice(before.check) });
        said.add(before.id);
      }
      planned.set(placeOf(hostedZone, change), { healthChecks: all, refusal });
    }
  }
  return (hostedZone, change) => planned.get(placeOf(hostedZone, change)) ?? NOTHING;
}

function placeOf({ id }: Pick<HostedZoneItem, 'id'>, change: Change): string {
  return `${id} ${recordSetId(change)}`;
}

function idOf(account: string | null, key: string): string {
  return `${account ?? ''} ${key}`;
}

function keyOfId(id: string): string {
  return id.slice(id.indexOf(' ') + 1);
}

function known(key: string): { readonly namespace: string; readonly check: HealthCheck } {
  const parsed = parseHealthCheckKey(key);
  if (parsed === null) throw new Error(`${key} is no key of a health check`);
  return parsed;
}

/** The key of the health check that zone53 makes for a content. */
function keyIn(content: RecordSetContent | null): string | null {
  const key = content?.routing?.healthCheckId ?? null;
  return parseHealthCheckKey(key) === null ? null : key;
}

/** The health checks that are wanted: by record sets of these hosted zones, and of others that use those that exist. */
async function wantedIn(
  { ledger }: Context,
  parts: readonly Part[],
  standing: ReadonlyMap<string, MadeCheck>,
  accountOf: (id: string) => Promise<string | null>,
): Promise<ReadonlySet<string>> {
  const wanted = new Set<string>();
  const planned = new Set(parts.map(({ hostedZone }) => hostedZone.id));
  for (const { hostedZone, items } of parts) {
    const keys = new Set([...items.values()].flatMap(({ desired }) => keyIn(desired) ?? []));
    if (keys.size > 0) for (const key of keys) wanted.add(idOf(await accountOf(hostedZone.id), key));
  }
  for (const [id, made] of standing)
    for (const { hostedZoneId, stored } of wanted.has(id) ? [] : await usersIn(ledger, made))
      if (!planned.has(hostedZoneId) && keyIn(stored?.item.desired ?? null) === made.key) wanted.add(id);
  return wanted;
}
