// What must hold in the end of a world with several clusters: at each name stands what the claims come to (Q7), each
// object says so, and the ledger is settled.
import { formatRef } from '../../../lib/objects/object-ref.ts';
import { sawThat, type World } from '../world.ts';
import { isOff } from './audit.ts';
import {
  type Claim,
  claimsOf,
  isAnswered,
  isOfClaims,
  membersThere,
  type Part,
  partsByName,
  problemAt,
  showPart,
} from './claims.ts';
import { checkRetained, isRetained } from './retained.ts';
import { type Fleet, HOSTED, ledgerIdOf, ZONE } from './world.ts';

/** Checks everything. `when` is part of the message. */
export function checkFleet(world: World, fleet: Fleet, when: string): void {
  const { auditor, route53 } = world;
  const held = [...auditor.shadow.items].some(([key, body]) => key.startsWith('hostedzones ') && body.held !== null);
  sawThat(world, `several clusters, ${when}: ${held ? 'something is held' : 'nothing is held'}`);
  if (held) return;
  sawThat(world, `several clusters: checked ${when}`);
  const parts = partsByName(fleet, (cluster) => isOff(world, fleet, cluster));
  const standing = route53.recordSets(HOSTED).filter(isOfClaims);
  checkRetained(world, fleet, when);
  checkCommands(world, fleet, when);
  for (const name of new Set([...parts.keys(), ...standing.map((set) => set.name)])) {
    if (isRetained(fleet, name)) continue;
    const all = parts.get(name) ?? [];
    const there = standing.filter((set) => set.name === name);
    const problem = problemAt(all, there);
    if (problem !== null) auditor.fail('Q7', `${when}: ${problem}; claims: ${all.map(showPart).join('; ')}`);
    noteSeen(world, all, (part) => part.claims.every((claim) => isAnswered(claim, there)));
  }
  checkStatuses(world, fleet, when);
  checkZones(world, fleet, when);
  for (const [key, body] of auditor.shadow.items) {
    if (key.startsWith('dirty#')) auditor.fail('Q3', `${when}: ${key} is left`);
    if (key.startsWith('recordsets#') && body.intent !== null) auditor.fail('Q3', `${when}: ${key} has an intent`);
  }
}

/** What was commanded is so; of a cluster that was retired, the ledger has nothing. */
function checkCommands(world: World, fleet: Fleet, when: string): void {
  const { auditor } = world;
  for (const [cluster, standby] of fleet.operators?.standby ?? [])
    if (!fleet.gone.has(cluster) && isOff(world, fleet, cluster) !== standby)
      auditor.fail('Q7', `${when}: cluster ${cluster} was commanded to be ${standby ? 'on standby' : 'active'}`);
  for (const cluster of fleet.gone) {
    const id = ledgerIdOf(world, cluster);
    for (const key of auditor.shadow.items.keys())
      if (key === `clusters ${cluster}` || key.startsWith(`recordsets#${id} `) || key.includes(`#${cluster}#`))
        auditor.fail('Q3', `${when}: cluster ${cluster} is retired, and the ledger has ${key}`);
  }
}

const SHARED_WAYS: readonly (readonly [string, (claim: Claim) => boolean])[] = [
  ['by weight', ({ routing }) => routing?.startsWith('weight') === true],
  ['by latency', ({ routing }) => routing?.startsWith('region') === true],
  ['by merging', ({ merges }) => merges],
];

function noteSeen(world: World, parts: readonly Part[], has: (part: Part) => boolean): void {
  if (parts.filter(has).length > 1) sawThat(world, 'several clusters: a name is published for several');
  if (parts.some((part) => !has(part))) sawThat(world, 'several clusters: a claim waits');
  const claims = parts.filter(has).flatMap((part) => part.claims);
  for (const [how, is] of SHARED_WAYS)
    if (new Set(claims.filter(is).map(({ cluster }) => cluster)).size > 1)
      sawThat(world, `several clusters: a name is shared ${how}`);
  if (claims.some(({ lacksRegion }) => lacksRegion)) sawThat(world, 'several clusters: one lacks a region');
  if (parts.some((part) => part.standby && has(part)))
    sawThat(world, 'several clusters: a claim on standby is published');
}

/** Q2: once roles are accepted, no Zone says that its account refuses. */
function checkZones({ auditor }: World, fleet: Fleet, when: string): void {
  for (const { cluster, config } of membersThere(fleet)) {
    const { conditions = [] } = cluster.statuses.get(formatRef(ZONE)) ?? {};
    const refused = conditions.find(({ reason }) => reason === 'AccountRefused');
    if (refused !== undefined) auditor.fail('Q2', `${when}: the Zone of ${config.clusterId} says ${refused.message}`);
  }
}

/** Q2: a Record is Programmed exactly if what it asks for is published. It says where its cluster lacks a region. */
function checkStatuses({ auditor, route53 }: World, fleet: Fleet, when: string): void {
  const standing = route53.recordSets(HOSTED);
  for (const member of membersThere(fleet))
    for (const claim of claimsOf(member, false)) {
      const { ref, name, lacksRegion, cluster: id } = claim;
      if (isRetained(fleet, name)) continue;
      const isThere = isAnswered(
        claim,
        standing.filter((set) => set.name === name),
      );
      const { conditions = [] } = member.cluster.statuses.get(formatRef(ref)) ?? {};
      const said = conditions.find((one) => one.type === 'Programmed');
      if (lacksRegion !== (said?.message?.includes('no region') === true))
        auditor.fail('Q2', `${when}: ${formatRef(ref)} of ${id} says of its region: ${said?.message}`);
      const isRight = isThere
        ? said?.status === 'True' || said?.reason === 'OwnedByAnotherCluster'
        : said?.status === 'False';
      if (!isRight || said?.reason === 'Pending')
        auditor.fail(
          'Q2',
          `${when}: ${formatRef(ref)} of ${id} says ${said?.status} ${said?.reason}: ${said?.message}`,
        );
    }
}

/** What stands, what is asked for, and what the ledger has, for the trace. */
export function describeFleet(world: World, fleet: Fleet): string[] {
  const parts = [...partsByName(fleet, (cluster) => isOff(world, fleet, cluster)).values()].flat();
  const standing = world.route53
    .recordSets(HOSTED)
    .map((set) => `${set.name} ${set.type} ${set.setIdentifier ?? ''} ${JSON.stringify(set.content)}`);
  const statuses = [...fleet.members].flatMap(([id, { cluster }]) =>
    [...cluster.statuses].map(
      ([ref, { conditions }]) =>
        `${id} ${ref}: ${conditions.map((one) => `${one.type}=${one.status} ${one.reason} (${one.message})`).join('; ')}`,
    ),
  );
  const items = [...world.auditor.shadow.items].filter(([key]) =>
    /^(recordsets|dirty|held|hostedzones|clusters)/.test(key),
  );
  return [
    '--- claims',
    ...parts.map(showPart),
    '--- stands',
    ...standing,
    '--- objects',
    ...statuses,
    '--- ledger',
    ...items.map(([key, body]) => `${key} ${JSON.stringify(body)}`),
  ];
}
