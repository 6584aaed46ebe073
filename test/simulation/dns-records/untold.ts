// The content of a Secret appears nowhere else: not in the ledger, a log line, a status or an Event.
import { fail, type SeedWorld } from './world.ts';

/** I22: fails if `said` contains the content of a Secret. */
export function checkUntold(world: SeedWorld, where: string, said: unknown): void {
  const found = /AKIA\w*|never-told/.exec(JSON.stringify(said ?? null))?.[0];
  if (found !== undefined) fail(world, 'I22', `${where} says ${found}, which is a Secret's`);
}
