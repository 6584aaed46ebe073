// The budget of Route 53 calls that all functions of a simulated world share: a call waits for its turn between being
// asked for and being sent, sometimes longer than the lease that was looked at before.
import type { Gate } from './gated-ports.ts';
import { sawThat, type World } from './world.ts';

/**
 * Waits for one call of the budget that all functions share. `refused`: it would come later than anybody waits, or came
 * later than `waitMsMax` milliseconds after it was asked for. The call is not made then.
 */
export async function takeTurn(
  world: World,
  gate: Gate,
  detail: string,
  waitMsMax = Number.POSITIVE_INFINITY,
): Promise<'taken' | 'refused'> {
  const { time, swarm, budget } = world;
  const { spacingMs } = swarm.budget;
  if (world.direct || spacingMs === 0) return 'taken';
  const beganMs = time.ms;
  const startMs = Math.max(time.ms, budget.nextMs);
  // A ledger says when the turn will be; of a process of its own nobody knows before it comes.
  const known = swarm.budget.waitMsMax;
  if (known !== null && startMs - beganMs > Math.min(known, waitMsMax)) {
    sawThat(world, 'a call was refused because its turn was too far away');
    return 'refused';
  }
  budget.nextMs = startMs + spacingMs;
  const turn = gate('hostedZones', 'turn', detail, { effect: async () => {} });
  const call = world.calls.at(-1);
  if (call?.method === 'turn') call.notBeforeMs = startMs;
  await turn;
  if (time.ms - beganMs <= waitMsMax) return 'taken';
  sawThat(world, 'a call waited for its turn longer than its lease allowed');
  return 'refused';
}
