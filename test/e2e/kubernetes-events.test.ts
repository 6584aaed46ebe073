// Our parsers with what a real API server sends to an admission webhook and to an audit webhook: each kind of write
// gives the right hints or none. The configurations are those of crds/examples/, with the addresses of this test.

import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { buildAdmissionAnswer, parseAdmissionReview } from '../../events/admission-review.ts';
import { parseAuditEventList } from '../../events/audit-event-list.ts';
import { kubeconfigTransport } from '../../lib/adapters/kubernetes/http/kubeconfig-transport.ts';
import { kubernetesCluster } from '../../lib/adapters/kubernetes/kubernetes-cluster.ts';
import type { Hint } from '../../lib/ports/queues.ts';
import { sourcesWebhook } from '../../lib/sources/cluster-needs.ts';
import { NODE } from '../../lib/sources/common/related-kinds.ts';
import { KINDS } from '../../lib/sources/source.ts';
import { describeWithEngine } from '../engines/engines.ts';
import { apply, applyCrds, CRDS, eventually, manifest, read, succeed } from '../engines/kubernetes/apply.ts';
import { auditArgs } from '../engines/kubernetes/audit.ts';
import { openGuard } from '../engines/kubernetes/guard.ts';
import { type KubernetesEngine, startKubernetes } from '../engines/kubernetes/start.ts';

describeWithEngine(['kube-apiserver', 'etcd'], 'events of a real API server', () => {
  const guard = openGuard('zone53-events-');
  const closing: (() => void)[] = [];
  const admitted: Hint[] = [];
  const audited: Hint[] = [];
  const problems: string[] = [];
  let auditEvents = 0;
  let engine: KubernetesEngine;

  beforeAll(async () => {
    const audit = createServer(
      answering((body) => {
        const parsed = parseAuditEventList(KINDS, body);
        audited.push(...parsed.hints);
        problems.push(...parsed.problems);
        auditEvents += (body as { items: readonly unknown[] }).items.length;
        return {};
      }),
    );
    closing.push(() => audit.close());
    engine = await startKubernetes({
      apiServerArgs: auditArgs(guard.folder, `http://127.0.0.1:${await listen(audit)}/audit/secret`),
    });
    await applyCrds(engine);
    const admission = createTlsServer(
      engine.certificate,
      answering((body) => {
        const { uid, hints } = parseAdmissionReview(KINDS, body, 1);
        admitted.push(...hints);
        return buildAdmissionAnswer(uid);
      }),
    );
    closing.push(() => admission.close());
    await applyWebhook(engine, `https://127.0.0.1:${await listen(admission)}/admission/secret`);
    await eventually(async () => {
      await apply(engine, [record('probe', String(Math.random()))]);
      return admitted.length > 0;
    });
  });
  afterAll(async () => {
    for (const close of closing) close();
    await engine?.stop();
    await guard.end();
  });

  /**
   * The hints of both webhooks for an action. Audit events arrive in batches, here some 50 ms long. The API server
   * sends a batch also while another is under way, so only the number of events shows that all have arrived.
   */
  async function hintsOf(action: () => Promise<unknown>): Promise<{ admission: Hint[]; audit: Hint[] }> {
    await mark('start');
    admitted.length = 0;
    audited.length = 0;
    await action();
    await mark('end');
    const plain = ({ atMs: _, correlationId: __, user: ___, ...hint }: Hint) => hint;
    const isMark = ({ name }: Hint) => name?.startsWith('mark-') === true;
    users = [admitted, audited].map((hints) => hints.find((hint) => !isMark(hint))?.user);
    return {
      admission: admitted.filter((hint) => !isMark(hint)).map(plain),
      audit: audited.filter((hint) => !isMark(hint)).map(plain),
    };
  }
  /** Who made the request of the first hint of each webhook. */
  let users: readonly (string | undefined)[] = [];
  let marks = 0;
  async function mark(what: string): Promise<void> {
    const name = `mark-${what}-${marks++}`;
    await apply(engine, [{ ...record(name), namespace: 'marks' }]);
    await eventually(() => [admitted, audited].every((hints) => hints.some((hint) => hint.name === name)));
    const metrics = await succeed(engine, ['get', '--raw', '/metrics']);
    const sent = /^apiserver_audit_event_total (\d+)$/m.exec(metrics)?.[1];
    await eventually(() => auditEvents >= Number(sent));
  }
  const versionOf = async (name: string) => (await read(engine, `record/${name}`)).metadata.resourceVersion;
  const uidOf = async (name: string) => (await read(engine, `record/${name}`)).metadata.uid;
  const record = (name: string, text = 'x') =>
    ({ kind: 'Record', name, spec: { domainName: `${name}.example.org.`, type: 'TXT', rdata: text } }) as const;
  const at = (name: string | null) => ({ kind: 'Record', namespace: 'default', name });

  beforeAll(async () => {
    await succeed(engine, ['create', 'namespace', 'marks']);
  });

  describe('make hints of', () => {
    it('a create, without an earlier version', async () => {
      const { admission, audit } = await hintsOf(() => apply(engine, [record('one')]));
      expect(admission).toEqual([{ ...at('one'), oldVersion: '' }]);
      expect(audit).toEqual([at('one')]);
      expect(users).toEqual(['admin', 'admin']);
    });

    it('an update, with the version before it; an apply without a change makes none', async () => {
      const [oldVersion, uid] = [await versionOf('one'), await uidOf('one')];
      const { admission, audit } = await hintsOf(() => apply(engine, [record('one', 'y')]));
      expect(admission).toEqual([{ ...at('one'), oldVersion, awaited: { uid, generation: 2 } }]);
      expect(audit).toEqual([at('one')]);
      expect(await hintsOf(() => apply(engine, [record('one', 'y')]))).toEqual({ admission: [], audit: [] });
    });

    it('a label or status that a tenant forged, so that it is corrected', async () => {
      const label = await hintsOf(() =>
        succeed(engine, ['label', 'record/one', 'kubi.zone/parent-zone=bank.platform']),
      );
      expect([label.admission.length, label.audit]).toEqual([1, [at('one')]]);
    });

    it('a create with generateName: the webhook knows the name, the audit log at level Metadata only the namespace', async () => {
      const { name: _, ...spec } = record('generated');
      const object = { ...manifest({ ...spec, name: 'x' }), metadata: { generateName: 'made-', namespace: 'default' } };
      let name = '';
      const { admission, audit } = await hintsOf(async () => {
        name = (
          await succeed(engine, ['create', '-o', 'jsonpath={.metadata.name}', '-f', '-'], JSON.stringify(object))
        ).trim();
      });
      expect(name).toMatch(/^made-.{5}$/);
      expect(admission).toEqual([{ ...at(name), oldVersion: '' }]);
      expect(audit).toEqual([at(null)]);
    });

    it('a delete, and each object of a deletecollection', async () => {
      const [oldVersion, uid] = [await versionOf('one'), await uidOf('one')];
      const { admission, audit } = await hintsOf(() => succeed(engine, ['delete', 'record/one']));
      expect(admission).toEqual([{ ...at('one'), oldVersion, awaited: { uid, generation: null } }]);
      expect(audit).toEqual([at('one')]);
      await apply(engine, [record('two'), record('three')]);
      const names = (await succeed(engine, ['get', 'records', '-o', 'jsonpath={.items[*].metadata.name}'])).split(' ');
      const all = await hintsOf(() =>
        succeed(engine, ['delete', '--raw', '/apis/kubi.zone/v1alpha1/namespaces/default/records']),
      );
      expect(all.admission.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
      expect(all.admission.every(({ oldVersion: version }) => version !== undefined && version !== '')).toBe(true);
      expect(all.audit).toEqual([at(null)]);
    });
  });

  it('make hints of the removal of the last finalizer, which removes an object that is being deleted', async () => {
    const patch = (finalizers: readonly string[]) =>
      succeed(engine, ['patch', 'record/kept', '--type=merge', '-p', JSON.stringify({ metadata: { finalizers } })]);
    await apply(engine, [record('kept')]);
    await patch(['example.org/backup']);
    await succeed(engine, ['delete', 'record/kept', '--wait=false']);
    const oldVersion = await versionOf('kept');
    const { admission, audit } = await hintsOf(() => patch([]));
    expect(admission).toEqual([{ ...at('kept'), oldVersion }]);
    expect(audit).toEqual([at('kept')]);
    expect((await engine.kubectl(['get', 'record/kept'])).code).toBe(1);
  });

  describe('make no hints of', () => {
    const none = { admission: [], audit: [] };

    it('dry runs', async () => {
      await apply(engine, [record('dry')]);
      expect(
        await hintsOf(async () => {
          await apply(engine, [record('dry', 'other')], { args: ['--dry-run=server'] });
          await apply(engine, [record('new')], { args: ['--dry-run=server'] });
        }),
      ).toEqual(none);
      // kubectl sends dryRun in the body, and an audit event at level Metadata has no body. So the hint is made; it
      // costs a read.
      const remove = await hintsOf(() => succeed(engine, ['delete', '--dry-run=server', 'record/dry']));
      expect(remove).toEqual({ admission: [], audit: [at('dry')] });
    });

    it('what the API server refused', async () => {
      expect(
        await hintsOf(async () => {
          const wrong = { kind: 'Record', name: 'wrong', spec: { domainName: 'x', type: 'A', rdata: 'y' } } as const;
          expect((await apply(engine, [wrong])).code).toBe(1);
          expect((await apply(engine, [record('mine')], { context: 'tenant' })).code).toBe(1);
          expect((await engine.kubectl(['delete', 'record/nothing'])).code).toBe(1);
        }),
      ).toEqual(none);
    });

    it('reads, and our own reports: status, label and Events', async () => {
      await apply(engine, [record('ours')]);
      const transport = kubeconfigTransport('zone53', engine.kubeconfig);
      closing.push(() => transport.close());
      const cluster = kubernetesCluster({ kinds: KINDS, clusterId: 'test', transport, clock: { nowMs: Date.now } });
      const ref = { kind: 'Record', namespace: 'default', name: 'ours' } as const;
      const conditions = [{ type: 'Accepted', status: 'True', reason: 'Adopted', message: '' } as const];
      expect(
        await hintsOf(async () => {
          await cluster.list();
          await cluster.report(ref, { fqdn: 'ours.example.org.', parent: 'default/z', conditions }, null);
        }),
      ).toEqual(none);
      expect((await read(engine, 'record/ours')).metadata.labels).toEqual({ 'kubi.zone/parent-zone': 'z.default' });
    });
  });

  it('a heartbeat of a Node calls no webhook; its addresses, cordoning and deletion do', async () => {
    let called = 0;
    const server = createTlsServer(
      engine.certificate,
      answering((body) => {
        called += 1;
        return buildAdmissionAnswer(parseAdmissionReview([NODE], body, 1).uid);
      }),
    );
    closing.push(() => server.close());
    const clientConfig = {
      url: `https://127.0.0.1:${await listen(server)}/`,
      caBundle: Buffer.from(engine.ca).toString('base64'),
    };
    const kind = 'ValidatingWebhookConfiguration';
    const webhooks = sourcesWebhook([NODE], clientConfig, { kinds: 'all', namespaces: null });
    const hook = { apiVersion: 'admissionregistration.k8s.io/v1', kind, metadata: { name: 'nodes' }, webhooks };
    await succeed(engine, ['apply', '-f', '-'], JSON.stringify(hook));
    await succeed(
      engine,
      ['create', '-f', '-'],
      JSON.stringify({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } }),
    );
    const callsOf = async (...args: string[]) => {
      called = 0;
      await succeed(engine, args);
      return called;
    };
    const patch = (value: object, ...args: string[]) =>
      callsOf('patch', 'node', 'n', '--type=merge', '-p', JSON.stringify(value), ...args);
    const status = (value: object) => patch({ status: value }, '--subresource=status');
    let last = 0;
    await eventually(async () => {
      last += 1;
      return (await status({ addresses: [{ type: 'InternalIP', address: `10.0.0.${last}` }] })) === 1;
    });
    const lastHeartbeatTime = new Date().toISOString();
    expect(await status({ conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime }] })).toBe(0);
    expect(await patch({ metadata: { labels: { zone: 'a' } } })).toBe(0);
    expect(await patch({ spec: { unschedulable: true } })).toBe(1);
    expect(await callsOf('delete', 'node', 'n')).toBe(1);
  });

  it('a webhook that is down blocks no write', async () => {
    await applyWebhook(engine, 'https://127.0.0.1:9/nobody');
    const { code, stderr } = await apply(engine, [record('unstopped')]);
    expect([code, stderr]).toEqual([0, '']);
  });

  it('every audit event could be read', () => {
    expect(problems).toEqual([]);
  });
});

function answering(answer: (body: unknown) => object): RequestListener {
  return async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answer(body)));
  };
}

async function listen(server: {
  listen: ReturnType<typeof createServer>['listen'];
  address(): unknown;
}): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

async function applyWebhook(engine: KubernetesEngine, url: string): Promise<void> {
  const configuration = parse(readFileSync(path.join(CRDS, 'examples', 'admission-webhook.yaml'), 'utf8'));
  configuration.webhooks[0].clientConfig = { url, caBundle: Buffer.from(engine.ca).toString('base64') };
  await succeed(engine, ['apply', '-f', '-'], JSON.stringify(configuration));
}
