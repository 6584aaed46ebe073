// The contract of aliases and routing policies: which record sets cannot exist together, and which elements need one
// another.
import type { ResourceRecordSet } from '@aws-sdk/client-route-53';
import { expect } from 'vitest';
import { type Account, type ContractCase, refusalOf, simple, special } from '../route53-account.ts';

const WWW = 'www.example.com.';
const VALUES = { TTL: 300, ResourceRecords: [{ Value: '192.0.2.1' }] };

function weighted(identifier: string, weight: number): ResourceRecordSet {
  return { Name: WWW, Type: 'A', SetIdentifier: identifier, Weight: weight, ...VALUES };
}

function alias(name: string, target: string, zoneId: string): ResourceRecordSet {
  const AliasTarget = {
    HostedZoneId: zoneId.replace('/hostedzone/', ''),
    DNSName: target,
    EvaluateTargetHealth: false,
  };
  return { Name: name, Type: 'A', AliasTarget };
}

async function zoneWith(account: Account, ...sets: ResourceRecordSet[]): Promise<string> {
  const { id } = await account.createZone();
  if (sets.length > 0) await account.change(id, ...sets.map((set) => special('CREATE', set)));
  return id;
}

async function invalidInput(account: Account, set: ResourceRecordSet): Promise<string> {
  const id = await zoneWith(account);
  const refusal = await refusalOf(account.change(id, special('CREATE', set)));
  expect(refusal).toMatchObject({ code: 'InvalidInput', status: 400 });
  return refusal.message;
}

export const routingCases: readonly ContractCase[] = [
  {
    name: 'an alias to a record set of the zone comes back as it was given',
    run: async (account) => {
      const id = await zoneWith(account, { Name: WWW, Type: 'A', ...VALUES });
      await account.change(id, special('CREATE', alias('example.com.', WWW, id)));
      const found = (await account.list(id)).find(({ AliasTarget }) => AliasTarget !== undefined);
      expect(found).toMatchObject({ Name: 'example.com.', Type: 'A', AliasTarget: { DNSName: WWW } });
      expect(found?.TTL).toBeUndefined();
      expect(found?.ResourceRecords ?? []).toEqual([]);
    },
  },
  {
    name: 'an alias to CloudFront is accepted, and deleted by repeating it',
    run: async (account) => {
      const set = alias('cdn.example.com.', 'd111111abcdef8.cloudfront.net.', 'Z2FDTNDATAQYW2');
      const id = await zoneWith(account, set);
      await account.change(id, special('DELETE', set));
      expect(await account.keys(id)).toEqual([]);
    },
  },
  {
    name: 'an alias to nothing in the zone is refused',
    run: async (account) => {
      const id = await zoneWith(account);
      const message = await account.refused(id, special('CREATE', alias('a.example.com.', WWW, id)));
      expect(message).toContain('but that target was not found');
    },
  },
  {
    name: 'an alias to another type of record set is refused',
    run: async (account) => {
      const id = await zoneWith(account);
      await account.change(id, simple('CREATE', WWW, 'TXT', ['"a"']));
      await account.refused(id, special('CREATE', alias('a.example.com.', WWW, id)));
    },
  },
  {
    name: 'an alias to a name outside its target zone is refused',
    run: async (account) => {
      const id = await zoneWith(account);
      const message = await account.refused(id, special('CREATE', alias('a.example.com.', 'www.example.org.', id)));
      expect(message).toContain('but the alias target name does not lie within the target zone');
    },
  },
  {
    name: 'an alias with a TTL is InvalidInput',
    run: async (account) => {
      const set = { ...alias(WWW, 'd111111abcdef8.cloudfront.net.', 'Z2FDTNDATAQYW2'), TTL: 60 };
      expect(await invalidInput(account, set)).toContain('but found more than one in Change with [Action=CREATE');
    },
  },
  {
    name: 'values without a TTL are InvalidInput',
    run: async (account) => {
      const set: ResourceRecordSet = { Name: WWW, Type: 'A', ResourceRecords: VALUES.ResourceRecords };
      expect(await invalidInput(account, set)).toContain('but found none in Change with [Action=CREATE');
    },
  },
  {
    name: 'a weight without a set identifier is InvalidInput',
    run: async (account) => {
      await invalidInput(account, { Name: WWW, Type: 'A', Weight: 1, ...VALUES });
    },
  },
  {
    name: 'a set identifier without a routing policy is InvalidInput',
    run: async (account) => {
      await invalidInput(account, { Name: WWW, Type: 'A', SetIdentifier: 'a', ...VALUES });
    },
  },
  {
    name: 'weighted record sets stand beside each other',
    run: async (account) => {
      const id = await zoneWith(account, weighted('b', 10), weighted('a', 0));
      const found = (await account.list(id)).filter(({ Type }) => Type === 'A');
      const pairs = found.map(({ SetIdentifier, Weight }) => `${SetIdentifier} ${Weight}`);
      expect(pairs.toSorted()).toEqual(['a 0', 'b 10']);
      await account.change(id, special('DELETE', weighted('a', 0)));
      expect(await account.keys(id)).toEqual(['www.example.com. A']);
    },
  },
  {
    name: 'CREATE of a set identifier that exists is refused and names it',
    run: async (account) => {
      const id = await zoneWith(account, weighted('a', 0));
      const message = await account.refused(id, special('CREATE', weighted('a', 5)));
      expect(message).toContain("[name='www.example.com.', type='A', set-identifier='a'] but it already exists");
    },
  },
  {
    name: 'a simple and a weighted record set of one name and type are refused',
    run: async (account) => {
      const simpleSet: ResourceRecordSet = { Name: WWW, Type: 'A', ...VALUES };
      const id = await zoneWith(account, simpleSet);
      await account.refused(id, special('CREATE', weighted('a', 1)));
      await account.refused(await zoneWith(account, weighted('a', 1)), special('CREATE', simpleSet));
    },
  },
  {
    name: 'weighted record sets of type NS are refused',
    run: async (account) => {
      const id = await zoneWith(account);
      const ResourceRecords = [{ Value: 'ns1.example.org.' }];
      await account.refused(id, special('CREATE', { ...weighted('a', 1), Type: 'NS', ResourceRecords }));
    },
  },
  {
    name: 'a health check that is not there is NoSuchHealthCheck',
    run: async (account) => {
      const id = await zoneWith(account);
      const HealthCheckId = '00000000-0000-0000-0000-000000000000';
      const call = account.change(id, special('CREATE', { ...weighted('a', 1), HealthCheckId }));
      expect(await refusalOf(call)).toMatchObject({ code: 'NoSuchHealthCheck', status: 404 });
    },
  },
];
