// Health checks that zone53 makes, in some of the worlds with routed record sets: Records ask for one in place of the
// id of one that exists, and somebody deletes one by hand. In the end, each record set names one with the content that
// is wanted, and there is no other (Q8). They have a random stream of their own, so that seeds without them stay as
// they were.
import { healthCheckText, inNamespace } from '../../lib/dns/health-check.ts';
import type { RecordSet } from '../../lib/dns/record-set.ts';
import { hostedZonesWithHealthChecks } from '../../lib/health-checks/hosted-zones-with-health-checks.ts';
import { formatRef, type ObjectRef } from '../../lib/objects/object-ref.ts';
import type { ClusterObject } from '../../lib/ports/cluster.ts';
import type { Config, HealthCheckQuota } from '../../lib/ports/config.ts';
import type { HealthCheckOutcome, HealthChecks } from '../../lib/ports/health-checks.ts';
import { type MemoryHealthChecks, memoryHealthChecks } from '../fakes/memory-health-checks.ts';
import type { Gate, Ports } from './gated-ports.ts';
import { APEX, VALUES_OF_A } from './names.ts';
import { type Random, randomOf } from './random.ts';
import { isMadeCheck } from './record-set-texts.ts';
import { isOlderThanSleepers } from './regressions.ts';
import { routedOf } from './routed-records.ts';
import { type FunctionRun, sawThat, tell, type World } from './world.ts';

/** The share of seeds with routed record sets that have them, and of their routed Records that ask for one. */
const SHARE = 0.5;
const ASKING_SHARE = 0.6;
/** How often one is deleted by hand, at a step of these seeds. */
const LOST_SHARE = 0.004;
const HOST = 'h.example.net';
/** The first three follow from one another in place. */
const CHECKS: readonly object[] = [
  { protocol: 'HTTPS', host: HOST, path: '/a' },
  { protocol: 'HTTPS', host: HOST, path: '/b' },
  { protocol: 'HTTPS', host: HOST, path: '/c' },
  { protocol: 'TCP', host: HOST, port: 1 },
];
/** Weighted Records that come, change their health check and go. */
const RECORDS: readonly (readonly [ObjectRef, string, string])[] = [
  [{ kind: 'Record', namespace: 'a', name: 'checked1' }, `hc.${APEX}`, 'x'],
  [{ kind: 'Record', namespace: 'a', name: 'checked2' }, `hc.${APEX}`, 'y'],
  [{ kind: 'Record', namespace: 'a', name: 'checked3' }, `hd.${APEX}`, 'x'],
];
const QUOTA: HealthCheckQuota = { max: 10, namespaces: null };

export type MadeChecks = { readonly random: Random; readonly account: MemoryHealthChecks };

/** Null for the seeds that have none. */
export function madeChecksOf(seed: number): MadeChecks | null {
  const random = randomOf(Math.imul(seed, 86_028_121) + 19);
  if (routedOf(seed) === null || isOlderThanSleepers(seed) || !random.chance(SHARE)) return null;
  return { random, account: memoryHealthChecks() };
}

/** The configuration that allows them. */
export function madeChecksConfig(checks: MadeChecks | null): Partial<Config> {
  return checks === null ? {} : { healthChecks: QUOTA };
}

/** A spec that may ask for a health check, if its Record has a routing. */
export function withMadeCheck({ madeChecks }: World, spec: object): object {
  const { routing } = spec as { readonly routing?: Readonly<Record<string, unknown>> };
  if (madeChecks === null || routing === undefined || !madeChecks.random.chance(ASKING_SHARE)) return spec;
  const { healthCheckId: _, ...rest } = routing;
  return { ...spec, routing: { ...rest, healthCheck: madeChecks.random.pick(CHECKS) } };
}

/** What the root allows for them. */
export function checkedRules({ madeChecks }: World): object[] {
  const records = [{ pattern: 'hc' }, { pattern: 'hd' }];
  return madeChecks === null ? [] : [{ namespaces: ['a'], zones: [], records }];
}

function checkedSpec(random: Random, domainName: string, setIdentifier: string): object {
  const routing = { setIdentifier, weight: 1, ...(random.chance(0.8) && { healthCheck: random.pick(CHECKS) }) };
  return { domainName, type: 'A', rdata: random.pick(VALUES_OF_A), routing };
}

/** Those that are there from the beginning. */
export function populateChecked({ madeChecks }: World, put: (ref: ObjectRef, spec: object) => void): void {
  if (madeChecks === null) return;
  for (const [ref, ...asked] of RECORDS)
    if (madeChecks.random.chance(0.7)) put(ref, checkedSpec(madeChecks.random, ...asked));
}

/** A tenant writes or deletes such a Record. False where the seed has none, or it is not their turn. */
export function writesChecked(
  world: World,
  hintAbout: (world: World, ref: ObjectRef, before: ClusterObject | null) => void,
): boolean {
  const { madeChecks, cluster } = world;
  if (madeChecks === null || !madeChecks.random.chance(0.4)) return false;
  const { random } = madeChecks;
  const [ref, domainName, setIdentifier] = random.pick(RECORDS);
  const before = cluster.find(ref);
  if (before !== null && random.chance(0.3)) cluster.remove(ref);
  else cluster.put(ref, { spec: checkedSpec(random, domainName, setIdentifier) });
  tell(world, () => `tenant: ${formatRef(ref)}: ${JSON.stringify(cluster.find(ref)?.spec)}`);
  hintAbout(world, ref, before);
  return true;
}

/** Somebody deletes a health check by hand. */
export function checkIsLost(world: World): void {
  const { madeChecks } = world;
  if (madeChecks === null || !madeChecks.random.chance(LOST_SHARE) || madeChecks.account.standing.size === 0) return;
  const id = madeChecks.random.pick([...madeChecks.account.standing.keys()]);
  madeChecks.account.standing.delete(id);
  // Only a sweep finds out.
  world.needsSweep ??= 'a health check that was deleted by hand';
  sawThat(world, 'a health check was deleted by hand');
  tell(world, () => `health check ${id} is deleted by hand`);
}

/** Why Route 53 refuses a record set that names a health check which does not exist; null: it does not. */
export function lostCheckProblem(checks: MadeChecks | null, { content: { routing } }: RecordSet): string | null {
  const id = routing?.healthCheckId ?? null;
  if (checks === null || id === null || !isMadeCheck(id) || checks.account.standing.has(id)) return null;
  return `No health check found with id: ${id}`;
}

/** The ports of a run whose record sets may ask for health checks. */
export function withMadeChecks(world: World, run: FunctionRun, ports: Ports): Ports {
  if (world.madeChecks === null) return ports;
  const { ledger, clock } = ports;
  const making = hostedZonesWithHealthChecks(ports.hostedZones, { ledger, clock, config: world.config });
  const change: typeof making.change = (id, ...asked) => {
    // The health checks are made after the run has seen that it holds its lease.
    world.auditor.asksForBatch(run, id);
    return making.change(id, ...asked);
  };
  return { ...ports, hostedZones: { ...making, change } };
}

/** The health checks of the account, each call at a gate. */
export function gatedHealthChecks({ account }: MadeChecks, world: World, gate: Gate): HealthChecks {
  const own = account.port.of(null);
  const lost = (): HealthCheckOutcome => ({ kind: 'again', message: 'no answer' });
  return {
    create: (check, reference) =>
      gate('hostedZones', 'create', `health check ${reference}`, {
        effect: async () => {
          sawThat(world, 'a health check was created');
          return own.create(check, reference);
        },
        lost,
      }),
    update: (id, check) =>
      gate('hostedZones', 'update', `health check ${id}`, {
        effect: async () => {
          sawThat(world, 'a health check was changed in place');
          return own.update(id, check);
        },
        lost,
      }),
    remove: (id) =>
      gate('hostedZones', 'remove', `health check ${id}`, {
        effect: async () => {
          sawThat(world, 'a health check was deleted');
          return own.remove(id);
        },
      }),
    list: () => gate('hostedZones', 'list', 'health checks', { effect: () => own.list() }),
  };
}

/** The record sets of a hosted zone as the engine wants them: with keys in place of the ids of health checks. */
export function recordSetsIn({ route53, madeChecks }: World, id: string): readonly RecordSet[] {
  const all = route53.recordSets(id);
  if (madeChecks === null) return all;
  return all.map((set) => {
    const { routing } = set.content;
    const made = madeChecks.account.standing.get(routing?.healthCheckId ?? '');
    if (routing === undefined || made === undefined) return set;
    const [, , namespace = ''] = made.reference.split('/');
    const healthCheckId = inNamespace(healthCheckText(made.check), namespace);
    return { ...set, content: { ...set.content, routing: { ...routing, healthCheckId } } };
  });
}

/** Q8: there is no health check that no record set names or asks for. */
export async function checkNoneLeft(world: World): Promise<void> {
  const { madeChecks, route53, auditor } = world;
  if (madeChecks === null) return;
  const zones = await route53.port.list();
  const named = new Set(zones.flatMap(({ id }) => route53.recordSets(id)).map(idIn));
  const asked = [...auditor.shadow.items].flatMap(([key, { desired, published }]) =>
    key.startsWith('recordsets#') ? [JSON.stringify([desired ?? null, published ?? null])] : [],
  );
  for (const [id, { check, reference }] of madeChecks.account.standing) {
    const [, , namespace = ''] = reference.split('/');
    const text = JSON.stringify(inNamespace(healthCheckText(check), namespace));
    if (named.has(id) || asked.some((one) => one.includes(text))) sawThat(world, 'a health check is in use at the end');
    else auditor.fail('Q8', `health check ${id} (${reference}) was left, and no record set names it`);
  }
}

function idIn({ content: { routing } }: RecordSet): string | null {
  return routing?.healthCheckId ?? null;
}
