// The bodies of the operations on hosted zones, VPCs, tags and CIDR collections, by the schema.
// Source: API reference 2013-04-01. Last verified 2026-11-21.
import type { CidrChange } from '../model/cidr-collections.ts';
import type { Protection, Vpc } from '../model/snapshot.ts';
import type { CreateHostedZoneInput } from '../model/state.ts';
import type { TagChange } from '../model/tags.ts';
import { checkVpc } from '../model/vpcs.ts';
import { invalidInput, Route53Error } from '../values/route53-error.ts';
import {
  readBoolean,
  readChildren,
  readList,
  readMatching,
  readOneOf,
  readText,
  readWithin,
  requiredChild,
} from './schema.ts';
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
  const vpcElement = fields.get('VPC');
  const vpc = vpcElement === undefined ? null : readVpc(vpcElement);
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
    add: add === undefined ? [] : readList(add, 'Tag').map(readTag),
    removeKeys: remove === undefined ? [] : readList(remove, 'Key').map((key) => readText(key, 0, 1024)),
  };
}

/** Reads a ListTagsForResourcesRequest: one to ten ids. */
export function readTagResourceIds(body: string): string[] {
  const fields = readChildren(readXml(body, 'ListTagsForResourcesRequest'), ['ResourceIds']);
  const list = fields.get('ResourceIds');
  const ids = list === undefined ? [] : readList(list, 'ResourceId').map((id) => readText(id, 1, 64));
  if (ids.length > 10) throw invalidInput('At most 10 resource ids can be given in one request');
  return ids;
}

/** Reads a request that joins or parts a VPC and a hosted zone. */
export function readVpcAssociation(body: string, rootName: string): { vpc: Vpc; comment: string | null } {
  const fields = readChildren(readXml(body, rootName), ['VPC'], ['Comment']);
  return { vpc: readVpc(requiredChild(fields, 'VPC')), comment: text(fields, 'Comment', 256) };
}

/** Reads a CreateCidrCollectionRequest. */
export function readCreateCidrCollection(body: string): { name: string; callerReference: string } {
  const fields = readChildren(readXml(body, 'CreateCidrCollectionRequest'), ['Name', 'CallerReference']);
  return {
    name: readMatching(requiredChild(fields, 'Name'), /^[0-9A-Za-z_-]{1,64}$/),
    callerReference: readText(requiredChild(fields, 'CallerReference'), 1, 64),
  };
}

/** Reads a ChangeCidrCollectionRequest. */
export function readCidrChanges(body: string): { version: number | null; changes: CidrChange[] } {
  const root = readXml(body, 'ChangeCidrCollectionRequest');
  const fields = readChildren(root, ['Changes'], ['CollectionVersion']);
  const version = fields.get('CollectionVersion');
  return {
    version: version === undefined ? null : readWithin(version, 1, Number.MAX_SAFE_INTEGER),
    changes: readList(requiredChild(fields, 'Changes'), 'member').map((change) => {
      const parts = readChildren(change, ['LocationName', 'Action', 'CidrList']);
      return {
        location: readMatching(requiredChild(parts, 'LocationName'), /^[0-9A-Za-z_-]{1,16}$/),
        action: readOneOf(requiredChild(parts, 'Action'), ['PUT', 'DELETE_IF_EXISTS'] as const),
        blocks: readList(requiredChild(parts, 'CidrList'), 'Cidr').map((block) => readText(block, 1, 50)),
      };
    }),
  };
}

/** Reads the request that creates protections of record sets; `comments` false: the one that deletes them. */
export function readProtections(body: string, comments: boolean): Protection[] {
  const verb = comments ? 'Create' : 'Delete';
  const fields = readChildren(readXml(body, `${verb}ResourceRecordSetProtectionsRequest`), ['Protections']);
  const item = comments ? 'ResourceRecordSetProtectionConfig' : 'ResourceRecordSetProtectionKey';
  return readList(requiredChild(fields, 'Protections'), item).map((entry) => {
    const parts = readChildren(entry, ['RecordName', 'RecordType'], comments ? ['Comment'] : []);
    return {
      name: readText(requiredChild(parts, 'RecordName'), 1, 1024),
      type: readText(requiredChild(parts, 'RecordType'), 1, 64),
      comment: text(parts, 'Comment', 256),
    };
  });
}

function readVpc(element: XmlElement): Vpc {
  const vpc = readChildren(element, [], ['VPCRegion', 'VPCId']);
  const id = text(vpc, 'VPCId', 1024);
  const region = text(vpc, 'VPCRegion', 64);
  if (id === null || region === null) throw new Route53Error('InvalidVPCId', 400, 'Invalid or missing VPC Id.');
  return checkVpc({ id, region });
}

function readTag(element: XmlElement): { key: string; value: string } {
  const fields = readChildren(element, [], ['Key', 'Value']);
  return { key: text(fields, 'Key', 1024) ?? '', value: text(fields, 'Value', 1024) ?? '' };
}

function text(fields: Fields, name: string, most: number, least = 0): string | null {
  const element = fields.get(name);
  return element === undefined ? null : readText(element, least, most);
}
