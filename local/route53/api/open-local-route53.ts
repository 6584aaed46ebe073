// Our Route 53 in the local stack: served on a port, and kept in a file between runs. A write is answered only after it
// is in the file, because the caller relies on the answer. The file is replaced as a whole, so that a crash leaves the
// previous one.

import { loadSnapshot, saveSnapshot } from '../model/snapshot.ts';
import { createRoute53State } from '../model/state.ts';
import { DEFAULT_LIMITS, type Route53Limits } from '../model/token-bucket.ts';
import { type Route53Server, startRoute53 } from './server.ts';

/** A change is PENDING for this long, as in AWS, but the DNS server answers with it at once. */
const INSYNC_DELAY_MS = 1_000;

/** Starts it with the content of `file`, if there is one. `port` 0 takes any free port. `limits`: default, as AWS. */
export async function openLocalRoute53(
  file: string,
  port: number,
  limits: Route53Limits = DEFAULT_LIMITS,
): Promise<Route53Server> {
  const clock = { nowMs: Date.now };
  const state = createRoute53State({
    clock,
    random: Math.random,
    insyncDelayMs: INSYNC_DELAY_MS,
    takesUnknownIds: true,
    recordSetsMax: Infinity,
    snapshot: await loadSnapshot(file),
  });
  let changed = false;
  let saving: Promise<void> = Promise.resolve();
  const save = () => {
    // A failed write does not prevent the next one.
    saving = saving
      .catch(() => {})
      .then(async () => {
        // Changes that came while the file was being written are written together.
        if (!changed) return;
        changed = false;
        await saveSnapshot(file, state.snapshot()).catch((error: unknown) => {
          changed = true;
          throw error;
        });
      });
    return saving;
  };
  const stop = state.onChange(() => {
    changed = true;
  });
  const server = await startRoute53({ state, port, limits, kept: async () => (changed ? save() : saving) });
  const close = async () => {
    stop();
    await server.close();
    await save();
  };
  return { ...server, close };
}
