// Golden cases of sources on a real API server: what they expect of manifests must also hold for the objects of a
// cluster, if its CRDs admit them. All objects are in one cluster, which `render --context` reads once.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ClusterOutput } from '../../cli/print/output.ts';
import { kubeconfigTransport } from '../../lib/adapters/kubernetes/http/kubeconfig-transport.ts';
import type { KubernetesTransport } from '../../lib/adapters/kubernetes/http/transport.ts';
import { DEFAULT_SETTINGS, NAMED_SOURCE_KEYS } from '../../lib/objects/source-settings.ts';
import { inParallel } from '../../lib/ports/in-parallel.ts';
import { kindsRead, sourcesOn } from '../../lib/sources/source.ts';
import { describeWithEngine, engine as engineOf } from '../engines/engines.ts';
import { applyCrds, eventually, succeed } from '../engines/kubernetes/apply.ts';
import { type KubernetesEngine, startKubernetes } from '../engines/kubernetes/start.ts';
import { findDifferences } from '../support/find-differences.ts';
import { type CaseObject, placedCases } from '../support/golden-objects.ts';
import { zone53 } from '../support/zone53-command.ts';

const CONFIG = `sources: { ${NAMED_SOURCE_KEYS.map((key) => `${key}: {}`).join(', ')} }`;
const KINDS = kindsRead(sourcesOn(Object.fromEntries(NAMED_SOURCE_KEYS.map((key) => [key, DEFAULT_SETTINGS]))));
/** With fewer cases than this, the suite would show too little. */
const CASES_MIN = 85;
const AT_ONCE = 8;

describeWithEngine(['kube-apiserver', 'etcd', 'source-crds'], 'golden cases of sources by a real API server', () => {
  let engine: KubernetesEngine;
  let admin: KubernetesTransport;
  let folder: string;

  beforeAll(async () => {
    engine = await startKubernetes();
    admin = kubeconfigTransport('admin', engine.kubeconfig);
    folder = mkdtempSync(path.join(tmpdir(), 'zone53-golden-'));
    await applyCrds(engine);
    const crds = engineOf('source-crds') ?? '';
    for (const channel of ['experimental', 'external-dns'])
      await succeed(engine, ['apply', '--server-side', '-f', path.join(crds, channel)]);
    const served = ['get', 'gateways,listenersets,httproutes,grpcroutes,tlsroutes,tcproutes,udproutes,dnsendpoints'];
    await eventually(async () => (await engine.kubectl(served)).code === 0);
  });
  afterAll(async () => {
    admin?.close();
    await engine?.stop();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  const write = async ({ apiVersion, kind, metadata, ...rest }: CaseObject, statusOf = false) => {
    const [version = '', group = ''] = apiVersion.split('/').toReversed();
    const resource = KINDS.find((one) => one.kind === kind)?.resource ?? `${kind.toLowerCase()}s`;
    const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
    const place = metadata.namespace === undefined ? '' : `/namespaces/${metadata.namespace}`;
    await admin.send({
      action: `write ${kind} ${metadata.name}`,
      method: statusOf ? 'PATCH' : 'POST',
      path: `${root}${place}/${resource}${statusOf ? `/${metadata.name}/status` : ''}`,
      ...(statusOf && { contentType: 'application/merge-patch+json' }),
      body: statusOf ? { status: rest.status } : { apiVersion, kind, metadata, ...rest },
      rule: { group, resource, verb: statusOf ? 'patch' : 'create' },
    });
  };

  it('give the same result for a cluster as for manifests', async () => {
    const cases = placedCases();
    const objects = cases.flatMap((one) => one.objects);
    const labelled = new Map(objects.filter(({ kind }) => kind === 'Namespace').map((one) => [one.metadata.name, one]));
    const names = new Set([...labelled.keys(), ...objects.flatMap(({ metadata }) => metadata.namespace ?? [])]);
    await inParallel(names, AT_ONCE, (name) =>
      write(labelled.get(name) ?? { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }),
    );
    const refused: string[] = [];
    await inParallel(cases, AT_ONCE, async (one) => {
      try {
        for (const object of one.objects.filter(({ kind }) => kind !== 'Namespace')) {
          await write(object);
          if (object.status !== undefined) await write(object, true);
        }
      } catch (error) {
        // The API server admits fewer types than a file may have. Any other error fails the test.
        if (!/: (?:400|404|422): /.test(String(error))) throw error;
        refused.push(one.name);
      }
    });
    writeFileSync(path.join(folder, 'zone53.yaml'), CONFIG);
    const place = { folder, route53: 'http://127.0.0.1:9', env: { KUBECONFIG: engine.kubeconfig } };
    const rights = await zone53(place, ['manifests-for-cluster', '--print', 'rbac']);
    await succeed(engine, ['apply', '-f', '-'], rights.out);
    const { out, err } = await zone53(place, ['render', '--context', 'zone53', '-o', 'json']);
    expect(out, err).not.toBe('');
    const world = JSON.parse(out) as ClusterOutput;
    const admitted = cases.filter(({ name }) => !refused.includes(name));
    expect(admitted.length).toBeGreaterThanOrEqual(CASES_MIN);
    const differences = admitted.flatMap(({ name, sources, owns }) =>
      findDifferences(sources, (world.sources ?? []).filter(owns), name),
    );
    expect(differences.join('\n')).toBe('');
  });
});
