import { expect, test } from 'vitest';
import {
  appOf,
  CLOUD,
  intentClient,
  listBody,
  RECORDS,
  ROLE,
  recordBody,
} from '../../../test/support/intent-client.ts';
import { intentWriters } from '../serve/intent-writers.ts';
import type { IntentState } from './intent-state.ts';
import { servedCodec } from './items.ts';
import { projectsOf } from './projects.ts';
import { forgetGone, serveApp, serveProject } from './serve-project.ts';

/** Without TXT records, unless a test asks for them. */
const WITHOUT_TEXTS = { registry: 'noop' };

/** An API whose names zone53 publishes itself. */
async function serving(parameters: object = {}) {
  const client = intentClient();
  const { deps, ask, ledger, followed } = client;
  const { state } = deps;
  const put = (more: object) =>
    ask('PUT', `${RECORDS}/public`, recordBody('public', 'aws', { ...WITHOUT_TEXTS, ...more }));
  await ask('POST', RECORDS, recordBody('public', 'aws', { ...WITHOUT_TEXTS, ...parameters }));
  await ask('POST', CLOUD, listBody('public'));
  /** Does the work that the API has queued. Returns the objects that changed. */
  const follow = async () => {
    const changed: string[] = [];
    for (const one of followed.splice(0)) {
      if (one.kind === 'app') changed.push(...(await serveApp(state, one.project, one.app, one.objects)));
      else changed.push(...(await serveProject(state, 'shop')));
    }
    return changed;
  };
  const instantiate = (app: string, services: Readonly<Record<string, string>>) => {
    const entries = Object.entries(services).map(([name, address]) => [name, { publicAddresses: [address] }]);
    return ask('POST', `/v2/projects/shop/apps/${app}/instantiate`, appOf(Object.fromEntries(entries)));
  };
  /** `name type values` of every published record set. */
  const sets = async () => {
    const { items } = await ledger.query('intentserved#test');
    return items.flatMap(({ body }) =>
      (body.sets as unknown as { dnsName: string; recordType: string; targets: string[] }[]).map(
        ({ dnsName, recordType, targets }) => `${dnsName} ${recordType} ${targets.join(' ')}`,
      ),
    );
  };
  await follow();
  return { ...client, put, follow, instantiate, sets };
}

test('serveApp() publishes what an app asks for, and removes it again', async () => {
  const { instantiate, follow, sets, ask } = await serving();
  await instantiate('web', { www: '192.0.2.1', api: '192.0.2.2' });
  expect(await follow()).toEqual(['www-public', 'api-public']);
  expect(await sets()).toEqual(['api.example.org A 192.0.2.2', 'www.example.org A 192.0.2.1']);
  await instantiate('web', { www: '192.0.2.1' });
  expect(await follow()).toEqual(['api-public']);
  expect(await follow()).toEqual([]);
  await ask('POST', '/v2/projects/shop/apps/web/terminate');
  expect(await follow()).toEqual(['www-public']);
  expect(await sets()).toEqual([]);
});

test('intentWriters() knows the writer of an object for as long as its record sets may have to be deleted', async () => {
  const orders = { 'aws-assume-role': ROLE, 'aws-batch-change-size': 7 };
  const { instantiate, follow, sets, ask, put, ledger, deps } = await serving(orders);
  const writers = intentWriters(ledger, 'test');
  expect(await writers('DNSEndpoint shop/www-public')).toBeNull();
  await instantiate('web', { www: '192.0.2.1' });
  await follow();
  expect(await writers('DNSEndpoint shop/www-public')).toEqual({ role: ROLE, changesMax: 7 });
  expect(await writers('Record shop/www-public')).toBeNull();
  await ask('POST', '/v2/projects/shop/apps/web/terminate');
  expect([await follow(), await follow(), await sets()]).toEqual([['www-public'], [], []]);
  expect(await writers('DNSEndpoint shop/www-public')).toEqual({ role: ROLE, changesMax: 7 });
  const month = { ...deps.state, clock: { nowMs: () => deps.state.clock.nowMs() + 31 * 86_400_000 } };
  await forgetGone(deps.state);
  expect((await ledger.query('intentserved#test')).items).toHaveLength(1);
  await forgetGone(month);
  expect((await ledger.query('intentserved#test')).items).toEqual([]);
  await put({});
  await instantiate('web', { www: '192.0.2.1' });
  await follow();
  expect(await writers('DNSEndpoint shop/www-public')).toBeNull();
});

test('policy upsert-only keeps what is no longer asked for, until the record is put with sync', async () => {
  const { instantiate, follow, sets, ask, put } = await serving({ policy: 'upsert-only' });
  await instantiate('web', { www: '192.0.2.1' });
  await follow();
  await instantiate('web', { www: '2001:db8::1' });
  await follow();
  expect(await sets()).toEqual(['www.example.org AAAA 2001:db8::1', 'www.example.org A 192.0.2.1']);
  await ask('POST', '/v2/projects/shop/apps/web/terminate');
  await follow();
  expect(await sets()).toHaveLength(2);
  await put({});
  expect(await follow()).toEqual(['www-public']);
  expect(await sets()).toEqual([]);
});

test('policy create-only changes no existing record set', async () => {
  const { instantiate, follow, sets } = await serving({ policy: 'create-only' });
  await instantiate('web', { www: '192.0.2.1' });
  await follow();
  await instantiate('web', { www: '192.0.2.9', api: '192.0.2.2' });
  await follow();
  expect(await sets()).toEqual(['api.example.org A 192.0.2.2', 'www.example.org A 192.0.2.1']);
});

test('dry-run creates nothing, and deletes nothing', async () => {
  const { instantiate, follow, sets, put, ask } = await serving();
  await instantiate('web', { www: '192.0.2.1' });
  await follow();
  await put({ 'dry-run': true });
  await instantiate('web', { www: '192.0.2.9', api: '192.0.2.2' });
  await follow();
  await ask('POST', '/v2/projects/shop/apps/web/terminate');
  await follow();
  expect(await sets()).toEqual(['www.example.org A 192.0.2.1']);
});

test('once publishes what the first run finds, and then nothing until the record is put again', async () => {
  const { instantiate, follow, sets, put } = await serving({ once: true });
  await instantiate('web', { www: '192.0.2.1', api: '192.0.2.2' });
  await follow();
  expect(await sets()).toHaveLength(2);
  await instantiate('web', { www: '192.0.2.9' });
  await instantiate('two', { new: '192.0.2.3' });
  await follow();
  expect(await sets()).toEqual(['api.example.org A 192.0.2.2', 'www.example.org A 192.0.2.1']);
  await put({ once: true });
  await follow();
  expect(await sets()).toEqual(['new.example.org A 192.0.2.3', 'www.example.org A 192.0.2.9']);
});

test('once publishes the objects of all apps, even if the run of one app comes first', async () => {
  const { instantiate, follow, followed, sets, put } = await serving({ once: true });
  await instantiate('web', { www: '192.0.2.1' });
  await instantiate('two', { new: '192.0.2.3' });
  await follow();
  await put({ once: true });
  await instantiate('web', { www: '192.0.2.9' });
  await instantiate('two', { new: '192.0.2.4' });
  followed.reverse();
  await follow();
  expect(await sets()).toEqual(['new.example.org A 192.0.2.4', 'www.example.org A 192.0.2.9']);
});

test('once publishes an object once, even if the run that wrote it died before it was counted', async () => {
  const { instantiate, follow, sets, put, ledger, deps } = await serving({ once: true });
  await put({ once: true });
  await follow();
  await instantiate('web', { www: '192.0.2.1' });
  await put({ once: true });
  const published = { partition: 'intentserved#test', isDone: false };
  const dying = {
    ...ledger,
    put: (async (key, ...rest) => {
      if (published.isDone) throw new Error('the run died');
      published.isDone = key.partition === published.partition;
      return ledger.put(key, ...rest);
    }) satisfies typeof ledger.put,
  };
  await expect(serveProject({ ...deps.state, ledger: dying }, 'shop')).rejects.toThrow('the run died');
  expect(await sets()).toEqual(['www.example.org A 192.0.2.1']);
  await follow();
  await instantiate('web', { www: '192.0.2.2' });
  await follow();
  expect(await sets()).toEqual(['www.example.org A 192.0.2.1']);
});

test('once counts a deletion only if it was written', async () => {
  const { instantiate, follow, sets, put, ask, ledger, deps } = await serving({ once: true });
  await instantiate('web', { www: '192.0.2.1' });
  await follow();
  await put({ once: true });
  await ask('POST', '/v2/projects/shop/apps/web/terminate');
  // Another run writes the item at the same moment.
  const state = { ...deps.state, ledger: { ...ledger, remove: async () => false } };
  await serveProject(state, 'shop');
  expect(await sets()).toHaveLength(1);
  await follow();
  expect(await sets()).toEqual([]);
});

test('serveProject() deletes and creates names when a list changes, also after an app was cut off', async () => {
  const { instantiate, follow, followed, sets, ask } = await serving();
  await instantiate('web', { www: '192.0.2.1' });
  // The process that should have done the work died.
  followed.length = 0;
  await ask('PUT', `${CLOUD}/dns-update-record-list`, listBody('public', 'none'));
  expect(await follow()).toEqual(['www-public']);
  await ask('DELETE', `${CLOUD}/dns-update-record-list`);
  await follow();
  expect(await sets()).toEqual([]);
});

/** A state in which another client acts right before the first write of a served item. */
function beforeServed(state: IntentState, act: () => Promise<unknown>): IntentState {
  let isDone = false;
  const put: typeof state.ledger.put = async (key, ...written) => {
    if (key.partition === 'intentserved#test' && !isDone) {
      isDone = true;
      await act();
    }
    return state.ledger.put(key, ...written);
  };
  return { ...state, ledger: { ...state.ledger, put } };
}

test.each(['app', 'project'])('of two runs at once, the older one does not have the last word (%s)', async (which) => {
  const { instantiate, follow, followed, sets, deps } = await serving();
  const run = (state: IntentState) =>
    which === 'app' ? serveApp(state, 'shop', 'web', ['www-public']) : serveProject(state, 'shop');
  for (const first of ['nothing is served', 'something is served']) {
    await instantiate('web', { www: '192.0.2.1' });
    followed.length = 0;
    const slow = beforeServed(deps.state, async () => {
      await instantiate('web', { www: '192.0.2.2' });
      await follow();
    });
    await run(slow);
    expect(await sets(), first).toEqual(['www.example.org A 192.0.2.2']);
  }
});

test.each(['app', 'project'])('of two runs at once, the newer one has the last word (%s)', async (which) => {
  const { instantiate, sets, deps, ledger } = await serving();
  await instantiate('web', { www: '192.0.2.2' });
  const slow = beforeServed(deps.state, async () => {
    // A run that read the app as it was before writes first.
    const set = { dnsName: 'www.example.org', recordType: 'A', recordTTL: 60, targets: ['192.0.2.1'] };
    const item = { record: 'public', revision: '1', parameters: {}, sets: [set] };
    await ledger.put(deps.state.keys.served('shop', 'www-public'), servedCodec.encode(item), null);
  });
  if (which === 'app') await serveApp(slow, 'shop', 'web', ['www-public']);
  else await serveProject(slow, 'shop');
  expect(await sets()).toEqual(['www.example.org A 192.0.2.2']);
});

test('projectsOf() has a project for as long as something of it is published', async () => {
  const { instantiate, follow, followed, sets, ask, deps } = await serving();
  await instantiate('web', { www: '192.0.2.1' });
  await follow();
  await ask('POST', '/v2/projects/shop/apps/web/terminate');
  await ask('DELETE', `${CLOUD}/dns-update-record-list`);
  await ask('DELETE', `${RECORDS}/public`);
  // The processes that should have done the work died, so the sweep has to.
  followed.length = 0;
  expect(await projectsOf(deps.state)).toEqual(['shop']);
  for (const project of await projectsOf(deps.state)) await serveProject(deps.state, project);
  expect([await sets(), await projectsOf(deps.state)]).toEqual([[], []]);
});

test.each(['txt', undefined])('registry %s writes TXT records as external-dns does', async (registry) => {
  const { instantiate, follow, sets } = await serving({
    registry,
    'txt-owner-id': 'me',
    'txt-prefix': '%{record_type}-own.',
  });
  await instantiate('web', { www: '192.0.2.1' });
  await follow();
  expect(await sets()).toEqual([
    'www.example.org A 192.0.2.1',
    'a-own.www.example.org TXT "heritage=external-dns,external-dns/owner=me,external-dns/resource=crd/shop/www-public"',
  ]);
});

test('serveProject() looks at many DNSEndpoints together: the sweep of a large project has 30 seconds', async () => {
  const { instantiate, sets, deps } = await serving();
  const names = Array.from({ length: 200 }, (_, index) => [`s${index}`, '192.0.2.1']);
  await instantiate('web', Object.fromEntries(names));
  let [running, most] = [0, 0];
  const hostedZoneOf = async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    return null;
  };
  const changed = await serveProject({ ...deps.state, hostedZoneOf }, 'shop');
  expect(changed).toEqual(names.map(([name]) => `${name}-public`));
  expect(await sets()).toHaveLength(200);
  expect([most > 10, most < 100]).toEqual([true, true]);
});
