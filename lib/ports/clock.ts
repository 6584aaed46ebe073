// The time, as a role: nobody asks the machine for it.
/** The clock, milliseconds since the epoch, UTC. */
export type Clock = { nowMs(): number };

/** A clock, and waiting by it. */
export type Timer = Clock & { sleep(ms: number): Promise<void> };
