// A world for tests of held deletes: record sets h000, h001, … of one hosted zone, of which the guard lets five be
// deleted within an hour.
import type { PublishConfig } from '../../lib/publish/run/run.ts';
import {
  APEX,
  hostedZone,
  type PublishWorld,
  partition,
  publishWorld,
  run,
  want,
  wanted,
  ZONE_ID,
} from './publish-world.ts';

export const name = (index: number) => `h${String(index).padStart(3, '0')}.${APEX}`;
export const A = (index: number, address = '192.0.2.1') => wanted(name(index), 'A', [address]);
const CONFIG = { guard: { deletesMax: 5, deletesShareMax: 1 } };

export async function publishedWorld(count: number, config: Partial<PublishConfig> = CONFIG): Promise<PublishWorld> {
  const world = await publishWorld({ config });
  for (let index = 0; index < count; index += 1) await want(world, name(index), A(index));
  await run(world);
  return world;
}

export async function withdraw(world: PublishWorld, from: number, to: number): Promise<void> {
  for (let index = from; index < to; index += 1) await want(world, name(index));
}

/** Twenty record sets; the guard holds the deletes of six. `digest` releases them. */
export async function heldWorld(): Promise<{ readonly world: PublishWorld; readonly digest: string }> {
  const world = await publishedWorld(20);
  await withdraw(world, 0, 6);
  await run(world);
  return { world, digest: (await hostedZone(world)).held?.digest ?? '' };
}

export async function heldNames(world: PublishWorld): Promise<unknown[]> {
  return (await partition(world, `held#${ZONE_ID}`)).map((body) => body.name);
}
