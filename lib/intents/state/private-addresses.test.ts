import { expect, test } from 'vitest';
import { appOf, CLOUD, intentClient, listBody, RECORDS, recordBody } from '../../../test/support/intent-client.ts';
import { serveProject } from './serve-project.ts';

test.each<[string, object, readonly string[]]>([
  ['a filter that excludes it by now', { 'aws-zone-type': 'private' }, []],
  ['no filter', {}, []],
  ['policy create-only', { policy: 'create-only' }, ['192.0.2.1']],
  ['once', { once: true }, ['192.0.2.1']],
])('a private address leaves a name whose hosted zone becomes public, with %s', async (_, parameters, left) => {
  const zone = { isPrivate: true };
  const { ask, ledger, deps } = intentClient({
    hostedZoneOf: async () => ({ id: 'Z1', name: 'example.org.', tags: null, ...zone }),
  });
  await ask('POST', RECORDS, recordBody('inside', 'aws', { registry: 'noop', ...parameters }));
  await ask('POST', CLOUD, listBody('inside'));
  const addresses = ['10.0.0.1', '192.0.2.1', 'fd00::1'];
  await ask('POST', '/v2/projects/shop/apps/web/instantiate', appOf({ www: { publicAddresses: addresses } }));
  const targets = async () => {
    await serveProject(deps.state, 'shop');
    const { items } = await ledger.query('intentserved#test');
    return items.flatMap(({ body }) => (body.sets as unknown as { targets: string[] }[]).flatMap((set) => set.targets));
  };
  expect((await targets()).toSorted()).toEqual(addresses);
  zone.isPrivate = false;
  expect(await targets()).toEqual(['192.0.2.1']);
  await ask('POST', '/v2/projects/shop/apps/web/terminate');
  expect(await targets()).toEqual(left);
});

test('a private address leaves a former name that a policy keeps, when the hosted zone of that name becomes public', async () => {
  const open = new Set<string>();
  const { ask, ledger, deps } = intentClient({
    hostedZoneOf: async (name) => ({ id: 'Z1', name: 'example.org.', tags: null, isPrivate: !open.has(name) }),
  });
  await ask('POST', RECORDS, recordBody('inside', 'aws', { registry: 'noop', policy: 'upsert-only' }));
  await ask('POST', CLOUD, listBody('inside'));
  const targets = async () => {
    await serveProject(deps.state, 'shop');
    const { items } = await ledger.query('intentserved#test');
    const sets = items.flatMap(({ body }) => body.sets as unknown as { dnsName: string; targets: string[] }[]);
    return sets.map(({ dnsName, targets: of }) => `${dnsName} ${of.join()}`).toSorted();
  };
  for (const dnsName of ['former.example.org', 'www.example.org']) {
    const clusters = [{ provider: 'edge', cluster: 'one', publicAddresses: ['10.0.0.1', '192.0.2.1'] }];
    const services = [{ name: 'www', dnsName, clusters }];
    await ask('POST', '/v2/projects/shop/apps/web/instantiate', appOf({}, { services }));
    await targets();
  }
  expect(await targets()).toEqual(['former.example.org 10.0.0.1,192.0.2.1', 'www.example.org 10.0.0.1,192.0.2.1']);
  open.add('former.example.org.');
  expect(await targets()).toEqual(['former.example.org 192.0.2.1', 'www.example.org 10.0.0.1,192.0.2.1']);
  await ask('POST', '/v2/projects/shop/apps/web/terminate');
  open.add('www.example.org.');
  expect(await targets()).toEqual(['former.example.org 192.0.2.1', 'www.example.org 192.0.2.1']);
});
