// What the Kubernetes adapter writes to a real API server: status, label, annotation and Events of an object.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { OBJECT_OCTETS_MAX } from '../../lib/adapters/kubernetes/apply-status.ts';
import type { Entry } from '../../lib/dns/entry.ts';
import type { Condition } from '../../lib/objects/conditions.ts';
import type { Cluster, ObjectStatus } from '../../lib/ports/cluster.ts';
import { describeWithEngine } from '../engines/engines.ts';
import { read, succeed } from '../engines/kubernetes/apply.ts';
import { type ClusterWorld, FQDN, makeReady, startClusterWorld, WWW, ZONE } from '../support/cluster-world.ts';

const ADOPTED: Condition = {
  type: 'Accepted',
  status: 'True',
  reason: 'Adopted',
  message: 'by it',
  observedGeneration: 1,
};

const INVALID: Condition = {
  type: 'Accepted',
  status: 'False',
  reason: 'InvalidSpec',
  message: 'no',
  observedGeneration: 1,
};

const PENDING: Condition = {
  type: 'Programmed',
  status: 'False',
  reason: 'Pending',
  message: 'soon',
  observedGeneration: 1,
};

const PUBLISHED: Condition = {
  type: 'Programmed',
  status: 'True',
  reason: 'Published',
  message: 'in Z1',
  observedGeneration: 1,
};

const PARENT = 'default/example-org';

describeWithEngine(['kube-apiserver', 'etcd'], 'kubernetesCluster() reports', () => {
  let world: ClusterWorld;
  let cluster: Cluster;
  beforeAll(async () => {
    world = await startClusterWorld();
    cluster = world.open().cluster;
    await makeReady(world);
  });
  afterAll(() => world?.close());

  const record = (...conditions: readonly Condition[]): ObjectStatus => ({ fqdn: FQDN, parent: PARENT, conditions });

  it('our fields as zone53, and the label; a second time it writes nothing', async () => {
    const { cluster: counted, transport } = world.open();
    await counted.report(WWW, record(ADOPTED, PENDING), null);
    const written = await read(world.engine, 'record/www');
    expect(written.status).toEqual({
      fqdn: FQDN,
      conditions: [
        { ...ADOPTED, lastTransitionTime: '2026-11-21T10:00:00Z' },
        { ...PENDING, lastTransitionTime: '2026-11-21T10:00:00Z' },
      ],
    });
    expect(written.metadata.labels).toEqual({ 'kubi.zone/parent-zone': 'example-org.default' });
    expect(written.metadata.generation).toBe(1);
    const status = written.metadata.managedFields.find(({ subresource }) => subresource === 'status');
    expect(status).toMatchObject({ manager: 'zone53', operation: 'Apply' });
    const before = transport.requests.count;
    await counted.report(WWW, record(ADOPTED, PENDING), null);
    expect(transport.requests.count - before).toBe(1);
    expect((await read(world.engine, 'record/www')).metadata.resourceVersion).toBe(written.metadata.resourceVersion);
  });

  it('lastTransitionTime anew only with the status of the condition', async () => {
    world.pass(60_000);
    const newWords = { ...ADOPTED, message: 'by it, still', observedGeneration: 2 };
    await cluster.report(WWW, record(newWords, PUBLISHED), record(ADOPTED, PENDING));
    const { conditions } = (await read(world.engine, 'record/www')).status;
    expect(conditions.map(({ message, lastTransitionTime }) => [message, lastTransitionTime])).toEqual([
      ['by it, still', '2026-11-21T10:00:00Z'],
      ['in Z1', '2026-11-21T10:01:00Z'],
    ]);
  });

  it('one Event for a first report, one for each transition after it, and a series for repeated reports', async () => {
    await cluster.report(WWW, record(INVALID), record(ADOPTED, PUBLISHED));
    await cluster.report(WWW, record(ADOPTED, PUBLISHED), record(INVALID));
    await cluster.report(WWW, record(INVALID), record(ADOPTED, PUBLISHED));
    await cluster.report(WWW, record(INVALID), record(ADOPTED, PUBLISHED));
    // Three reports at once, as after three hints: one transition.
    const thrice = Array.from({ length: 3 }, () => cluster.report(WWW, record(PENDING), record(INVALID)));
    await Promise.all(thrice);
    const { items } = JSON.parse(await succeed(world.engine, ['get', 'events.events.k8s.io', '-o', 'json']));
    const told = items
      .filter((event: { regarding: { name: string } }) => event.regarding.name === 'www')
      .map((event: { type: string; reason: string; series?: { count: number } }) => [
        event.type,
        event.reason,
        event.series?.count ?? 1,
      ]);
    expect(told.toSorted()).toEqual([
      ['Normal', 'Adopted', 1],
      ['Normal', 'Adopted', 1],
      ['Normal', 'Pending', 1],
      ['Normal', 'Published', 2],
      ['Warning', 'InvalidSpec', 3],
    ]);
    const described = await succeed(world.engine, ['describe', 'record/www']);
    expect(described).toMatch(/Warning\s+InvalidSpec\s+\S+ \(x3 over \S+\)\s+zone53\s+no/);
  });

  it('its status and label again over what a tenant forged, also over a condition that it does not state', async () => {
    await cluster.report(WWW, record(INVALID), null);
    const forged = {
      fqdn: 'bank.example.',
      data: 'ALIAS bank.example.',
      conditions: [
        { ...ADOPTED, message: 'honest', lastTransitionTime: '2020-01-01T00:00:00Z' },
        { ...PUBLISHED, lastTransitionTime: '2020-01-01T00:00:00Z' },
        { type: 'Theirs', status: 'True', reason: 'X', message: '', lastTransitionTime: '2020-01-01T00:00:00Z' },
      ],
    };
    const patch = JSON.stringify({ status: forged });
    await succeed(world.engine, ['patch', 'record/www', '--subresource=status', '--type=merge', '-p', patch]);
    await succeed(world.engine, [
      'label',
      'record/www',
      '--overwrite',
      'kubi.zone/parent-zone=bank.platform',
      'mine=kept',
    ]);
    await cluster.report(WWW, record(INVALID), record(INVALID));
    const { status, metadata } = await read(world.engine, 'record/www');
    expect(status.fqdn).toBe(FQDN);
    expect(status).not.toHaveProperty('data');
    expect(status.conditions.map(({ type, status: truth }) => [type, truth])).toEqual([
      ['Accepted', 'False'],
      ['Theirs', 'True'],
    ]);
    expect(metadata.labels).toEqual({ 'kubi.zone/parent-zone': 'example-org.default', mine: 'kept' });
    const before = metadata.resourceVersion;
    await cluster.report(WWW, record(INVALID), record(INVALID));
    expect((await read(world.engine, 'record/www')).metadata.resourceVersion).toBe(before);
  });

  it('no label without a parent; a long one is cut, and an annotation has the whole', async () => {
    const long = `${'n'.repeat(40)}/${'z'.repeat(50)}`;
    await cluster.report(WWW, { ...record(ADOPTED), parent: long }, null);
    const { labels, annotations } = (await read(world.engine, 'record/www')).metadata;
    expect(labels?.['kubi.zone/parent-zone']).toMatch(/^z{50}\.nnn-[0-9a-f]{8}$/);
    expect(annotations?.['kubi.zone/parent-zone']).toBe(`${'z'.repeat(50)}.${'n'.repeat(40)}`);
    await cluster.report(WWW, { ...record(INVALID), parent: null }, null);
    const after = (await read(world.engine, 'record/www')).metadata;
    expect(after.labels).not.toHaveProperty(['kubi.zone/parent-zone']);
    expect(after.annotations).not.toHaveProperty(['kubi.zone/parent-zone']);
  });

  it('the entries, hash and serial of a Zone, and nulls where there are none', async () => {
    const entries: Entry[] = [{ fqdn: FQDN, type: 'A', class: 'IN', ttl: 360, rdata: '192.0.2.1' }];
    const zone = { entries, hash: `v1:${'ab'.repeat(32)}`, serial: 2026112100, entriesOmitted: 0 };
    const root = { fqdn: 'example.org.', parent: null, conditions: [ADOPTED] };
    await cluster.report(ZONE, { ...root, zone }, null);
    const { conditions: _, ...rest } = (await read(world.engine, 'zone/example-org')).status;
    expect(rest).toEqual({ fqdn: 'example.org.', entries, hash: zone.hash, serial: 2026112100 });
    const wide = await succeed(world.engine, ['get', 'zones', '-o', 'wide']);
    expect(wide).toMatch(/True\s+Adopted\s+example\.org\.\s.*v1:(ab){32}\s+2026112100/);
    await cluster.report(ZONE, { ...root, zone: { entries: [], hash: null, serial: null, entriesOmitted: 0 } }, null);
    const gone = (await read(world.engine, 'zone/example-org')).status;
    expect([gone.entries, gone.hash ?? null, gone.serial ?? null]).toEqual([[], null, null]);
  });

  it('as many entries of a large Zone as fit into 1 MiB, and how many are omitted', async () => {
    const entries = Array.from({ length: 20_000 }, (_, index): Entry => {
      return { fqdn: `host-${index}.example.org.`, type: 'A', class: 'IN', ttl: 360, rdata: '192.0.2.1' };
    });
    const zone = { entries, hash: 'v1:00', serial: 2026112101, entriesOmitted: 0 };
    await cluster.report(ZONE, { fqdn: 'example.org.', parent: null, conditions: [ADOPTED], zone }, null);
    const standing = await read(world.engine, 'zone/example-org');
    const kept = standing.status.entries?.length ?? 0;
    expect(kept + (standing.status.entriesOmitted ?? 0)).toBe(20_000);
    const octets = Buffer.byteLength(JSON.stringify(standing));
    expect(octets).toBeLessThan(OBJECT_OCTETS_MAX);
    expect(octets).toBeGreaterThan(OBJECT_OCTETS_MAX * 0.99);
    const small = { ...zone, entries: entries.slice(0, 2) };
    await cluster.report(ZONE, { fqdn: 'example.org.', parent: null, conditions: [ADOPTED], zone: small }, null);
    expect((await read(world.engine, 'zone/example-org')).status).toMatchObject({ entriesOmitted: 0 });
  });

  it('nothing for an object that is gone, which is not an error', async () => {
    const ghost = { ...WWW, name: 'ghost' };
    await cluster.report(ghost, record(ADOPTED), null);
    expect(await cluster.get(ghost, null)).toEqual({ kind: 'absent' });
  });
});
