import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { change, fixedRandom, testAccount } from '../../../test/fakes/route53-account.ts';
import { testFolder } from '../../../test/support/test-folder.ts';
import { loadSnapshot, type Route53Snapshot, saveSnapshot } from './snapshot.ts';
import { createRoute53State, type Route53State } from './state.ts';

let folder = '';
beforeEach(() => {
  folder = testFolder();
});

function reopened(snapshot: Route53Snapshot | null): Route53State {
  return createRoute53State({ clock: { nowMs: () => 0 }, random: fixedRandom(), snapshot });
}

describe('saveSnapshot() and loadSnapshot()', () => {
  it('restore what was saved, create the folder, and leave no other file', async () => {
    const { state, apply } = testAccount();
    apply(change('CREATE', '*.example.com', 'TXT', ['"\\351"']));
    const file = join(folder, 'state', 'route53.json');
    await saveSnapshot(file, state.snapshot());
    apply(change('CREATE', 'www.example.com', 'A', ['192.0.2.1']));
    await Promise.all([saveSnapshot(file, state.snapshot()), saveSnapshot(file, state.snapshot())]);
    expect(await loadSnapshot(file)).toEqual(state.snapshot());
    expect(await readdir(join(folder, 'state'))).toEqual(['route53.json']);
  });

  it('restore thousands of record sets, which are written in pieces', async () => {
    const { state, apply, zoneId } = testAccount();
    for (let from = 0; from < 2_500; from += 500)
      apply(
        ...Array.from({ length: 500 }, (_, index) =>
          change('CREATE', `r${from + index}.example.com`, 'A', ['192.0.2.1']),
        ),
      );
    const file = join(folder, 'route53.json');
    await saveSnapshot(file, state.snapshot());
    const again = reopened(await loadSnapshot(file));
    expect(again.recordSetsAt(zoneId, 'r2499.example.com.')).toHaveLength(1);
    expect(again.zones()).toEqual(state.zones());
  });

  it('restore protections', () => {
    const { state, zoneId } = testAccount();
    state.createProtections(zoneId, [{ name: 'www.example.com', type: 'A', comment: 'frozen' }]);
    const again = reopened(state.snapshot());
    expect(again.listProtections(zoneId, { name: null, type: null, maxResults: null, token: null }).items).toEqual([
      { name: 'www.example.com.', type: 'A', comment: 'frozen' },
    ]);
  });

  it('restore private zones, aliases, routing, health checks and CIDR collections', async () => {
    const { state, apply, zoneId } = testAccount();
    const vpc = { id: 'vpc-0123456789abcdef0', region: 'eu-west-1' };
    state.createHostedZone({ name: 'corp.example', callerReference: 'p', comment: null, vpc });
    const { id: healthCheckId } = state.createHealthCheck('h', { Type: 'HTTP', Regions: { Region: ['a', 'b'] } });
    const { id: CollectionId } = state.createCidrCollection('c', 'c');
    state.changeCidrCollection(CollectionId, null, [{ location: 'here', action: 'PUT', blocks: ['192.0.2.0/24'] }]);
    const value = { CollectionId, LocationName: 'here' };
    const routing = { policy: 'CidrRoutingConfig', value } as const;
    apply(change('CREATE', 'www.example.com', 'A', ['192.0.2.1'], { setIdentifier: 'a', routing, healthCheckId }));
    const alias = { hostedZoneId: zoneId, dnsName: 'www.example.com.', evaluateTargetHealth: true };
    apply(change('CREATE', 'example.com', 'A', [], { ttl: null, alias }));
    const file = join(folder, 'route53.json');
    await saveSnapshot(file, state.snapshot());
    const again = reopened(await loadSnapshot(file));
    expect(again.getHealthCheck(healthCheckId).config).toEqual({ Type: 'HTTP', Regions: { Region: ['a', 'b'] } });
    expect(again.getCidrCollection(CollectionId)).toEqual(state.getCidrCollection(CollectionId));
    expect(again.recordSetsAt(zoneId, 'www.example.com.')).toEqual(state.recordSetsAt(zoneId, 'www.example.com.'));
    expect(again.zones()).toEqual(state.zones());
  });

  it('read a file of an earlier version without health checks and CIDR collections', async () => {
    const file = join(folder, 'route53.json');
    const recordSet = {
      ...{ name: 'www.example.org.', type: 'A', setIdentifier: 'a', ttl: 60, values: ['192.0.2.1'], alias: null },
      routing: { policy: 'Weight', value: '1' },
    };
    const zone = { id: 'Z1', name: 'example.org.', callerReference: 'c', comment: null, vpcs: null, nameServers: [] };
    const hostedZones = [{ ...zone, tags: {}, recordSets: [recordSet] }];
    await writeFile(file, JSON.stringify({ version: 1, hostedZones, callerReferences: ['c'], changes: [] }));
    const state = reopened(await loadSnapshot(file));
    expect(state.zones()[0]).toMatchObject({ id: 'Z1', isPrivate: false, recordSets: [recordSet] });
    const [stored] = state.recordSetsAt('Z1', 'www.example.org.');
    if (stored === undefined) throw new Error('no record set');
    state.changeResourceRecordSets('Z1', null, [{ action: 'DELETE', recordSet: stored }]);
    expect(state.zones()[0]?.recordSets).toEqual([]);
    expect(state.countHealthChecks()).toBe(0);
    expect(state.listCidrCollections()).toEqual([]);
  });

  it('a missing file is null', async () => {
    expect(await loadSnapshot(join(folder, 'none.json'))).toBeNull();
  });

  it.each([
    ['half a file', '{"version":1,"hosted', 'it is not JSON'],
    ['another version', '{"version":2}', 'it is not a Route 53 snapshot of version 1'],
    ['null', 'null', 'it is not a Route 53 snapshot of version 1'],
  ])('%s is an error that names the file', async (_, text, reason) => {
    const file = join(folder, 'route53.json');
    await writeFile(file, text);
    await expect(loadSnapshot(file)).rejects.toThrow(
      `Cannot load "${file}": ${reason}. Restore a copy of its folder, or start in another folder`,
    );
  });

  it('a save that fails keeps the old file', async () => {
    const { state } = testAccount();
    const file = join(folder, 'route53.json');
    await saveSnapshot(file, state.snapshot());
    const broken = { ...state.snapshot(), changes: [{ id: 1n }] } as never;
    await expect(saveSnapshot(file, broken)).rejects.toThrow();
    expect(await loadSnapshot(file)).toEqual(state.snapshot());
    expect(await readdir(folder)).toEqual(['route53.json']);
  });
});
