// The interface to the clock: code that needs the time takes one of these and never calls the machine's own clock.
/** The time, in milliseconds since the epoch, UTC. */
export type Clock = { nowMs(): number };

/** A clock that can also wait. */
export type Timer = Clock & { sleep(ms: number): Promise<void> };
