// publish() while Route 53 denies all changes of a hosted zone, as after somebody took a right away: nothing is tried
// again without a pause.
import { describe, expect, test } from 'vitest';
import { APEX, changeCalls, dirtyNames, publishWorld, run, want, wanted } from '../../../test/fakes/publish-world.ts';
import { reconcileWorld } from '../../../test/fakes/reconcile-world.ts';
import { ALL, say } from '../../../test/fakes/sub-zone-world.ts';
import { parseRef } from '../../objects/object-ref.ts';
import type { BatchOutcome } from '../../ports/hosted-zones.ts';
import { publish } from './publish-hosted-zone.ts';

const DENIED: BatchOutcome = { kind: 'denied', message: 'AccessDenied: not authorized' };
const NAMES = 40;
const PAUSE_SECONDS = 300;

describe('publish() of a hosted zone whose changes are denied', () => {
  test('asks again after a pause, however many names were denied before, and publishes them all when it may', async () => {
    let isDenied = true;
    const world = await publishWorld({ changeFault: () => (isDenied ? { apply: false, outcome: DENIED } : null) });
    for (let index = 0; index < NAMES; index += 1)
      await want(world, `h${index}.${APEX}`, wanted(`h${index}.${APEX}`, 'A', ['192.0.2.1']));
    for (let runs = 0; runs < 60; runs += 1) {
      const before = changeCalls(world);
      world.queued.length = 0;
      await run(world);
      expect(world.queued.map(({ delaySeconds }) => delaySeconds)).toEqual([PAUSE_SECONDS]);
      expect(changeCalls(world) - before).toBeLessThanOrEqual(16);
      world.clock.ms += PAUSE_SECONDS * 1_000;
    }
    isDenied = false;
    for (let runs = 0; runs < 10 && (await dirtyNames(world)).length > 0; runs += 1) {
      world.queued.length = 0;
      await run(world);
      if ((await dirtyNames(world)).length > 0) expect(world.queued).toMatchObject([{ delaySeconds: 0 }]);
    }
    expect(await dirtyNames(world)).toEqual([]);
  });

  test('does not wake another one that waits for a delegation, and is denied, too', async () => {
    const hostedZones = ['e.', 's.e.', 'd.s.e.'].map((name, index) => ({ id: `Z${index + 1}`, name }));
    const world = reconcileWorld({ hostedZones });
    for (const name of ['e', 's.e', 'd.s.e'])
      world.cluster.put(parseRef(`Zone p/${name}`), { domainName: `${name}.`, delegations: ALL });
    await say(world, 'Zone p/e', 'Zone p/s.e', 'Zone p/d.s.e');
    const woken: [string, number][] = [];
    const deps = {
      ...world.deps,
      hostedZones: { ...world.deps.hostedZones, change: async () => DENIED },
      queues: {
        ...world.deps.queues,
        publish: async (id: string, delaySeconds = 0) => void woken.push([id, delaySeconds]),
      },
    };
    for (const id of ['Z1', 'Z2', 'Z3', 'Z1', 'Z2']) {
      woken.length = 0;
      await publish(deps, id);
    }
    expect(woken).toEqual([['Z2', PAUSE_SECONDS]]);
  });
});
