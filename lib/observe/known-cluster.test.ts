// Another cluster with the same id is not read: by a poll, a sweep, a hint or a report.
import { describe, expect, test } from 'vitest';
import {
  deliverAll,
  deliverHints,
  hintFor,
  type ReconcileWorld,
  reconcileWorld,
} from '../../test/fakes/reconcile-world.ts';
import { parseRef } from '../objects/object-ref.ts';
import type { Cluster } from '../ports/cluster.ts';
import { forgetUid, knownUid, noteReading, setStandby, standbyAmong } from '../record-sets/cluster-item.ts';
import { reconcile } from '../resolve/reconcile-hints.ts';
import { sweepPiece } from '../sweep/sweep-cluster.ts';
import { checked, clusterCheck } from './known-cluster.ts';

const ZONE = parseRef('Zone a/z');
const WWW = parseRef('Record a/www');

type Named = { uid: string | null; asked: number; reported: number };

/** A world whose cluster has this uid, and the context that reads it only if it is the known one. */
function worldOf(isNoted = true) {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }] });
  world.cluster.put(ZONE, { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] });
  world.cluster.put(WWW, { domainName: 'www.e.', type: 'A', rdata: '192.0.2.1' });
  const is: Named = { uid: 'one', asked: 0, reported: 0 };
  const said: string[] = [];
  const { ledger, clock, cluster } = world.context;
  const named: Cluster = {
    ...cluster,
    uid: async () => {
      is.asked += 1;
      return is.uid;
    },
    report: async (...asked) => {
      is.reported += 1;
      return cluster.report(...asked);
    },
  };
  const log = (_: unknown, message: string) => void said.push(message);
  const check = clusterCheck(named, { ledger, clock, log, isNoted });
  const known: ReconcileWorld = { ...world, context: { ...world.context, cluster: checked(named, check) } };
  return { world: known, is, said };
}

const standing = ({ route53 }: ReconcileWorld) =>
  route53.recordSets('Z1').flatMap(({ name, type }) => (type === 'A' ? [name] : []));

async function load(world: ReconcileWorld): Promise<void> {
  await reconcile(world.context, [hintFor(ZONE), hintFor(WWW)]);
  await deliverHints(world);
  await deliverAll(world);
}

describe('a cluster with another uid than the ledger knows', () => {
  test('is not read by a hint, a sweep or a poll, and not reported to, until it was said to be built anew', async () => {
    const { world, is } = worldOf();
    await load(world);
    expect(standing(world)).toEqual(['www.e.']);
    is.uid = 'two';
    const { reported } = is;
    expect(reported).toBeGreaterThan(0);
    world.cluster.remove(ZONE);
    world.cluster.remove(WWW);
    world.clock.ms += 60_000;
    const says =
      /cluster "default" is another one than before.*the uid two, and the ledger knows one.*clusters rebuilt default/;
    await expect(reconcile(world.context, [hintFor(WWW)])).rejects.toThrow(says);
    await expect(sweepPiece(world.context, Number.POSITIVE_INFINITY)).rejects.toThrow(says);
    const { cluster } = world.context;
    await expect(cluster.listPage('Zone', null, null)).rejects.toThrow(says);
    await expect(cluster.report(ZONE, { fqdn: null, parent: null, conditions: [] }, null)).rejects.toThrow(says);
    expect([standing(world), is.reported]).toEqual([['www.e.'], reported]);
    await forgetUid(world.ledger, 'default');
    await load(world);
    expect(standing(world)).toEqual([]);
    expect(await knownUid(world.ledger, 'default', 'three', false)).toBe('two');
  });

  test('is asked for once a minute, and again after it could not be told', async () => {
    const { world, is } = worldOf();
    for (const _ of [1, 2]) await world.context.cluster.get(WWW, null);
    expect(is.asked).toBe(1);
    world.clock.ms += 60_000;
    is.uid = 'two';
    for (const asked of [2, 3]) {
      await expect(world.context.cluster.get(WWW, null)).rejects.toThrow('another one');
      expect(is.asked).toBe(asked);
    }
  });

  test('is read where the namespace may not be, and that is said once', async () => {
    const { world, is, said } = worldOf();
    is.uid = null;
    await load(world);
    world.clock.ms += 60_000;
    await load(world);
    expect(standing(world)).toEqual(['www.e.']);
    expect(said).toEqual([expect.stringContaining('its namespace kube-system is not read')]);
    is.uid = 'two';
    world.clock.ms += 60_000;
    await load(world);
    expect(await knownUid(world.ledger, 'default', 'three', false)).toBe('two');
  });

  test('is not noted by who only plans, and files have none', async () => {
    const { world } = worldOf(false);
    await world.context.cluster.list();
    expect(await knownUid(world.ledger, 'default', 'three', false)).toBe('three');
    expect(clusterCheck(world.cluster.port, { ...world.context, isNoted: true })).toBe(null);
  });

  test('stays noted through a reading and standby, and does not make a first reading a later one', async () => {
    const { world } = worldOf();
    await world.context.cluster.list();
    const asked = { ...world.context, config: { ...world.context.config, standby: ['default'] } };
    await noteReading(asked);
    expect(await standbyAmong(world.context, asked.config, ['default'])).toEqual(new Map([['default', 0]]));
    await setStandby(world.ledger, 'default', false, world.clock.ms);
    expect(await knownUid(world.ledger, 'default', 'two', true)).toBe('one');
  });
});
