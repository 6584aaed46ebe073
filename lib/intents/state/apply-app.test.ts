import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memoryCentralCluster } from '../../../test/fakes/memory-central-cluster.ts';
import {
  appOf,
  CLOUD,
  CLUSTER,
  intentClient,
  listBody,
  RECORDS,
  recordBody,
} from '../../../test/support/intent-client.ts';
import type { CentralCluster } from '../../ports/central-cluster.ts';
import { applyApp } from './apply-app.ts';
import { applyProject } from './apply-project.ts';
import { follower } from './follow.ts';

const DNS_ENDPOINT = { apiVersion: 'externaldns.k8s.io/v1alpha1', kind: 'DNSEndpoint', namespace: 'shop' };

/** An API whose central cluster follows app by app. */
async function following() {
  const client = intentClient();
  const { ask, deps, followed } = client;
  const central = memoryCentralCluster();
  const said: string[] = [];
  const background = follower(deps.state, central.port, (_, message) => void said.push(message));
  const follow = async () => {
    for (const changed of followed.splice(0)) {
      if (changed.kind === 'app') background.askApp(changed);
      else background.askProject(changed.kind === 'cluster' ? null : changed.project);
    }
    await background.idle();
  };
  for (const [name, provider] of [
    ['public', 'aws'],
    ['dyn', 'coredns'],
    ['inside', 'coredns'],
  ] as const)
    await ask('POST', RECORDS, recordBody(name, provider));
  await ask('POST', CLOUD, listBody('public', 'dyn'));
  await ask('POST', CLUSTER, listBody('inside'));
  await follow();
  const post = (app: string, verb: string, body?: object) => ask('POST', `/v2/projects/shop/apps/${app}/${verb}`, body);
  return { ...client, central, said, follow, post };
}

/** The objects that a run of the whole project makes from nothing. */
async function fromScratch({ deps }: Awaited<ReturnType<typeof following>>) {
  const central = memoryCentralCluster();
  await applyProject(deps.state, central.port, 'shop');
  return central.objects();
}

const services = fc.uniqueArray(fc.constantFrom('s1', 's2', 's3'), { maxLength: 3 });
const step = fc.record({
  app: fc.constantFrom('a', 'b'),
  version: fc.constantFrom('v1', 'v2'),
  services: fc.option(services, { freq: 3 }),
  address: fc.constantFrom('192.0.2.1', '192.0.2.2'),
  cluster: fc.boolean(),
});

test('applyApp() for each app gives the same objects as a run of the whole project from nothing', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const world = await following();
      for (const { app, version, services: names, address, cluster } of steps) {
        const addresses = cluster ? { clusterAddresses: ['10.0.0.1'] } : {};
        const own = Object.fromEntries(
          (names ?? []).map((name) => [`${name}-${app}`, { publicAddresses: [address], ...addresses }]),
        );
        if (names === null) await world.post(app, 'terminate');
        else await world.post(app, 'instantiate', appOf(own, { version }));
        await world.follow();
        expect(world.central.objects()).toEqual(await fromScratch(world));
      }
    }),
    { numRuns: 40 },
  );
});

test('applyApp() costs the same for an app, however many other apps there are', async () => {
  const { post, follow, central } = await following();
  const one = async (index: number) => {
    await post(`a${index}`, 'instantiate', appOf({ [`s${index}`]: { publicAddresses: ['192.0.2.1'] } }));
    central.take();
    await follow();
    return central.take();
  };
  const costs: number[] = [];
  for (let index = 0; index < 60; index += 1) costs.push(await one(index));
  expect(costs[59]).toBe(costs[1]);
});

test('applyApp() leaves a foreign object alone, and says so', async () => {
  const { post, follow, central, said } = await following();
  const theirs = { metadata: { name: 's-dyn' }, spec: { endpoints: [] } };
  central.put({ ...DNS_ENDPOINT, name: 's-dyn' }, theirs);
  await post('a', 'instantiate', appOf({ s: { publicAddresses: ['192.0.2.1'] } }));
  await follow();
  await post('a', 'instantiate', appOf({ s: { publicAddresses: ['192.0.2.2'] } }));
  await follow();
  expect(central.objects().get('DNSEndpoint shop/s-dyn')).toMatchObject({ spec: { endpoints: [] } });
  expect(said.at(-1)).toContain('DNSEndpoint shop/s-dyn was created by somebody else and is left unchanged');
});

test('applyApp() completes what a call left that was cut off, when the same call comes again', async () => {
  const { post, follow, central, followed } = await following();
  const both = appOf({ s: { publicAddresses: ['192.0.2.1'] }, t: { publicAddresses: ['192.0.2.2'] } });
  await post('a', 'instantiate', both);
  await follow();
  const fewer = appOf({ s: { publicAddresses: ['192.0.2.1'] } });
  await post('a', 'instantiate', fewer);
  followed.splice(0);
  expect(central.objects().has('DNSEndpoint shop/t-dyn')).toBe(true);
  await post('a', 'instantiate', fewer);
  await follow();
  expect(central.objects().has('DNSEndpoint shop/t-dyn')).toBe(false);
  await post('a', 'terminate');
  followed.splice(0);
  expect((await post('a', 'terminate')).status).toBe(404);
  await follow();
  expect(central.objects().size).toBe(0);
});

/** A central cluster in which other processes act right before one of its calls, once. */
function before(central: CentralCluster, call: 'list' | 'look' | 'apply' | 'remove', act: () => Promise<unknown>) {
  let isDone = false;
  const first =
    <Asked extends readonly unknown[], Told>(method: (...asked: Asked) => Promise<Told>) =>
    async (...asked: Asked): Promise<Told> => {
      if (!isDone) {
        isDone = true;
        await act();
      }
      return method(...asked);
    };
  const { look, list, apply, remove } = central;
  switch (call) {
    case 'look':
      return { ...central, look: first(look) };
    case 'list':
      return { ...central, list: first(list) };
    case 'apply':
      return { ...central, apply: first(apply) };
    case 'remove':
      return { ...central, remove: first(remove) };
  }
}

const at = (address: string) => appOf({ s: { publicAddresses: [address] } });

test.each([
  ['list', 'project'],
  ['look', 'project'],
  ['apply', 'project'],
  ['look', 'app'],
  ['apply', 'app'],
] as const)(
  'of two processes at once, the older one does not have the last word (before %s, %s)',
  async (call, run) => {
    const world = await following();
    const { post, follow, central, deps, followed } = world;
    await post('a', 'instantiate', at('192.0.2.1'));
    followed.length = 0;
    const newer = async () => {
      await post('a', 'instantiate', at('192.0.2.2'));
      await post('b', 'instantiate', appOf({ t: { publicAddresses: ['192.0.2.3'] } }));
      await follow();
    };
    const slow = before(central.port, call, newer);
    const task = { project: 'shop', app: 'a', objects: ['s-public', 's-dyn'], records: ['public', 'dyn'] };
    if (run === 'app') await applyApp(deps.state, slow, task);
    else await applyProject(deps.state, slow, 'shop');
    expect(central.objects()).toEqual(await fromScratch(world));
  },
);

test('an app that is instantiated again while another process removes its objects keeps them', async () => {
  const world = await following();
  const { post, follow, central, deps, followed } = world;
  for (const run of ['app', 'project']) {
    await post('a', 'instantiate', at('192.0.2.1'));
    await follow();
    await post('a', 'terminate');
    followed.length = 0;
    const slow = before(central.port, 'remove', async () => {
      await post('a', 'instantiate', at('192.0.2.1'));
      await follow();
    });
    const task = { project: 'shop', app: 'a', objects: ['s-public', 's-dyn'], records: ['public', 'dyn'] };
    if (run === 'app') await applyApp(deps.state, slow, task);
    else await applyProject(deps.state, slow, 'shop');
    expect(central.objects(), run).toEqual(await fromScratch(world));
  }
});

test('a service that names its TTL no more has none in its DNSEndpoint', async () => {
  const world = await following();
  const { services, ...app } = appOf({ www: { publicAddresses: ['192.0.2.1'] } }) as { services: { ttl?: number }[] };
  await world.post('web', 'instantiate', { ...app, services });
  await world.follow();
  await world.post('web', 'instantiate', { ...app, services: services.map(({ ttl: _, ...service }) => service) });
  await world.follow();
  expect(world.central.objects()).toEqual(await fromScratch(world));
});
