// Our Route 53 as the local stack runs it: served on a port, and kept in a file from run to run. Every write is saved soon
// after, and the last ones when it closes; the file is replaced whole, so that a crash leaves the one before.

import { type Route53Server, startRoute53 } from './server.ts';
import { loadSnapshot, saveSnapshot } from './snapshot.ts';
import { createRoute53State } from './state.ts';

/** Writes are gathered for so long before the file is written. */
const SAVE_DELAY_MS = 200;
/** A change is PENDING for a moment, as in the real one, though the DNS server answers from it at once. */
const INSYNC_DELAY_MS = 1_000;

/** Starts it from `file`, if there; 0 takes any free port. */
export async function openLocalRoute53(file: string, port: number): Promise<Route53Server> {
  const clock = { nowMs: Date.now };
  const state = createRoute53State({
    clock,
    random: Math.random,
    insyncDelayMs: INSYNC_DELAY_MS,
    snapshot: await loadSnapshot(file),
  });
  const server = await startRoute53({ state, port });
  let timer: NodeJS.Timeout | null = null;
  let saving: Promise<void> = Promise.resolve();
  const save = () => {
    timer = null;
    // One that failed does not keep the next from trying.
    saving = saving.catch(() => {}).then(() => saveSnapshot(file, state.snapshot()));
    return saving;
  };
  const stop = state.onChange(() => {
    timer ??= setTimeout(() => void save().catch(() => {}), SAVE_DELAY_MS);
  });
  const close = async () => {
    stop();
    if (timer !== null) clearTimeout(timer);
    await server.close();
    await save();
  };
  return { ...server, close };
}
