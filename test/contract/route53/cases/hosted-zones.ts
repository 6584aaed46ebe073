// The contract of hosted zones: creating, finding, listing in pages, deleting, tags.
import { randomUUID } from 'node:crypto';
import {
  ChangeTagsForResourceCommand,
  CreateHostedZoneCommand,
  DeleteHostedZoneCommand,
  GetHostedZoneCommand,
  ListHostedZonesByNameCommand,
  ListHostedZonesCommand,
  ListTagsForResourceCommand,
} from '@aws-sdk/client-route-53';
import { expect } from 'vitest';
import { type Account, type ContractCase, refusalOf, simple } from '../route53-account.ts';

const MISSING = 'ZNOSUCHZONE000000000';
const AWS_SERVER = /^ns-\d{1,4}\.awsdns-\d\d\.(?:com|net|org|co\.uk)$/;

/** The ids of all hosted zones in the account, read page by page. */
async function listAllIds({ client }: Account, pageSize: number): Promise<string[]> {
  const ids: string[] = [];
  let marker: string | undefined;
  do {
    const start = marker === undefined ? {} : { Marker: marker };
    const page = await client.send(new ListHostedZonesCommand({ MaxItems: pageSize, ...start }));
    expect(page.HostedZones?.length ?? 0).toBeLessThanOrEqual(pageSize);
    ids.push(...(page.HostedZones ?? []).map((zone) => zone.Id ?? ''));
    marker = page.IsTruncated === true ? page.NextMarker : undefined;
  } while (marker !== undefined);
  return ids;
}

export const hostedZoneCases: readonly ContractCase[] = [
  {
    name: 'CreateHostedZone gives a public zone with two record sets',
    run: async (account) => {
      const { id, zone } = await account.createZone('example.com');
      expect(id).toMatch(/^\/hostedzone\/\w+$/);
      expect(zone).toMatchObject({ Name: 'example.com.', ResourceRecordSetCount: 2, Config: { PrivateZone: false } });
    },
  },
  {
    name: 'CreateHostedZone keeps the name in lower case',
    run: async (account) => {
      const { zone } = await account.createZone('Example.COM.');
      expect(zone.Name).toBe('example.com.');
    },
  },
  {
    name: 'a new zone has four name servers, and an NS set of them with a TTL of two days',
    run: async (account) => {
      const { id, nameServers } = await account.createZone();
      expect(nameServers).toHaveLength(4);
      for (const server of nameServers) expect(server).toMatch(AWS_SERVER);
      const [ns] = await account.list(id);
      expect(ns).toMatchObject({ Name: 'example.com.', Type: 'NS', TTL: 172_800 });
      expect(ns?.ResourceRecords?.map(({ Value }) => Value)).toEqual(nameServers.map((server) => `${server}.`));
    },
  },
  {
    name: 'a new zone has a SOA with serial 1 and a TTL of 900 seconds',
    run: async (account) => {
      const { id, nameServers } = await account.createZone();
      const [, soa, ...more] = await account.list(id);
      expect(more).toEqual([]);
      expect(soa).toMatchObject({ Name: 'example.com.', Type: 'SOA', TTL: 900 });
      const value = `${nameServers[0]}. awsdns-hostmaster.amazon.com. 1 7200 900 1209600 86400`;
      expect(soa?.ResourceRecords).toEqual([{ Value: value }]);
    },
  },
  {
    name: 'CreateHostedZone refuses a caller reference that was used',
    run: async ({ client }) => {
      const input = { Name: 'once.example.com', CallerReference: randomUUID() };
      await client.send(new CreateHostedZoneCommand(input));
      const refusal = await refusalOf(client.send(new CreateHostedZoneCommand(input)));
      expect(refusal).toMatchObject({ code: 'HostedZoneAlreadyExists', status: 409 });
    },
  },
  {
    name: 'CreateHostedZone allows two zones of one name',
    run: async (account) => {
      const [a, b] = [await account.createZone('twice.example.com'), await account.createZone('twice.example.com')];
      expect(a.id).not.toBe(b.id);
    },
  },
  ...['bad name.com', 'a..example.com', `${'a'.repeat(64)}.example.com`].map((name) => ({
    name: `CreateHostedZone refuses the name ${name.slice(0, 20)}`,
    run: async ({ client }: Account) => {
      const input = { Name: name, CallerReference: randomUUID() };
      const refusal = await refusalOf(client.send(new CreateHostedZoneCommand(input)));
      expect(refusal).toMatchObject({ code: 'InvalidDomainName', status: 400 });
    },
  })),
  {
    name: 'GetHostedZone answers with the delegation set and the count of record sets',
    run: async (account) => {
      const { id, nameServers } = await account.createZone();
      await account.change(id, simple('CREATE', 'www.example.com', 'A', ['192.0.2.1']));
      const answer = await account.client.send(new GetHostedZoneCommand({ Id: id }));
      expect(answer.HostedZone).toMatchObject({ Id: id, Name: 'example.com.', ResourceRecordSetCount: 3 });
      expect(answer.DelegationSet?.NameServers).toEqual(nameServers);
    },
  },
  {
    name: 'a private zone has a VPC and no delegation set',
    run: async ({ client }) => {
      const VPC = { VPCRegion: 'eu-west-1' as const, VPCId: 'vpc-0123456789abcdef0' };
      const input = { Name: 'private.example', CallerReference: randomUUID(), VPC };
      const { HostedZone } = await client.send(
        new CreateHostedZoneCommand({ ...input, HostedZoneConfig: { PrivateZone: true } }),
      );
      const answer = await client.send(new GetHostedZoneCommand({ Id: HostedZone?.Id }));
      expect(answer.HostedZone?.Config?.PrivateZone).toBe(true);
      expect(answer.VPCs).toEqual([VPC]);
      expect(answer.DelegationSet).toBeUndefined();
    },
  },
  {
    name: 'every operation on a zone that is not there is NoSuchHostedZone 404',
    run: async (account) => {
      const expected = { code: 'NoSuchHostedZone', status: 404 };
      const { client } = account;
      expect(await refusalOf(client.send(new GetHostedZoneCommand({ Id: MISSING })))).toMatchObject(expected);
      expect(await refusalOf(client.send(new DeleteHostedZoneCommand({ Id: MISSING })))).toMatchObject(expected);
      expect(await refusalOf(account.list(MISSING))).toMatchObject(expected);
      const change = account.change(MISSING, simple('CREATE', 'www.example.com', 'A', ['192.0.2.1']));
      expect(await refusalOf(change)).toMatchObject(expected);
    },
  },
  {
    name: 'ListHostedZones gives every zone once, page by page',
    run: async (account) => {
      const created: string[] = [];
      for (let at = 0; at < 5; at += 1) created.push((await account.createZone(`page${at}.example`)).id);
      const ids = await listAllIds(account, 2);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids).toEqual(expect.arrayContaining(created));
      expect(new Set(await listAllIds(account, 100))).toEqual(new Set(ids));
    },
  },
  {
    name: 'ListHostedZonesByName starts at the name and goes by reversed labels',
    run: async (account) => {
      for (const name of ['b.byname', 'a.b.byname', 'z.a.byname', 'c.byname']) await account.createZone(name);
      const answer = await account.client.send(new ListHostedZonesByNameCommand({ DNSName: 'a.byname', MaxItems: 4 }));
      const names = answer.HostedZones?.map(({ Name }) => Name);
      expect(names).toEqual(['z.a.byname.', 'b.byname.', 'a.b.byname.', 'c.byname.']);
    },
  },
  {
    name: 'ListHostedZonesByName goes on at NextDNSName and NextHostedZoneId',
    run: async (account) => {
      const ids = [];
      for (let at = 0; at < 3; at += 1) ids.push((await account.createZone('same.byname2')).id);
      const first = { DNSName: 'same.byname2', MaxItems: 2 };
      const page = await account.client.send(new ListHostedZonesByNameCommand(first));
      expect(page).toMatchObject({ IsTruncated: true, NextDNSName: 'same.byname2.' });
      const next = { DNSName: page.NextDNSName, HostedZoneId: page.NextHostedZoneId, MaxItems: 1 };
      const rest = await account.client.send(new ListHostedZonesByNameCommand(next));
      const seen = [...(page.HostedZones ?? []), ...(rest.HostedZones ?? [])].map(({ Id }) => Id);
      expect(seen.toSorted()).toEqual(ids.toSorted());
    },
  },
  {
    name: 'DeleteHostedZone refuses a zone that has more than its NS and SOA',
    run: async (account) => {
      const { id } = await account.createZone();
      const change = ['www.example.com', 'A', ['192.0.2.1']] as const;
      await account.change(id, simple('CREATE', ...change));
      const refusal = await refusalOf(account.client.send(new DeleteHostedZoneCommand({ Id: id })));
      expect(refusal).toMatchObject({ code: 'HostedZoneNotEmpty', status: 400 });
      await account.change(id, simple('DELETE', ...change));
      await account.client.send(new DeleteHostedZoneCommand({ Id: id }));
      expect(await refusalOf(account.list(id))).toMatchObject({ code: 'NoSuchHostedZone' });
    },
  },
  {
    name: 'tags are added, listed and removed',
    run: async (account) => {
      const { id } = await account.createZone();
      const resource = { ResourceType: 'hostedzone', ResourceId: id.replace('/hostedzone/', '') } as const;
      const Tags = [
        { Key: 'owner', Value: 'platform' },
        { Key: 'stage', Value: 'a & <b>' },
      ];
      await account.client.send(new ChangeTagsForResourceCommand({ ...resource, AddTags: Tags }));
      const before = await account.client.send(new ListTagsForResourceCommand(resource));
      expect(before.ResourceTagSet?.Tags).toEqual(expect.arrayContaining(Tags));
      await account.client.send(new ChangeTagsForResourceCommand({ ...resource, RemoveTagKeys: ['owner'] }));
      const after = await account.client.send(new ListTagsForResourceCommand(resource));
      expect(after.ResourceTagSet?.Tags).toEqual([Tags[1]]);
    },
  },
];
