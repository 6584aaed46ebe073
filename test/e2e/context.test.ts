// `zone53 render`, `plan` and `apply --context` on a real API server, and `local` before it serves: which user they
// sign in as, what they refuse, and what they write to the objects and to Route 53.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { openStateFolder } from '../../lib/adapters/ledger/state-folder.ts';
import { route53Client } from '../../lib/adapters/route53/route53-client.ts';
import { openLocalRoute53 } from '../../local/route53/api/open-local-route53.ts';
import { selfSigned } from '../../local/self-signed-certificate.ts';
import { describeWithEngine } from '../engines/engines.ts';
import { apply, applyCrds, deleteCrds, eventually, read, succeed } from '../engines/kubernetes/apply.ts';
import type { KubernetesEngine } from '../engines/kubernetes/start.ts';
import { contextWorld, serves, TEAMS } from '../support/context-world.ts';
import { appliedOf, type CommandPlace, plannedOf, zone53 } from '../support/zone53-command.ts';

describeWithEngine(['kube-apiserver', 'etcd'], 'zone53 --context', () => {
  const world = contextWorld();
  let route53 = 'http://127.0.0.1:9';
  const place = (): CommandPlace => ({ ...world.place(), route53 });
  const run = (...argv: string[]) => zone53(place(), argv);

  it('plan names a missing context, a user without rights, and an unknown user', async () => {
    const missing = await run('plan', '--context', 'nowhere');
    expect(missing).toMatchObject({ code: 1, out: '' });
    expect(missing.err).toMatch(/Cannot find context "nowhere" in the kubeconfig: it has admin, zone53, tenant/);
    expect((await run('plan', '--context', 'tenant')).err).toMatch(/403.*missing RBAC rule.*resources: \[zones\]/s);
    expect((await run('plan', '--context', 'expired')).err).toMatch(/401/);
  });

  it('render impersonates the user and groups of the kubeconfig, and a refusal names that user', async () => {
    const as = async (user: object) => {
      const config = parse(readFileSync(world.engine.kubeconfig, 'utf8'));
      config.users.push({ name: 'other', user });
      config.contexts.push({ name: 'other', context: { cluster: 'test', user: 'other' } });
      const file = path.join(world.folder, 'impersonates');
      writeFileSync(file, stringify(config), { mode: 0o600 });
      // As with kubectl, a missing file is not an error.
      const env = { KUBECONFIG: [path.join(world.folder, 'nowhere'), file].join(path.delimiter) };
      return zone53({ ...place(), env }, ['render', '--context', 'other', '-o', 'json']);
    };
    expect(await as({ token: 'admin-token', as: 'anybody', 'as-groups': ['zone53'] })).toMatchObject({ code: 0 });
    expect((await as({ token: 'admin-token', as: 'anybody', 'as-groups': ['others'] })).err).toMatch(
      /403: .*User "anybody" cannot list.*; asked by user "other" of the kubeconfig, as anybody, group others \(missing RBAC/,
    );
    expect((await as({ token: 'tenant-token', as: 'anybody' })).err).toMatch(
      /403: .*"tenant" cannot impersonate.*missing RBAC rule: { apiGroups: \[""\], resources: \[users\], verbs: \[impersonate\] }/,
    );
  });

  it('local waits for an API server that is just starting', async () => {
    await world.engine.killApiServer();
    const local = world.beginLocal('zone53');
    await eventually(() => local.said().includes('waiting for the API server: '));
    await world.engine.startApiServer();
    await eventually(() => serves(local));
    expect(await local.stop()).toBe(0);
  });

  it('render shows what the rules make of the cluster, and writes nothing', async () => {
    await apply(world.engine, [
      { kind: 'Zone', name: 'shown', namespace: 'default', spec: { domainName: 'shown.example.' } },
    ]);
    const { code, out } = await run('render', '--context', 'zone53', '-o', 'json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ zones: [{ name: 'shown', fqdn: 'shown.example.' }], errors: [] });
    expect((await read(world.engine, 'zone/shown', 'default')).status).toBeUndefined();
    await succeed(world.engine, ['delete', 'zone/shown', '-n', 'default']);
  });

  it('plan and apply read the cluster, and the statuses say what was published', async () => {
    const own = await openLocalRoute53(path.join(world.folder, 'own.json'), 0);
    const client = route53Client({
      endpoint: own.url,
      region: 'us-east-1',
      credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    });
    try {
      route53 = own.url;
      const { CreateHostedZoneCommand } = await import('@aws-sdk/client-route-53');
      await client.send(new CreateHostedZoneCommand({ Name: 'example.org.', CallerReference: 'one' }));
      await succeed(world.engine, ['apply', '-f', TEAMS]);
      const planned = await run('plan', '--context', 'zone53', '--detailed-exitcode', '-o', 'json');
      // Two namespaces have Zones, and no roots are configured: that is the only warning.
      expect(planned).toMatchObject({
        code: 2,
        // A command that runs slowly prints what it is doing.
        err: expect.stringMatching(/^(reading [^\n]*\n)*warn[^\n]*no roots are configured[^\n]*\n$/),
      });
      expect(plannedOf(planned).hostedZones.map(({ name }) => name)).toEqual(['example.org.']);
      expect(await world.reason('record/www', 'platform', 'Accepted'), 'plan writes nothing').toBeUndefined();
      const applied = await run('apply', '--context', 'zone53', '--yes', '-o', 'json');
      expect(appliedOf(applied)?.hostedZones[0]?.changes.every(({ outcome }) => outcome === 'published')).toBe(true);
      expect(await world.reason('record/www', 'platform', 'Programmed')).toBe('Published');
      expect(await world.reason('record/build', 'team-b', 'Programmed')).toBe('Published');
      const manifests = await succeed(world.engine, ['get', 'zones,records', '-A', '-o', 'yaml']);
      const rendered = await zone53(place(), ['render', '-f', '-', '-o', 'json', '--strict'], manifests);
      expect(rendered).toMatchObject({ code: 0, err: '' });
      const again = await run('plan', '--context', 'zone53', '--detailed-exitcode', '-o', 'json');
      expect(again.code, again.out).toBe(0);
    } finally {
      client.destroy();
      await own.close();
    }
  });

  it('another cluster with the same id changes nothing, until it is said that it was built anew', async () => {
    const own = await openLocalRoute53(path.join(world.folder, 'own.json'), 0);
    route53 = own.url;
    const standing = () => JSON.stringify(own.state.zones().map(({ recordSets }) => [...recordSets]));
    const before = standing();
    const uid = await succeed(world.engine, ['get', 'namespace', 'kube-system', '-o', 'jsonpath={.metadata.uid}']);
    const of = { partition: 'clusters', sort: 'default' };
    const { ledger, close } = await openStateFolder(path.join(world.folder, '.zone53'));
    const { revision = '', body = {} } = (await ledger.get(of)) ?? {};
    expect(body).toMatchObject({ uid, readMs: expect.any(Number) });
    await ledger.put(of, { ...body, uid: 'that-of-the-first' }, revision);
    await close();
    await succeed(world.engine, ['delete', 'record/www', '-n', 'platform']);
    try {
      for (const command of [['plan'], ['apply', '--yes']]) {
        const { code, err } = await run(...command, '--context', 'zone53');
        expect([code, err]).toEqual([1, expect.stringContaining(`the uid ${uid}, and the ledger knows that-of-the-f`)]);
        expect(err).toContain('run "zone53 clusters rebuilt default"');
      }
      expect(standing()).toBe(before);
      expect(await run('clusters', 'rebuilt', 'default')).toMatchObject({ code: 0 });
      expect(await run('apply', '--context', 'zone53', '--yes')).toMatchObject({ code: 0 });
      expect(standing()).not.toBe(before);
      await succeed(world.engine, ['apply', '-f', TEAMS]);
      expect(await run('apply', '--context', 'zone53', '--yes')).toMatchObject({ code: 0 });
    } finally {
      await own.close();
    }
  });

  it('apply says why it cannot read the cluster, and writes nothing', async () => {
    const own = await openLocalRoute53(path.join(world.folder, 'own.json'), 0);
    route53 = own.url;
    const standing = () => own.state.zones().flatMap(({ recordSets }) => recordSets);
    const before = standing();
    expect(before.length).toBeGreaterThan(10);
    const refused = async (said: RegExp, context = 'zone53', env: CommandPlace['env'] = {}) => {
      const at = { ...place(), env: { ...place().env, ...env } };
      const ran = await zone53(at, ['apply', '--context', context, '--yes', '-o', 'json']);
      expect(ran).toMatchObject({ code: 1, out: '' });
      expect(ran.err).toMatch(said);
      expect(standing()).toEqual(before);
    };
    try {
      await refused(
        /403.*missing RBAC rule: { apiGroups: \[kubi\.zone\], resources: \[zones\], verbs: \[list\] }/,
        'tenant',
      );
      await refused(/401.*the token has expired or is not known to this server/, 'expired');
      await refused(/certificate authority in the kubeconfig or configuration is not the one/, 'zone53', {
        KUBECONFIG: kubeconfigOfAnotherCa(world.engine, world.folder),
      });
      await world.engine.killApiServer();
      await refused(/Cannot list zones at https:.*ECONNREFUSED/);
      await world.engine.startApiServer();
      await deleteCrds(world.engine, 'crd/records.kubi.zone');
      await refused(/404.*kubectl apply -f crds\//);
      await applyCrds(world.engine);
      await succeed(world.engine, ['apply', '-f', TEAMS]);
      const planned = await run('plan', '--context', 'zone53', '--detailed-exitcode', '-o', 'json');
      expect(planned.code, planned.out).toBe(0);
    } finally {
      await own.close();
    }
  });
});

/** A kubeconfig whose certificate authority did not sign the server's certificate. */
function kubeconfigOfAnotherCa(engine: KubernetesEngine, folder: string): string {
  const config = parse(readFileSync(engine.kubeconfig, 'utf8'));
  const other = selfSigned('127.0.0.1', Date.now()).cert;
  config.clusters[0].cluster['certificate-authority-data'] = Buffer.from(other).toString('base64');
  const file = path.join(folder, 'another-ca');
  writeFileSync(file, stringify(config), { mode: 0o600 });
  return file;
}
