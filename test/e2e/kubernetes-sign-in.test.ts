// How the Kubernetes adapter signs in to a real API server, and its messages where it has no right.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bearerIdentity } from '../../lib/adapters/kubernetes/access/bearer-identity.ts';
import { kubeconfigTransport } from '../../lib/adapters/kubernetes/http/kubeconfig-transport.ts';
import { kubernetesTransport } from '../../lib/adapters/kubernetes/http/transport.ts';
import { listAll } from '../../lib/adapters/kubernetes/list-objects.ts';
import type { Condition } from '../../lib/objects/conditions.ts';
import { ZONE_KIND } from '../../lib/objects/kind.ts';
import { describeWithEngine } from '../engines/engines.ts';
import { eventually, succeed } from '../engines/kubernetes/apply.ts';
import { type ClusterWorld, FQDN, makeReady, startClusterWorld, WWW } from '../support/cluster-world.ts';

const INVALID: Condition = {
  type: 'Accepted',
  status: 'False',
  reason: 'InvalidSpec',
  message: 'no',
  observedGeneration: 1,
};

describeWithEngine(['kube-apiserver', 'etcd'], 'kubernetesCluster() signs in', () => {
  let world: ClusterWorld;
  beforeAll(async () => {
    world = await startClusterWorld();
    await makeReady(world);
  });
  afterAll(() => world?.close());

  it('by an exec plugin', async () => {
    expect(await world.open('exec').cluster.get(WWW, null)).toMatchObject({ kind: 'present' });
  });

  it('by a bearer token, and asks for a new one after a 401', async () => {
    const tokens = ['expired-token', 'zone53-token'];
    const access = bearerIdentity({
      server: world.engine.url,
      certificateAuthority: world.engine.ca,
      token: async () => tokens.shift() ?? 'zone53-token',
    });
    const transport = kubernetesTransport({ access });
    const bearer = world.over(transport);
    expect(await bearer.get(WWW, null)).toMatchObject({ kind: 'present' });
    expect(transport.requests.count).toBe(2);
  });

  it('not with a token that is no longer known, and says so', async () => {
    await expect(world.open('expired').cluster.list()).rejects.toThrow(
      'the token has expired or is not known to this server',
    );
  });

  it('with a kubeconfig that was renewed meanwhile', async () => {
    const file = path.join(path.dirname(world.engine.kubeconfig), 'renewed');
    writeFileSync(file, readFileSync(world.engine.kubeconfig, 'utf8').replace('zone53-token', 'old-token'));
    const transport = kubeconfigTransport('zone53', file);
    const renewed = world.over(transport);
    await expect(renewed.get(WWW, null)).rejects.toThrow('401');
    writeFileSync(file, readFileSync(world.engine.kubeconfig, 'utf8'));
    expect(await renewed.get(WWW, null)).toMatchObject({ kind: 'present' });
  });

  it('not with the wrong certificate authority, and says so', async () => {
    const access = bearerIdentity({
      server: world.engine.url,
      certificateAuthority: null,
      token: async () => 'zone53-token',
    });
    const transport = kubernetesTransport({ access });
    world.over(transport);
    await expect(listAll(transport, ZONE_KIND)).rejects.toThrow(/SELF_SIGNED|CERT|VERIFY/);
    await expect(listAll(transport, ZONE_KIND)).rejects.toThrow('certificate authority');
  });

  it('not in a context that does not exist, and says so', async () => {
    const transport = kubeconfigTransport('nowhere', world.engine.kubeconfig);
    await expect(listAll(transport, ZONE_KIND)).rejects.toThrow(
      'Cannot find context "nowhere" in the kubeconfig: it has admin, zone53, tenant, expired, exec',
    );
  });

  it('as a user who may not write status, and names the missing right', async () => {
    const grant = ['create', 'clusterrolebinding', 'reader', '--clusterrole=reader', '--user=tenant'];
    await succeed(world.engine, [
      'create',
      'clusterrole',
      'reader',
      '--verb=get,list',
      '--resource=zones.kubi.zone,records.kubi.zone',
    ]);
    await succeed(world.engine, grant);
    const { cluster: tenant } = world.open('tenant');
    await eventually(async () =>
      tenant.get(WWW, null).then(
        () => true,
        () => false,
      ),
    );
    const writing = tenant.report(WWW, { fqdn: FQDN, parent: null, conditions: [INVALID] }, null);
    await expect(writing).rejects.toThrow('resources: [records/status], verbs: [patch]');
  });
});
