// The contract of ListResourceRecordSets: Route 53's own order, pages, and names as it escapes them.
import { type Change, ListResourceRecordSetsCommand } from '@aws-sdk/client-route-53';
import { expect } from 'vitest';
import { type Account, type ContractCase, refusalOf, simple } from '../route53-account.ts';

const ONE = ['192.0.2.1'];
const PAGES_MAX = 50;

/** All record sets of the zone, read page by page with the three Next… fields. */
async function walk({ client }: Account, id: string, pageSize: number): Promise<string[]> {
  const keys: string[] = [];
  let start = {};
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const page = await client.send(
      new ListResourceRecordSetsCommand({ HostedZoneId: id, MaxItems: pageSize, ...start }),
    );
    const sets = page.ResourceRecordSets ?? [];
    expect(sets.length).toBeLessThanOrEqual(pageSize);
    keys.push(...sets.map(({ Name, Type, SetIdentifier }) => `${Name} ${Type} ${SetIdentifier ?? ''}`.trim()));
    if (page.IsTruncated !== true) return keys;
    start = {
      StartRecordName: page.NextRecordName,
      StartRecordType: page.NextRecordType,
      ...(page.NextRecordIdentifier === undefined ? {} : { StartRecordIdentifier: page.NextRecordIdentifier }),
    };
  }
  throw new Error(`The list did not end within ${PAGES_MAX} pages`);
}

async function zoneOf312(account: Account): Promise<string> {
  const { id } = await account.createZone();
  const changes = Array.from({ length: 310 }, (_, at) => simple('CREATE', `r${at}.example.com`, 'A', ONE));
  await account.change(id, ...changes);
  return id;
}

export const listCases: readonly ContractCase[] = [
  {
    name: 'record sets come by reversed labels, then by type',
    run: async (account) => {
      const { id } = await account.createZone();
      const names = ['z.example.com', 'a.b.example.com', 'b.example.com', 'a.example.com'];
      await account.change(id, ...names.map((name) => simple('CREATE', name, 'A', ONE)));
      await account.change(id, simple('CREATE', 'b.example.com', 'TXT', ['"b"']));
      expect(await account.keys(id)).toEqual([
        'a.example.com. A',
        'b.example.com. A',
        'b.example.com. TXT',
        'a.b.example.com. A',
        'z.example.com. A',
      ]);
    },
  },
  {
    name: 'the last dot counts in the order: a hyphen sorts before the end of a label',
    run: async (account) => {
      const { id } = await account.createZone();
      const names = ['b.example.com', 'b-c.example.com', 'a.b.example.com', 'bc.example.com'];
      await account.change(id, ...names.map((name) => simple('CREATE', name, 'A', ONE)));
      expect((await account.keys(id)).map((key) => key.replace('.example.com. A', ''))).toEqual([
        'b-c',
        'b',
        'a.b',
        'bc',
      ]);
    },
  },
  {
    name: 'pages hold every record set once, whatever their size',
    run: async (account) => {
      const { id } = await account.createZone();
      const changes = ['a', 'b', 'c'].flatMap((label) => [
        simple('CREATE', `${label}.example.com`, 'A', ONE),
        simple('CREATE', `${label}.example.com`, 'TXT', ['"x"']),
      ]);
      await account.change(id, ...changes);
      const whole = await walk(account, id, 300);
      expect(whole).toHaveLength(8);
      for (const size of [1, 2, 5, 8]) expect(await walk(account, id, size)).toEqual(whole);
    },
  },
  {
    name: 'pages go on inside one name and type by set identifier',
    run: async (account) => {
      const { id } = await account.createZone();
      const changes = ['one', 'two', 'three'].map((SetIdentifier) => {
        const change = simple('CREATE', 'w.example.com', 'A', ONE);
        return { ...change, ResourceRecordSet: { ...change.ResourceRecordSet, SetIdentifier, Weight: 1 } } as Change;
      });
      await account.change(id, ...changes);
      const expected = ['one', 'three', 'two'].map((identifier) => `w.example.com. A ${identifier}`);
      for (const size of [1, 2, 300]) expect((await walk(account, id, size)).slice(2)).toEqual(expected);
    },
  },
  {
    name: 'a page has 300 record sets where nothing else is asked for',
    run: async (account) => {
      const id = await zoneOf312(account);
      const page = await account.client.send(new ListResourceRecordSetsCommand({ HostedZoneId: id }));
      expect(page.ResourceRecordSets).toHaveLength(300);
      expect(page).toMatchObject({ IsTruncated: true, MaxItems: 300 });
      expect(await walk(account, id, 300)).toHaveLength(312);
    },
  },
  {
    name: 'a page has at most 300 record sets, however many are asked for',
    run: async (account) => {
      const id = await zoneOf312(account);
      const page = await account.client.send(new ListResourceRecordSetsCommand({ HostedZoneId: id, MaxItems: 1000 }));
      expect(page.ResourceRecordSets).toHaveLength(300);
    },
  },
  {
    name: 'a list starts at the name, also where that name has nothing',
    run: async (account) => {
      const { id } = await account.createZone();
      await account.change(id, ...['a', 'c', 'e'].map((label) => simple('CREATE', `${label}.example.com`, 'A', ONE)));
      const names = async (StartRecordName: string) =>
        (await account.list(id, { StartRecordName })).map(({ Name }) => Name);
      expect(await names('c.example.com')).toEqual(['c.example.com.', 'e.example.com.']);
      expect(await names('d.example.com.')).toEqual(['e.example.com.']);
      expect(await names('z.example.com.')).toEqual([]);
    },
  },
  {
    name: 'a list starts at the type of the name',
    run: async (account) => {
      const { id } = await account.createZone();
      await account.change(
        id,
        simple('CREATE', 'a.example.com', 'A', ONE),
        simple('CREATE', 'a.example.com', 'TXT', ['"x"']),
      );
      const found = await account.list(id, { StartRecordName: 'a.example.com', StartRecordType: 'MX' });
      expect(found.map(({ Type }) => Type)).toEqual(['TXT']);
    },
  },
  {
    name: 'a type without a name, and an identifier without a type, are InvalidInput',
    run: async (account) => {
      const { id } = await account.createZone();
      const expected = { code: 'InvalidInput', status: 400 };
      expect(await refusalOf(account.list(id, { StartRecordType: 'A' }))).toMatchObject(expected);
      const start = { StartRecordName: 'a.example.com', StartRecordIdentifier: 'x' };
      expect(await refusalOf(account.list(id, start))).toMatchObject(expected);
    },
  },
  {
    name: 'names come back with everything beyond a-z 0-9 - _ as octal escapes',
    run: async (account) => {
      const { id } = await account.createZone();
      const names = [
        '_dmarc.example.com',
        'a@b.example.com',
        'a/b.example.com',
        'x\\056y.example.com',
        'e\\351.example.com',
      ];
      await account.change(id, ...names.map((name) => simple('CREATE', name, 'A', ONE)));
      expect((await account.keys(id)).toSorted()).toEqual(
        [
          '_dmarc.example.com. A',
          'a\\100b.example.com. A',
          'a\\057b.example.com. A',
          'x\\056y.example.com. A',
          'e\\351.example.com. A',
        ].toSorted(),
      );
    },
  },
];
