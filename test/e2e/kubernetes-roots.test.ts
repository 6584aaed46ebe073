// Warnings and notes on a real API server. Without roots, a tenant's Zone above another team's name does not take that
// name out of DNS, the admission webhook refuses it, and the commands warn. Specs that are valid but probably not meant
// have a note.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWithEngine } from '../engines/engines.ts';
import { apply, applyCrds, eventually, read, succeed } from '../engines/kubernetes/apply.ts';
import { type KubernetesEngine, startKubernetes } from '../engines/kubernetes/start.ts';
import { type Running, startZone53, zone53 } from '../support/zone53-command.ts';

const ALL = [{ records: [{ pattern: '*' }, { pattern: '@' }] }];

describeWithEngine(['kube-apiserver', 'etcd'], 'a cluster without roots', () => {
  let engine: KubernetesEngine;
  let folder: string;
  let local: Running;
  let route53 = '';
  let said = '';

  const acceptedOf = async (what: string, namespace: string) =>
    (await read(engine, what, namespace)).status?.conditions?.find(({ type }) => type === 'Accepted');
  const programmedOf = async (what: string, namespace: string) =>
    (await read(engine, what, namespace)).status?.conditions?.find(({ type }) => type === 'Programmed');

  beforeAll(async () => {
    engine = await startKubernetes();
    await applyCrds(engine);
    for (const name of ['team', 'other']) await succeed(engine, ['create', 'namespace', name]);
    folder = mkdtempSync(path.join(tmpdir(), 'zone53-roots-'));
    const place = { folder, route53: 'http://127.0.0.1:9', env: { KUBECONFIG: engine.kubeconfig } };
    local = startZone53(place, ['local', '--context', 'zone53', '--dns-port', '0', '--route53-port', '0']);
    for (const stream of [local.child.stdout, local.child.stderr])
      stream?.on('data', (chunk: Buffer) => {
        said += chunk.toString('utf8');
      });
    await eventually(() => /^Watching/m.test(said));
    route53 = /^Route 53 +(\S+)/m.exec(said)?.[1] ?? '';
  });
  afterAll(async () => {
    local?.child.kill('SIGINT');
    await local?.ended;
    await engine?.stop();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  it("keeps an older Zone's name from a younger Zone of another namespace", { timeout: 120_000 }, async () => {
    await apply(engine, [
      { kind: 'Zone', name: 'root', namespace: 'team', spec: { domainName: 'example.org.', delegations: ALL } },
      {
        kind: 'Record',
        name: 'www',
        namespace: 'team',
        spec: { domainName: 'www.example.org.', type: 'A', rdata: '192.0.2.1' },
      },
    ]);
    await eventually(async () => (await programmedOf('record/www', 'team'))?.reason === 'Published');
    // creationTimestamps have whole seconds.
    await sleep(1_500);
    await apply(engine, [
      { kind: 'Zone', name: 'taker', namespace: 'other', spec: { domainName: 'www.example.org.', delegations: ALL } },
    ]);
    await eventually(async () => (await acceptedOf('zone/taker', 'other'))?.reason !== undefined);
    expect(await acceptedOf('zone/taker', 'other')).toMatchObject({
      status: 'False',
      reason: 'DelegationDenied',
      message: expect.stringContaining('team/root'),
    });
    expect(await programmedOf('record/www', 'team')).toMatchObject({ status: 'True', reason: 'Published' });
    expect((await read(engine, 'record/www', 'team')).metadata.labels?.['kubi.zone/parent-zone']).toBe('root.team');
  });

  it('has a note, in condition and Event, on a spec that is accepted and probably not meant', {
    timeout: 60_000,
  }, async () => {
    const spec = { domainName: 'a.example.org.example.org.', type: 'A', rdata: '192.0.2.1' };
    await apply(engine, [{ kind: 'Record', name: 'repeated', namespace: 'team', spec }]);
    await eventually(async () => (await programmedOf('record/repeated', 'team'))?.status === 'True');
    const note = 'note: the name repeats its Zone, example.org.: a.example.org. may have been meant';
    expect(await acceptedOf('record/repeated', 'team')).toMatchObject({
      status: 'True',
      reason: 'Adopted',
      message: expect.stringContaining(note),
    });
    const events = ['get', 'events', '-n', 'team', '-o', 'jsonpath={.items[*].message}'];
    await eventually(async () =>
      (await succeed(engine, [...events, '--field-selector=involvedObject.name=repeated'])).includes(note),
    );
    await eventually(() => said.includes(`Record team/repeated: ${note}`));
  });

  it('makes plan and apply warn', { timeout: 120_000 }, async () => {
    const place = { folder, route53, env: { KUBECONFIG: engine.kubeconfig } };
    const ran = await zone53(place, ['plan', '--context', 'zone53', '--state', 'elsewhere']);
    expect(ran.err).toMatch(
      /Namespaces other, team .*no roots are configured.*roots: \[\{ zone: example\.org\., namespaces: \[NAMESPACE\] \}\]/,
    );
    expect(ran.err.match(/no roots are configured/g)).toHaveLength(1);
  });
});
