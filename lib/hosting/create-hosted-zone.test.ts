// One hosted zone is created for a name, however many ask for it and however often; a new one is created after the
// first was deleted.
import { describe, expect, test } from 'vitest';
import { hintFor, type ReconcileWorld, reconcileWorld } from '../../test/fakes/reconcile-world.ts';
import { parseRef } from '../objects/object-ref.ts';
import type { HostedZones } from '../ports/hosted-zones.ts';
import { reconcile } from '../resolve/reconcile-hints.ts';

const OLDER = parseRef('Zone a/z');
const YOUNGER = parseRef('Zone b/z');
const SPEC = { domainName: 'e.' };

function worldOf(): ReconcileWorld {
  return reconcileWorld({ config: { createHostedZones: 'all', roots: null } });
}

async function idsOf(world: ReconcileWorld): Promise<string[]> {
  return (await world.route53.port.list()).map(({ id }) => id);
}

/** Reconciles the younger Zone. `meanwhile` runs just before its hosted zone is created. */
async function reconcileSlowly(world: ReconcileWorld, meanwhile: () => Promise<void>): Promise<void> {
  const slow: HostedZones = {
    ...world.route53.port,
    create: async (name, callerReference) => {
      await meanwhile();
      return world.route53.port.create(name, callerReference);
    },
  };
  await reconcile({ ...world.context, account: { hostedZones: slow } }, [hintFor(YOUNGER)]);
}

describe('createHostedZone()', () => {
  test('makes one hosted zone for two Zones of one name, each of which one of two runs sees as live', async () => {
    const world = worldOf();
    world.cluster.put(YOUNGER, SPEC);
    await reconcileSlowly(world, async () => {
      world.clock.ms += 3_600_000;
      world.cluster.put(OLDER, SPEC);
      world.cluster.remove(YOUNGER);
      await reconcile(world.context, [hintFor(OLDER), hintFor(YOUNGER)]);
    });
    expect(await idsOf(world)).toHaveLength(1);
  });

  test('finds in the next run a hosted zone that a dead run created, also when it is not listed yet', async () => {
    const world = worldOf();
    world.cluster.put(OLDER, SPEC);
    const dies: HostedZones = {
      ...world.route53.port,
      create: async (name, callerReference) => {
        await world.route53.port.create(name, callerReference);
        throw new Error('the run died');
      },
    };
    await expect(reconcile({ ...world.context, account: { hostedZones: dies } }, [hintFor(OLDER)])).rejects.toThrow(
      'died',
    );
    world.clock.ms += 600_000;
    const unlisted: HostedZones = { ...world.route53.port, list: async () => [] };
    await reconcile({ ...world.context, account: { hostedZones: unlisted } }, [hintFor(OLDER)]);
    expect(await idsOf(world)).toHaveLength(1);
  });

  test('creates a hosted zone again that was deleted by hand, with another reference', async () => {
    const world = worldOf();
    world.cluster.put(OLDER, SPEC);
    await reconcile(world.context, [hintFor(OLDER)]);
    const [first = ''] = await idsOf(world);
    world.route53.removeHostedZone(first);
    world.clock.ms += 1;
    const { ledger } = world;
    const stored = await ledger.get({ partition: 'hostedzones', sort: first });
    await ledger.put(
      { partition: 'hostedzones', sort: first },
      { ...stored?.body, gone: true },
      stored?.revision ?? null,
    );
    await reconcile(world.context, [hintFor(OLDER)]);
    const ids = await idsOf(world);
    expect(ids).toHaveLength(1);
    expect(ids).not.toContain(first);
  });

  test('no longer uses a reference after a day without a result, because its hosted zone may be gone again', async () => {
    const world = worldOf();
    world.cluster.put(OLDER, SPEC);
    const asked: string[] = [];
    const refuses: HostedZones = {
      ...world.route53.port,
      create: async (_name, callerReference) => {
        asked.push(callerReference);
        throw new Error('HostedZoneAlreadyExists');
      },
    };
    const context = { ...world.context, account: { hostedZones: refuses } };
    for (const later of [0, 60_000, 86_400_000]) {
      world.clock.ms += later;
      await expect(reconcile(context, [hintFor(OLDER)])).rejects.toThrow('AlreadyExists');
    }
    expect(asked[1]).toBe(asked[0]);
    expect(asked[2]).not.toBe(asked[0]);
  });

  test('makes a reference of at most 128 characters, different for long names that begin alike', async () => {
    const world = worldOf();
    const long = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(60)}.`;
    world.cluster.put(OLDER, { domainName: long });
    world.cluster.put(YOUNGER, { domainName: `${long}org.` });
    await reconcile(world.context, [hintFor(OLDER), hintFor(YOUNGER)]);
    const ids = await idsOf(world);
    expect(ids).toHaveLength(2);
    for (const id of ids) expect(id.slice('Z'.length).length).toBeLessThanOrEqual(128);
  });
});
