// The contract of the HostedZones port over any Route 53: the local one in `npm test`, moto in `npm run e2e`. Cases in
// which moto accepts more than AWS (for example a DELETE that does not match) are in test/contract/route53 instead.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { route53Client } from '../../../lib/adapters/route53/route53-client.ts';
import { route53HostedZones } from '../../../lib/adapters/route53/route53-hosted-zones.ts';
import type { RecordSet, RecordSetChange, RecordSetKey } from '../../../lib/dns/record-set.ts';
import type { HostedZones } from '../../../lib/ports/hosted-zones.ts';

export type Endpoint = { readonly url: string; close(): Promise<void> };

export const UNLIMITED = { take: async () => {} };

/** A client for an endpoint on this machine. */
export function clientAt(url: string) {
  return route53Client({ endpoint: url, credentials: { accessKeyId: 'test', secretAccessKey: 'test' } });
}

/** A record set of simple routing; values must be canonical. */
export function values(name: string, type: string, list: readonly string[], ttlSeconds = 300): RecordSet {
  return { name, type, setIdentifier: null, content: { kind: 'values', ttlSeconds, values: list } };
}

const create = (recordSet: RecordSet): RecordSetChange => ({ action: 'CREATE', recordSet });

/** Canonical record sets that must come back as they were written. */
const ROUND_TRIPS: readonly RecordSet[] = [
  values('www.example.com.', 'A', ['192.0.2.1', '192.0.2.2', '198.51.100.1'], 60),
  values('www.example.com.', 'AAAA', ['2001:db8::1'], 0),
  values('*.example.com.', 'CNAME', ['www.example.com.'], 2_147_483_647),
  values('_sip._tcp.example.com.', 'SRV', ['10 5 5060 sip.example.com.']),
  values('0/25.example.com.', 'NS', ['ns1.example.net.']),
  values('example.com.', 'MX', ['10 mail.example.com.', '20 mail.example.net.']),
  values('txt.example.com.', 'TXT', ['"two" "strings"', '"plain"', '"quote \\" backslash \\\\ semicolon ;"']),
  values('octets.example.com.', 'TXT', ['"m\\195\\188ller \\000\\255"']),
  values('caa.example.com.', 'CAA', ['0 issue "ca.example.net; account=1"']),
  values('naptr.example.com.', 'NAPTR', ['100 50 "u" "E2U+sip" "!^.*$!sip:info@example.com!" .']),
  values('https.example.com.', 'HTTPS', ['1 . alpn="h3,h2"']),
];

/** Declares the suite for one Route 53. */
export function hostedZonesContract(name: string, start: () => Promise<Endpoint>): void {
  describe(`hosted zones contract: ${name}`, () => {
    let endpoint: Endpoint;
    let zones: HostedZones;
    beforeAll(async () => {
      endpoint = await start();
      zones = route53HostedZones(clientAt(endpoint.url), UNLIMITED);
    });
    afterAll(() => endpoint?.close());
    const newZone = (zoneName = 'example.com.') => zones.create(zoneName, randomUUID());
    const accept = async (id: string, changes: readonly RecordSetChange[]) => {
      const outcome = await zones.change(id, changes, 'contract');
      expect(outcome).toEqual({ kind: 'accepted', changeId: expect.stringMatching(/^C/) });
    };

    it('create() creates a public hosted zone, which get() and list() show with a bare id', async () => {
      const made = await newZone('made.example.');
      expect(made).toEqual({
        id: expect.stringMatching(/^[A-Z0-9]+$/),
        name: 'made.example.',
        nameServers: expect.any(Array),
        callerReference: expect.stringMatching(/./),
      });
      expect(made.nameServers.length).toBeGreaterThan(0);
      for (const server of made.nameServers) expect(server).toMatch(/^[a-z0-9.-]+\.$/);
      expect(await zones.get(made.id)).toEqual(made);
      expect(await zones.list()).toContainEqual({ ...made, nameServers: [] });
    });

    it('get(), readName() and readPage() give null for a deleted hosted zone, and change() gives gone', async () => {
      const id = 'Z00000000GONE';
      expect(await zones.get(id)).toBeNull();
      expect(await zones.readName(id, 'www.example.com.')).toBeNull();
      expect(await zones.readPage(id, null)).toBeNull();
      const outcome = await zones.change(id, [create(values('www.example.com.', 'A', ['192.0.2.1']))], '');
      expect(outcome).toMatchObject({ kind: 'gone' });
    });

    it.each(ROUND_TRIPS.map((recordSet) => [`${recordSet.name} ${recordSet.type}`, recordSet] as const))(
      'a record set comes back as it was written: %s',
      async (_, recordSet) => {
        const { id } = await newZone();
        await accept(id, [create(recordSet)]);
        const found = await zones.readName(id, recordSet.name);
        expect(found?.filter(({ type }) => type === recordSet.type)).toEqual([recordSet]);
      },
    );

    it('change() replaces and deletes only the exact content of a record set', async () => {
      const { id } = await newZone();
      const before = values('www.example.com.', 'A', ['192.0.2.1']);
      const after = values('www.example.com.', 'A', ['192.0.2.2'], 60);
      await accept(id, [create(before)]);
      await accept(id, [{ action: 'DELETE', recordSet: before }, create(after)]);
      expect(await zones.readName(id, 'www.example.com.')).toEqual([after]);
      await accept(id, [{ action: 'DELETE', recordSet: after }]);
      expect(await zones.readName(id, 'www.example.com.')).toEqual([]);
    });

    it('change() is refused as a whole if one of its record sets exists already', async () => {
      const { id } = await newZone();
      const standing = values('b.example.com.', 'A', ['192.0.2.1']);
      await accept(id, [create(standing)]);
      const outcome = await zones.change(
        id,
        [create(values('a.example.com.', 'A', ['192.0.2.1'])), create(standing)],
        '',
      );
      expect(outcome).toMatchObject({ kind: 'refused', messages: [expect.stringContaining('already exists')] });
      expect(await zones.readName(id, 'a.example.com.')).toEqual([]);
    });

    it('readName() gives the record sets of exactly that name', async () => {
      const { id } = await newZone();
      const names = ['a.example.com.', 'x.a.example.com.', 'aa.example.com.', '*.a.example.com.', 'b.example.com.'];
      await accept(
        id,
        names.map((one) => create(values(one, 'A', ['192.0.2.1']))),
      );
      await accept(id, [create(values('a.example.com.', 'TXT', ['"t"']))]);
      const types = async (one: string) =>
        (await zones.readName(id, one))?.map((found) => `${found.name} ${found.type}`);
      expect(await types('a.example.com.')).toEqual(['a.example.com. A', 'a.example.com. TXT']);
      expect(await types('*.a.example.com.')).toEqual(['*.a.example.com. A']);
      expect(await types('c.example.com.')).toEqual([]);
      expect((await types('example.com.'))?.sort()).toEqual(['example.com. NS', 'example.com. SOA']);
    });

    it('readPage() pages through every record set once', async () => {
      const { id } = await newZone();
      const names = Array.from({ length: 350 }, (_, index) => `host-${index}.example.com.`);
      await accept(
        id,
        names.map((one) => create(values(one, 'A', ['192.0.2.1']))),
      );
      const found: string[] = [];
      let pages = 0;
      let from: RecordSetKey | null = null;
      do {
        const page: Awaited<ReturnType<HostedZones['readPage']>> = await zones.readPage(id, from);
        if (page === null) throw new Error('The hosted zone is gone');
        found.push(...page.recordSets.map((recordSet) => `${recordSet.name} ${recordSet.type}`));
        from = page.next;
        pages += 1;
      } while (from !== null);
      expect(pages).toBe(2);
      const all = ['example.com. NS', 'example.com. SOA', ...names.map((one) => `${one} A`)];
      expect(found.sort()).toEqual(all.sort());
    });
  });
}
