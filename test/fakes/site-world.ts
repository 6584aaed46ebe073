// A world of the toy source Site, whose related objects are Backends and Hosts (toy-source.ts): how tests edit it, and
// what is then published and reported.
import { type ObjectRef, parseRef } from '../../lib/objects/object-ref.ts';
import { SOURCES } from '../../lib/sources/source.ts';
import {
  deliverAll,
  deliverHints,
  hintFor,
  type ReconcileWorld,
  reconcile,
  reconcileWorld,
  standingInRoute53,
} from './reconcile-world.ts';
import { SITE } from './toy-source.ts';

export const ZONE = { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] };

export function siteWorld(): ReconcileWorld {
  return reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }], sources: [...SOURCES, SITE] });
}

/** Objects to write, with their labels, by `Kind ns/name`; undefined deletes. */
export type Edits = Readonly<
  Record<string, { readonly spec: unknown; readonly labels?: Record<string, string> } | undefined>
>;

export function edit(world: ReconcileWorld, edits: Edits): ObjectRef[] {
  return Object.entries(edits).map(([id, to]) => {
    const ref = parseRef(id);
    if (to === undefined) world.cluster.remove(ref);
    else world.cluster.put(ref, to.spec, {}, 0, to.labels ?? {});
    return ref;
  });
}

export async function deliver(world: ReconcileWorld, edits: Edits): Promise<void> {
  await reconcile(world.context, edit(world, edits).map(hintFor));
  // Publishing may lead to reports of other objects.
  for (let round = 0; round < 3; round += 1) {
    await deliverHints(world);
    await deliverAll(world);
  }
}

export function backend(site: string, address: string, host = 'h1') {
  return { spec: { address, host }, labels: { site } };
}

export function addresses(world: ReconcileWorld): string[] {
  return standingInRoute53(world)
    .filter((line) => / A /.test(line))
    .map((line) => `${line.split(' ')[1]} ${JSON.parse(line.slice(line.indexOf('{'))).values.join(',')}`);
}
