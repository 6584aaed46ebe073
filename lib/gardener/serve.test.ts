import { describe, expect, it } from 'vitest';
import { NAMESPACE, type SeedWorld, type SeedWorldOptions, seedWorld } from '../../test/fakes/seed-world.ts';
import type { ObjectRef } from '../objects/object-ref.ts';

const A = { name: 'api.example.org', recordType: 'A', values: ['192.0.2.1', '192.0.2.2'] };
const FINALIZER = 'extensions.gardener.cloud/dnsrecord';
const OPERATION = 'gardener.cloud/operation';

/** The record sets at a name: "TYPE ttl values". */
function standing({ account }: SeedWorld, name = 'api.example.org.', id = 'Z1'): string[] {
  return account
    .recordSets(id)
    .filter((set) => set.name === name)
    .map(({ type, content }) =>
      content.kind === 'alias'
        ? `${type} alias ${content.alias.dnsName}`
        : `${type} ${content.ttlSeconds} ${content.values.join(' ')}`,
    );
}

function statusOf(world: SeedWorld, ref: ObjectRef) {
  const status = (world.read(ref)?.status ?? {}) as Record<string, Record<string, unknown>>;
  const { lastOperation: last, lastError: error } = status;
  return {
    last: last === undefined ? null : `${last.type} ${last.state} ${last.progress}`,
    codes: (error?.codes ?? null) as string[] | null,
    message: (error?.description ?? null) as string | null,
    zone: status.zone ?? null,
  };
}

async function created(options: SeedWorldOptions = {}, spec: object = A) {
  const world = seedWorld(options);
  const ref = world.create('api', spec);
  await world.serve([ref]);
  return { world, ref };
}

function foreign(world: SeedWorld, name = 'api.example.org.', value = '198.51.100.9') {
  const content = { kind: 'values', ttlSeconds: 60, values: [value] } as const;
  world.account.edit('Z1', { name, type: 'A', setIdentifier: null }, content);
}

describe('serveDnsRecords()', () => {
  it('creates: finalizer, Processing, the record, Succeeded, with one listing and one change', async () => {
    const { world, ref } = await created();
    expect(standing(world)).toEqual(['A 120 192.0.2.1 192.0.2.2']);
    expect(statusOf(world, ref)).toEqual({ last: 'Create Succeeded 100', codes: null, message: null, zone: 'Z1' });
    expect(world.read(ref)?.metadata.finalizers).toEqual([FINALIZER]);
    expect(world.account.calls.map(({ method }) => method)).toEqual(['list', 'change']);
    const steps = world.history.map(({ metadata, status }) => [
      (metadata.finalizers ?? []).length,
      (status?.lastOperation as { state?: string } | undefined)?.state ?? null,
    ]);
    expect(steps).toEqual([
      [0, null],
      [1, null],
      [1, 'Processing'],
      [1, 'Succeeded'],
    ]);
  });

  it('makes no call for a reconcile that changes nothing, and removes the annotation first', async () => {
    const { world, ref } = await created();
    const before = world.account.calls.length;
    world.edit(ref, null, { [OPERATION]: 'reconcile' });
    await world.serve([ref]);
    expect(world.account.calls.length).toBe(before);
    expect(statusOf(world, ref).last).toBe('Reconcile Succeeded 100');
    const processing = world.history.find(
      ({ status }) => (status?.lastOperation as { type?: string } | undefined)?.type === 'Reconcile',
    );
    expect(processing?.metadata.annotations).toEqual({});
  });

  it('leaves a plain edit alone until it is annotated', async () => {
    const { world, ref } = await created();
    world.edit(ref, { values: ['192.0.2.3'] });
    await world.serve([ref]);
    expect(standing(world)).toEqual(['A 120 192.0.2.1 192.0.2.2']);
    world.edit(ref, null, { [OPERATION]: 'reconcile' });
    await world.serve([ref]);
    expect(standing(world)).toEqual(['A 120 192.0.2.3']);
  });

  it('deletes: the record, then the finalizer', async () => {
    const { world, ref } = await created();
    world.remove(ref);
    await world.serve([ref]);
    expect(standing(world)).toEqual([]);
    expect(world.read(ref)).toBeNull();
    expect((await world.ledger.query('recordsets#Z1/dnsrecords')).items).toEqual([]);
    expect((await world.ledger.query('dnsrecords#seed')).items).toEqual([]);
  });

  it('deletes ten records of one hosted zone in one call, whatever the guard would say', async () => {
    const world = seedWorld();
    const refs = Array.from({ length: 10 }, (_, i) => world.create(`r${i}`, { ...A, name: `r${i}.example.org` }));
    await world.serve(refs);
    for (const ref of refs) world.remove(ref);
    const before = world.account.calls.length;
    await world.serve(refs);
    expect(refs.map((ref) => world.read(ref))).toEqual(refs.map(() => null));
    expect(world.account.calls.slice(before).map(({ method }) => method)).toEqual(['change']);
  });

  it('never changes a foreign record set, and deletes none for an object that was never created', async () => {
    const world = seedWorld();
    foreign(world);
    const ref = world.create('api', A);
    await world.serve([ref]);
    expect(standing(world)).toEqual(['A 60 198.51.100.9']);
    const status = statusOf(world, ref);
    expect(status).toMatchObject({ last: 'Create Error 50', codes: ['ERR_CONFIGURATION_PROBLEM'], zone: null });
    expect(status.message).toMatch(/\. Ask whoever/);
    const before = world.account.calls.length;
    world.remove(ref);
    await world.serve([ref]);
    expect(world.read(ref)).toBeNull();
    expect(world.account.calls.length).toBe(before);
    expect(standing(world)).toEqual(['A 60 198.51.100.9']);
  });

  it('with takeover overwrites a foreign record set, corrects drift, and deletes drifted content', async () => {
    const world = seedWorld({ settings: { takeover: true } });
    foreign(world);
    const ref = world.create('api', A);
    await world.serve([ref]);
    expect(standing(world)).toEqual(['A 120 192.0.2.1 192.0.2.2']);
    foreign(world);
    world.edit(ref, null, { [OPERATION]: 'reconcile' });
    await world.serve([ref]);
    expect(standing(world)).toEqual(['A 120 192.0.2.1 192.0.2.2']);
    foreign(world);
    world.remove(ref);
    await world.serve([ref]);
    expect(world.read(ref)).toBeNull();
    expect(standing(world)).toEqual([]);
  });

  it('reports drift at a check, leaves the record set at the deletion, and says so in an Event', async () => {
    const { world, ref } = await created();
    foreign(world);
    await world.serve([ref], world.deps, { checks: true });
    expect(statusOf(world, ref)).toMatchObject({ last: 'Reconcile Error 50', codes: ['ERR_CONFIGURATION_PROBLEM'] });
    world.remove(ref);
    await world.serve([ref]);
    expect(world.read(ref)).toBeNull();
    expect(standing(world)).toEqual(['A 60 198.51.100.9']);
    expect(world.events.map(({ reason }) => reason)).toEqual(['RecordLeft']);
  });

  it('publishes again what is gone at a check', async () => {
    const { world, ref } = await created();
    world.account.edit('Z1', { name: 'api.example.org.', type: 'A', setIdentifier: null }, null);
    await world.serve([ref], world.deps, { checks: true });
    expect(standing(world)).toEqual(['A 120 192.0.2.1 192.0.2.2']);
    expect(statusOf(world, ref).last).toBe('Create Succeeded 100');
  });

  it('migrates: the record stays, finalizers and annotation go, and reconcile and deletion then do nothing', async () => {
    const { world, ref } = await created();
    world.edit(ref, null, { [OPERATION]: 'migrate' });
    const before = world.account.calls.length;
    await world.serve([ref]);
    expect(world.read(ref)?.metadata).toMatchObject({ finalizers: [], annotations: {} });
    expect(statusOf(world, ref).last).toBe('Migrate Succeeded 100');
    world.edit(ref, null, { [OPERATION]: 'reconcile' });
    await world.serve([ref]);
    expect(world.read(ref)?.metadata.annotations).toEqual({});
    world.remove(ref);
    await world.serve([ref]);
    expect(world.account.calls.length).toBe(before);
    expect(standing(world)).toEqual(['A 120 192.0.2.1 192.0.2.2']);
  });

  it('restores in another cluster a record that is equal, also with one ledger', async () => {
    const { world, ref } = await created();
    world.edit(ref, null, { [OPERATION]: 'migrate' });
    await world.serve([ref]);
    const other = seedWorld({ over: world, clusterId: 'other' });
    const moved = other.create('api', A, { [OPERATION]: 'restore' });
    await other.serve([moved]);
    expect(statusOf(other, moved)).toMatchObject({ last: 'Restore Succeeded 100', codes: null, zone: 'Z1' });
    expect(other.read(moved)?.metadata).toMatchObject({ finalizers: [FINALIZER], annotations: {} });
    other.edit(moved, { values: ['192.0.2.9'] }, { [OPERATION]: 'reconcile' });
    await other.serve([moved]);
    expect(standing(other)).toEqual(['A 120 192.0.2.9']);
  });

  it('follows spec.zone: the new record exists before the old one is deleted', async () => {
    const hostedZones = [
      { id: 'Z1', name: 'example.org.' },
      { id: 'Z2', name: 'example.org.' },
    ];
    const { world, ref } = await created({ hostedZones }, { ...A, zone: 'Z1' });
    world.edit(ref, { zone: 'Z2' }, { [OPERATION]: 'reconcile' });
    await world.serve([ref]);
    expect([standing(world), standing(world, 'api.example.org.', 'Z2')]).toEqual([[], ['A 120 192.0.2.1 192.0.2.2']]);
    expect(statusOf(world, ref).zone).toBe('Z2');
  });

  it('gives an error for two hosted zones of one name', async () => {
    const hostedZones = [
      { id: 'Z1', name: 'example.org.' },
      { id: 'Z2', name: 'example.org.' },
    ];
    const { world, ref } = await created({ hostedZones });
    expect(statusOf(world, ref)).toMatchObject({ last: 'Create Error 50', codes: ['ERR_CONFIGURATION_PROBLEM'] });
  });

  it('lets the first of two DNSRecords keep a name', async () => {
    const { world } = await created();
    const second = world.create('second', { ...A, values: ['192.0.2.7'] });
    await world.serve([second]);
    expect(standing(world)).toEqual(['A 120 192.0.2.1 192.0.2.2']);
    expect(statusOf(world, second).codes).toEqual(['ERR_CONFIGURATION_PROBLEM']);
    expect(statusOf(world, second).message).toContain(`DNSRecord ${NAMESPACE}/api`);
  });

  it('deletes a record of an alias that is no longer wanted', async () => {
    const spec = { name: 'api.example.org', recordType: 'CNAME', values: ['foo.elb.eu-west-1.amazonaws.com'] };
    const world = seedWorld();
    const ref = world.create('api', spec, { 'dns.gardener.cloud/ip-stack': 'dual-stack' });
    await world.serve([ref]);
    expect(standing(world).map((line) => line.split(' ')[0])).toEqual(['A', 'AAAA']);
    world.edit(ref, null, { 'dns.gardener.cloud/ip-stack': 'ipv4', [OPERATION]: 'reconcile' });
    await world.serve([ref]);
    expect(standing(world).map((line) => line.split(' ')[0])).toEqual(['A']);
  });

  it('succeeds in deleting from a hosted zone that is gone', async () => {
    const { world, ref } = await created();
    world.account.removeHostedZone('Z1');
    world.remove(ref);
    await world.serve([ref]);
    expect(world.read(ref)).toBeNull();
  });
});
