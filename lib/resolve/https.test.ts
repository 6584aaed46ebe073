// HTTPS records that a Zone derives, event by event: they come and go with the addresses, with TLS and with the Zone.
import { describe, expect, test } from 'vitest';
import { apply } from '../../test/fakes/reconcile-steps.ts';
import { deliverAll, reconcile, reconcileWorld } from '../../test/fakes/reconcile-world.ts';
import { parseConfig } from '../adapters/config/config-file.ts';
import { parseRef } from '../objects/object-ref.ts';
import { hostedZoneItemKey } from '../record-sets/hosted-zone-item.ts';
import { sourcesOn } from '../sources/source.ts';

const ZONE = { domainName: 'e.', ttl: 300, delegations: [{ records: [{ pattern: '*' }] }], https: {} };
const { https: _, ...PLAIN } = ZONE;
const TLS = { rules: [{ host: 'www.e' }], tls: [{ hosts: ['www.e'] }] };
const OWN = { domainName: 'www.e.', type: 'HTTPS', rdata: '1 . alpn="h2" port=8443' };

function httpsWorld(takeover = false) {
  const { sources } = parseConfig('sources: { ingresses: {} }', 'zone53.yaml');
  const world = reconcileWorld({
    hostedZones: [{ id: 'Z1', name: 'e.' }],
    config: { sources, guard: { deletesMax: 1, deletesShareMax: 0.3 } },
    sources: sourcesOn(sources),
  });
  const ingress = async (name: string, spec: object | null, target = '192.0.2.1') => {
    const ref = parseRef(`Ingress a/${name}`);
    if (spec === null) world.cluster.remove(ref);
    else world.cluster.put(ref, spec, { 'external-dns.kubernetes.io/target': target });
    await reconcile(world.context, [ref]);
    await deliverAll(world);
  };
  const zone = async (spec: object) => {
    world.cluster.put(parseRef('Zone a/e'), spec, takeover ? { 'zone53.dev/takeover': 'true' } : {});
    await reconcile(world.context, [parseRef('Zone a/e')]);
    await deliverAll(world);
  };
  const standing = () =>
    world.route53
      .recordSets('Z1')
      .flatMap(({ name, type, content }) =>
        type === 'HTTPS' && content.kind === 'values' ? [`${name} ${content.ttlSeconds} ${content.values}`] : [],
      );
  const entries = () =>
    (world.cluster.statuses.get('Zone a/e')?.zone?.entries ?? []).flatMap((entry) =>
      entry.type === 'HTTPS' && 'rdata' in entry ? [`${entry.fqdn} ${entry.ttl} ${entry.rdata}`] : [],
    );
  return { world, ingress, zone, standing, entries };
}

const WITH = (address: string) => [`www.e. 300 1 . alpn="h2" ipv4hint=${address}`];

describe('a Zone with https has an HTTPS record', () => {
  test('that follows the addresses, and goes with them', async () => {
    const { ingress, zone, standing, entries } = httpsWorld();
    await zone(ZONE);
    await ingress('www', TLS);
    expect(standing()).toEqual(WITH('192.0.2.1'));
    await ingress('www', TLS, '192.0.2.2');
    expect(standing()).toEqual(WITH('192.0.2.2'));
    expect(entries()).toEqual(standing());
    await ingress('www', { rules: TLS.rules });
    expect(standing()).toEqual([]);
    await ingress('www', TLS);
    await ingress('www', null);
    expect([...standing(), ...entries()]).toEqual([]);
  });

  test('only where all addresses are of hosts with TLS', async () => {
    const { ingress, zone, standing } = httpsWorld();
    await zone(ZONE);
    await ingress('www', TLS);
    await ingress('same', { rules: TLS.rules });
    expect(standing()).toEqual(WITH('192.0.2.1'));
    await ingress('same', { rules: TLS.rules }, '192.0.2.2');
    expect(standing()).toEqual([]);
    await ingress('same', null);
    expect(standing()).toEqual(WITH('192.0.2.1'));
  });

  test('when it begins to say so, and no longer when it ceases', async () => {
    const { ingress, zone, standing } = httpsWorld();
    await zone(PLAIN);
    await ingress('www', TLS);
    expect(standing()).toEqual([]);
    await zone({ ...ZONE, https: { alpn: ['h2', 'http/1.1'] } });
    expect(standing()).toEqual(['www.e. 300 1 . alpn="h2,http/1.1" ipv4hint=192.0.2.1']);
    await zone(PLAIN);
    expect(standing()).toEqual([]);
  });

  test('not where somebody asks for one, whoever comes first', async () => {
    const { world, ingress, zone, standing } = httpsWorld();
    await zone(ZONE);
    await ingress('www', TLS);
    await apply(world, { 'Record a/own': OWN });
    await deliverAll(world);
    expect(standing()).toEqual([`www.e. 300 ${OWN.rdata}`]);
    await apply(world, { 'Record a/own': undefined });
    await deliverAll(world);
    expect(standing()).toEqual(WITH('192.0.2.1'));
  });
});

test.each([false, true])('somebody else’s HTTPS record, takeover %s, does the Zone no harm', async (takeover) => {
  const { world, ingress, zone, standing } = httpsWorld(takeover);
  const content = { kind: 'values', ttlSeconds: 60, values: ['1 . alpn="h3"'] } as const;
  world.route53.edit('Z1', { name: 'www.e.', type: 'HTTPS', setIdentifier: null }, content);
  await zone(ZONE);
  await ingress('www', TLS);
  expect(standing()).toEqual(takeover ? WITH('192.0.2.1') : ['www.e. 60 1 . alpn="h3"']);
  const conditions = world.cluster.statuses.get('Zone a/e')?.conditions ?? [];
  expect(conditions.find(({ type }) => type === 'Programmed')).toMatchObject({ status: 'True' });
});

test('the guard neither counts nor holds HTTPS records that a Zone derives', async () => {
  const { world, ingress, zone, standing } = httpsWorld();
  await zone(ZONE);
  for (const host of ['a', 'b', 'c'])
    await ingress(host, { rules: [{ host: `${host}.e` }], tls: [{ hosts: [`${host}.e`] }] });
  expect(standing()).toHaveLength(3);
  const count = async () => (await world.ledger.get(hostedZoneItemKey('Z1')))?.body.publishedCount;
  expect(await count()).toBe(3);
  await zone(PLAIN);
  expect(standing()).toEqual([]);
  expect(await count()).toBe(3);
});
