// The contract of the limits: elements and characters of a batch, values of a record set, TTL.
import { expect } from 'vitest';
import { type Account, type ContractCase, refusalOf, simple } from '../route53-account.ts';

type Action = 'CREATE' | 'UPSERT';

/** Names with one A record each. */
function names(count: number, action: Action) {
  return Array.from({ length: count }, (_, at) => simple(action, `r${at}.example.com`, 'A', ['192.0.2.1']));
}

/** TXT record sets of one value of 200 characters. */
function texts(count: number, action: Action) {
  return Array.from({ length: count }, (_, at) =>
    simple(action, `t${at}.example.com`, 'TXT', [`"${'x'.repeat(198)}"`]),
  );
}

function addresses(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `10.0.${at >> 8}.${at & 255}`);
}

async function accepted(account: Account, changes: ReturnType<typeof names>): Promise<void> {
  const { id } = await account.createZone();
  await account.change(id, ...changes);
}

async function refused(account: Account, changes: ReturnType<typeof names>): Promise<string> {
  const { id } = await account.createZone();
  return account.refused(id, ...changes);
}

export const limitCases: readonly ContractCase[] = [
  { name: 'a batch of 1000 CREATEs is accepted', run: (account) => accepted(account, names(1000, 'CREATE')) },
  {
    name: 'a batch of 1001 CREATEs is refused',
    run: async (account) => {
      expect(await refused(account, names(1001, 'CREATE'))).toContain('Number of records limit of 1000 exceeded.');
    },
  },
  { name: 'a batch of 500 UPSERTs is accepted', run: (account) => accepted(account, names(500, 'UPSERT')) },
  {
    name: 'a batch of 501 UPSERTs is refused, each counting twice',
    run: async (account) => {
      expect(await refused(account, names(501, 'UPSERT'))).toContain('Number of records limit of 1000 exceeded.');
    },
  },
  {
    name: 'the elements are counted by value, not by change',
    run: async (account) => {
      const changes = ['a', 'b', 'c'].map((label) => simple('CREATE', `${label}.example.com`, 'A', addresses(334)));
      expect(await refused(account, changes)).toContain('Number of records limit of 1000 exceeded.');
    },
  },
  { name: 'a batch of 32000 value characters is accepted', run: (account) => accepted(account, texts(160, 'CREATE')) },
  {
    name: 'a batch of 32200 value characters is refused',
    run: async (account) => {
      await refused(account, texts(161, 'CREATE'));
    },
  },
  {
    name: 'a batch of 16200 value characters in UPSERTs is refused, each counting twice',
    run: async (account) => {
      await accepted(account, texts(80, 'UPSERT'));
      await refused(account, texts(81, 'UPSERT'));
    },
  },
  {
    name: 'a record set of 400 values is accepted',
    run: (account) => accepted(account, [simple('CREATE', 'many.example.com', 'A', addresses(400))]),
  },
  {
    name: 'a record set of 401 values is refused',
    run: async (account) => {
      await refused(account, [simple('CREATE', 'many.example.com', 'A', addresses(401))]);
    },
  },
  ...[0, 2_147_483_647].map((ttl) => ({
    name: `a TTL of ${ttl} is accepted`,
    run: (account: Account) => accepted(account, [simple('CREATE', 'www.example.com', 'A', ['192.0.2.1'], ttl)]),
  })),
  ...[-1, 2_147_483_648].map((ttl) => ({
    name: `a TTL of ${ttl} is InvalidInput`,
    run: async (account: Account) => {
      const { id } = await account.createZone();
      const call = account.change(id, simple('CREATE', 'www.example.com', 'A', ['192.0.2.1'], ttl));
      expect(await refusalOf(call)).toMatchObject({ code: 'InvalidInput', status: 400 });
    },
  })),
  {
    name: 'a record set without values is InvalidInput',
    run: async (account) => {
      const { id } = await account.createZone();
      const call = account.change(id, simple('CREATE', 'www.example.com', 'A', []));
      expect(await refusalOf(call)).toMatchObject({ code: 'InvalidInput', status: 400 });
    },
  },
  {
    name: 'a batch without changes is InvalidInput',
    run: async (account) => {
      const { id } = await account.createZone();
      expect(await refusalOf(account.change(id))).toMatchObject({ code: 'InvalidInput', status: 400 });
    },
  },
  {
    name: 'a type that Route 53 has not is InvalidInput',
    run: async (account) => {
      const { id } = await account.createZone();
      const call = account.change(id, simple('CREATE', 'www.example.com', 'LOC', ['52 22 23.000 N 4 53 32.000 E 0m']));
      expect(await refusalOf(call)).toMatchObject({ code: 'InvalidInput', status: 400 });
    },
  },
];
