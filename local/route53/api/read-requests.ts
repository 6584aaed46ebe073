// The bodies of CreateHostedZone and of the tag operations, by the schema.
// Source: API reference 2013-04-01. Last verified 2026-11-21.
import type { Vpc } from '../model/account.ts';
import { invalidInput, Route53Error } from '../model/route53-error.ts';
import type { CreateHostedZoneInput } from '../model/state.ts';
import type { TagChange } from '../model/tags.ts';
import { readBoolean, readChildren, readList, readText } from './schema.ts';
import { readXml, type XmlElement } from './xml.ts';

type Fields = ReadonlyMap<string, XmlElement>;

/** Reads a CreateHostedZoneRequest. A private zone needs a VPC, and a VPC makes a private zone. */
export function readCreateHostedZone(body: string): CreateHostedZoneInput {
  const root = readXml(body, 'CreateHostedZoneRequest');
  const fields = readChildren(root, ['Name', 'CallerReference'], ['VPC', 'HostedZoneConfig', 'DelegationSetId']);
  const delegationSet = text(fields, 'DelegationSetId', 32);
  if (delegationSet !== null) {
    const message = `No delegation set found with ID: ${delegationSet}`;
    throw new Route53Error('NoSuchDelegationSet', 400, message);
  }
  const configElement = fields.get('HostedZoneConfig');
  const config = configElement === undefined ? new Map() : readChildren(configElement, [], ['Comment', 'PrivateZone']);
  const privateZone = config.get('PrivateZone');
  const vpc = readVpc(fields);
  if (vpc === null && privateZone !== undefined && readBoolean(privateZone)) {
    throw invalidInput("When you're creating a private hosted zone, you must specify a VPC.");
  }
  return {
    name: text(fields, 'Name', 1024, 1) ?? '',
    callerReference: text(fields, 'CallerReference', 128, 1) ?? '',
    comment: text(config, 'Comment', 256),
    vpc,
  };
}

/** Reads a ChangeTagsForResourceRequest. */
export function readTagChange(body: string): TagChange {
  const root = readXml(body, 'ChangeTagsForResourceRequest');
  const fields = readChildren(root, [], ['AddTags', 'RemoveTagKeys']);
  const add = fields.get('AddTags');
  const remove = fields.get('RemoveTagKeys');
  return {
    add: add === undefined ? [] : readList(add, 'Tag', 1).map(readTag),
    removeKeys: remove === undefined ? [] : readList(remove, 'Key', 1).map((key) => readText(key, 0, 1024)),
  };
}

/** Reads a ListTagsForResourcesRequest: one to ten ids. */
export function readTagResourceIds(body: string): string[] {
  const fields = readChildren(readXml(body, 'ListTagsForResourcesRequest'), ['ResourceIds']);
  const list = fields.get('ResourceIds');
  const ids = list === undefined ? [] : readList(list, 'ResourceId', 1).map((id) => readText(id, 1, 64));
  if (ids.length > 10) throw invalidInput('At most 10 resource ids can be given in one request');
  return ids;
}

function readVpc(fields: Fields): Vpc | null {
  const element = fields.get('VPC');
  if (element === undefined) return null;
  const vpc = readChildren(element, [], ['VPCRegion', 'VPCId']);
  const id = text(vpc, 'VPCId', 1024);
  const region = text(vpc, 'VPCRegion', 64);
  if (id === null || region === null) throw new Route53Error('InvalidVPCId', 400, 'Invalid or missing VPC Id.');
  return { id, region };
}

function readTag(element: XmlElement): { key: string; value: string } {
  const fields = readChildren(element, [], ['Key', 'Value']);
  return { key: text(fields, 'Key', 1024) ?? '', value: text(fields, 'Value', 1024) ?? '' };
}

function text(fields: Fields, name: string, most: number, least = 0): string | null {
  const element = fields.get(name);
  return element === undefined ? null : readText(element, least, most);
}
