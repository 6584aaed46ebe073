// The auditor of a world with several clusters. It knows what each cluster asks for by its objects, what each has by
// the ledger, and what Route 53 has, at every step; and it checks each batch and each write against that.
import type { RecordSet } from '../../../lib/dns/record-set.ts';
import type { JsonObject, LedgerKey } from '../../../lib/ports/ledger.ts';
import { isOfEverySweep } from '../audit-ledger.ts';
import { type Auditor, newAuditor } from '../auditor.ts';
import { textOf } from '../record-set-texts.ts';
import { type FunctionRun, sawThat, tell, type World } from '../world.ts';
import { type Claim, claimsOf, groupOf, isAnswered, isOfClaims, membersThere, valuesOf } from './claims.ts';
import { checkRetained } from './retained.ts';
import { clusterOfLedgerId, type Fleet, HOSTED, ledgerIdOf, type Member, SHARED } from './world.ts';

/** Until when a cluster may have back what it lost, milliseconds; with what a run may take. */
const FLAP_MS = 600_000 + 60_000;

/** Since when something has been so without a pause, by its key. */
type Since = Map<string, { readonly claim: Claim; readonly sinceMs: number }>;

/** What the auditor knows of the clusters. */
type FleetFacts = {
  /** What each cluster asks for and has, active, by its objects, the ledger and Route 53. */
  readonly owned: Since;
  /** What each cluster asks for by its objects and the ledger. */
  readonly asked: Since;
  /** The clusters and names that ever asked to merge. */
  readonly merged: Set<string>;
  /** Looks at all of it again. */
  readonly look: () => void;
};

const known = new WeakMap<World, FleetFacts>();

/** Call this when objects have changed. */
export function lookAgain(world: World): void {
  known.get(world)?.look();
}

/** True for a cluster that is on standby as a whole. */
export function isOff({ auditor }: Pick<World, 'auditor'>, { members }: Fleet, cluster: string): boolean {
  const { standby } = auditor.shadow.items.get(`clusters ${cluster}`) ?? {};
  return typeof standby === 'boolean' ? standby : members.get(cluster)?.config.standby.includes(cluster) === true;
}

/** The item of a claim in the ledger; undefined: there is none. */
function itemOf(world: World, claim: Claim): JsonObject | undefined {
  const id = ledgerIdOf(world, claim.cluster);
  if (id === null) return undefined;
  const sort = `${claim.name.split('.').filter(Boolean).toReversed().join(' ')} ${claim.type} ${claim.setIdentifier ?? ''}`;
  return world.auditor.shadow.items.get(`recordsets#${id} ${sort}`);
}

function saysValues(content: unknown, { values }: Claim): boolean {
  return textOf((content as { readonly values?: unknown } | null | undefined)?.values) === textOf(values);
}

/** True if it is published as the claim asks, perhaps united with the values of others. */
function hasValues(content: unknown, claim: Claim): boolean {
  const { values = [] } = (content ?? {}) as { readonly values?: readonly string[] };
  return claim.merges ? claim.values.every((value) => values.includes(value)) : saysValues(content, claim);
}

function factsOf(world: World, fleet: Fleet): FleetFacts {
  const [owned, asked]: [Since, Since] = [new Map(), new Map()];
  const update = (all: Since, now: readonly Claim[]) => {
    const kept = new Map(
      now.map((claim) => {
        const { cluster, name, type, setIdentifier, routing, values } = claim;
        const key = [cluster, name, type, setIdentifier, routing, ...values].join(' ');
        return [key, { claim, sinceMs: all.get(key)?.sinceMs ?? world.time.ms }];
      }),
    );
    all.clear();
    for (const [key, one] of kept) all.set(key, one);
  };
  const merged = new Set<string>();
  return {
    owned,
    asked,
    merged,
    look: () => {
      const isOn = ({ config }: Member) => isOff(world, fleet, config.clusterId);
      const claims = membersThere(fleet).flatMap((member) => claimsOf(member, isOn(member)));
      for (const { cluster, name, merges } of claims) if (merges) merged.add(`${cluster} ${name}`);
      const noted = claims.filter((claim) => {
        const item = itemOf(world, claim);
        return item !== undefined && saysValues(item.claimed ?? item.desired, claim);
      });
      update(asked, noted);
      const standing = world.route53.recordSets(HOSTED);
      const isOwned = (claim: Claim) => {
        const item = itemOf(world, claim);
        const has = item?.intent === null && hasValues(item.published, claim) && item.standbyMs === undefined;
        return has && !claim.standby && isAnswered(claim, at(standing, claim.name));
      };
      update(owned, noted.filter(isOwned));
    },
  };
}

function at(standing: readonly RecordSet[], name: string): readonly RecordSet[] {
  return standing.filter((set) => set.name === name);
}

/** Makes the auditor of a world with several clusters. */
export function fleetAuditor(world: World, fleet: Fleet): Auditor {
  const auditor = newAuditor(world);
  const { shadow } = auditor;
  const facts = factsOf(world, fleet);
  known.set(world, facts);
  const deletions: Deletion[] = [];
  /** Names at which a batch has landed late. */
  const late = new Set<string>();
  const own: Partial<Auditor> = {
    sawMarks: (run, _, marks) => {
      for (const { revision } of marks) auditor.factsOf(run).marks.add(revision);
    },
    wroteItem: (run, key, before, after) => {
      if (!isOfEverySweep(world, key, before, after)) auditor.writes.items += 1;
      const id = `${key.partition} ${key.sort}`;
      tell(world, () => `   ${run.id} writes ${id}: ${after === null ? 'removed' : JSON.stringify(after)}`);
      checkReading(world, fleet, run, key, before, after);
      checkHeld(world, fleet, key, after);
      if (after === null) shadow.items.delete(id);
      else shadow.items.set(id, after);
      if (key.partition.startsWith('statuses#')) auditor.factsOf(run).reporting -= 1;
      if (key.partition.startsWith('recordsets#') || key.partition === 'clusters') facts.look();
    },
    wroteBeside: (writes) => {
      for (const { key, body } of writes) shadow.items.set(`${key.partition} ${key.sort}`, body);
    },
    asksForBatch: () => {},
    sendsBatch: (run) => {
      auditor.factsOf(run).sentAtMs = world.time.ms;
    },
    applies: async (run, id, changes, apply) => {
      const before = world.route53.recordSets(id).filter(isOfClaims);
      const [owned, asked] = [facts.owned, facts.asked].map((all) =>
        [...all.values()].filter(({ sinceMs }) => sinceMs < run.startedAtMs).map(({ claim }) => claim),
      ) as [Claim[], Claim[]];
      const outcome = await apply();
      if (outcome.kind === 'refused') sawThat(world, 'Route 53 refused a batch');
      if (outcome.kind !== 'accepted') return outcome;
      auditor.writes.batches += 1;
      const after = world.route53.recordSets(id).filter(isOfClaims);
      checkAnswers(world, run, { asked, before, after });
      checkOwners(world, fleet, run, { owned, after });
      checkGuard(world, fleet, run, deletions, { before, after });
      checkRetained(world, fleet, run.id);
      // What lands late stands beside what has been published meanwhile (docs/invariants.md: "Late batches").
      if (auditor.factsOf(run).sentAtMs === 0) for (const { recordSet } of changes) late.add(recordSet.name);
      checkApart(
        world,
        fleet,
        facts,
        after.filter(({ name }) => !late.has(name)),
      );
      facts.look();
      return outcome;
    },
    reports: (run) => {
      auditor.factsOf(run).reporting += 1;
      auditor.writes.statuses += 1;
    },
  };
  return Object.assign(auditor, own);
}

type Seen = { readonly before: readonly RecordSet[]; readonly after: readonly RecordSet[] };

/** I32: what a cluster asked for, as its run could know, still has an answer if it had one. */
function checkAnswers(
  { auditor }: World,
  run: FunctionRun,
  { asked, before, after }: Seen & { readonly asked: readonly Claim[] },
): void {
  for (const claim of asked) {
    const isBeside = (set: RecordSet) => set.name === claim.name && groupOf(set.type) === groupOf(claim.type);
    if (before.some(isBeside) && !after.some(isBeside))
      auditor.fail('I32', `${run.id} deleted ${claim.name} ${claim.type}, which cluster ${claim.cluster} asks for`);
  }
}

/** I33: what an active cluster has, no other cluster takes, unless it gets back what it lost a short time ago. */
function checkOwners(
  world: World,
  fleet: Fleet,
  run: FunctionRun,
  { owned, after }: Pick<Seen, 'after'> & { readonly owned: readonly Claim[] },
): void {
  const own = run.member.config.clusterId;
  // A command publishes for all clusters.
  const takers = run.kind === 'command' ? [...fleet.members.keys()] : [own];
  for (const claim of owned) {
    if ((claim.cluster === own && run.kind !== 'command') || isAnswered(claim, at(after, claim.name))) continue;
    if (takers.some((one) => one !== claim.cluster && mayReturn(world, one, claim.name)))
      sawThat(world, 'a cluster got back what it had lost for a short time');
    else
      world.auditor.fail(
        'I33',
        `${run.id} took ${claim.name} ${claim.type} ${claim.values.join()} from cluster ${claim.cluster}`,
      );
  }
}

/** True if another cluster got something at the name from this one a short time ago. */
function mayReturn({ auditor, time }: World, cluster: string, name: string): boolean {
  return [...auditor.shadow.items].some(([key, { name: of, takenFrom }]) => {
    const from = takenFrom as { readonly cluster: string; readonly atMs: number } | undefined;
    return key.startsWith('recordsets#') && of === name && from?.cluster === cluster && time.ms - from.atMs < FLAP_MS;
  });
}

/** The clusters that alone have some of these values; none for values that all may have. */
function clustersOf({ members, gone }: Fleet, values: readonly string[]): ReadonlySet<string> {
  const ids = [...members.keys()];
  // What is retained of a cluster is foreign.
  const numbers = values.map((value) => Number(/(?:2\.|::|c)(\d)\d?(?:\.n\.)?$/.exec(value)?.[1] ?? SHARED));
  return new Set(numbers.flatMap((number) => ids[number - 1] ?? [])).difference(gone);
}

/** I34: no name has addresses of two clusters, unless both share it, for a namespace of one name. */
function checkApart(
  { auditor }: World,
  fleet: Fleet,
  { merged }: Pick<FleetFacts, 'merged'>,
  standing: readonly RecordSet[],
): void {
  for (const [name, sets] of Map.groupBy(standing, (set) => set.name)) {
    const addresses = sets.filter(({ type }) => groupOf(type) === groupOf('A'));
    const fail = (why: string) =>
      auditor.fail('I34', `${name} has ${addresses.flatMap(valuesOf).join(', ')}, and ${why}`);
    const simple = addresses.filter(({ setIdentifier }) => setIdentifier === null);
    const own = clustersOf(fleet, simple.flatMap(valuesOf));
    if (own.size > 1 && [...own].some((cluster) => !merged.has(`${cluster} ${name}`)))
      fail('not all of these clusters merge');
    const all = clustersOf(fleet, addresses.flatMap(valuesOf));
    const namespaces = [...all].map((id) => fleet.members.get(id)?.namespaces?.get(name.split('.')[0] ?? '') ?? 'a');
    if (new Set(namespaces).size > 1) fail('these are of namespaces of different names');
    for (const set of addresses)
      if (
        set.setIdentifier !== null &&
        clustersOf(fleet, valuesOf(set)).difference(new Set([set.setIdentifier])).size > 0
      )
        fail(`some stand under the identifier ${set.setIdentifier}`);
  }
}

/** A record set that a run of this cluster deleted, and no cluster has. */
type Deletion = { readonly cluster: string; readonly name: string; readonly type: string; readonly atMs: number };

const HOUR_MS = 3_600_000;

/** I36: each cluster deletes no more within an hour than its guard allows. */
function checkGuard(
  world: World,
  fleet: Fleet,
  { kind, member: { config } }: FunctionRun,
  deletions: Deletion[],
  { before, after }: Seen,
): void {
  const { auditor, time, swarm, direct } = world;
  // Who retires a cluster has agreed to all that goes.
  if (kind === 'command' && fleet.operators?.open?.kind === 'retire') return;
  const isAt = ({ name, type }: Pick<RecordSet, 'name' | 'type'>) => {
    return (set: RecordSet) => set.name === name && groupOf(set.type) === groupOf(type);
  };
  for (const set of before) {
    if (after.some(isAt(set))) continue;
    const cluster = kind === 'command' ? (deleterOf(world, fleet, set) ?? config.clusterId) : config.clusterId;
    deletions.push({ cluster, name: set.name, type: set.type, atMs: time.ms });
  }
  const sinceMs = time.ms - HOUR_MS + 4 * 2_400;
  const gone = deletions.filter(
    (one) => one.cluster === config.clusterId && one.atMs > sinceMs && !after.some(isAt(one)),
  );
  const all = new Set(gone.map(({ name, type }) => `${name} ${type}`));
  // In the end, operators acknowledge what is held.
  if (all.size > swarm.deletesMax && !(direct && auditor.shadow.acknowledged))
    auditor.fail(
      'I36',
      `cluster ${config.clusterId} deleted ${[...all].join('; ')}, and deletesMax is ${swarm.deletesMax}`,
    );
}

/** The cluster whose record set a command deletes; null: nobody's. */
function deleterOf(world: World, { members }: Fleet, { name, type }: RecordSet): string | null {
  const isDeleting = (id: string) =>
    [...world.auditor.shadow.items].some(([key, item]) => {
      const isHere = item.name === name && groupOf(String(item.type)) === groupOf(type);
      return isHere && key.startsWith(`recordsets#${ledgerIdOf(world, id)} `) && item.intent !== null;
    });
  return [...members.keys()].find(isDeleting) ?? null;
}

/** I36: nothing is held for a cluster that never asked for less. */
function checkHeld({ auditor }: World, { quiet }: Fleet, { partition }: LedgerKey, after: JsonObject | null): void {
  if (partition === 'hostedzones' && after?.held != null && after.cluster === quiet)
    auditor.fail('I36', `cluster ${quiet} has asked for nothing less, and its guard holds ${textOf(after.held)}`);
}

/** I35: what a cluster asks for is written for it alone. */
function checkReading(
  world: World,
  { operators }: Fleet,
  run: FunctionRun,
  { partition, sort }: LedgerKey,
  before: JsonObject | null,
  after: JsonObject | null,
): void {
  const retired = run.kind === 'command' && operators?.open?.kind === 'retire' ? operators.open.cluster : null;
  const own = retired ?? run.member.config.clusterId;
  const [, kind = '', of = ''] = /^(\w+)#([^#]+)/.exec(partition) ?? [];
  const asks = (body: JsonObject | null) => textOf([body?.claimed ?? body?.desired ?? null, body?.objects ?? []]);
  if (kind === 'recordsets') {
    const cluster = clusterOfLedgerId(world, of);
    if (cluster !== null && cluster !== own && asks(before) !== asks(after))
      world.auditor.fail('I35', `${run.id} of ${own} changed what cluster ${cluster} asks for at ${sort}`);
  }
  if (['objects', 'ages', 'directory'].includes(kind) && of !== own)
    world.auditor.fail('I35', `${run.id} of ${own} wrote ${partition} ${sort}`);
}
