// The operations of the local Route 53 as a table: method and path, what is read from the request, what the answer
// contains. The rules of DNS are in local/route53/model/state.ts, and HTTP is in server.ts.
// Source: API reference 2013-04-01, request and response syntax of each operation. Last verified 2026-11-21.

import type { Route53State } from '../model/state.ts';
import { invalidInput } from '../values/route53-error.ts';
import { CIDR_OPERATIONS } from './cidr-operations.ts';
import {
  changeContent,
  delegationContent,
  pageContent,
  recordSetContent,
  tagContent,
  zoneContent,
} from './format-response.ts';
import { HEALTH_CHECK_OPERATIONS } from './health-check-operations.ts';
import { created, maxItems, type Operation, ok } from './operation.ts';
import { PROTECTION_OPERATIONS } from './protection-operations.ts';
import { readChangeBatch } from './read-change-batch.ts';
import { readCreateHostedZone, readTagChange, readTagResourceIds } from './read-requests.ts';
import { VPC_OPERATIONS } from './vpc-operations.ts';

/** Every operation that the endpoint knows. */
export const OPERATIONS: readonly Operation[] = [
  {
    name: 'CreateHostedZone',
    method: 'POST',
    path: /^hostedzone$/,
    run: (state, { body }) => {
      const { zone, change } = state.createHostedZone(readCreateHostedZone(body));
      const content = { HostedZone: zoneContent(zone), ChangeInfo: changeContent(change), ...delegationContent(zone) };
      return created('CreateHostedZoneResponse', content, `hostedzone/${zone.id}`);
    },
  },
  {
    name: 'ListHostedZones',
    method: 'GET',
    path: /^hostedzone$/,
    run: (state, { query }) => {
      const marker = query.get('marker');
      const privateOnly = readHostedZoneType(query.get('hostedzonetype'));
      const page = state.listHostedZones({ marker, maxItems: maxItems(query), privateOnly });
      return ok('ListHostedZonesResponse', {
        HostedZones: { HostedZone: page.items.map(zoneContent) },
        Marker: marker,
        ...pageContent(page),
        NextMarker: page.next?.id ?? null,
      });
    },
  },
  {
    name: 'ListHostedZonesByName',
    method: 'GET',
    path: /^hostedzonesbyname$/,
    run: (state, { query }) => {
      const dnsName = query.get('dnsname');
      const hostedZoneId = query.get('hostedzoneid');
      const page = state.listHostedZonesByName({ dnsName, hostedZoneId, maxItems: maxItems(query) });
      return ok('ListHostedZonesByNameResponse', {
        HostedZones: { HostedZone: page.items.map(zoneContent) },
        DNSName: dnsName,
        HostedZoneId: hostedZoneId,
        ...pageContent(page),
        NextDNSName: page.next?.name ?? null,
        NextHostedZoneId: page.next?.id ?? null,
      });
    },
  },
  {
    name: 'GetHostedZoneCount',
    method: 'GET',
    path: /^hostedzonecount$/,
    run: (state) => ok('GetHostedZoneCountResponse', { HostedZoneCount: state.countHostedZones() }),
  },
  {
    name: 'GetHostedZone',
    method: 'GET',
    path: /^hostedzone\/([^/]+)$/,
    run: (state, { path: [id = ''] }) => {
      const zone = state.getHostedZone(id);
      return ok('GetHostedZoneResponse', { HostedZone: zoneContent(zone), ...delegationContent(zone) });
    },
  },
  {
    name: 'DeleteHostedZone',
    method: 'DELETE',
    path: /^hostedzone\/([^/]+)$/,
    run: (state, { path: [id = ''] }) =>
      ok('DeleteHostedZoneResponse', { ChangeInfo: changeContent(state.deleteHostedZone(id)) }),
  },
  {
    name: 'ChangeResourceRecordSets',
    method: 'POST',
    path: /^hostedzone\/([^/]+)\/rrset$/,
    run: (state, { path: [id = ''], body }) => {
      state.getHostedZone(id);
      const { comment, changes } = readChangeBatch(body);
      const change = state.changeResourceRecordSets(id, comment, changes);
      return ok('ChangeResourceRecordSetsResponse', { ChangeInfo: changeContent(change) });
    },
  },
  {
    name: 'ListResourceRecordSets',
    method: 'GET',
    path: /^hostedzone\/([^/]+)\/rrset$/,
    run: (state, { path: [id = ''], query }) => {
      const page = state.listResourceRecordSets(id, {
        name: query.get('name'),
        type: query.get('type'),
        setIdentifier: query.get('identifier'),
        maxItems: maxItems(query),
      });
      return ok('ListResourceRecordSetsResponse', {
        ResourceRecordSets: { ResourceRecordSet: page.items.map(recordSetContent) },
        ...pageContent(page),
        NextRecordName: page.next?.name ?? null,
        NextRecordType: page.next?.type ?? null,
        NextRecordIdentifier: page.next?.setIdentifier ?? null,
      });
    },
  },
  {
    name: 'GetChange',
    method: 'GET',
    path: /^change\/([^/]+)$/,
    run: (state, { path: [id = ''] }) => ok('GetChangeResponse', { ChangeInfo: changeContent(state.getChange(id)) }),
  },
  {
    name: 'ListTagsForResource',
    method: 'GET',
    path: /^tags\/([^/]+)\/([^/]+)$/,
    run: (state, { path: [type = '', id = ''] }) => {
      const tags = tagsOf(state, type, id);
      return ok('ListTagsForResourceResponse', { ResourceTagSet: tagContent(id, tags, type) });
    },
  },
  {
    name: 'ListTagsForResources',
    method: 'POST',
    path: /^tags\/([^/]+)$/,
    run: (state, { path: [type = ''], body }) => {
      const ids = readTagResourceIds(body);
      const sets = ids.map((id) => tagContent(id, tagsOf(state, type, id), type));
      return ok('ListTagsForResourcesResponse', { ResourceTagSets: { ResourceTagSet: sets } });
    },
  },
  {
    name: 'ChangeTagsForResource',
    method: 'POST',
    path: /^tags\/([^/]+)\/([^/]+)$/,
    run: (state, { path: [type = '', id = ''], body }) => {
      const change = readTagChange(body);
      if (isHealthCheck(type)) state.changeHealthCheckTags(id, change);
      else state.changeTags(id, change);
      return ok('ChangeTagsForResourceResponse', {});
    },
  },
  ...VPC_OPERATIONS,
  ...HEALTH_CHECK_OPERATIONS,
  ...CIDR_OPERATIONS,
  ...PROTECTION_OPERATIONS,
];

function readHostedZoneType(type: string | null): boolean {
  if (type !== null && type !== 'PrivateHostedZone') {
    throw invalidInput(`The hosted zone type is not valid: '${type}', expected PrivateHostedZone`);
  }
  return type !== null;
}

function tagsOf(state: Route53State, type: string, id: string): Readonly<Record<string, string>> {
  return isHealthCheck(type) ? (state.getHealthCheck(id).tags ?? {}) : state.listTags(id);
}

/** False: a hosted zone. */
function isHealthCheck(type: string): boolean {
  if (type === 'hostedzone' || type === 'healthcheck') return type === 'healthcheck';
  throw invalidInput(`The resource type is not valid: '${type}', expected one of [healthcheck, hostedzone]`);
}
