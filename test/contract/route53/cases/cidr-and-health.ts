// The contract of what routing refers to: CIDR collections with their versions, and health checks.
import { randomUUID } from 'node:crypto';
import {
  ChangeCidrCollectionCommand,
  ChangeTagsForResourceCommand,
  type CidrCollectionChange,
  CreateCidrCollectionCommand,
  CreateHealthCheckCommand,
  DeleteCidrCollectionCommand,
  DeleteHealthCheckCommand,
  GetHealthCheckCommand,
  type HealthCheckConfig,
  ListCidrBlocksCommand,
  ListCidrCollectionsCommand,
  ListCidrLocationsCommand,
  ListHealthChecksCommand,
  ListTagsForResourceCommand,
  type ResourceRecordSet,
  UpdateHealthCheckCommand,
} from '@aws-sdk/client-route-53';
import { expect } from 'vitest';
import { type Account, type ContractCase, refusalOf, special } from '../route53-account.ts';

/** Creates a health check, and deletes it afterwards. */
async function withHealthCheck(
  { client }: Account,
  HealthCheckConfig: HealthCheckConfig,
  run: (id: string) => Promise<void>,
): Promise<void> {
  const input = { CallerReference: randomUUID(), HealthCheckConfig };
  const id = (await client.send(new CreateHealthCheckCommand(input))).HealthCheck?.Id ?? '';
  await run(id);
  await client.send(new DeleteHealthCheckCommand({ HealthCheckId: id }));
}

const HTTPS = { Type: 'HTTPS' as const, FullyQualifiedDomainName: 'www.example.com', Port: 443, ResourcePath: '/up' };
const REGIONS: HealthCheckConfig['Regions'] = ['eu-west-1', 'us-east-1', 'us-west-2'];
/** What Route 53 refuses, and the reason. */
const REFUSED: readonly (readonly [string, HealthCheckConfig])[] = [
  ['nothing to probe', { Type: 'HTTPS', Port: 443 }],
  ['TCP without a port', { Type: 'TCP', IPAddress: '192.0.2.1' }],
  ['a string to match, and none', { ...HTTPS, Type: 'HTTPS_STR_MATCH' }],
  ['a string, and nothing that matches it', { ...HTTPS, SearchString: 'up' }],
  ['an interval of 20 seconds', { ...HTTPS, RequestInterval: 20 }],
  ['a threshold of 11', { ...HTTPS, FailureThreshold: 11 }],
  ['a port of 65536', { ...HTTPS, Port: 65_536 }],
  ['two regions', { ...HTTPS, Regions: ['eu-west-1', 'us-east-1'] }],
];

const TCP = { Type: 'TCP' as const, IPAddress: '192.0.2.1', Port: 443 };

/** Runs with a collection and deletes it afterwards, because an account has at most five. */
async function withCollection(account: Account, run: (id: string, name: string) => Promise<void>): Promise<void> {
  const name = `c-${randomUUID()}`;
  const made = await account.client.send(new CreateCidrCollectionCommand({ Name: name, CallerReference: name }));
  const id = made.Collection?.Id ?? '';
  expect(made.Collection).toMatchObject({ Name: name, Version: 1 });
  await run(id, name);
  const { CidrBlocks = [] } = await account.client.send(new ListCidrBlocksCommand({ CollectionId: id }));
  for (const { LocationName = '', CidrBlock = '' } of CidrBlocks)
    await put(account, id, LocationName, [CidrBlock], false);
  await account.client.send(new DeleteCidrCollectionCommand({ Id: id }));
}

function put(account: Account, Id: string, LocationName: string, CidrList: string[], isThere = true, version?: number) {
  const Changes: CidrCollectionChange[] = [{ LocationName, Action: isThere ? 'PUT' : 'DELETE_IF_EXISTS', CidrList }];
  const CollectionVersion = version === undefined ? {} : { CollectionVersion: version };
  return account.client.send(new ChangeCidrCollectionCommand({ Id, Changes, ...CollectionVersion }));
}

async function blocksOf({ client }: Account, id: string): Promise<string[]> {
  const { CidrBlocks = [] } = await client.send(new ListCidrBlocksCommand({ CollectionId: id }));
  return CidrBlocks.map(({ CidrBlock, LocationName }) => `${LocationName} ${CidrBlock}`).toSorted();
}

export const cidrAndHealthCases: readonly ContractCase[] = [
  {
    name: 'a CIDR collection has locations with blocks',
    run: (account) =>
      withCollection(account, async (id) => {
        await put(account, id, 'here', ['192.0.2.0/24', '2001:db8::/32']);
        await put(account, id, 'there', ['198.51.100.0/24']);
        expect(await blocksOf(account, id)).toEqual([
          'here 192.0.2.0/24',
          'here 2001:db8::/32',
          'there 198.51.100.0/24',
        ]);
        const { CidrLocations } = await account.client.send(new ListCidrLocationsCommand({ CollectionId: id }));
        expect(CidrLocations).toEqual([{ LocationName: 'here' }, { LocationName: 'there' }]);
        await put(account, id, 'there', ['198.51.100.0/24'], false);
        expect(await blocksOf(account, id)).toEqual(['here 192.0.2.0/24', 'here 2001:db8::/32']);
      }),
  },
  {
    name: 'a change of a CIDR collection raises its version, and meets the version that it names',
    run: (account) =>
      withCollection(account, async (id) => {
        await put(account, id, 'here', ['192.0.2.0/24'], true, 1);
        const call = put(account, id, 'here', ['198.51.100.0/24'], true, 1);
        expect(await refusalOf(call)).toMatchObject({ code: 'CidrCollectionVersionMismatchException', status: 409 });
        const { CidrCollections } = await account.client.send(new ListCidrCollectionsCommand({}));
        expect(CidrCollections?.find(({ Id }) => Id === id)?.Version).toBe(2);
      }),
  },
  {
    name: 'a block is in one location of a CIDR collection',
    run: (account) =>
      withCollection(account, async (id) => {
        await put(account, id, 'here', ['192.0.2.0/24']);
        const refusal = await refusalOf(put(account, id, 'there', ['192.0.2.0/24']));
        expect(refusal).toMatchObject({ code: 'CidrBlockInUseException', status: 400 });
      }),
  },
  ...['192.0.2.0/25', '2001:db8::/49', '192.0.2.1/24', '0.0.0.0/0', 'here'].map((block) => ({
    name: `the CIDR block ${block} is InvalidInput`,
    run: (account: Account) =>
      withCollection(account, async (id) => {
        expect(await refusalOf(put(account, id, 'here', [block]))).toMatchObject({ code: 'InvalidInput', status: 400 });
      }),
  })),
  {
    name: 'a CIDR collection that is not empty cannot be deleted, and one that is not there is 404',
    run: (account) =>
      withCollection(account, async (id) => {
        await put(account, id, 'here', ['192.0.2.0/24']);
        const refusal = await refusalOf(account.client.send(new DeleteCidrCollectionCommand({ Id: id })));
        expect(refusal).toMatchObject({ code: 'CidrCollectionInUseException', status: 400 });
        const missing = account.client.send(new ListCidrBlocksCommand({ CollectionId: randomUUID() }));
        expect(await refusalOf(missing)).toMatchObject({ code: 'NoSuchCidrCollectionException', status: 404 });
        const nowhere = account.client.send(new ListCidrBlocksCommand({ CollectionId: id, LocationName: 'nowhere' }));
        expect(await refusalOf(nowhere)).toMatchObject({ code: 'NoSuchCidrLocationException', status: 404 });
      }),
  },
  {
    name: 'the name of a CIDR collection is used once, but for a repeated request',
    run: (account) =>
      withCollection(account, async (id, name) => {
        const again = await account.client.send(new CreateCidrCollectionCommand({ Name: name, CallerReference: name }));
        expect(again.Collection?.Id).toBe(id);
        const other = account.client.send(new CreateCidrCollectionCommand({ Name: name, CallerReference: 'other' }));
        expect(await refusalOf(other)).toMatchObject({ code: 'CidrCollectionAlreadyExistsException', status: 400 });
      }),
  },
  {
    name: 'CIDR routing names a location of its collection, or the default',
    run: (account) =>
      withCollection(account, async (CollectionId) => {
        const { id } = await account.createZone();
        await put(account, CollectionId, 'here', ['192.0.2.0/24']);
        const routed = (LocationName: string): ResourceRecordSet => ({
          ...{ Name: 'www.example.com.', Type: 'A', TTL: 60, ResourceRecords: [{ Value: '192.0.2.1' }] },
          SetIdentifier: LocationName,
          CidrRoutingConfig: { CollectionId, LocationName },
        });
        await account.change(id, special('CREATE', routed('here')), special('CREATE', routed('*')));
        const found = (await account.list(id)).filter(({ Type }) => Type === 'A');
        expect(found).toEqual([routed('*'), routed('here')]);
        await account.refused(id, special('CREATE', routed('there')));
        await account.change(id, special('DELETE', routed('here')), special('DELETE', routed('*')));
      }),
  },
  {
    name: 'a health check is made, found, listed and deleted',
    run: async ({ client }) => {
      const input = { CallerReference: randomUUID(), HealthCheckConfig: TCP };
      const { HealthCheck } = await client.send(new CreateHealthCheckCommand(input));
      const HealthCheckId = HealthCheck?.Id ?? '';
      const found = await client.send(new GetHealthCheckCommand({ HealthCheckId }));
      expect(found.HealthCheck).toMatchObject({ Id: HealthCheckId, HealthCheckConfig: TCP, HealthCheckVersion: 1 });
      const { HealthChecks } = await client.send(new ListHealthChecksCommand({}));
      expect(HealthChecks?.map(({ Id }) => Id)).toContain(HealthCheckId);
      await client.send(new DeleteHealthCheckCommand({ HealthCheckId }));
      const gone = client.send(new GetHealthCheckCommand({ HealthCheckId }));
      expect(await refusalOf(gone)).toMatchObject({ code: 'NoSuchHealthCheck', status: 404 });
    },
  },
  {
    name: 'a caller reference makes one health check, and none of another configuration',
    run: async ({ client }) => {
      const input = { CallerReference: randomUUID(), HealthCheckConfig: TCP };
      const first = await client.send(new CreateHealthCheckCommand(input));
      const again = await client.send(new CreateHealthCheckCommand(input));
      expect(again.HealthCheck?.Id).toBe(first.HealthCheck?.Id);
      const other = { ...input, HealthCheckConfig: { ...TCP, Port: 80 } };
      const refusal = await refusalOf(client.send(new CreateHealthCheckCommand(other)));
      expect(refusal).toMatchObject({ code: 'HealthCheckAlreadyExists', status: 409 });
    },
  },
  {
    name: 'a health check is changed, and has the next version',
    run: (account) =>
      withHealthCheck(account, { ...HTTPS, RequestInterval: 10, Regions: REGIONS }, async (HealthCheckId) => {
        const { client } = account;
        const update = { HealthCheckId, HealthCheckVersion: 1, ResourcePath: '/ready', Inverted: true };
        await client.send(new UpdateHealthCheckCommand(update));
        const { HealthCheck } = await client.send(new GetHealthCheckCommand({ HealthCheckId }));
        expect(HealthCheck).toMatchObject({
          HealthCheckVersion: 2,
          HealthCheckConfig: {
            ...HTTPS,
            RequestInterval: 10,
            Regions: REGIONS,
            ResourcePath: '/ready',
            Inverted: true,
          },
        });
        const refusal = await refusalOf(client.send(new UpdateHealthCheckCommand(update)));
        expect(refusal).toMatchObject({ code: 'HealthCheckVersionMismatch', status: 409 });
        await client.send(new UpdateHealthCheckCommand({ HealthCheckId, ResetElements: ['ResourcePath'] }));
        const reset = await client.send(new GetHealthCheckCommand({ HealthCheckId }));
        expect(reset.HealthCheck?.HealthCheckConfig?.ResourcePath).toBeUndefined();
      }),
  },
  ...REFUSED.map(([reason, HealthCheckConfig]) => ({
    name: `a health check is refused: ${reason}`,
    run: async ({ client }: Account) => {
      const command = new CreateHealthCheckCommand({ CallerReference: randomUUID(), HealthCheckConfig });
      expect(await refusalOf(client.send(command))).toMatchObject({ code: 'InvalidInput', status: 400 });
    },
  })),
  {
    name: 'no update leaves a health check without what it needs',
    run: (account) =>
      withHealthCheck(account, HTTPS, async (HealthCheckId) => {
        const update = { HealthCheckId, ResetElements: ['FullyQualifiedDomainName' as const] };
        const refusal = await refusalOf(account.client.send(new UpdateHealthCheckCommand(update)));
        expect(refusal).toMatchObject({ code: 'InvalidInput', status: 400 });
      }),
  },
  {
    name: 'a health check has tags',
    run: (account) =>
      withHealthCheck(account, HTTPS, async (ResourceId) => {
        const resource = { ResourceType: 'healthcheck' as const, ResourceId };
        const AddTags = [{ Key: 'Name', Value: 'www' }];
        await account.client.send(new ChangeTagsForResourceCommand({ ...resource, AddTags }));
        const { ResourceTagSet } = await account.client.send(new ListTagsForResourceCommand(resource));
        expect(ResourceTagSet).toEqual({ ...resource, Tags: AddTags });
      }),
  },
];
