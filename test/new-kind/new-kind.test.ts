// A new kind of object needs one source and one row (web-app.ts, and SOURCES below). Everything from the manifest to
// Route 53, and back to the status of the object, then works for it without another change.
import { describe, expect, test } from 'vitest';
import { kindsOfResource } from '../../events/object-hints.ts';
import { listPath } from '../../lib/adapters/kubernetes/read-object.ts';
import { parseManifest } from '../../lib/adapters/manifests/parse-manifest.ts';
import { kindsOf } from '../../lib/objects/source.ts';
import { SOURCES as TABLE } from '../../lib/sources/source.ts';
import { apply, reasonOf, sweepAndPublish } from '../fakes/reconcile-steps.ts';
import {
  deliverAll,
  desiredFromScratch,
  desiredInLedger,
  type ReconcileWorld,
  reconcileWorld,
  saveAll,
  standingInRoute53,
} from '../fakes/reconcile-world.ts';
import { WEB_APP } from './web-app.ts';

const SOURCES = [...TABLE, WEB_APP];
const ZONE = { domainName: 'e.', delegations: [{ namespaces: ['shop'], records: [{ pattern: '*' }] }] };
const SHOP = 'WebApp shop/shop';
const APEX_SETS = /^Z1 e\. (NS|SOA)/;

function worldWith(): ReconcileWorld {
  return reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }], sources: SOURCES });
}

/** The record sets in Route 53, without the apex NS and SOA. */
function standing(world: ReconcileWorld): string[] {
  return standingInRoute53(world).filter((line) => !APEX_SETS.test(line));
}

describe('a new kind of object', () => {
  test('publishes every name that it asks for, and deletes a name that it no longer asks for', async () => {
    const world = worldWith();
    await apply(world, { 'Zone p/e': ZONE, [SHOP]: { hosts: ['www.e', 'api.e'], address: '192.0.2.1' } });
    await deliverAll(world);
    expect(standing(world)).toHaveLength(4);
    expect(reasonOf(world, SHOP)).toBe('Adopted');
    expect(reasonOf(world, SHOP, 'Programmed')).toBe('Published');
    await apply(world, { [SHOP]: { hosts: ['api.e'], address: '192.0.2.2' } });
    await deliverAll(world);
    expect(standing(world).join('\n')).toMatch(/^Z1 api\.e\. A .*192\.0\.2\.2.*\nZ1 api\.e\. TXT .*$/);
    await apply(world, { [SHOP]: undefined });
    await deliverAll(world);
    expect(standing(world)).toEqual([]);
    expect(await desiredInLedger(world)).toEqual(await desiredFromScratch(world));
  });

  test('keeps its last valid spec, is judged by delegations, and yields to an older CNAME', async () => {
    const world = worldWith();
    await apply(world, {
      'Zone p/e': ZONE,
      'Record shop/old': { domainName: 'api.e.', type: 'CNAME', rdata: 'x.example.' },
    });
    await apply(world, { [SHOP]: { hosts: ['www.e', 'api.e'], address: '192.0.2.1' } });
    await apply(world, { 'WebApp other/shop': { hosts: ['w.e'], address: '192.0.2.9' } });
    await deliverAll(world);
    expect(reasonOf(world, SHOP)).toBe('Conflict');
    expect(reasonOf(world, SHOP, 'Programmed')).toBe('Published');
    expect(reasonOf(world, 'WebApp other/shop')).toBe('DelegationDenied');
    await apply(world, { [SHOP]: { hosts: [] } });
    await deliverAll(world);
    expect(reasonOf(world, SHOP)).toBe('InvalidSpec');
    expect(standing(world)).toHaveLength(3);
    expect(await desiredInLedger(world)).toEqual(await desiredFromScratch(world));
  });

  test('publishes the same endpoint of an object whose endpoints exclude each other, whatever is read first', async () => {
    const here = { type: 'CNAME', class: 'IN', ttl: null, values: ['x.example.'] };
    const byReference = { ...here, domainName: { kind: 'partial', labels: 'w' }, zoneRef: 'p/e' } as const;
    const byName = { ...here, domainName: { kind: 'full', fqdn: 'w.e.' }, zoneRef: null, type: 'A' } as const;
    for (const asked of [
      [byReference, { ...byName, values: ['192.0.2.1'] }],
      [{ ...byName, values: ['192.0.2.1'] }, byReference],
      [byReference, { ...byName, type: 'CNAME', values: ['a.example.'] }],
    ]) {
      const source = { ...WEB_APP, endpointsOf: () => ({ ok: true, endpoints: asked }) as const };
      const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }], sources: [...TABLE, source] });
      await apply(world, { 'Zone p/e': ZONE, [SHOP]: {} });
      await deliverAll(world);
      expect(standing(world)).toHaveLength(1);
      expect(await desiredInLedger(world)).toEqual(await desiredFromScratch(world));
    }
  });

  test('reports the first refused endpoint, in the order of the object', async () => {
    const at = (fqdn: string, type: string, value: string) =>
      ({ type, class: 'IN', ttl: null, values: [value], domainName: { kind: 'full', fqdn }, zoneRef: null }) as const;
    const asked = [at('a.e.', 'TXT', '"x"'), at('b.e.', 'A', '192.0.2.1'), at('a.e.', 'A', '192.0.2.1')];
    const source = { ...WEB_APP, endpointsOf: () => ({ ok: true, endpoints: asked }) as const };
    const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }], sources: [...TABLE, source] });
    await apply(world, {
      'Zone p/e': { domainName: 'e.', delegations: [{ records: [{ pattern: '*', types: ['TXT'] }] }] },
      [SHOP]: {},
    });
    await deliverAll(world);
    const message = world.cluster.statuses.get(SHOP)?.conditions.find(({ type }) => type === 'Accepted')?.message;
    expect(message).toMatch(/^2 of 3 endpoints are not adopted; b\.e\. A: /);
  });

  test('says what is wrong with an invalid spec, and nothing about its endpoints', async () => {
    const world = worldWith();
    await apply(world, { 'Zone p/e': ZONE, [SHOP]: { hosts: ['www.e', 'api.e'], address: '192.0.2.1' } });
    await deliverAll(world);
    await apply(world, { [SHOP]: { hosts: [] } });
    await deliverAll(world);
    const status = world.cluster.statuses.get(SHOP);
    expect(status?.conditions.find(({ type }) => type === 'Accepted')?.message).toMatch(/^spec\.address: /);
  });

  test('is found by the sweep and by apply, without a hint', async () => {
    const applyAll = async (world: ReconcileWorld) => {
      await saveAll(world);
      await world.context.queues.publish('Z1');
    };
    for (const bring of [sweepAndPublish, applyAll]) {
      const world = worldWith();
      world.cluster.put({ kind: 'Zone', namespace: 'p', name: 'e' }, ZONE);
      const ref = { kind: 'WebApp', namespace: 'shop', name: 'shop' };
      world.cluster.put(ref, { hosts: ['www.e'], address: '192.0.2.1' });
      await bring(world);
      await deliverAll(world);
      expect(standing(world)).toHaveLength(2);
      world.cluster.remove(ref);
      await bring(world);
      await deliverAll(world);
      expect(standing(world)).toEqual([]);
    }
  });

  test('is read from manifests, from an API server, and from events', () => {
    const kinds = kindsOf(SOURCES);
    const text = 'apiVersion: apps.example.com/v1\nkind: WebApp\nmetadata: { name: shop }\nspec: { address: a }\n';
    expect(parseManifest(kinds, Buffer.from(text), 'a.yaml').objects.map(({ ref }) => ref)).toEqual([
      { kind: 'WebApp', namespace: 'default', name: 'shop' },
    ]);
    expect(listPath(WEB_APP, 'shop')).toBe('/apis/apps.example.com/v1/namespaces/shop/webapps');
    expect(kindsOfResource(kinds, 'apps.example.com', 'webapps')).toMatchObject([{ kind: 'WebApp' }]);
    expect(kindsOfResource(kinds, 'other.example.com', 'webapps')).toEqual([]);
  });
});
