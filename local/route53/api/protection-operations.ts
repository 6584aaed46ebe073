// The operations of protections of record sets. Source: API model of SDK 3.1169. Last verified 2026-11-29.
import { maxItems, type Operation, ok } from './operation.ts';
import { readProtections } from './read-requests.ts';

export const PROTECTION_OPERATIONS: readonly Operation[] = [
  {
    name: 'CreateResourceRecordSetProtections',
    method: 'POST',
    path: /^hostedzone\/([^/]+)\/rrsetprotection$/,
    run: (state, { path: [id = ''], body }) => {
      state.getHostedZone(id);
      state.createProtections(id, readProtections(body, true));
      return ok('CreateResourceRecordSetProtectionsResponse', {});
    },
  },
  {
    name: 'DeleteResourceRecordSetProtections',
    method: 'POST',
    path: /^hostedzone\/([^/]+)\/rrsetprotection\/delete$/,
    run: (state, { path: [id = ''], body }) => {
      state.getHostedZone(id);
      state.deleteProtections(id, readProtections(body, false));
      return ok('DeleteResourceRecordSetProtectionsResponse', {});
    },
  },
  {
    name: 'ListResourceRecordSetProtections',
    method: 'GET',
    path: /^hostedzone\/([^/]+)\/rrsetprotection$/,
    run: (state, { path: [id = ''], query }) => {
      const { items, nextToken } = state.listProtections(id, {
        name: query.get('name'),
        type: query.get('type'),
        maxResults: maxItems(query, 'maxresults'),
        token: query.get('nexttoken'),
      });
      const found = items.map(({ name, type, comment }) => ({ RecordName: name, RecordType: type, Comment: comment }));
      return ok('ListResourceRecordSetProtectionsResponse', {
        ResourceRecordSetProtections: { ResourceRecordSetProtection: found },
        NextToken: nextToken,
      });
    },
  },
];
