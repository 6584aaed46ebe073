// The contract of protections of record sets: what they refuse, and how they are created, listed and deleted. Amazon
// publishes no words of these refusals, so the cases compare codes, names and comments.
// Source: API model of SDK 3.1169. Last verified 2026-11-29.
import {
  CreateResourceRecordSetProtectionsCommand,
  DeleteHostedZoneCommand,
  DeleteResourceRecordSetProtectionsCommand,
  InvalidResourceRecordSetProtectionBatch,
  ListResourceRecordSetProtectionsCommand,
  ProtectionAlreadyExists,
  type ResourceRecordSetProtectionConfig,
} from '@aws-sdk/client-route-53';
import { expect } from 'vitest';
import { type Account, type ContractCase, refusalOf, simple } from '../route53-account.ts';

const ONE = ['192.0.2.1'];
const WWW = { RecordName: 'www.example.com', RecordType: 'A' as const, Comment: 'frozen until March' };

function protect({ client }: Account, HostedZoneId: string, ...Protections: ResourceRecordSetProtectionConfig[]) {
  return client.send(new CreateResourceRecordSetProtectionsCommand({ HostedZoneId, Protections }));
}

function unprotect({ client }: Account, HostedZoneId: string, ...Protections: ResourceRecordSetProtectionConfig[]) {
  const keys = Protections.map(({ RecordName, RecordType }) => ({ RecordName, RecordType }));
  return client.send(new DeleteResourceRecordSetProtectionsCommand({ HostedZoneId, Protections: keys }));
}

async function listed({ client }: Account, HostedZoneId: string, more = {}): Promise<string[]> {
  const found: string[] = [];
  let NextToken: string | undefined;
  do {
    const start = NextToken === undefined ? more : { ...more, NextToken };
    const page = await client.send(new ListResourceRecordSetProtectionsCommand({ HostedZoneId, ...start }));
    for (const { RecordName, RecordType, Comment } of page.ResourceRecordSetProtections ?? [])
      found.push(`${RecordName} ${RecordType} ${Comment ?? ''}`.trim());
    NextToken = page.NextToken;
  } while (NextToken !== undefined);
  return found;
}

/** The codes of the entries with which a request fails. */
async function entryCodes(answer: Promise<unknown>): Promise<string[]> {
  const error = await answer.then(
    () => null,
    (cause: unknown) => cause,
  );
  const isKnown = error instanceof InvalidResourceRecordSetProtectionBatch || error instanceof ProtectionAlreadyExists;
  if (!isKnown) throw error;
  return [error.name, ...(error.Errors ?? []).map(({ RecordName, Code }) => `${RecordName} ${Code}`)];
}

export const protectionCases: readonly ContractCase[] = [
  {
    name: 'a protected record set is not created, updated or deleted, and the refusal has name, type and comment',
    run: async (account) => {
      const { id } = await account.createZone();
      await account.change(id, simple('CREATE', 'www.example.com', 'A', ONE));
      await protect(account, id, WWW, { RecordName: 'new.example.com', RecordType: 'TXT' });
      for (const change of [
        simple('UPSERT', 'www.example.com', 'A', ['192.0.2.2']),
        simple('DELETE', 'www.example.com', 'A', ONE),
      ]) {
        const message = await account.refused(id, change, simple('CREATE', 'b.example.com', 'A', ONE));
        for (const part of ['www.example.com', 'type A', WWW.Comment]) expect(message).toContain(part);
      }
      expect(await account.refused(id, simple('CREATE', 'new.example.com', 'TXT', ['"x"']))).toContain('new');
      await account.change(id, simple('CREATE', 'www.example.com', 'TXT', ['"x"']));
      expect(await account.keys(id)).toEqual(['www.example.com. A', 'www.example.com. TXT']);
      await unprotect(account, id, WWW);
      await account.change(id, simple('DELETE', 'www.example.com', 'A', ONE));
    },
  },
  {
    name: 'protections are listed in the order of record sets, from a name on, page by page',
    run: async (account) => {
      const { id } = await account.createZone();
      const names = ['b', 'a', 'c'].map((label) => `${label}.example.com`);
      await protect(account, id, ...names.map((RecordName) => ({ RecordName, RecordType: 'A' as const })), WWW);
      const all = ['a', 'b', 'c'].map((label) => `${label}.example.com. A`);
      expect(await listed(account, id, { MaxResults: 2 })).toEqual([...all, `www.example.com. A ${WWW.Comment}`]);
      expect((await listed(account, id, { StartRecordName: 'b.example.com' }))[0]).toBe('b.example.com. A');
    },
  },
  {
    name: 'a request for protections is applied whole or not at all, and says which entries failed',
    run: async (account) => {
      const { id } = await account.createZone();
      await protect(account, id, WWW);
      const fresh = { RecordName: 'a.example.com', RecordType: 'A' as const };
      const other = { RecordName: 'www.example.org', RecordType: 'A' as const };
      const dname = { RecordName: 'd.example.com', RecordType: 'DNAME' as 'A' };
      expect(await entryCodes(protect(account, id, WWW))).toEqual([
        'ProtectionAlreadyExists',
        'www.example.com. ProtectionAlreadyExists',
      ]);
      expect(await entryCodes(protect(account, id, WWW, fresh))).toEqual([
        'InvalidResourceRecordSetProtectionBatch',
        'www.example.com. ProtectionAlreadyExists',
      ]);
      expect(await entryCodes(protect(account, id, WWW, fresh, fresh, other, dname))).toEqual([
        'InvalidResourceRecordSetProtectionBatch',
        'a.example.com InvalidInput',
        'www.example.org InvalidInput',
        'd.example.com InvalidInput',
      ]);
      expect(await entryCodes(unprotect(account, id, WWW, fresh))).toEqual([
        'InvalidResourceRecordSetProtectionBatch',
        'a.example.com. ProtectionNotFound',
      ]);
      expect(await listed(account, id)).toHaveLength(1);
    },
  },
  {
    name: 'a request has 100 protections at most, and a hosted zone with protections is not deleted',
    run: async (account) => {
      const { id } = await account.createZone();
      const many = Array.from({ length: 101 }, (_, at) => ({
        RecordName: `r${at}.example.com`,
        RecordType: 'A' as const,
      }));
      expect((await refusalOf(protect(account, id, ...many))).code).toBe('InvalidInput');
      await protect(account, id, ...many.slice(1));
      expect(await listed(account, id)).toHaveLength(100);
      expect((await refusalOf(account.client.send(new DeleteHostedZoneCommand({ Id: id })))).code).toBe(
        'HostedZoneNotEmpty',
      );
    },
  },
];
