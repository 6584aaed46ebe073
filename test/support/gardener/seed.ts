// A seed of Gardener: a real API server with Gardener's types, and `zone53 local --route53 aws` beside it, with the
// rights that `manifests-for-cluster` gives it and no more.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { applyCrds, eventually, succeed } from '../../engines/kubernetes/apply.ts';
import { type KubernetesEngine, startKubernetes } from '../../engines/kubernetes/start.ts';
import { type CommandPlace, type Ran, type Running, startZone53, zone53 } from '../zone53-command.ts';
import type { AwsAccount, AwsAccounts } from './accounts.ts';
import { GARDENER_CRDS } from './crds.ts';
import { type ApiClient, type ApiObject, apiClient } from './kubernetes-client.ts';
import { notReady } from './readiness.ts';

/** Longer than the lease that a killed process may leave on a hosted zone. */
const WAIT_MS = 60_000;
export const FINALIZER = 'extensions.gardener.cloud/dnsrecord';
export const OPERATION = 'gardener.cloud/operation';

/** Where a DNSRecord is. */
export type At = { readonly namespace: string; readonly name: string };

export type Seed = {
  readonly engine: KubernetesEngine;
  readonly api: ApiClient;
  /** Where it runs: its configuration, and its ledger. */
  readonly folder: string;
  /** What zone53 printed so far. */
  printed(): string;
  /** Starts zone53, or starts it again with another configuration. */
  start(config?: string): Promise<void>;
  /** Kills zone53 as a crash would. */
  kill(): Promise<void>;
  /** Runs another command of zone53 where `start` runs it, with the same rights. */
  run(...argv: readonly string[]): Promise<Ran>;
  namespace(name: string, labels?: Readonly<Record<string, string>>): Promise<void>;
  /** Creates or replaces a Secret, values as they are; null removes it. */
  secret(at: At, data: Readonly<Record<string, string>> | null): Promise<void>;
  /** Creates a DNSRecord. */
  create(at: At, spec: object, annotations?: Readonly<Record<string, string>>): Promise<void>;
  /** A merge patch of its metadata and spec. */
  patch(at: At, patch: object): Promise<void>;
  patchStatus(at: At, status: object): Promise<void>;
  /** Null when it is gone. */
  read(at: At): Promise<ApiObject | null>;
  /** Asks for a deletion as gardenlet does. */
  remove(at: At): Promise<void>;
  /** Waits until a client of Gardener considers it ready. */
  ready(at: At): Promise<ApiObject>;
  /** Waits until its last operation has failed, and returns it. */
  failed(at: At, code?: string): Promise<ApiObject>;
  gone(at: At): Promise<void>;
  /** Waits until `fits` returns true. On a timeout, the error has the object as it was last. */
  until(at: At, fits: (object: ApiObject) => boolean): Promise<ApiObject>;
  end(): Promise<void>;
};

/** The keys of an account as a Secret of Gardener has them. */
export function keysOf({ accessKeyId, secretAccessKey }: AwsAccount): Readonly<Record<string, string>> {
  return { accessKeyID: accessKeyId, secretAccessKey };
}

function pathOf({ namespace, name }: At): string {
  return `/apis/extensions.gardener.cloud/v1alpha1/namespaces/${namespace}/dnsrecords/${name}`;
}

/**
 * Starts a seed; `config` is the block of `sources.dnsRecords`. `ownTypes` false: Zone and Record are not installed.
 * `env`: what zone53 is told besides, such as the credentials that it publishes Zones with.
 */
export async function startSeed(
  accounts: Pick<AwsAccounts, 'url'>,
  config: string,
  { ownTypes = true, env = {} }: { readonly ownTypes?: boolean; readonly env?: CommandPlace['env'] } = {},
): Promise<Seed> {
  const engine = await startKubernetes();
  const folder = mkdtempSync(path.join(tmpdir(), 'zone53-seed-'));
  if (ownTypes) await applyCrds(engine);
  await succeed(engine, ['apply', '--server-side', '-f', '-'], JSON.stringify(GARDENER_CRDS));
  await eventually(async () => (await engine.kubectl(['get', 'dnsrecords,clusters'])).code === 0);
  const api = apiClient(engine);
  let running: Running | null = null;
  let said = '';

  const kill = async () => {
    running?.child.kill('SIGKILL');
    await running?.ended;
    running = null;
  };
  const place = {
    folder,
    route53: accounts.url,
    env: { KUBECONFIG: engine.kubeconfig, AWS_ENDPOINT_URL_STS: accounts.url, ...env },
  };
  const start = async (block = config) => {
    await kill();
    writeFileSync(path.join(folder, 'zone53.yaml'), `clusterId: seed\nsources:\n  dnsRecords: ${block}\n`);
    const rbac = await zone53(place, ['manifests-for-cluster', '--print', 'rbac', '--config', 'zone53.yaml']);
    if (rbac.code !== 0) throw new Error(rbac.err);
    await succeed(engine, ['apply', '-f', '-'], rbac.out);
    running = startZone53(place, ['local', '--context', 'zone53', '--route53', 'aws']);
    for (const stream of [running.child.stdout, running.child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        said += chunk.toString('utf8');
      });
    }
  };
  const sent = async (method: string, target: string, body?: unknown, type?: string) => {
    const answer = await api.ask(method, target, body, type);
    if (answer.status >= 300) throw new Error(`${method} ${target}: ${answer.status} ${answer.body?.message}`);
  };
  const read = async (at: At) => {
    const { status, body } = await api.ask('GET', pathOf(at));
    return status === 404 ? null : body;
  };
  const until = async (at: At, fits: (object: ApiObject) => boolean) => {
    const deadline = performance.now() + WAIT_MS;
    for (;;) {
      const object = await read(at);
      if (object !== null && fits(object)) return object;
      const over = running?.child.exitCode != null;
      if (over || performance.now() > deadline) {
        const stands = JSON.stringify(object?.status ?? object);
        throw new Error(`${at.name}: it did not come true: ${stands}\n${said.slice(-4_000)}`);
      }
      await sleep(100);
    }
  };
  return {
    engine,
    api,
    folder,
    printed: () => said,
    start,
    kill,
    run: (...argv) => zone53(place, argv),
    namespace: (name, labels = {}) => sent('POST', '/api/v1/namespaces', { metadata: { name, labels } }),
    secret: async ({ namespace, name }, data) => {
      const target = `/api/v1/namespaces/${namespace}/secrets`;
      await api.ask('DELETE', `${target}/${name}`);
      if (data === null) return;
      const encoded = Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]);
      await sent('POST', target, { metadata: { name }, type: 'Opaque', data: Object.fromEntries(encoded) });
    },
    create: ({ namespace, name }, spec, annotations = {}) =>
      sent('POST', pathOf({ namespace, name: '' }).slice(0, -1), {
        apiVersion: 'extensions.gardener.cloud/v1alpha1',
        kind: 'DNSRecord',
        metadata: { name, annotations },
        spec,
      }),
    patch: (at, patch) => sent('PATCH', pathOf(at), patch, 'application/merge-patch+json'),
    patchStatus: (at, status) => sent('PATCH', `${pathOf(at)}/status`, { status }, 'application/merge-patch+json'),
    read,
    remove: async (at) => {
      const annotations = {
        'confirmation.gardener.cloud/deletion': 'true',
        'gardener.cloud/timestamp': new Date().toISOString(),
      };
      await sent('PATCH', pathOf(at), { metadata: { annotations } }, 'application/merge-patch+json');
      await sent('DELETE', pathOf(at));
    },
    until,
    ready: (at) => until(at, (object) => notReady(object) === null),
    failed: (at, code) =>
      until(at, ({ status }) => {
        const codes: readonly string[] = status?.lastError?.codes ?? [];
        return status?.lastOperation?.state === 'Error' && (code === undefined || codes.includes(code));
      }),
    gone: async (at) => {
      const deadline = performance.now() + WAIT_MS;
      for (let object = await read(at); object !== null; object = await read(at)) {
        if (performance.now() > deadline) {
          throw new Error(`${at.name} is not gone: ${JSON.stringify(object)}\n${said.slice(-4_000)}`);
        }
        await sleep(100);
      }
    },
    end: async () => {
      await kill();
      api.end();
      await engine.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
