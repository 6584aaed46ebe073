// The machine's own time.
import { setTimeout as after } from 'node:timers/promises';
import type { Clock, Timer } from '../../ports/clock.ts';

export const systemClock: Clock = { nowMs: Date.now };

/** Resolves after so many milliseconds. */
export async function sleepMs(ms: number): Promise<void> {
  await after(ms);
}

/** A timer with this clock, whose waits are those of the system. */
export function timerOf(clock: Clock): Timer {
  return { nowMs: () => clock.nowMs(), sleep: sleepMs };
}
