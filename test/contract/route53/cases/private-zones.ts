// The contract of private hosted zones: their VPCs, and how lists tell them from public ones of the same name.
import { randomUUID } from 'node:crypto';
import {
  AssociateVPCWithHostedZoneCommand,
  CreateHostedZoneCommand,
  DisassociateVPCFromHostedZoneCommand,
  GetHostedZoneCommand,
  ListHostedZonesByNameCommand,
  ListHostedZonesByVPCCommand,
  ListHostedZonesCommand,
} from '@aws-sdk/client-route-53';
import { expect } from 'vitest';
import { type Account, type ContractCase, refusalOf, simple } from '../route53-account.ts';

type VpcIn = { readonly VPCRegion: 'eu-west-1'; readonly VPCId: string };

/** A VPC that no other case has. */
function newVpc(): VpcIn {
  return { VPCRegion: 'eu-west-1', VPCId: `vpc-${randomUUID().replaceAll('-', '').slice(0, 17)}` };
}

async function createPrivate({ client }: Account, name: string, VPC: VpcIn): Promise<string> {
  const { HostedZone } = await client.send(
    new CreateHostedZoneCommand({
      Name: name,
      CallerReference: randomUUID(),
      VPC,
      HostedZoneConfig: { PrivateZone: true },
    }),
  );
  return HostedZone?.Id ?? '';
}

async function vpcsOf({ client }: Account, id: string): Promise<unknown> {
  return (await client.send(new GetHostedZoneCommand({ Id: id }))).VPCs;
}

export const privateZoneCases: readonly ContractCase[] = [
  {
    name: 'a zone with a VPC is private, and takes record sets as a public one does',
    run: async (account) => {
      const id = await createPrivate(account, 'corp.example', newVpc());
      const { HostedZone } = await account.client.send(new GetHostedZoneCommand({ Id: id }));
      expect(HostedZone?.Config?.PrivateZone).toBe(true);
      await account.change(id, simple('CREATE', 'www.corp.example', 'A', ['10.0.0.1']));
      expect(await account.keys(id)).toEqual(['www.corp.example. A']);
    },
  },
  {
    name: 'every private zone has the same four name servers in its NS set',
    run: async (account) => {
      const id = await createPrivate(account, 'corp.example', newVpc());
      const [ns] = await account.list(id);
      expect(ns?.ResourceRecords?.map(({ Value }) => Value)).toContain('ns-1536.awsdns-00.co.uk.');
    },
  },
  {
    name: 'a public and a private zone of one name are two zones, and lists say which is which',
    run: async (account) => {
      const name = `${randomUUID()}.example.`;
      const open = (await account.createZone(name)).id;
      const hidden = await createPrivate(account, name, newVpc());
      const listed = await account.client.send(new ListHostedZonesByNameCommand({ DNSName: name }));
      const found = (listed.HostedZones ?? []).filter(({ Name }) => Name === name);
      const told = Object.fromEntries(found.map(({ Id, Config }) => [Id, Config?.PrivateZone]));
      expect(told).toEqual({ [open]: false, [hidden]: true });
      await account.change(open, simple('CREATE', name, 'TXT', ['"public"']));
      expect(await account.keys(hidden)).toEqual([]);
    },
  },
  {
    name: 'ListHostedZones lists the private ones alone where that is asked',
    run: async (account) => {
      await account.createZone();
      await createPrivate(account, 'corp.example', newVpc());
      const page = await account.client.send(new ListHostedZonesCommand({ HostedZoneType: 'PrivateHostedZone' }));
      expect(page.HostedZones?.length).toBeGreaterThan(0);
      expect(page.HostedZones?.every(({ Config }) => Config?.PrivateZone === true)).toBe(true);
    },
  },
  {
    name: 'AssociateVPCWithHostedZone adds a VPC, and DisassociateVPCFromHostedZone takes it',
    run: async (account) => {
      const [first, second] = [newVpc(), newVpc()];
      const id = await createPrivate(account, 'corp.example', first);
      await account.client.send(new AssociateVPCWithHostedZoneCommand({ HostedZoneId: id, VPC: second }));
      expect(await vpcsOf(account, id)).toEqual([first, second]);
      await account.client.send(new DisassociateVPCFromHostedZoneCommand({ HostedZoneId: id, VPC: first }));
      expect(await vpcsOf(account, id)).toEqual([second]);
    },
  },
  {
    name: 'the last VPC of a zone cannot go',
    run: async (account) => {
      const VPC = newVpc();
      const id = await createPrivate(account, 'corp.example', VPC);
      const call = account.client.send(new DisassociateVPCFromHostedZoneCommand({ HostedZoneId: id, VPC }));
      expect(await refusalOf(call)).toMatchObject({ code: 'LastVPCAssociation', status: 400 });
    },
  },
  {
    name: 'a VPC that is not associated cannot go',
    run: async (account) => {
      const id = await createPrivate(account, 'corp.example', newVpc());
      const call = account.client.send(new DisassociateVPCFromHostedZoneCommand({ HostedZoneId: id, VPC: newVpc() }));
      expect(await refusalOf(call)).toMatchObject({ code: 'VPCAssociationNotFound', status: 404 });
    },
  },
  {
    name: 'a public zone takes no VPC',
    run: async (account) => {
      const { id } = await account.createZone();
      const call = account.client.send(new AssociateVPCWithHostedZoneCommand({ HostedZoneId: id, VPC: newVpc() }));
      expect(await refusalOf(call)).toMatchObject({ code: 'PublicZoneVPCAssociation', status: 400 });
    },
  },
  {
    name: 'a VPC sees one private zone of a name',
    run: async (account) => {
      const VPC = newVpc();
      await createPrivate(account, 'corp.example', VPC);
      const refusal = await refusalOf(createPrivate(account, 'corp.example', VPC));
      expect(refusal).toMatchObject({ code: 'ConflictingDomainExists', status: 400 });
      const other = await createPrivate(account, 'corp.example', newVpc());
      const call = account.client.send(new AssociateVPCWithHostedZoneCommand({ HostedZoneId: other, VPC }));
      expect(await refusalOf(call)).toMatchObject({ code: 'ConflictingDomainExists', status: 400 });
      await createPrivate(account, 'lab.corp.example', VPC);
    },
  },
  {
    name: 'a VPC id that is none is InvalidVPCId',
    run: async (account) => {
      const VPC = { VPCRegion: 'eu-west-1' as const, VPCId: 'my-vpc' };
      const refusal = await refusalOf(createPrivate(account, 'corp.example', VPC));
      expect(refusal).toMatchObject({ code: 'InvalidVPCId', status: 400 });
    },
  },
  {
    name: 'ListHostedZonesByVPC lists the zones that a VPC sees',
    run: async (account) => {
      const VPC = newVpc();
      const ids = [await createPrivate(account, 'a.example', VPC), await createPrivate(account, 'b.example', VPC)];
      await createPrivate(account, 'c.example', newVpc());
      const listed = await account.client.send(new ListHostedZonesByVPCCommand(VPC));
      const bare = ids.map((id) => id.replace('/hostedzone/', ''));
      expect(listed.HostedZoneSummaries?.map(({ HostedZoneId }) => HostedZoneId).toSorted()).toEqual(bare.toSorted());
      expect(listed.HostedZoneSummaries?.map(({ Name }) => Name).toSorted()).toEqual(['a.example.', 'b.example.']);
    },
  },
];
