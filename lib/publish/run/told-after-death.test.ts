// A run that dies just after it saved what a Zone has to show does not keep it from the Zone.
import { expect, test } from 'vitest';
import {
  APEX,
  hostedZone,
  intercepted,
  type PublishWorld,
  publishWorld,
  run,
  type WorldOptions,
  want,
  wanted,
  ZONE_ID,
} from '../../../test/fakes/publish-world.ts';
import type { HostedZoneItem } from '../../record-sets/hosted-zone-item.ts';

const W = `w.${APEX}`;

type Case = {
  readonly options?: WorldOptions;
  readonly begin: (world: PublishWorld) => Promise<void>;
  /** By which queues its Zone is told. */
  readonly told: readonly string[];
  readonly isNoted: (item: HostedZoneItem) => boolean;
};

const CASES: Readonly<Record<string, Case>> = {
  'holds a delete': {
    options: { config: { guard: { deletesMax: 0, deletesShareMax: 1 } } },
    begin: async (world) => {
      await want(world, W);
    },
    told: ['report'],
    isNoted: ({ held }) => held !== null,
  },
  'finds that the hosted zone is gone': {
    begin: async (world) => {
      await want(world, W, wanted(W, 'A', ['192.0.2.2']));
      world.route53.removeHostedZone(ZONE_ID);
    },
    told: ['report', 'hint'],
    isNoted: ({ gone }) => gone,
  },
};

/** Kills a run at each of its calls. Returns the calls after which its Zone was not told. */
async function tellings({ options, begin, told, isNoted }: Case, when: string): Promise<string[]> {
  const silent: string[] = [];
  for (let dying = 1, isDead = true; isDead; dying += 1) {
    const world = await publishWorld(options);
    await want(world, W, wanted(W, 'A', ['192.0.2.1']));
    await run(world);
    await begin(world);
    world.clock.ms += 60_000;
    const heard = new Set<string>();
    const tell = (by: string) => async () => {
      if (isNoted(await hostedZone(world))) heard.add(by);
    };
    const queues = { ...world.deps.queues, report: tell('report'), hint: tell('hint') };
    let calls = 0;
    const deps = intercepted({ ...world.deps, queues }, async (_port, _method, call) => {
      calls += 1;
      if (calls > dying || (calls === dying && when === 'before')) throw new Error('the run died');
      const answer = await call();
      if (calls === dying) throw new Error('the run died');
      return answer;
    });
    isDead = await run({ ...world, deps }).then(
      () => false,
      () => true,
    );
    world.clock.ms += 60_000;
    await run({ ...world, deps: { ...world.deps, queues } });
    if (told.some((by) => !heard.has(by))) silent.push(`dies ${when} call ${dying}`);
  }
  return silent;
}

test.each(
  Object.entries(CASES).flatMap(([name, one]) => ['before', 'after'].map((when) => [name, when, one] as const)),
)('publish() reports its Zone when it %s, if the run dies %s any call', async (_name, when, one) => {
  expect(await tellings(one, when)).toEqual([]);
});
