// I31: no status says Resolved while a resolver may still answer something else. Route 53's name servers have a change
// after seconds or an hour; a resolver that asked right before that keeps what it got for its TTL, and nothing for the
// negative TTL of the SOA.
import type { RecordSet, RecordSetChange } from '../../lib/dns/record-set.ts';
import { formatRef, type ObjectRef, parseRef } from '../../lib/objects/object-ref.ts';
import type { ObjectStatus } from '../../lib/ports/cluster.ts';
import type { ChangeStatus } from '../../lib/ports/hosted-zones.ts';
import { parseRecord } from '../../lib/sources/kubizone/parse-record.ts';
import { standingKey } from './record-set-texts.ts';
import { type FunctionRun, sawThat, type World } from './world.ts';

/** How long Route 53 takes with a change, in milliseconds: mostly seconds, sometimes longer than anybody asks. */
const DELAYS_MS = [0, 4_000, 22_000, 38_000, 61_000, 400_000, 4_000_000];

/** When a record set changed, and until when resolvers may answer something else after that. */
type Change = { readonly atMs: number; readonly untilMs: number };

export type Propagations = {
  /** When all name servers have a change, by its id. */
  readonly insyncMs: Map<string, number>;
  /** The changes of each record set, the last one last. Those that strangers wrote since the beginning have none. */
  readonly changes: Map<string, Change[]>;
};

/** What Route 53 says of a change. */
export function statusOfChange({ propagations, time }: World, changeId: string): ChangeStatus {
  const atMs = propagations.insyncMs.get(changeId);
  if (atMs === undefined) return { kind: 'unsaid', message: 'NoSuchChange' };
  return { kind: time.ms >= atMs ? 'insync' : 'pending' };
}

/** Notes a batch that Route 53 accepted. Its name servers have the batches of a hosted zone in their order. */
export function noteChanges(world: World, id: string, batch: readonly RecordSetChange[], changeId: string): void {
  const { propagations, time, seed, route53 } = world;
  const delayMs = DELAYS_MS[(Number(changeId.slice(1)) * 5 + seed) % DELAYS_MS.length] ?? 0;
  const insyncMs = Math.max(time.ms + delayMs, ...propagations.insyncMs.values());
  propagations.insyncMs.set(changeId, insyncMs);
  const soa = route53.recordSets(id).find(({ type }) => type === 'SOA')?.content;
  const minimum = soa?.kind === 'values' ? Number(soa.values[0]?.split(' ').at(-1)) : 0;
  const negativeSeconds = soa?.kind === 'values' ? Math.min(soa.ttlSeconds, minimum) : 0;
  for (const [key, of] of Map.groupBy(batch, ({ recordSet }) => standingKey(id, recordSet))) {
    const before = of.find(({ action }) => action === 'DELETE')?.recordSet;
    const keptSeconds = before === undefined ? negativeSeconds : keptOf(before);
    const last = propagations.changes.get(key)?.at(-1)?.untilMs ?? 0;
    const change = { atMs: time.ms, untilMs: Math.max(last, insyncMs + keptSeconds * 1_000) };
    const known = propagations.changes.get(key);
    if (known === undefined) propagations.changes.set(key, [change]);
    else known.push(change);
  }
}

function keptOf({ content }: RecordSet): number {
  return content.kind === 'values' ? content.ttlSeconds : 60;
}

/** Nothing is checked where a stranger wrote. */
export function noteStranger({ propagations }: World, key: string): void {
  propagations.changes.set(key, []);
}

/** A status that is written at this moment: somewhen during its run it must have been true. */
export function checkPropagated(
  world: World,
  run: FunctionRun,
  ref: ObjectRef,
  { fqdn, conditions }: ObjectStatus,
): void {
  const said = conditions.find(({ type }) => type === 'Propagated');
  if (said?.status !== 'True' || fqdn === null || ref.kind !== 'Record') return;
  // An object that was made anew has generations of the same numbers.
  const checked = (world.cluster.history.get(formatRef(ref)) ?? []).flatMap(({ object }) => {
    if (object === null || object.generation !== said.observedGeneration) return [];
    const parsed = parseRecord(object.spec, ref.namespace);
    if (!parsed.ok) return [];
    const { type, routing } = parsed.spec;
    const end = ` ${fqdn} ${type}${routing === undefined ? '' : ` ${routing.setIdentifier}`}`;
    const logs = [...world.propagations.changes].filter(([key]) => key.endsWith(end)).map(([, log]) => log);
    if (logs.length === 0 || logs.some((log) => log.length === 0)) return ['nothing'];
    return logs.some((log) => wasResolved(log, run.startedAtMs, world.time.ms)) ? ['true'] : ['false'];
  });
  if (checked.includes('true')) sawThat(world, 'a change was said to resolve');
  else if (checked.length > 0 && !checked.includes('nothing'))
    world.auditor.fail(
      'I31',
      `${formatRef(ref)} is said to resolve, and resolvers may answer something else at ${fqdn}`,
    );
}

function wasResolved(log: readonly Change[], fromMs: number, toMs: number): boolean {
  return log.some(({ untilMs }, index) => {
    const endMs = log[index + 1]?.atMs ?? Number.POSITIVE_INFINITY;
    return untilMs <= toMs && endMs >= fromMs && untilMs <= endMs;
  });
}

/** Q2: hours after the last change, nothing is said to change. */
export function checkAllResolved({ cluster, auditor }: World): void {
  for (const [id, { conditions }] of cluster.statuses)
    if (cluster.find(parseRef(id)) !== null && conditions.some(({ reason }) => reason === 'Changing'))
      auditor.fail('Q2', `${id} is still said to change`);
}
