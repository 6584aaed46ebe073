// Worlds for the tests of the sweep: one in which nothing is wrong, and one with every difference that a sweep mends.
import { expect } from 'vitest';
import { allItems } from '../../lib/ledger/pages.ts';
import { parseRef } from '../../lib/objects/object-ref.ts';
import { namesPartition } from '../../lib/observe/name-index.ts';
import { objectsPartition } from '../../lib/observe/object-item.ts';
import type { Cluster } from '../../lib/ports/cluster.ts';
import { type Config, DEFAULT_CONFIG } from '../../lib/ports/config.ts';
import type { Context } from '../../lib/ports/context.ts';
import type { HostedZones } from '../../lib/ports/hosted-zones.ts';
import type { Ledger, LedgerItem } from '../../lib/ports/ledger.ts';
import type { Queues } from '../../lib/ports/queues.ts';
import { markDirty } from '../../lib/record-sets/dirty-mark.ts';
import { reconcile } from '../../lib/resolve/reconcile-hints.ts';
import { SOURCES } from '../../lib/sources/source.ts';
import type { PublishWorld } from './publish-world.ts';
import { zone } from './reconcile-steps.ts';
import {
  deliverAll,
  desiredFromScratch,
  desiredInLedger,
  hintFor,
  type ReconcileWorld,
  reconcileWorld,
  standingInRoute53,
  statusesFromScratch,
  statusesReported,
  sweepAll,
  wantedInRoute53,
} from './reconcile-world.ts';

/** The spec of an A Record. */
export function a(domainName: string, rdata = '192.0.2.1', more: object = {}) {
  return { domainName, type: 'A', rdata, ...more };
}

/** Five Records below e. */
export const FIVE = Object.fromEntries(['a', 'b', 'c', 'd', 'f'].map((name) => [`Record a/${name}`, a(`${name}.e.`)]));

export function write({ cluster }: ReconcileWorld, objects: Readonly<Record<string, unknown>>): void {
  for (const [id, spec] of Object.entries(objects)) {
    if (spec === undefined) cluster.remove(parseRef(id));
    else cluster.put(parseRef(id), spec);
  }
}

/** A world in which everything is published and reported. */
export async function settledWorld(objects: Readonly<Record<string, unknown>> = OBJECTS): Promise<ReconcileWorld> {
  const hostedZones = [
    { id: 'Z1', name: 'e.' },
    { id: 'Z2', name: 'f.' },
  ];
  const world = reconcileWorld({ hostedZones });
  write(world, objects);
  await reconcile(world.context, Object.keys(objects).map(parseRef).map(hintFor));
  await deliverAll(world);
  return world;
}

export const OBJECTS = {
  'Zone a/e': zone('e.'),
  'Zone b/f': zone('f.'),
  'Zone a/sub': zone('sub', { zoneRef: { name: 'e' } }),
  'Record a/www': a('www.e.'),
  'Record a/changed': a('changed.e.'),
  'Record a/gone': a('gone.e.'),
  'Record a-b/x': a('x.e.'),
  'Record a-b/y': a('y.f.'),
  'Record c/member': { domainName: 'm', type: 'A', rdata: '192.0.2.1', zoneRef: { namespace: 'a', name: 'sub' } },
};

export async function sweepAndDeliver(world: ReconcileWorld): Promise<void> {
  await sweepAll(world);
  await deliverAll(world);
}

export async function expectRight(world: ReconcileWorld): Promise<void> {
  expect(await desiredInLedger(world)).toEqual(await desiredFromScratch(world));
  expect(standingInRoute53(world)).toEqual(await wantedInRoute53(world));
  expect(statusesReported(world)).toEqual(await statusesFromScratch(world));
  expect(await unsettled(world)).toEqual([]);
}

export async function unsettled({ ledger }: ReconcileWorld): Promise<string[]> {
  const items = await Promise.all(
    (['Zone', 'Record'] as const).map((kind) => allItems(ledger, objectsPartition('default', kind))),
  );
  return items.flat().flatMap(({ sort, body }) => (body.unsettled === true ? [sort] : []));
}

export class Killed extends Error {}

type Ports = { ledger: Ledger; cluster: Cluster; hostedZones: HostedZones; queues: Queues };

/**
 * The context of a function that dies at the `at`-th call of any port, before or after the effect of that call. Every
 * later call fails. `calls` are the names of the calls so far.
 */
export function dying(
  context: Context,
  at: number,
  when: 'before' | 'after',
): { context: Context; calls: readonly string[] } {
  const calls: string[] = [];
  const wrap = <P extends Ports[keyof Ports]>(port: P): P =>
    new Proxy(port, {
      get: (of, method) => {
        const member = Reflect.get(of, method) as unknown;
        if (typeof member !== 'function') return member;
        return async (...args: unknown[]) => {
          calls.push(String(method));
          if (calls.length > at || (calls.length === at && when === 'before')) throw new Killed();
          const answer: unknown = await member.apply(of, args);
          if (calls.length >= at) throw new Killed();
          return answer;
        };
      },
    });
  const { ledger, cluster, account, queues } = context;
  const ports = {
    ledger: wrap(ledger),
    cluster: wrap(cluster),
    account: { ...account, hostedZones: wrap(account.hostedZones) },
    queues: wrap(queues),
  };
  return { context: { ...context, ...ports }, calls };
}

export const FEW = Object.fromEntries(
  Object.entries(OBJECTS).filter(([id]) =>
    ['Zone a/e', 'Record a/www', 'Record a/changed', 'Record a/gone'].includes(id),
  ),
);

/** A world with every difference that a sweep must find, all at once. */
export async function disturbedWorld(objects: Readonly<Record<string, unknown>> = OBJECTS): Promise<ReconcileWorld> {
  const world = await settledWorld(objects);
  write(world, {
    'Record a/changed': a('changed.e.', '192.0.2.9'),
    'Record a/gone': undefined,
    'Record a/new': a('new.e.'),
  });
  if (objects === OBJECTS) write(world, { 'Record z/last': a('last.f.') });
  world.route53.edit('Z1', { name: 'www.e.', type: 'A', setIdentifier: null }, null);
  await leftover(world);
  return world;
}

/** Adds the item of a name without its object, and a dirty mark without a message. */
async function leftover({ ledger, clock }: ReconcileWorld): Promise<void> {
  const [entry] = await allItems(ledger, namesPartition('default'));
  const { partition, sort, body } = entry as LedgerItem;
  await ledger.put(
    { partition, sort: sort.replace('!', '!zz') },
    { ...body, ref: { kind: 'Record', namespace: 'zz', name: 'x' } },
    null,
  );
  await markDirty(ledger, 'Z1', 'x.e.', clock.ms);
}

/** The context in which the sweep compares the hosted zone of a world of publish. It asks no cluster. */
export function sweepContext({ deps }: PublishWorld, config: Config = DEFAULT_CONFIG): Context {
  const never = () => Promise.reject(new Error('the sweep of a hosted zone asks no cluster'));
  const cluster = { clusterId: 'default', list: never, listPage: never, get: never, report: never };
  const account = { hostedZones: deps.hostedZones };
  return { ...deps, account, cluster, config, sources: SOURCES, log: () => {} };
}
