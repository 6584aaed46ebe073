// The means of a case of the contract: the real SDK client at an endpoint, hosted zones of its own, and short forms of
// the calls. They return a refusal as a value, so that a case can compare it in one line.
import { randomUUID } from 'node:crypto';
import {
  type Change,
  ChangeResourceRecordSetsCommand,
  CreateHostedZoneCommand,
  type HostedZone,
  ListResourceRecordSetsCommand,
  type ListResourceRecordSetsCommandInput,
  type ResourceRecordSet,
  type Route53Client,
  Route53ServiceException,
} from '@aws-sdk/client-route-53';
import { expect } from 'vitest';

export type Account = {
  readonly client: Route53Client;
  /** Makes a public hosted zone. The caller chooses its name, and several zones may share one. */
  createZone(name?: string): Promise<{ id: string; zone: HostedZone; nameServers: string[] }>;
  /** Applies a batch that must be accepted. */
  change(id: string, ...changes: Change[]): Promise<void>;
  /** Applies a batch that must be refused as InvalidChangeBatch; returns the message. */
  refused(id: string, ...changes: Change[]): Promise<string>;
  list(id: string, start?: Partial<ListResourceRecordSetsCommandInput>): Promise<ResourceRecordSet[]>;
  /** `name type` of everything but the SOA and NS at the apex, in the order listed. */
  keys(id: string): Promise<string[]>;
};

export type Refusal = { readonly code: string; readonly status: number | undefined; readonly message: string };

/** A case of the contract: a statement that holds for every Route 53. */
export type ContractCase = { readonly name: string; readonly run: (account: Account) => Promise<void> };

/** Makes the short forms of the calls of a client. */
export function route53Account(client: Route53Client): Account {
  const send = (id: string, changes: Change[]) =>
    client.send(new ChangeResourceRecordSetsCommand({ HostedZoneId: id, ChangeBatch: { Changes: changes } }));
  const account: Account = {
    client,
    createZone: async (name = 'example.com') => {
      const input = { Name: name, CallerReference: randomUUID() };
      const { HostedZone: zone, DelegationSet } = await client.send(new CreateHostedZoneCommand(input));
      if (zone?.Id === undefined) throw new Error('CreateHostedZone answered without an id');
      return { id: zone.Id, zone, nameServers: DelegationSet?.NameServers ?? [] };
    },
    change: async (id, ...changes) => {
      const answer = await send(id, changes);
      expect(answer.ChangeInfo?.Id).toMatch(/^\/change\/\w+$/);
    },
    refused: async (id, ...changes) => {
      const refusal = await refusalOf(send(id, changes));
      expect(refusal).toMatchObject({ code: 'InvalidChangeBatch', status: 400 });
      return refusal.message;
    },
    list: async (id, start = {}) => {
      const answer = await client.send(new ListResourceRecordSetsCommand({ HostedZoneId: id, ...start }));
      return answer.ResourceRecordSets ?? [];
    },
    keys: async (id) => {
      const all = await account.list(id);
      const own = all.filter(({ Type }) => Type !== 'SOA' && Type !== 'NS');
      return own.map(({ Name, Type }) => `${Name} ${Type}`);
    },
  };
  return account;
}

/** The refusal of a call. Fails when the service accepted it. */
export async function refusalOf(call: Promise<unknown>): Promise<Refusal> {
  const error = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error === null) throw new Error('Expected a refusal, and the call was accepted');
  if (!(error instanceof Route53ServiceException)) throw error;
  return { code: error.name, status: error.$metadata.httpStatusCode, message: error.message };
}

/** One change of simple routing. */
export function simple(
  action: 'CREATE' | 'DELETE' | 'UPSERT',
  name: string,
  type: string,
  values: readonly string[],
  ttl = 300,
): Change {
  const records = values.map((Value) => ({ Value }));
  const set = { Name: name, Type: type as ResourceRecordSet['Type'], TTL: ttl, ResourceRecords: records };
  return { Action: action, ResourceRecordSet: set };
}

/** One change with a set identifier or an alias. */
export function special(action: 'CREATE' | 'DELETE' | 'UPSERT', set: ResourceRecordSet): Change {
  return { Action: action, ResourceRecordSet: set };
}
