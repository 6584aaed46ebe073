// `zone53 apply` as a process, with our strict Route 53: hosted zones that already exist or are gone, drift, the number
// of lists of hosted zones, and a Route 53 that refuses connections.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CommandAccount, startCommandAccount } from '../support/command-account.ts';
import { appliedOf, plannedOf, type Ran, zone53 } from '../support/zone53-command.ts';

let account: CommandAccount;

beforeEach(async () => {
  account = await startCommandAccount({ processingMs: 20 });
});

afterEach(() => account.end());

const YAML = `apiVersion: kubi.zone/v1alpha1
kind: Zone
metadata: { name: root }
spec: { domainName: example.org., refresh: 50000, delegations: [{ zones: ["*"], records: [{ pattern: "*" }] }] }
---
apiVersion: kubi.zone/v1alpha1
kind: Zone
metadata: { name: sub }
spec: { domainName: sub.example.org., delegations: [{ records: [{ pattern: "*" }] }] }
`;

function write(addresses: Readonly<Record<string, string>>): void {
  const records = Object.entries(addresses).map(
    ([name, rdata]) => `---
apiVersion: kubi.zone/v1alpha1
kind: Record
metadata: { name: ${name.replaceAll('.', '-')} }
spec: { domainName: ${name}.example.org., type: A, rdata: ${rdata} }
`,
  );
  writeFileSync(path.join(account.folder, 'dns.yaml'), YAML + records.join(''));
}

const THREE = { a: '192.0.2.1', b: '192.0.2.1', 'c.sub': '192.0.2.1' };
const apply = (...flags: string[]): Promise<Ran> =>
  zone53(account.place, ['apply', '-f', 'dns.yaml', '--yes', ...flags]);
const plan = (...flags: string[]): Promise<Ran> => zone53(account.place, ['plan', '-f', 'dns.yaml', ...flags]);

function standing(id: string): string[] {
  const sets = account.state.zones().find((zone) => zone.id === id)?.recordSets ?? [];
  return sets.filter(({ type }) => type === 'A').map(({ name, values }) => `${name} ${values.join()}`);
}

type Edit = readonly ['CREATE' | 'DELETE' | 'UPSERT', name: string, value: string];

/** Changes record sets by hand, in one batch, with a pause before and after it. */
async function change(id: string, ...edits: readonly Edit[]): Promise<void> {
  await sleep(200);
  const changes = edits.map(([action, name, value]) => {
    return {
      action,
      recordSet: { name, type: 'A', setIdentifier: null, ttl: 360, values: [value], alias: null, routing: null },
    };
  });
  account.state.changeResourceRecordSets(id, null, changes);
  await sleep(200);
}

describe('zone53 apply and our own Route 53', () => {
  it('leaves the SOA of a hosted zone that existed before; `soa: always` sets it', async () => {
    const id = account.createZone('example.org.');
    const soa = () =>
      account.state
        .zones()
        .find((zone) => zone.id === id)
        ?.recordSets.find(({ type }) => type === 'SOA');
    const before = soa();
    write(THREE);
    expect((await apply()).code).toBe(0);
    expect(soa()).toEqual(before);
    writeFileSync(path.join(account.folder, 'zone53.yaml'), 'soa: always\n');
    const planned = plannedOf(await plan('-o', 'json'));
    expect(planned.hostedZones.flatMap(({ changes }) => changes)).toMatchObject([{ action: 'update', type: 'SOA' }]);
    expect((await apply()).code).toBe(0);
    expect(soa()?.values[0]).toContain(' 50000 ');
  });

  it('says on every Record that its hosted zone is gone', async () => {
    const id = account.createZone('example.org.');
    write(THREE);
    expect((await apply()).code).toBe(0);
    await change(
      id,
      ['DELETE', 'a.example.org.', '192.0.2.1'],
      ['DELETE', 'b.example.org.', '192.0.2.1'],
      ['DELETE', 'c.sub.example.org.', '192.0.2.1'],
    );
    account.state.deleteHostedZone(id);
    write({ ...THREE, a: '192.0.2.2' });
    const ran = await apply('-o', 'json');
    expect(ran.code).toBe(1);
    const reasons = appliedOf(ran)?.records.map(({ conditions }) => conditions.at(-1)?.reason);
    expect(reasons).toEqual(['HostedZoneNotFound', 'HostedZoneNotFound', 'HostedZoneNotFound']);
  });

  it('prints one line for a missing hosted zone, and exits 1', async () => {
    write(THREE);
    for (const ran of [await plan(), await apply()]) {
      expect(ran.code, ran.err).toBe(1);
      expect(ran.out.match(/the account has no public hosted zone/g)).toHaveLength(1);
      expect(ran.out).toContain('HostedZoneNotFound: 1 Zone and 3 Records wait for a hosted zone');
      expect(ran.out).not.toContain('Nothing to do');
    }
  });

  it('lists hosted zones once, and not again within the hour', async () => {
    account.createZone('example.org.');
    write(THREE);
    expect((await apply()).code).toBe(0);
    expect(account.proxy.count('ListHostedZones')).toBe(1);
    write({ ...THREE, a: '192.0.2.2' });
    expect((await apply()).code).toBe(0);
    expect(account.proxy.count('ListHostedZones')).toBe(1);
    expect((await apply('--refresh')).code).toBe(0);
    expect(account.proxy.count('ListHostedZones')).toBe(2);
  });

  it('shows drift with --refresh, and creates again what was deleted', async () => {
    const id = account.createZone('example.org.');
    write(THREE);
    expect((await apply()).code).toBe(0);
    await change(id, ['DELETE', 'a.example.org.', '192.0.2.1'], ['UPSERT', 'b.example.org.', '203.0.113.7']);
    expect((await plan()).out).toBe('Nothing to do.\n');
    const planned = await plan('--refresh');
    expect(planned.out).toContain('! a.example.org. A was deleted by hand: it will be created again.\n');
    expect(planned.out).toContain(
      '! b.example.org. A was changed by hand to 203.0.113.7 (TTL 360): it stays unchanged',
    );
    expect(planned.out).toContain('1 to create, 0 to update, 0 to delete');
    const applied = await apply('--refresh');
    expect([applied.code, applied.out]).toEqual([1, expect.stringContaining('Record default/b')]);
    expect(standing(id).toSorted()).toEqual([
      'a.example.org. 192.0.2.1',
      'b.example.org. 203.0.113.7',
      'c.sub.example.org. 192.0.2.1',
    ]);
  });

  it('gives up after --timeout while connections are refused, and the next run goes on', async () => {
    const id = account.createZone('example.org.');
    write(THREE);
    expect((await apply()).code).toBe(0);
    write({ ...THREE, a: '192.0.2.2', d: '192.0.2.4' });
    const began = Date.now();
    const nobody = { ...account.place, route53: 'http://127.0.0.1:1' };
    const ran = await zone53(nobody, ['apply', '-f', 'dns.yaml', '--yes', '--timeout', '5s']);
    expect(Date.now() - began).toBeLessThan(60_000);
    expect([ran.code, ran.err]).toEqual([1, expect.stringContaining('gave up, as nothing was published for so long')]);
    expect(ran.out).toContain('2 failed.');
    expect(ran.out).toContain('ECONNREFUSED');
    expect((await apply()).code).toBe(0);
    expect(standing(id)).toHaveLength(4);
  });
});
