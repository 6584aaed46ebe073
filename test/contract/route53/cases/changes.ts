// The contract of a change batch: what CREATE, DELETE and UPSERT require of the existing record set. Changes are
// applied in order, and all or none.
import { ChangeResourceRecordSetsCommand, GetChangeCommand } from '@aws-sdk/client-route-53';
import { expect } from 'vitest';
import { type ContractCase, refusalOf, simple, special } from '../route53-account.ts';

const WWW = 'www.example.com.';
const ONE = ['192.0.2.1'];
const TWO = ['192.0.2.2'];
const CNAME = [WWW, 'CNAME', ['a.example.com.']] as const;
const SOA = 'ns1.example.com. noc.example.com. 2026112100 7200 900 1209600 300';

/** What a case does to a new zone example.com. */
type InZone = (account: Parameters<ContractCase['run']>[0], id: string) => Promise<void>;

function inZone(name: string, run: InZone): ContractCase {
  return { name, run: async (account) => run(account, (await account.createZone()).id) };
}

export const changeCases: readonly ContractCase[] = [
  inZone('CREATE adds a record set with its TTL and values in order', async (account, id) => {
    await account.change(id, simple('CREATE', 'www.example.com', 'A', ['192.0.2.2', '192.0.2.1'], 60));
    const found = (await account.list(id)).find(({ Type }) => Type === 'A');
    expect(found).toMatchObject({ Name: WWW, TTL: 60 });
    expect(found?.ResourceRecords).toEqual([{ Value: '192.0.2.2' }, { Value: '192.0.2.1' }]);
  }),
  inZone('names are kept in lower case', async (account, id) => {
    await account.change(id, simple('CREATE', 'WWW.Example.com', 'A', ONE));
    expect(await account.keys(id)).toEqual(['www.example.com. A']);
    await account.refused(id, simple('CREATE', WWW, 'A', ONE));
  }),
  ...[ONE, TWO].map((values) =>
    inZone(`CREATE of what exists is refused (${values[0]})`, async (account, id) => {
      await account.change(id, simple('CREATE', WWW, 'A', ONE));
      const message = await account.refused(id, simple('CREATE', WWW, 'A', values));
      expect(message).toContain(
        "Tried to create resource record set [name='www.example.com.', type='A'] but it already exists",
      );
      expect(await account.keys(id)).toEqual(['www.example.com. A']);
    }),
  ),
  inZone('CREATE after DELETE of the same content is accepted', async (account, id) => {
    await account.change(id, simple('CREATE', WWW, 'A', ONE), simple('CREATE', 'z.example.com', 'A', ONE));
    await account.change(id, simple('DELETE', WWW, 'A', ONE));
    await account.change(id, simple('CREATE', WWW, 'A', ONE));
    expect(await account.keys(id)).toEqual(['www.example.com. A', 'z.example.com. A']);
  }),
  inZone('UPSERT creates and replaces', async (account, id) => {
    await account.change(id, simple('UPSERT', WWW, 'A', ONE));
    await account.change(id, simple('UPSERT', WWW, 'A', TWO, 60));
    const found = (await account.list(id)).filter(({ Type }) => Type === 'A');
    expect(found).toMatchObject([{ TTL: 60, ResourceRecords: [{ Value: '192.0.2.2' }] }]);
  }),
  inZone('DELETE with the same TTL and values removes', async (account, id) => {
    await account.change(id, simple('CREATE', WWW, 'A', ['192.0.2.1', '192.0.2.2']));
    await account.change(id, simple('DELETE', WWW, 'A', ['192.0.2.1', '192.0.2.2']));
    expect(await account.keys(id)).toEqual([]);
  }),
  inZone('DELETE takes the values in any order and the name in any spelling', async (account, id) => {
    await account.change(id, simple('CREATE', WWW, 'A', ['192.0.2.1', '192.0.2.2']));
    await account.change(id, simple('DELETE', 'WWW.example.com', 'A', ['192.0.2.2', '192.0.2.1']));
    expect(await account.keys(id)).toEqual([]);
  }),
  inZone('DELETE of what is not there is refused', async (account, id) => {
    const message = await account.refused(id, simple('DELETE', WWW, 'A', ONE));
    expect(message).toContain(
      "Tried to delete resource record set [name='www.example.com.', type='A'] but it was not found",
    );
  }),
  inZone('DELETE with another TTL is refused', async (account, id) => {
    await account.change(id, simple('CREATE', WWW, 'A', ONE, 300));
    const message = await account.refused(id, simple('DELETE', WWW, 'A', ONE, 301));
    expect(message).toContain('but the values provided do not match the current values');
    expect(await account.keys(id)).toEqual(['www.example.com. A']);
  }),
  ...[TWO, [...ONE, ...TWO]].map((values) =>
    inZone(`DELETE with other values (${values.length}) is refused`, async (account, id) => {
      await account.change(id, simple('CREATE', WWW, 'A', ONE));
      const message = await account.refused(id, simple('DELETE', WWW, 'A', values));
      expect(message).toContain('but the values provided do not match the current values');
      expect(await account.keys(id)).toEqual(['www.example.com. A']);
    }),
  ),
  inZone('DELETE without TTL and values is InvalidInput', async (account, id) => {
    await account.change(id, simple('CREATE', WWW, 'A', ONE));
    const refusal = await refusalOf(account.change(id, special('DELETE', { Name: WWW, Type: 'A' })));
    expect(refusal).toMatchObject({ code: 'InvalidInput', status: 400 });
    expect(refusal.message).toContain('but found none in Change with [Action=DELETE');
  }),
  inZone('DELETE then CREATE of one name and type in one batch replaces', async (account, id) => {
    await account.change(id, simple('CREATE', WWW, 'A', ONE));
    await account.change(id, simple('DELETE', WWW, 'A', ONE), simple('CREATE', WWW, 'A', TWO));
    expect((await account.list(id)).find(({ Type }) => Type === 'A')?.ResourceRecords).toEqual([
      { Value: '192.0.2.2' },
    ]);
  }),
  inZone('DELETE twice in one batch is refused', async (account, id) => {
    await account.change(id, simple('CREATE', WWW, 'A', ONE));
    await account.refused(id, simple('DELETE', WWW, 'A', ONE), simple('DELETE', WWW, 'A', ONE));
    expect(await account.keys(id)).toEqual(['www.example.com. A']);
  }),
  inZone('a batch with one bad change does nothing', async (account, id) => {
    await account.change(id, simple('CREATE', WWW, 'A', ONE));
    await account.refused(
      id,
      simple('CREATE', 'new.example.com', 'A', ONE),
      simple('DELETE', WWW, 'A', ONE),
      simple('CREATE', 'a.example.org', 'A', ONE),
    );
    expect(await account.keys(id)).toEqual(['www.example.com. A']);
  }),
  inZone('all refusals of a batch come as one list', async (account, id) => {
    await account.change(id, simple('CREATE', WWW, 'A', ONE));
    const message = await account.refused(
      id,
      simple('CREATE', WWW, 'A', TWO),
      simple('DELETE', 'no.example.com', 'A', ONE),
    );
    expect(message).toMatch(/^\[.*'www\.example\.com\.'.*already exists, .*'no\.example\.com\.'.*not found\]$/);
  }),
  inZone('CNAME beside another type is refused, whichever comes first', async (account, id) => {
    await account.change(id, simple('CREATE', WWW, 'A', ONE), simple('CREATE', 'c.example.com', 'CNAME', [WWW]));
    expect(await account.refused(id, simple('CREATE', WWW, 'CNAME', ['a.example.com.']))).toContain(
      `RRSet of type CNAME with DNS name ${WWW} is not permitted as it conflicts with other records with the same DNS name in zone example.com.`,
    );
    // In these words: terraform #9732, external-dns #323, terraform-aws-open-next #24.
    expect(await account.refused(id, simple('CREATE', 'c.example.com', 'TXT', ['"a"']))).toContain(
      'RRSet of type TXT with DNS name c.example.com. is not permitted because a conflicting RRSet of type CNAME with the same DNS name already exists in zone example.com.',
    );
  }),
  inZone('from CNAME to A in one batch: DELETE first is accepted', async (account, id) => {
    await account.change(id, simple('CREATE', ...CNAME));
    await account.change(id, simple('DELETE', ...CNAME), simple('CREATE', WWW, 'A', ONE));
    expect(await account.keys(id)).toEqual(['www.example.com. A']);
  }),
  inZone('from CNAME to A in one batch: CREATE first is refused', async (account, id) => {
    await account.change(id, simple('CREATE', ...CNAME));
    await account.refused(id, simple('CREATE', WWW, 'A', ONE), simple('DELETE', ...CNAME));
    expect(await account.keys(id)).toEqual(['www.example.com. CNAME']);
  }),
  inZone('CNAME at the apex is refused', async (account, id) => {
    const message = await account.refused(id, simple('CREATE', 'example.com', 'CNAME', [WWW]));
    expect(message).toContain(
      'RRSet of type CNAME with DNS name example.com. is not permitted at apex in zone example.com.',
    );
  }),
  ...['www.example.org', 'notexample.com', 'com'].map((name) =>
    inZone(`the name ${name} is outside the zone`, async (account, id) => {
      const message = await account.refused(id, simple('CREATE', `${name}.`, 'A', ONE));
      expect(message.replace(`${name}. is`, `${name} is`)).toContain(
        `RRSet with DNS name ${name} is not permitted in zone`,
      );
    }),
  ),
  ...['a..example.com', 'a b.example.com', `${'a'.repeat(64)}.example.com`, 'a\\08.example.com'].map((name) =>
    inZone(`the name ${name.slice(0, 20)} is refused`, async (account, id) => {
      await account.refused(id, simple('CREATE', name, 'A', ONE));
    }),
  ),
  inZone('the SOA and the NS set of the apex cannot be deleted', async (account, id) => {
    const [ns, soa] = await account.list(id);
    if (ns === undefined || soa === undefined) throw new Error('no NS or SOA');
    const message = await account.refused(id, special('DELETE', ns), special('DELETE', soa));
    expect(message).toContain('A HostedZone must contain at least one NS record for the zone itself.');
    expect(message).toContain('A HostedZone must contain exactly one SOA record.');
  }),
  inZone('the SOA can be UPSERTed', async (account, id) => {
    await account.change(id, simple('UPSERT', 'example.com', 'SOA', [SOA], 600));
    expect((await account.list(id))[1]).toMatchObject({ Type: 'SOA', TTL: 600, ResourceRecords: [{ Value: SOA }] });
  }),
  inZone('SOA has exactly one value', async (account, id) => {
    await account.refused(id, simple('UPSERT', 'example.com', 'SOA', [SOA, SOA.replace('ns1', 'ns2')]));
  }),
  inZone('CNAME has exactly one value', async (account, id) => {
    await account.refused(id, simple('CREATE', WWW, 'CNAME', ['a.example.com.', 'b.example.com.']));
  }),
  inZone('a value twice in one record set is refused', async (account, id) => {
    const message = await account.refused(id, simple('CREATE', WWW, 'A', [...ONE, ...ONE]));
    expect(message).toContain("Duplicate Resource Record: '192.0.2.1'");
  }),
  inZone('a wildcard comes back as \\052 and is the same written either way', async (account, id) => {
    await account.change(id, simple('CREATE', '*.example.com', 'A', ONE));
    expect(await account.keys(id)).toEqual(['\\052.example.com. A']);
    await account.change(id, simple('DELETE', '\\052.example.com.', 'A', ONE));
    expect(await account.keys(id)).toEqual([]);
  }),
  inZone('a wildcard of type NS is refused', async (account, id) => {
    await account.refused(id, simple('CREATE', '*.example.com', 'NS', ['ns1.example.org.']));
  }),
  inZone('GetChange says INSYNC in the end', async ({ client }, id) => {
    const ChangeBatch = { Changes: [simple('CREATE', WWW, 'A', ONE)] };
    const { ChangeInfo } = await client.send(new ChangeResourceRecordSetsCommand({ HostedZoneId: id, ChangeBatch }));
    const answer = await client.send(new GetChangeCommand({ Id: ChangeInfo?.Id }));
    expect(answer.ChangeInfo?.Status).toBe('INSYNC');
  }),
  inZone('every change has an id of its own and keeps its comment', async ({ client }, id) => {
    const ids = new Set<string | undefined>();
    for (const Comment of ['plan 1', 'plan 2']) {
      const ChangeBatch = { Comment, Changes: [simple('UPSERT', WWW, 'A', ONE)] };
      const { ChangeInfo } = await client.send(new ChangeResourceRecordSetsCommand({ HostedZoneId: id, ChangeBatch }));
      expect(ChangeInfo).toMatchObject({ Status: 'PENDING', Comment });
      ids.add(ChangeInfo?.Id);
    }
    expect(ids.size).toBe(2);
  }),
  inZone('GetChange of what is not there is NoSuchChange 404', async ({ client }) => {
    const call = client.send(new GetChangeCommand({ Id: 'CNOSUCHCHANGE0000000' }));
    expect(await refusalOf(call)).toMatchObject({ code: 'NoSuchChange', status: 404 });
  }),
  inZone('a comment of more than 256 characters is InvalidInput', async ({ client }, id) => {
    const ChangeBatch = { Comment: 'x'.repeat(257), Changes: [simple('CREATE', WWW, 'A', ONE)] };
    const call = client.send(new ChangeResourceRecordSetsCommand({ HostedZoneId: id, ChangeBatch }));
    expect(await refusalOf(call)).toMatchObject({ code: 'InvalidInput', status: 400 });
  }),
];
