// `zone53 local --context` as a process, with a real API server and kubectl. The tests check the objects, and Route 53
// over DNS.
//
//   ZONE53_DOWN_SECONDS=60   how long the API server is away; default 3
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWithEngine } from '../engines/engines.ts';
import { eventually, read, succeed } from '../engines/kubernetes/apply.ts';
import { contextWorld, type Local, TEAMS } from '../support/context-world.ts';
import { type CommandPlace, zone53 } from '../support/zone53-command.ts';

const DOWN_MS = Number(process.env.ZONE53_DOWN_SECONDS ?? 3) * 1_000;

describeWithEngine(['kube-apiserver', 'etcd'], 'zone53 local --context', () => {
  const world = contextWorld();
  let local: Local;
  const answers = async (name: string): Promise<string> => {
    try {
      return (await local.dns.resolve4(name)).toSorted().join(' ');
    } catch (error) {
      return (error as { code: string }).code;
    }
  };

  beforeAll(async () => {
    await succeed(world.engine, ['apply', '-f', TEAMS]);
    local = await world.startLocal();
  });
  afterAll(async () => {
    await local?.stop();
  });

  it('local publishes the cluster as it is: DNS answers, and every object says so', async () => {
    await eventually(async () => (await answers('build.lab.example.org')) === '203.0.113.7');
    expect(await answers('www.example.org')).toBe('192.0.2.80');
    expect(await answers('anything.shop.example.org')).toBe('198.51.100.20');
    await eventually(async () => (await world.reason('zone/example-org', 'platform', 'Programmed')) === 'Published');
    const wanted = await zone53(world.place(), ['render', '-f', TEAMS, '-o', 'json']);
    const rendered = JSON.parse(wanted.out) as {
      zones: { namespace: string; name: string; hash: string }[];
      records: { namespace: string; name: string; fqdn: string; parent: string }[];
    };
    for (const { namespace, name, fqdn, parent } of rendered.records) {
      const { status, metadata } = await read(world.engine, `record/${name}`, namespace);
      const [parentNamespace, parentName] = parent.split('/');
      expect(status.fqdn).toBe(fqdn);
      expect(metadata.labels?.['kubi.zone/parent-zone']).toBe(`${parentName}.${parentNamespace}`);
      expect(status.conditions.map(({ type, status: is }) => `${type}=${is}`)).toContain('Accepted=True');
    }
    expect((await read(world.engine, 'zone/shop', 'team-a')).status.hash).toBe(
      rendered.zones.find(({ name }) => name === 'shop')?.hash,
    );
    expect(await world.reason('zone/partner', 'team-b', 'Programmed')).toBe('HostedElsewhere');
    // Records were there before their Zones, for a second. What has stood for ten seconds is an Event, and no more.
    const events = () => succeed(world.engine, ['get', 'events', '-A']);
    await eventually(async () => (await events()).includes('record/build '));
    expect(await events()).not.toContain('Warning');
    const columns = await succeed(world.engine, ['get', 'zones,records', '-A']);
    // The heads of both statuses end within 100 columns.
    for (const head of columns.split('\n').filter((line) => line.startsWith('NAMESPACE')))
      expect(head.indexOf('PROGRAMMED') + 'PROGRAMMED'.length).toBeLessThanOrEqual(100);
    expect(columns).toMatch(
      /^team-b +record\.kubi\.zone\/build +True +True +Adopted +Published +build\.lab\.example\.org\. +A +203\.0\.113\.7 +lab\.team-b /m,
    );
    expect(columns).toMatch(
      /^team-a +zone\.kubi\.zone\/shop +True +True +Adopted +Published +shop\.example\.org\. +example-org\.platform /m,
    );
  });

  it('explain works beside it: with its state folder, and without by what the objects say of themselves', async () => {
    const explain = async (place: CommandPlace, state: string) => {
      const argv = ['explain', 'www.example.org', '--context', 'zone53', '--state', state, '-o', 'json'];
      const { code, out, err } = await zone53(place, argv);
      expect([code, err]).toEqual([0, '']);
      return JSON.parse(out);
    };
    const place = world.place();
    const published = {
      objects: [{ object: 'Record platform/www', programmed: { reason: 'Published' } }],
      pending: [],
    };
    const unset = { ...place, env: { ...place.env, AWS_ENDPOINT_URL_ROUTE_53: '' } };
    const beside = await explain(unset, '.zone53/local');
    expect(beside).toMatchObject({ ...published, route53: [{ owner: 'zone53' }], published: [{ type: 'A' }] });
    expect(beside.advice).toBe('Nothing to do: Route 53 has what is desired.');
    const route53 = /^Route 53 +(\S+)/m.exec(local.said())?.[1] ?? '';
    const without = await explain({ ...place, route53 }, 'elsewhere');
    expect(without).toMatchObject({ ...published, route53: [{ owner: 'zone53' }], published: [] });
    expect(without.advice).toBe('Nothing to do: Route 53 has what is desired, as the objects themselves say.');
  });

  // `npm run bench -- kubernetes` measures how fast this is.
  it('local publishes one edit after the other to Route 53, and the last one soon to the status', async () => {
    for (let index = 1; index <= 8; index += 1) {
      await world.record('www', `192.0.2.${index}`);
      await eventually(async () => (await answers('www.example.org')) === `192.0.2.${index}`);
    }
    const { generation } = (await read(world.engine, 'record/www', 'platform')).metadata;
    await eventually(async () => {
      const programmed = await world.condition('record/www', 'platform', 'Programmed');
      return programmed?.observedGeneration === generation && programmed?.reason === 'Published';
    });
  });

  it('an edit that the API server admits and the rules refuse keeps the record set, and says InvalidSpec', async () => {
    await world.record('www', '192.0.2.80');
    const issuers = async () =>
      (await local.dns.resolveCaa('post.example.org').catch(() => [])).map(({ issue }) => issue);
    await world.record('post', '0 issue "one.example"', 'platform', 'CAA');
    await eventually(async () => (await issuers())[0] === 'one.example');
    expect(await world.record('post', '300 issue "two.example"', 'platform', 'CAA')).toMatchObject({ code: 0 });
    await eventually(async () => (await world.reason('record/post', 'platform', 'Accepted')) === 'InvalidSpec');
    expect((await world.condition('record/post', 'platform', 'Accepted'))?.message).toContain('300');
    expect(await issuers()).toEqual(['one.example']);
    await world.record('post', '0 issue "three.example"', 'platform', 'CAA');
    await eventually(async () => (await issuers())[0] === 'three.example');
    await succeed(world.engine, ['delete', 'record/post', '-n', 'platform']);
    await eventually(async () => (await issuers()).length === 0);
  });

  it('local loses nothing while the API server is away', { timeout: 300_000 + DOWN_MS }, async () => {
    const before = await answers('www.example.org');
    await world.record('hasty', '192.0.2.95');
    await world.engine.killApiServer();
    await eventually(() => /Cannot watch/.test(local.said()));
    await sleep(DOWN_MS);
    expect(await answers('www.example.org')).toBe(before);
    await world.engine.startApiServer();
    for (
      let tries = 0;
      tries < 60 && (await world.reason('record/hasty', 'platform', 'Programmed')) !== 'Published';
      tries += 1
    )
      await sleep(1_000);
    expect(await world.reason('record/hasty', 'platform', 'Programmed')).toBe('Published');
    await succeed(world.engine, ['delete', 'record/www', '-n', 'platform']);
    await world.record('back', '192.0.2.90');
    await eventually(async () => (await answers('back.example.org')) === '192.0.2.90');
    await eventually(
      async () =>
        (await answers('www.example.org')) === 'ENODATA' || (await answers('www.example.org')) === 'ENOTFOUND',
    );
    await eventually(async () => (await world.reason('record/back', 'platform', 'Programmed')) === 'Published');
    expect(await answers('build.lab.example.org')).toBe('203.0.113.7');
    expect(local.child.exitCode).toBeNull();
  });

  it('local finds at its start what was changed while it was down', async () => {
    expect(await local.stop()).toBe(0);
    await world.record('back', '192.0.2.91');
    await succeed(world.engine, [
      'label',
      'record/back',
      '-n',
      'platform',
      '--overwrite',
      'kubi.zone/parent-zone=bank.evil',
    ]);
    local = await world.startLocal();
    await eventually(async () => (await answers('back.example.org')) === '192.0.2.91');
    await eventually(async () => (await parentOf('back')) === 'example-org.platform');
  });
  const parentOf = async (name: string) =>
    (await read(world.engine, `record/${name}`, 'platform')).metadata.labels?.['kubi.zone/parent-zone'];

  it('local corrects a forged label, status or serial, and then leaves the object alone', async () => {
    const standing = await read(world.engine, 'zone/shop', 'team-a');
    const patch = (what: string, namespace: string, status: object, ...args: string[]) =>
      succeed(world.engine, ['patch', what, '-n', namespace, '--type=merge', '-p', JSON.stringify(status), ...args]);
    await patch('record/back', 'platform', { metadata: { labels: { 'kubi.zone/parent-zone': 'bank.evil' } } });
    await eventually(async () => (await parentOf('back')) === 'example-org.platform');
    await patch(
      'record/back',
      'platform',
      { status: { fqdn: 'bank.example.', conditions: [] } },
      '--subresource=status',
    );
    await eventually(
      async () => (await read(world.engine, 'record/back', 'platform')).status.fqdn === 'back.example.org.',
    );
    await eventually(async () => (await world.reason('record/back', 'platform', 'Programmed')) === 'Published');
    await patch('zone/shop', 'team-a', { status: { serial: 1, hash: 'v1:0', entries: [] } }, '--subresource=status');
    await eventually(async () => (await read(world.engine, 'zone/shop', 'team-a')).status.serial !== 1);
    const healed = await read(world.engine, 'zone/shop', 'team-a');
    expect(healed.status).toEqual(standing.status);
    await sleep(1_000);
    expect((await read(world.engine, 'zone/shop', 'team-a')).metadata.resourceVersion).toBe(
      healed.metadata.resourceVersion,
    );
  });

  it('local with a webhook, and without the right to watch, learns of every change', async () => {
    await local.stop();
    const rule = (resources: string, verbs: string) => ['--resource', resources, '--verb', verbs];
    const [all, statuses] = ['zones.kubi.zone,records.kubi.zone', 'zones.kubi.zone/status,records.kubi.zone/status'];
    await succeed(world.engine, ['create', 'clusterrole', 'no-watch', ...rule(all, 'get,list,patch')]);
    await succeed(world.engine, ['create', 'clusterrole', 'no-watch-status', ...rule(statuses, 'patch')]);
    await succeed(world.engine, [
      'create',
      'clusterrole',
      'no-watch-events',
      ...rule('events.events.k8s.io', 'create,patch'),
    ]);
    await succeed(world.engine, [
      'create',
      'clusterrole',
      'no-watch-crds',
      ...rule('customresourcedefinitions.apiextensions.k8s.io', 'get'),
    ]);
    for (const role of ['no-watch', 'no-watch-status', 'no-watch-events', 'no-watch-crds'])
      await succeed(world.engine, ['create', 'clusterrolebinding', role, `--clusterrole=${role}`, '--user=tenant']);
    local = await world.startLocal('tenant', '--webhook-port', '0');
    await eventually(() => /Cannot watch records.*403.*missing RBAC rule.*verbs: \[watch\]/.test(local.said()));
    const file = /^Webhook +https:\/\/127\.0\.0\.1:\d+ +kubectl apply -f (\S+)/m.exec(local.said())?.[1];
    await succeed(world.engine, ['apply', '-f', path.join(world.folder, file ?? '')]);
    // An API server takes up to a second to use a new webhook. The first answer shows that it does.
    let last = 0;
    await eventually(async () => {
      last += 1;
      await world.record('hooked', `192.0.2.${last}`);
      await sleep(300);
      return /^192\.0\.2\.\d+$/.test(await answers('hooked.example.org'));
    });
    await world.record('hooked', '192.0.2.250');
    await eventually(async () => (await answers('hooked.example.org')) === '192.0.2.250');
    await eventually(async () => (await world.reason('record/hooked', 'platform', 'Programmed')) === 'Published');
    await succeed(world.engine, ['delete', 'record/hooked', '-n', 'platform']);
    await eventually(async () => (await answers('hooked.example.org')) === 'ENOTFOUND');
    // A webhook that does not answer blocks no write.
    await local.stop();
    expect(await world.record('unhooked', '192.0.2.251')).toMatchObject({ code: 0 });
    await succeed(world.engine, ['delete', 'validatingwebhookconfiguration', 'zone53-local']);
    local = await world.startLocal();
    await eventually(async () => (await answers('unhooked.example.org')) === '192.0.2.251');
  });

  it('a validating webhook refuses only what the rules refuse, with their messages', async () => {
    await local.stop();
    local = await world.startLocal('zone53', '--webhook-port', '0', '--webhook-validate');
    const file = /^Webhook .*kubectl apply -f (\S+)/m.exec(local.said())?.[1];
    await succeed(world.engine, ['apply', '-f', path.join(world.folder, file ?? '')]);
    const denied = (name: string) => world.record(name, '192.0.2.1', 'default');
    let refusal = '';
    await eventually(async () => {
      const { code, stderr } = await denied('stolen');
      if (code === 0) await succeed(world.engine, ['delete', 'record/stolen', '-n', 'default']);
      refusal = stderr;
      return code !== 0;
    });
    expect(refusal).toMatch(/denied the request: DelegationDenied: .*does not delegate stolen\.example\.org\./);
    expect(await world.record('right', '192.0.2.30')).toMatchObject({ code: 0 });
    await eventually(async () => (await answers('right.example.org')) === '192.0.2.30');
    await local.stop();
    await succeed(world.engine, ['delete', 'validatingwebhookconfiguration', 'zone53-local']);
    local = await world.startLocal();
  });
});
