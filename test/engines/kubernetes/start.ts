// A real kube-apiserver with a real etcd, on free ports of 127.0.0.1, for the end-to-end tests. The API server signs
// its own certificate, users are tokens in a file, and authorisation is RBAC. No controller manager and no scheduler
// run: a deleted namespace stays Terminating, and nothing else writes to the cluster.
import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findKubernetes } from './binaries.ts';
import { freePort, type Guard, openGuard } from './guard.ts';
import { type ContextName, TOKENS, writeKubeconfig } from './kubeconfig.ts';

export type { ContextName } from './kubeconfig.ts';

/** The result of a kubectl run. */
export type KubectlResult = { readonly code: number; readonly stdout: string; readonly stderr: string };

/** A running cluster. */
export type KubernetesEngine = {
  readonly url: string;
  /** PEM of the certificate authority that signed the API server's certificate. */
  readonly ca: string;
  /** A certificate for 127.0.0.1 that `ca` signed, and its key, both as PEM: for the webhook of a test. */
  readonly certificate: { readonly cert: string; readonly key: string };
  readonly kubeconfig: string;
  /** Runs kubectl; `input` is its standard input. Resolves also when the exit code is not 0. */
  kubectl(args: readonly string[], options?: { input?: string; context?: ContextName }): Promise<KubectlResult>;
  /** Kills the API server, as a crash would. etcd keeps its data. */
  killApiServer(): Promise<void>;
  /** Starts the API server again on the same port and waits until it is ready. */
  startApiServer(): Promise<void>;
  /** Makes a new revision in etcd and removes all older ones: the API server answers requests for them with 410. */
  compact(): Promise<void>;
  stop(): Promise<void>;
};

/** Options of the start. */
export type KubernetesOptions = {
  /** More flags of kube-apiserver, such as those of an audit webhook. */
  readonly apiServerArgs?: readonly string[];
};

/** How long a server may take to become ready, milliseconds. On an idle machine it takes 3 s. */
const READY_MS_MAX = 120_000;

/** Starts etcd and kube-apiserver and waits until they are ready. Throws when the engine is not installed. */
export async function startKubernetes(options: KubernetesOptions = {}): Promise<KubernetesEngine> {
  const binaries = findKubernetes();
  if (!binaries.found) throw new Error(`Cannot start Kubernetes: ${binaries.message}`);
  const guard = openGuard('zone53-kubernetes-');
  try {
    const etcdUrl = await startEtcd(guard, binaries.etcd);
    const port = await freePort();
    writeFileSync(path.join(guard.folder, 'tokens.csv'), TOKENS, { mode: 0o600 });
    writeFileSync(path.join(guard.folder, 'service-account.key'), serviceAccountKey(), { mode: 0o600 });
    const start = async () => {
      const args = [...apiServerArgs(guard.folder, etcdUrl, port), ...(options.apiServerArgs ?? [])];
      const child = guard.start('kube-apiserver', binaries.apiserver, args);
      await waitUntilReady(guard, 'kube-apiserver', child, () => isApiServerReady(guard.folder, port));
    };
    await start();
    return describeEngine(guard, binaries.kubectl, etcdUrl, port, start);
  } catch (error) {
    await guard.end();
    throw error;
  }
}

async function startEtcd(guard: Guard, command: string): Promise<string> {
  const [clientPort, peerPort] = [await freePort(), await freePort()];
  const [client, peer] = [`http://127.0.0.1:${clientPort}`, `http://127.0.0.1:${peerPort}`];
  const child = guard.start('etcd', command, [
    `--data-dir=${path.join(guard.folder, 'etcd')}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
    '--unsafe-no-fsync',
    '--log-level=warn',
  ]);
  await waitUntilReady(guard, 'etcd', child, async () => (await fetch(`${client}/readyz`)).ok);
  return client;
}

function apiServerArgs(folder: string, etcdUrl: string, port: number): string[] {
  const key = path.join(folder, 'service-account.key');
  return [
    `--etcd-servers=${etcdUrl}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    `--cert-dir=${path.join(folder, 'certificates')}`,
    `--token-auth-file=${path.join(folder, 'tokens.csv')}`,
    '--authorization-mode=RBAC',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${key}`,
    `--service-account-signing-key-file=${key}`,
    '--service-cluster-ip-range=10.0.0.0/24',
    '--disable-admission-plugins=ServiceAccount',
    '--endpoint-reconciler-type=none',
  ];
}

function serviceAccountKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
}

async function waitUntilReady(
  guard: Guard,
  name: string,
  child: ChildProcess,
  isReady: () => Promise<boolean>,
): Promise<void> {
  const deadline = performance.now() + READY_MS_MAX;
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`${name} ended before it was ready:\n${guard.logTail(name)}`);
    }
    if (await isReady().catch(() => false)) return;
    if (performance.now() > deadline) {
      throw new Error(`${name} is not ready after ${READY_MS_MAX / 1000} s:\n${guard.logTail(name)}`);
    }
    await sleep(100);
  }
}

function certificateFile(folder: string): string {
  return path.join(folder, 'certificates', 'apiserver.crt');
}

async function isApiServerReady(folder: string, port: number): Promise<boolean> {
  if (!existsSync(certificateFile(folder))) return false;
  const ca = readFileSync(certificateFile(folder));
  return new Promise((resolve, reject) => {
    const headers = { authorization: 'Bearer admin-token' };
    request({ host: '127.0.0.1', port, path: '/readyz', ca, headers, agent: false, timeout: 2_000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    })
      .on('timeout', function (this: { destroy(error: Error): void }) {
        this.destroy(new Error('timeout'));
      })
      .on('error', reject)
      .end();
  });
}

function describeEngine(
  guard: Guard,
  kubectl: string,
  etcdUrl: string,
  port: number,
  startApiServer: () => Promise<void>,
): KubernetesEngine {
  const url = `https://127.0.0.1:${port}`;
  const kubeconfig = path.join(guard.folder, 'kubeconfig');
  writeKubeconfig(kubeconfig, url, certificateFile(guard.folder));
  const ca = readFileSync(certificateFile(guard.folder), 'utf8');
  return {
    url,
    ca,
    certificate: { cert: ca, key: readFileSync(path.join(guard.folder, 'certificates', 'apiserver.key'), 'utf8') },
    kubeconfig,
    kubectl: (args, options = {}) => {
      const context = options.context ?? 'admin';
      return run(kubectl, [`--kubeconfig=${kubeconfig}`, `--context=${context}`, ...args], guard.folder, options.input);
    },
    killApiServer: () => guard.kill('kube-apiserver'),
    startApiServer,
    compact: () => compact(etcdUrl),
    stop: () => guard.end(),
  };
}

/** Writes a key through etcd's JSON gateway and removes every revision before that write. */
async function compact(etcdUrl: string): Promise<void> {
  const post = async (method: string, body: unknown) => {
    const response = await fetch(`${etcdUrl}/v3/kv/${method}`, { method: 'POST', body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`etcd refused ${method}: ${response.status} ${await response.text()}`);
    return (await response.json()) as { header: { revision: string } };
  };
  const text = (value: string) => Buffer.from(value).toString('base64');
  const { header } = await post('put', { key: text('/compacted'), value: text('') });
  await post('compaction', { revision: header.revision, physical: true });
}

function run(command: string, args: readonly string[], folder: string, input?: string): Promise<KubectlResult> {
  return new Promise((resolve, reject) => {
    const environment = { PATH: process.env.PATH, HOME: folder, NO_COLOR: '1' };
    const child = spawn(command, args, { env: environment });
    const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
    child.once('error', reject);
    child.once('close', (code) => {
      const [out, err] = [stdout, stderr].map((chunks) => Buffer.concat(chunks).toString('utf8')) as [string, string];
      resolve({ code: code ?? -1, stdout: out, stderr: err });
    });
    child.stdin.on('error', () => {});
    child.stdin.end(input ?? '');
  });
}
