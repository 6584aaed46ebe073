// One-line steps and checks for tests over the world of reconcile-world.ts.

import { expect } from 'vitest';
import { formatRef, type ObjectRef, parseRef } from '../../lib/objects/object-ref.ts';
import type { Cluster } from '../../lib/ports/cluster.ts';
import type { Config } from '../../lib/ports/config.ts';
import type { Ledger } from '../../lib/ports/ledger.ts';
import { reconcile } from '../../lib/resolve/reconcile-hints.ts';
import {
  deliverAll,
  deliverHints,
  deliverReports,
  desiredFromScratch,
  desiredInLedger,
  hintFor,
  type ReconcileWorld,
  reconcileWorld,
  statusesFromScratch,
  statusesReported,
  sweepAll,
  through,
} from './reconcile-world.ts';

/** Writes objects ("Kind ns/name"); a spec of undefined deletes. Returns them. */
export function write({ cluster }: ReconcileWorld, objects: Readonly<Record<string, unknown>>): ObjectRef[] {
  const refs = Object.keys(objects).map(parseRef);
  for (const ref of refs) {
    const spec = objects[formatRef(ref)];
    if (spec === undefined) cluster.remove(ref);
    else cluster.put(ref, spec);
  }
  return refs;
}

/** Writes objects as `write` does, and reconciles their hints. */
export async function apply(world: ReconcileWorld, objects: Readonly<Record<string, unknown>>): Promise<void> {
  const refs = write(world, objects);
  await reconcile(world.context, refs.map(hintFor));
}

/** A ledger that calls `before` once, ahead of the first call of `method` whose key or partition contains `text`. */
export function pausing(
  inner: Ledger,
  method: 'get' | 'put' | 'query' | 'remove',
  text: string,
  before: () => Promise<void>,
): Ledger {
  let done = false;
  return new Proxy(inner, {
    get: (of, name) => {
      const member = Reflect.get(of, name) as (...args: unknown[]) => Promise<unknown>;
      return async (...args: unknown[]) => {
        if (name === method && !done && JSON.stringify(args[0]).includes(text)) {
          done = true;
          await before();
        }
        return member.apply(of, args);
      };
    },
  });
}

/** A world with the hosted zone Z1 (`e.`), in which these objects are published. */
export async function worldOf(
  objects: Readonly<Record<string, unknown>>,
  config: Partial<Config> = {},
): Promise<ReconcileWorld> {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }], config });
  await apply(world, objects);
  await deliverAll(world);
  return world;
}

/** "name type" of the record sets in a hosted zone, without SOA and NS of its apex. */
export function publishedNames({ route53 }: ReconcileWorld, id = 'Z1'): string[] {
  const own = route53.recordSets(id).filter(({ name, type }) => !(name === 'e.' && (type === 'NS' || type === 'SOA')));
  return own.map(({ name, type }) => `${name} ${type}`);
}

/** The reason of an object's condition. */
export function reasonOf(
  { cluster }: ReconcileWorld,
  id: string,
  type: 'Accepted' | 'Programmed' = 'Accepted',
): unknown {
  return cluster.statuses.get(id)?.conditions.find((one) => one.type === type)?.reason;
}

/** The world with parts of the cluster port replaced, for an API server that fails. */
export function asRead(world: ReconcileWorld, port: Partial<Cluster>): ReconcileWorld {
  return through(world, { cluster: { ...world.context.cluster, ...port } });
}

/** A whole sweep, and everything that it leads to. */
export async function sweepAndPublish(world: ReconcileWorld): Promise<void> {
  await sweepAll(world);
  await deliverAll(world);
}

const EVERYTHING = [{ zones: ['*'], records: [{ pattern: '*' }, { pattern: '@' }] }];

/** The spec of a Zone that delegates everything to everybody. */
export function zone(domainName: string, more: object = {}) {
  return { domainName, delegations: EVERYTHING, ...more };
}

/** The spec of an A Record. */
export function a(domainName: string, more: object = {}) {
  return { domainName, type: 'A', rdata: '192.0.2.1', ...more };
}

/** What puts an object below a Zone of namespace a. */
export const below = (name: string) => ({ zoneRef: { namespace: 'a', name } });

/** Expects the ledger and every status to equal the result from scratch. */
export async function expectRight(world: ReconcileWorld): Promise<void> {
  expect(await desiredInLedger(world)).toEqual(await desiredFromScratch(world));
  await deliverReports(world);
  expect(statusesReported(world)).toEqual(await statusesFromScratch(world));
}

/** Ten seconds later, handles the hint for an object and everything that it leads to. */
export async function hinted(world: ReconcileWorld, id: string): Promise<void> {
  world.clock.ms += 10_000;
  await reconcile(world.context, [hintFor(parseRef(id))]);
  await deliverHints(world);
  await deliverAll(world);
}

/** The names at which the ledger desires something, without e. itself. */
export async function wantedNames(world: ReconcileWorld): Promise<readonly (string | undefined)[]> {
  return (await desiredInLedger(world)).map((line) => line.split(' ')[1]).filter((name) => name !== 'e.');
}
