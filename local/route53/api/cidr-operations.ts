// The operations of CIDR collections. Source: API reference 2013-04-01; the items of their lists are called `member` on
// the wire. Last verified 2026-11-22.
import type { CidrCollectionSnapshot } from '../model/snapshot.ts';
import { CIDR_PAGE_MAX } from '../values/limits.ts';
import { Route53Error } from '../values/route53-error.ts';
import { created, maxItems, type Operation, ok } from './operation.ts';
import { readCidrChanges, readCreateCidrCollection } from './read-requests.ts';
import type { XmlContent } from './xml.ts';

export const CIDR_OPERATIONS: readonly Operation[] = [
  {
    name: 'CreateCidrCollection',
    method: 'POST',
    path: /^cidrcollection$/,
    run: (state, { body }) => {
      const { name, callerReference } = readCreateCidrCollection(body);
      const made = state.createCidrCollection(name, callerReference);
      return created('CreateCidrCollectionResponse', { Collection: content(made) }, `cidrcollection/${made.id}`);
    },
  },
  {
    name: 'ListCidrCollections',
    method: 'GET',
    path: /^cidrcollection$/,
    run: (state, { query }) => {
      const { items, nextToken } = pageOf(state.listCidrCollections(), query);
      return ok('ListCidrCollectionsResponse', {
        NextToken: nextToken,
        CidrCollections: { member: items.map(content) },
      });
    },
  },
  {
    name: 'ChangeCidrCollection',
    method: 'POST',
    path: /^cidrcollection\/([^/]+)$/,
    run: (state, { path: [id = ''], body }) => {
      state.getCidrCollection(id);
      const { version, changes } = readCidrChanges(body);
      state.changeCidrCollection(id, version, changes);
      return ok('ChangeCidrCollectionResponse', { Id: id });
    },
  },
  {
    name: 'DeleteCidrCollection',
    method: 'DELETE',
    path: /^cidrcollection\/([^/]+)$/,
    run: (state, { path: [id = ''] }) => {
      state.deleteCidrCollection(id);
      return ok('DeleteCidrCollectionResponse', {});
    },
  },
  {
    name: 'ListCidrLocations',
    method: 'GET',
    path: /^cidrcollection\/([^/]+)$/,
    run: (state, { path: [id = ''], query }) => {
      const { items, nextToken } = pageOf(Object.keys(state.getCidrCollection(id).locations), query);
      return ok('ListCidrLocationsResponse', {
        NextToken: nextToken,
        CidrLocations: { member: items.map((name) => ({ LocationName: name })) },
      });
    },
  },
  {
    name: 'ListCidrBlocks',
    method: 'GET',
    path: /^cidrcollection\/([^/]+)\/cidrblocks$/,
    run: (state, { path: [id = ''], query }) => {
      const { items, nextToken } = pageOf(state.listCidrBlocks(id, query.get('location')), query);
      return ok('ListCidrBlocksResponse', {
        NextToken: nextToken,
        CidrBlocks: { member: items.map(({ block, location }) => ({ CidrBlock: block, LocationName: location })) },
      });
    },
  },
];

function content({ id, name, version }: CidrCollectionSnapshot): XmlContent {
  return { Arn: `arn:aws:route53:::cidrcollection/${id}`, Id: id, Name: name, Version: version };
}

/** A page from the index that the token says. */
function pageOf<Item>(items: readonly Item[], query: URLSearchParams) {
  const token = query.get('nexttoken');
  if (token !== null && !/^\d{1,9}$/.test(token)) {
    throw new Route53Error('InvalidInput', 400, `The pagination token is not valid: ${token}`);
  }
  const at = Number(token ?? 0);
  const end = at + Math.min(maxItems(query, 'maxresults') ?? CIDR_PAGE_MAX, CIDR_PAGE_MAX);
  return { items: items.slice(at, end), nextToken: end < items.length ? String(end) : null };
}
