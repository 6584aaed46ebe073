// Checks every status that is written. I12: no status says Published of content that Route 53 never had. I7: no status
// accepts a name that was taken from another namespace.
import { isAtOrBelow } from '../../lib/dns/names/name.ts';
import { formatRef, type ObjectRef } from '../../lib/objects/object-ref.ts';
import type { ObjectStatus } from '../../lib/ports/cluster.ts';
import type { JsonObject } from '../../lib/ports/ledger.ts';
import { parseRecord } from '../../lib/sources/kubizone/parse-record.ts';
import type { RunFacts } from './auditor.ts';
import { APEX } from './names.ts';
import type { World } from './world.ts';

/** One status, as it is written. */
export function checkStatus(world: World, ref: ObjectRef, status: ObjectStatus): void {
  if (ref.kind === 'Record') checkPublished(world, ref, status);
  else checkTaken(world, ref, status);
}

/** The key of the root Zone, which is the oldest. */
export const ROOT = 'a/root';

/** A run wrote or removed a live Zone of the directory. A root that was live before the root was seen stays live. */
export function noteLive(
  { auditor }: World,
  { knowsRoot }: Pick<RunFacts, 'knowsRoot'>,
  before: JsonObject | null,
  after: JsonObject | null,
): void {
  const { unaware } = auditor.shadow;
  const stood = unaware.delete(String(before?.key)) && before?.parent === null && after?.parent === null;
  const stays = stood && namespaceOf(before) === namespaceOf(after);
  if (after !== null && (knowsRoot === false || stays)) unaware.set(String(after.key), String(after.fqdn));
}

function namespaceOf({ key }: JsonObject): string {
  return String(key).split('/')[0] as string;
}

/**
 * I7, where no roots are configured: of the root Zone's names, none goes to a namespace that nothing was delegated to.
 * Until a run has seen the root, nobody knows whose names these are; a root that was live by then keeps its own.
 */
function checkTaken({ auditor, swarm, isOpen }: World, ref: ObjectRef, { fqdn, conditions }: ObjectStatus): void {
  if (!isOpen || !swarm.denyB || ref.namespace !== 'b' || fqdn?.endsWith(`.${APEX}`) !== true) return;
  if ([...auditor.shadow.unaware.values()].some((above) => isAtOrBelow(fqdn, above))) return;
  if (conditions.some(({ type, status }) => type === 'Accepted' && status === 'True'))
    auditor.fail('I7', `${formatRef(ref)} has taken ${fqdn}, which nobody delegated to its namespace`);
}

function checkPublished(world: World, ref: ObjectRef, status: ObjectStatus): void {
  const programmed = status.conditions.find(({ type }) => type === 'Programmed');
  if (programmed?.status !== 'True' || status.fqdn === null) return;
  const said = (world.cluster.history.get(formatRef(ref)) ?? []).flatMap(({ object }) => {
    if (object === null || (object.generation ?? 0) > (programmed.observedGeneration ?? 0)) return [];
    const parsed = parseRecord(object.spec, ref.namespace);
    return parsed.ok ? [parsed.spec] : [];
  });
  const stood = said.some(({ type, values, alias, routing }) => {
    const parts = alias === undefined ? values : [alias.target];
    const end = ` ${status.fqdn} ${type}${routing === undefined ? '' : ` ${routing.setIdentifier}`}`;
    for (const [key, { log }] of world.auditor.shadow.standing) {
      if (key.endsWith(end) && log.some((content) => parts.every((part) => content.includes(JSON.stringify(part)))))
        return true;
    }
    return type === 'NS';
  });
  if (!stood)
    world.auditor.fail(
      'I12',
      `${formatRef(ref)} is said to be ${programmed.reason}, and none of its contents ever stood at ${status.fqdn}`,
    );
}

/**
 * True for a status that shows what Route 53 said when it refused a batch, and other words than the object showed
 * before. If several things are wrong with a record set, Route 53 may name another one in another batch.
 */
export function showsNewWords({ auditor }: World, ref: ObjectRef, { conditions }: ObjectStatus): boolean {
  const { words, shown } = auditor.shadow;
  const refused = conditions.find(({ type, reason }) => type === 'Programmed' && reason === 'Rejected');
  if (refused === undefined || ![...words].some((said) => refused.message.includes(said))) return false;
  const text = `${refused.observedGeneration} ${refused.message}`;
  const isNew = shown.get(formatRef(ref)) !== text;
  shown.set(formatRef(ref), text);
  return isNew;
}
