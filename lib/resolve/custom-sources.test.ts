// Sources of the configuration, from a change in the cluster to Route 53: their objects are found, changed, and deleted
// when their source is removed.
import { describe, expect, test } from 'vitest';
import { apply, reasonOf, sweepAndPublish } from '../../test/fakes/reconcile-steps.ts';
import {
  deliverAll,
  deliverHints,
  desiredFromScratch,
  desiredInLedger,
  type ReconcileWorld,
  reconcileWorld,
  saveAll,
  standingInRoute53,
} from '../../test/fakes/reconcile-world.ts';
import { parseConfig } from '../adapters/config/config-file.ts';
import { formatRef, parseRef } from '../objects/object-ref.ts';
import { sourcesOn } from '../sources/source.ts';

const ROW = `
    - key: webapps
      group: apps.example.com
      version: v1
      resource: webapps
      kind: WebApp
      names: object.spec.hosts
      targets: related.spec.addresses
      related: { group: infra.example.com, resource: pools, kind: Pool, name: object.spec.pool }
`;
const { sources } = parseConfig(`sources:\n  custom:${ROW}`, 'zone53.yaml');
const ZONE = { domainName: 'e.', delegations: [{ namespaces: ['shop'], records: [{ pattern: '*' }] }] };
const APP = 'Custom webapps shop/web';
const POOL = 'Related pools.infra.example.com shop/edge';

function standing(world: ReconcileWorld): readonly string[] {
  return standingInRoute53(world)
    .filter((line) => !/^Z1 e\. (NS|SOA)/.test(line))
    .map((line) => line.replace(/^Z1 (\S+ \S+).*?(\d+\.\d+\.\d+\.\d+).*$/, '$1 $2'));
}

async function published(): Promise<ReconcileWorld> {
  const world = reconcileWorld({
    hostedZones: [{ id: 'Z1', name: 'e.' }],
    config: { sources },
    sources: sourcesOn(sources),
  });
  await apply(world, {
    'Zone p/e': ZONE,
    [POOL]: { spec: { addresses: ['192.0.2.1'] } },
    [APP]: { hosts: ['a.e', 'b.e'], pool: 'edge' },
  });
  await deliverAll(world);
  expect(standing(world)).toEqual(['a.e. A 192.0.2.1', 'b.e. A 192.0.2.1']);
  return world;
}

/** The same world after the source was removed: its objects are not listed any more. */
function withoutSources(world: ReconcileWorld): ReconcileWorld {
  for (const id of [APP, POOL]) world.cluster.remove(parseRef(id));
  const { context } = world;
  return { ...world, context: { ...context, sources: sourcesOn({}), config: { ...context.config, sources: {} } } };
}

describe('a source of the configuration', () => {
  test('publishes what its objects ask for, and reports to them', async () => {
    const world = await published();
    expect([reasonOf(world, APP), reasonOf(world, APP, 'Programmed')]).toEqual(['Adopted', 'Published']);
    await apply(world, { [APP]: { hosts: ['a.e', 'c.e'], pool: 'edge' } });
    await deliverAll(world);
    expect(standing(world)).toEqual(['a.e. A 192.0.2.1', 'c.e. A 192.0.2.1']);
    await apply(world, { [APP]: undefined });
    await deliverAll(world);
    expect(standing(world)).toEqual([]);
    expect(await desiredInLedger(world)).toEqual(await desiredFromScratch(world));
  });

  test('follows its related object', async () => {
    const world = await published();
    await apply(world, { [POOL]: { spec: { addresses: ['192.0.2.2'] } } });
    await deliverHints(world);
    await deliverAll(world);
    expect(standing(world)).toEqual(['a.e. A 192.0.2.2', 'b.e. A 192.0.2.2']);
    // Without the related object nobody knows the targets, so what is published stays.
    await apply(world, { [POOL]: undefined });
    await deliverHints(world);
    await deliverAll(world);
    expect(standing(world)).toEqual(['a.e. A 192.0.2.2', 'b.e. A 192.0.2.2']);
  });

  test('keeps what is published of an object that changed its shape', async () => {
    const world = await published();
    await apply(world, { [APP]: { hostNames: ['a.e'], pool: 'edge' } });
    await deliverAll(world);
    expect(standing(world)).toEqual(['a.e. A 192.0.2.1', 'b.e. A 192.0.2.1']);
    expect(reasonOf(world, APP)).toBe('InvalidSpec');
  });

  test.each([
    ['sweep', sweepAndPublish],
    [
      'apply',
      async (world: ReconcileWorld) => {
        await saveAll(world);
        await world.context.queues.publish('Z1');
      },
    ],
  ])('that is removed loses its names by %s, and leaves no object behind', async (_, bring) => {
    const world = withoutSources(await published());
    await bring(world);
    await deliverAll(world);
    expect(standing(world)).toEqual([]);
    const left = await world.ledger.query('objects#default#Custom webapps', { limit: 10 });
    expect(left.items.filter(({ body }) => body.deleted !== true)).toEqual([]);
    await apply(world, { 'Record shop/a': { domainName: 'a.e.', type: 'CNAME', rdata: 'x.example.' } });
    await deliverAll(world);
    expect(standingInRoute53(world).join('\n')).toContain('a.e. CNAME');
  });

  test('has objects whose references are parsed as they are written', () => {
    const [source] = sourcesOn(sources).slice(-1);
    expect(formatRef({ kind: source?.kind ?? '', namespace: 'shop', name: 'web' })).toBe(APP);
  });
});
