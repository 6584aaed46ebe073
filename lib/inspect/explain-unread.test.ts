import { expect, test } from 'vitest';
import { deliverAll, reconcileWorld } from '../../test/fakes/reconcile-world.ts';
import { parseRef } from '../objects/object-ref.ts';
import { readCluster } from '../observe/read-cluster.ts';
import { reconcile } from '../resolve/reconcile-hints.ts';
import { explainName } from './explain-name.ts';

test('explainName() says that Route 53 could not be read, and not that it has nothing', async () => {
  const of = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }], config: { soa: 'never' } });
  const refs = ['Zone p/e', 'Record p/www'].map(parseRef);
  of.cluster.put(parseRef('Zone p/e'), { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] });
  of.cluster.put(parseRef('Record p/www'), { domainName: 'www.e.', type: 'A', rdata: '192.0.2.1' });
  await reconcile(of.context, refs);
  await deliverAll(of);
  const readName = () => Promise.reject(new Error('AccessDenied'));
  const hostedZones = { ...of.context.account.hostedZones, readName };
  const context = { ...of.context, account: { ...of.context.account, hostedZones } };
  expect(await explainName(context, await readCluster(context), 'www.e.', null)).toMatchObject({
    route53: [],
    isUnread: true,
    advice: 'Route 53 could not be read, so its record sets are not shown. Nothing to do for www.e.',
  });
});
