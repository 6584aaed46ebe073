// Sources of the configuration on a real API server, with a CRD of our own and with the rights that
// `manifests-for-cluster` gives and no more: `zone53 local --context` publishes the names of the objects, follows them
// and their related Services by the watch and by polling, and reports by Events.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ClusterOutput } from '../../cli/print/output.ts';
import { describeWithEngine } from '../engines/engines.ts';
import { apply, eventually, read, succeed } from '../engines/kubernetes/apply.ts';
import { contextWorld, type Local } from '../support/context-world.ts';
import { zone53 } from '../support/zone53-command.ts';

const WAIT_MS = 120_000;
const CONFIG = `
sources:
  custom:
    - key: widgets
      group: test.example.com
      version: v1
      resource: widgets
      kind: Widget
      names: object.spec.?hosts.orValue([])
      targets: object.status.?addresses.orValue([])
      ttl: object.spec.?ttl.orValue(60)
    - key: fronts
      group: test.example.com
      version: v1
      resource: widgets
      kind: Widget
      names: object.spec.?fronts.orValue([])
      targets: related.spec.?externalIPs.orValue([])
      ttl: 30
      related: { resource: services, name: object.spec.?service }
`;
const ANYTHING = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const CRD = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.test.example.com' },
  spec: {
    group: 'test.example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget' },
    versions: [
      {
        ...{ name: 'v1', served: true, storage: true, subresources: { status: {} } },
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: ANYTHING, status: ANYTHING } } },
      },
    ],
  },
};

type Told = {
  readonly type: string;
  readonly reason: string;
  readonly note: string;
  readonly regarding: { readonly apiVersion: string; readonly kind: string; readonly name: string };
};

describeWithEngine(['kube-apiserver', 'etcd'], 'sources of the configuration on a real API server', () => {
  const world = contextWorld();
  let local: Local | null = null;

  const put = (object: object) => succeed(world.engine, ['apply', '-f', '-'], JSON.stringify(object));
  const widget = (name: string, spec: object) =>
    put({ apiVersion: 'test.example.com/v1', kind: 'Widget', metadata: { name, namespace: 'team' }, spec });
  const addresses = (name: string, ...all: readonly string[]) => {
    const patch = JSON.stringify({ status: { addresses: all } });
    const what = ['patch', `widget/${name}`, '-n', 'team', '--subresource=status', '--type=merge'];
    return succeed(world.engine, [...what, '-p', patch]);
  };
  const service = (...externalIPs: readonly string[]) =>
    put({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'edge', namespace: 'team' },
      spec: { ports: [{ port: 80 }], externalIPs },
    });
  const remove = (what: string) => succeed(world.engine, ['delete', what, '-n', 'team']);
  const answers = async (host: string): Promise<string> => {
    try {
      const found = (await local?.dns.resolve4(`${host}.example.org`, { ttl: true })) ?? [];
      return found
        .map(({ address, ttl }) => `${address} ${ttl}`)
        .toSorted()
        .join(', ');
    } catch (error) {
      return (error as { code: string }).code;
    }
  };
  /** Waits until DNS has these addresses with their TTLs; without any, until the name is gone. */
  const until = async (host: string, ...expected: readonly string[]) => {
    const isThere = async () => {
      const has = await answers(host);
      return expected.length === 0 ? ['ENOTFOUND', 'ENODATA'].includes(has) : has === expected.join(', ');
    };
    await eventually(isThere, WAIT_MS).catch(async () => {
      throw new Error(`${host} is ${await answers(host)}, not ${expected.join(', ')}:\n${local?.said()}`);
    });
  };
  const may = async (verb: string, what: string) =>
    (await world.engine.kubectl(['auth', 'can-i', verb, what, '-A'], { context: 'zone53' })).code === 0;
  const told = async (name: string): Promise<readonly Told[]> => {
    const list = await succeed(world.engine, ['get', 'events.events.k8s.io', '-n', 'team', '-o', 'json']);
    const { items } = JSON.parse(list) as { readonly items: readonly Told[] };
    return items.filter(({ regarding }) => regarding.name === name);
  };

  beforeAll(async () => {
    await put(CRD);
    await eventually(async () => (await world.engine.kubectl(['get', 'widgets', '-A'])).code === 0, WAIT_MS);
    await succeed(world.engine, ['create', 'namespace', 'team']);
    await apply(world.engine, [
      {
        kind: 'Zone',
        name: 'example',
        spec: { domainName: 'example.org.', delegations: [{ namespaces: ['team'], records: [{ pattern: '*' }] }] },
      },
    ]);
    await widget('one', { hosts: ['a.example.org', 'b.example.org'] });
    await addresses('one', '192.0.2.1');
    // So many names that the guard lets the deletes of these tests pass.
    await widget('many', { hosts: Array.from({ length: 30 }, (_, index) => `m${index}.example.org`) });
    await addresses('many', '192.0.2.99');
    writeFileSync(path.join(world.folder, 'zone53.yaml'), CONFIG);
  });
  afterAll(async () => {
    await local?.stop();
  });

  it('manifests-for-cluster gives the right to read them, and no other right', async () => {
    expect([await may('list', 'widgets.test.example.com'), await may('list', 'services')]).toEqual([false, false]);
    const rbac = await zone53(world.place(), ['manifests-for-cluster', '--print', 'rbac']);
    expect(rbac.code, rbac.err).toBe(0);
    await succeed(world.engine, ['apply', '-f', '-'], rbac.out);
    await eventually(
      async () => (await may('list', 'widgets.test.example.com')) && (await may('list', 'services')),
      WAIT_MS,
    );
    for (const verb of ['get', 'watch'])
      expect([verb, await may(verb, 'widgets.test.example.com'), await may(verb, 'services')]).toEqual([
        verb,
        true,
        true,
      ]);
    for (const verb of ['create', 'update', 'patch', 'delete'])
      expect([verb, await may(verb, 'widgets.test.example.com'), await may(verb, 'services')]).toEqual([
        verb,
        false,
        false,
      ]);
  });

  it('local publishes the names of the objects that are there', async () => {
    local = await world.startLocal();
    await until('a', '192.0.2.1 60');
    await until('b', '192.0.2.1 60');
  });

  it('a new object, an edit of its spec or status, and a delete follow by the watch', async () => {
    await widget('two', { hosts: ['c.example.org'], ttl: '90s' });
    await addresses('two', '192.0.2.2');
    await until('c', '192.0.2.2 90');
    await addresses('two', '192.0.2.3', '192.0.2.4');
    await until('c', '192.0.2.3 90', '192.0.2.4 90');
    await widget('two', { hosts: ['d.example.org'], ttl: 120 });
    await until('d', '192.0.2.3 120', '192.0.2.4 120');
    await until('c');
    await remove('widget/two');
    await until('d');
    expect(await answers('a')).toBe('192.0.2.1 60');
  });

  it('a change of the related Service follows by the watch', async () => {
    await widget('three', { fronts: ['f.example.org'], service: 'edge' });
    await service('192.0.2.5');
    await until('f', '192.0.2.5 30');
    await service('192.0.2.6');
    await until('f', '192.0.2.6 30');
  });

  it('an Event about the object says what it came to, and nothing is written into the object', async () => {
    await eventually(async () => (await told('one')).some(({ reason }) => reason === 'Published'), WAIT_MS);
    // The first Event has both conditions, unless Route 53 took longer than the first report.
    expect((await told('one')).map(({ reason, note }) => `${reason}: ${note}`).join('\n')).toContain('Adopted: ');
    for (const { regarding, type } of await told('one')) {
      expect(regarding).toMatchObject({ apiVersion: 'test.example.com/v1', kind: 'Widget' });
      expect(type).toBe('Normal');
    }
    const { metadata } = await read(world.engine, 'widget/one', 'team');
    expect(metadata.managedFields.map(({ manager }) => manager.replace(/-.*/, ''))).toEqual(['kubectl', 'kubectl']);
    expect(metadata.labels).toBeUndefined();
  });

  it('an expression that fails keeps what is published, and an Event says why', async () => {
    await widget('one', { hosts: 5 });
    await eventually(async () => (await told('one')).some(({ reason }) => reason === 'InvalidSpec'), WAIT_MS);
    const [event] = (await told('one')).filter(({ reason }) => reason === 'InvalidSpec');
    expect(event).toMatchObject({ type: 'Warning', note: expect.stringContaining('names of the source widgets') });
    expect([await answers('a'), await answers('b')]).toEqual(['192.0.2.1 60', '192.0.2.1 60']);
    await widget('one', { hosts: ['a.example.org'] });
    await until('b');
    expect(await answers('a')).toBe('192.0.2.1 60');
  });

  it('render reads them with the same rights', async () => {
    const { code, out, err } = await zone53(world.place(), ['render', '--context', 'zone53', '-o', 'json']);
    expect(code, err).toBe(0);
    const { sources } = JSON.parse(out) as ClusterOutput;
    expect(
      sources.flatMap(({ kind, namespace, name, endpoints }) =>
        name === 'many' ? [] : endpoints.map(({ fqdn, values }) => `${kind} ${namespace}/${name} ${fqdn} ${values}`),
      ),
    ).toEqual([
      'Custom fronts team/three f.example.org. 192.0.2.6',
      'Custom widgets team/one a.example.org. 192.0.2.1',
    ]);
  });

  it('polling finds the same changes without a watch', async () => {
    expect(await local?.stop()).toBe(0);
    local = await world.startLocal('zone53', '--poll', '1s');
    await until('a', '192.0.2.1 60');
    await addresses('one', '192.0.2.7');
    await until('a', '192.0.2.7 60');
    await widget('four', { hosts: ['e.example.org'] });
    await addresses('four', '192.0.2.8');
    await until('e', '192.0.2.8 60');
    await service('192.0.2.9');
    await until('f', '192.0.2.9 30');
    await remove('widget/four');
    await until('e');
    expect(local.said()).toContain('asked every 1 s');
    expect(local.said()).not.toContain('Cannot watch');
    expect(local.said()).not.toContain('missing RBAC');
  });
});
