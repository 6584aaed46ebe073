// The time, as a role: nobody asks the machine for it.
/** The clock, milliseconds since the epoch, UTC. */
export type Clock = { nowMs(): number };
