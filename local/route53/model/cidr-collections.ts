// CIDR collections of the local Route 53: names with blocks of addresses, to which record sets of CIDR routing refer.
// A collection has a version that grows with every change; a change may name the version that it expects.
// Source: API reference CreateCidrCollection, ChangeCidrCollection, DeleteCidrCollection, ListCidrBlocks.
// Last verified 2026-11-22.
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { routingElement } from '../records/record-set.ts';
import { CIDR_BLOCKS_MAX, CIDR_COLLECTIONS_MAX } from '../values/limits.ts';
import { invalidInput, Route53Error } from '../values/route53-error.ts';
import { type Account, newUuid, tellAccount } from './account.ts';
import type { CidrCollectionSnapshot } from './snapshot.ts';

export type CidrChange = {
  readonly location: string;
  readonly action: 'PUT' | 'DELETE_IF_EXISTS';
  readonly blocks: readonly string[];
};

export type CidrBlock = { readonly location: string; readonly block: string };

/** Creates a collection. The same name with the same caller reference returns the existing collection. */
export function createCidrCollection(account: Account, name: string, callerReference: string): CidrCollectionSnapshot {
  const { cidrCollections } = account;
  const before = [...cidrCollections.values()].find((one) => one.name === name);
  if (before !== undefined) {
    if (before.callerReference === callerReference) return before;
    const message = `A CIDR collection with the name ${name} and another caller reference already exists.`;
    throw new Route53Error('CidrCollectionAlreadyExistsException', 400, message);
  }
  if (cidrCollections.size >= CIDR_COLLECTIONS_MAX) {
    throw new Route53Error(
      'LimitsExceeded',
      400,
      `An account can have at most ${CIDR_COLLECTIONS_MAX} CIDR collections.`,
    );
  }
  const made = { id: newUuid(account), name, callerReference, version: 1, locations: {} };
  cidrCollections.set(made.id, made);
  tellAccount(account);
  return made;
}

/** The collection of that id, or NoSuchCidrCollectionException. */
export function findCidrCollection({ cidrCollections }: Account, id: string): CidrCollectionSnapshot {
  const found = cidrCollections.get(id);
  if (found !== undefined) return found;
  throw new Route53Error('NoSuchCidrCollectionException', 404, `No CIDR collection found with ID: ${id}`);
}

/** Applies all changes, or none of them. */
export function changeCidrCollection(
  account: Account,
  id: string,
  version: number | null,
  changes: readonly CidrChange[],
): void {
  const found = findCidrCollection(account, id);
  if (version !== null && version !== found.version) {
    const message = `The CIDR collection version ${version} does not match the current version ${found.version}.`;
    throw new Route53Error('CidrCollectionVersionMismatchException', 409, message);
  }
  const locations = new Map(Object.entries(found.locations));
  for (const change of changes) applyChange(locations, change);
  const count = [...locations.values()].reduce((sum, blocks) => sum + blocks.length, 0);
  if (count > CIDR_BLOCKS_MAX) {
    throw new Route53Error('LimitsExceeded', 400, `A CIDR collection can have at most ${CIDR_BLOCKS_MAX} CIDR blocks.`);
  }
  account.cidrCollections.set(id, { ...found, version: found.version + 1, locations: Object.fromEntries(locations) });
  tellAccount(account);
}

function applyChange(locations: Map<string, readonly string[]>, { location, action, blocks }: CidrChange): void {
  const wanted = blocks.map(canonicalBlock);
  const standing = locations.get(location) ?? [];
  if (action === 'DELETE_IF_EXISTS') {
    const left = standing.filter((block) => !wanted.includes(block));
    if (left.length > 0) locations.set(location, left);
    else locations.delete(location);
    return;
  }
  for (const block of wanted) {
    const other = [...locations].find(([name, held]) => name !== location && held.includes(block));
    if (other === undefined) continue;
    const message = `The CIDR block ${block} is already in use in location ${other[0]}.`;
    throw new Route53Error('CidrBlockInUseException', 400, message);
  }
  locations.set(location, [...new Set([...standing, ...wanted])]);
}

/** Route 53 takes /1 to /24 of IPv4 and /1 to /48 of IPv6, without bits beyond the prefix. */
function canonicalBlock(text: string): string {
  const [address = '', prefix = ''] = text.split('/');
  const family = isIP(address);
  const most = family === 4 ? 24 : 48;
  const length = Number(prefix);
  if (family === 0 || !/^\d{1,3}$/.test(prefix) || length < 1 || length > most) {
    throw invalidInput(`The CIDR block is not valid: ${text}`);
  }
  const canonical = `${ipaddr.parse(address).toString()}/${length}`;
  const network =
    family === 4 ? ipaddr.IPv4.networkAddressFromCIDR(canonical) : ipaddr.IPv6.networkAddressFromCIDR(canonical);
  if (network.toString() !== ipaddr.parse(address).toString())
    throw invalidInput(`The CIDR block is not valid: ${text}`);
  return canonical;
}

/** Deletes a collection that has no blocks and that no record set names. */
export function deleteCidrCollection(account: Account, id: string): void {
  const found = findCidrCollection(account, id);
  if (Object.keys(found.locations).length > 0 || isNamed(account, id)) {
    const message = `The CIDR collection ${id} is in use, or is not empty.`;
    throw new Route53Error('CidrCollectionInUseException', 400, message);
  }
  account.cidrCollections.delete(id);
  tellAccount(account);
}

function isNamed({ zones }: Account, id: string): boolean {
  return [...zones.values()].some(({ records }) =>
    records.sorted().some(({ routing }) => routingElement(routing?.value, 'CollectionId') === id),
  );
}

/** The blocks of a collection, or of one of its locations. */
export function cidrBlocks(account: Account, id: string, location: string | null): CidrBlock[] {
  const { locations } = findCidrCollection(account, id);
  if (location !== null && locations[location] === undefined) {
    throw new Route53Error('NoSuchCidrLocationException', 404, `No CIDR location found with name: ${location}`);
  }
  return Object.entries(locations)
    .filter(([name]) => location === null || name === location)
    .flatMap(([name, blocks]) => blocks.map((block) => ({ location: name, block })));
}
