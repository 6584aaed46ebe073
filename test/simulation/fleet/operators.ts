// What operators do by command in a world with several clusters: they put a cluster on standby, make it active, or
// retire one that has left the configuration. The functions behind these commands run like any other function: killed
// at any call, and begun again until they are done.
import { applyRetirement } from '../../../lib/apply/apply-retirement.ts';
import { applyStandby } from '../../../lib/apply/apply-standby.ts';
import { planRetirement } from '../../../lib/apply/plan-retirement.ts';
import { planStandby } from '../../../lib/apply/plan-standby.ts';
import type { Context } from '../../../lib/ports/context.ts';
import type { PublishDeps } from '../../../lib/publish/run/run.ts';
import { dies } from '../fates.ts';
import { start } from '../functions.ts';
import { sawThat, tell, type World } from '../world.ts';
import { lookAgain } from './audit.ts';
import { keepRetained } from './retained.ts';
import { type Command, type Fleet, HOSTED, ledgerIdOf } from './world.ts';

/** Of the commands, the share that retires a cluster, and how often operators act. */
const LEAVES_SHARE = 0.4;
const ACTS_SHARE = 0.006;
/**
 * How often a command that died, or could not publish all, is used again, and after how long at the end: what may land
 * late is waited for, for an hour.
 */
const AGAIN_SHARE = 0.05;
const TRIES_MAX = 10;
const PAUSE_MS = 600_000;

/** Something is commanded, or commanded again. */
export function operatorsAct(world: World): void {
  const { fleet } = world;
  if (fleet?.operators == null) return;
  const { operators } = fleet;
  if (operators.open === null && operators.random.chance(ACTS_SHARE)) operators.open = begin(world, fleet);
  else if (operators.open === null || !operators.random.chance(AGAIN_SHARE)) return;
  if (operators.open !== null) runAgain(world, operators.open);
}

/** Runs the open command, unless it runs. */
function runAgain(world: World, command: Command): Promise<void> {
  if ([...world.running].some(({ kind }) => kind === 'command')) return Promise.resolve();
  const { fleet, busyExcused } = world;
  const [member] = [...(fleet?.members.values() ?? [])].filter(({ config }) => fleet?.left !== config.clusterId);
  if (fleet === null || member === undefined) return Promise.resolve();
  for (const cluster of fleet.members.keys()) busyExcused.add(ledgerIdOf(world, cluster) ?? HOSTED);
  if (command.kind === 'retire' && !fleet.gone.has(command.cluster)) {
    fleet.gone.add(command.cluster);
    lookAgain(world);
  }
  tell(world, () => `an operator: ${JSON.stringify(command)}`);
  return start(world, 'command', [], member);
}

function begin(world: World, fleet: Fleet): Command | null {
  const { operators, members, left, quiet } = fleet;
  if (operators === null) return null;
  const { random } = operators;
  const mayLeave = [...members.keys()].filter((id) => id !== quiet);
  if (left === null && operators.mayLeave && random.chance(LEAVES_SHARE) && mayLeave.length > 0) {
    const cluster = random.pick(mayLeave);
    leaves(world, fleet, cluster);
    return { kind: 'retire', cluster, retain: random.chance(0.4) };
  }
  const cluster = random.pick([...members.keys()].filter((id) => id !== left));
  const standby = random.chance(0.5);
  return { kind: 'standby', cluster, standby };
}

/** The configuration has the cluster no longer: nobody reads it. */
function leaves(world: World, fleet: Fleet, cluster: string): void {
  const { queues, running } = world;
  fleet.left = cluster;
  for (const message of queues.messages)
    if (message.work.kind !== 'publish' && message.work.cluster === cluster) queues.messages.delete(message);
  for (const run of [...running])
    if (run.kind !== 'publish' && run.kind !== 'command' && run.member.config.clusterId === cluster) dies(world, run);
  sawThat(world, 'several clusters: one left the configuration');
  tell(world, () => `an operator: cluster ${cluster} leaves the configuration`);
}

/** Plans and carries out the open command. */
export async function runCommand(world: World, context: Context, deps: PublishDeps): Promise<void> {
  const { fleet } = world;
  // A command sends no messages: objects say what it changed after the next sweep.
  world.needsSweep ??= 'a command';
  const command = fleet?.operators?.open ?? null;
  if (fleet?.operators == null || command === null) return;
  const options = { acknowledged: [], only: () => true, progress: () => {} };
  if (command.kind === 'standby') {
    const applied = await applyStandby(context, deps, command, await planStandby(context, command), options);
    fleet.operators.standby.set(command.cluster, command.standby);
    const isWhole = applied.every(({ outcomes }) => outcomes.every(({ outcome }) => outcome === 'published'));
    if (isWhole) fleet.operators.open = null;
    return sawThat(world, `a command: ${command.standby ? 'standby' : 'active'}, ${isWhole ? 'whole' : 'in part'}`);
  }
  const planned = await planRetirement(context, command);
  const { left } = await applyRetirement(context, deps, command, planned, { ...options, releases: true });
  tell(world, () => `the command leaves ${left.join('; ') || 'nothing'}`);
  if (left.length === 0) fleet.operators.open = null;
  if (left.length === 0 && command.retain) keepRetained(world, fleet);
  sawThat(world, `a command: retire, ${left.length === 0 ? 'whole' : 'in part'}`);
}

/** Once faults are over, the operator uses an open command until it is done. */
export async function finishCommand(world: World): Promise<void> {
  const operators = world.fleet?.operators ?? null;
  for (let tries = 0; operators !== null && operators.open !== null && tries < TRIES_MAX; tries += 1) {
    world.time.ms += PAUSE_MS;
    await runAgain(world, operators.open);
  }
  const open = operators?.open ?? null;
  if (open?.kind === 'retire') world.auditor.fail('Q7', `cluster ${open.cluster} cannot be retired`);
  // What the guard holds, or another cluster has yet to give, is published by the functions.
  if (operators !== null) operators.open = null;
}
