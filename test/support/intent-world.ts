// `zone53 local --context … --intents-port` with a real API server. The tests use HTTP, DNS and kubectl.

import { Resolver } from 'node:dns/promises';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { apply, applyCrds, eventually, succeed } from '../engines/kubernetes/apply.ts';
import { type KubernetesEngine, startKubernetes } from '../engines/kubernetes/start.ts';
import { checkAnswer } from './intent-answers.ts';
import { serving, startZone53 } from './zone53-command.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

type Told = {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: the body of an answer, which each test looks into
  readonly body: any;
};

export type IntentWorld = {
  readonly engine: KubernetesEngine;
  readonly url: () => string;
  ask(method: string, target: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Told>;
  /** The A records of a name; empty where there are none. */
  resolve(name: string): Promise<readonly string[]>;
  txt(name: string): Promise<readonly string[]>;
  /** The objects that intents created in a namespace, by `Kind/name`. */
  // biome-ignore lint/suspicious/noExplicitAny: an object of Kubernetes
  objects(namespace: string): Promise<ReadonlyMap<string, any>>;
  /** A project: its namespace, and the delegation of `<name>.example.org` to it. */
  project(name: string): Promise<string>;
  /** Kills zone53 at once, and starts it again. */
  killAndRestart(): Promise<void>;
  end(): Promise<void>;
};

const KINDS = 'dnsendpoints,deployments,serviceaccounts,roles,rolebindings,secrets';

/** Records that always exist: from ten on, the guard's rule for small hosted zones does not apply. */
const STANDING = 12;

function standing(index: number) {
  const spec = { domainName: `r${index}.default.example.org.`, type: 'A', rdata: '192.0.2.200' };
  return { kind: 'Record' as const, name: `standing-${index}`, spec };
}

/** Starts it all. */
export async function startIntentWorld(): Promise<IntentWorld> {
  const engine = await startKubernetes();
  const folder = mkdtempSync(path.join(tmpdir(), 'zone53-intents-'));
  // The tests delete more of a small hosted zone within an hour than the guard allows by default.
  writeFileSync(path.join(folder, 'zone53.yaml'), 'guard: { deletesMax: 1000, deletesShareMax: 1 }\n');
  await applyCrds(engine);
  for (const file of ['bench/peers/dnsendpoint-crd.yaml', 'examples/intents/rbac.yaml'])
    await succeed(engine, ['apply', '-f', path.join(ROOT, file)]);
  await eventually(async () => (await engine.kubectl(['get', 'dnsendpoints'])).code === 0);
  const projects = new Set<string>();
  const zone = () => ({
    kind: 'Zone' as const,
    name: 'org',
    spec: {
      domainName: 'example.org.',
      delegations: ['default', ...projects].map((name) => ({
        namespaces: [name],
        records: [{ pattern: `*.${name}` }],
      })),
    },
  });
  await apply(engine, [zone(), ...Array.from({ length: STANDING }, (_, index) => standing(index))]);
  let started = await startLocal(engine, folder);
  const resolver = () => {
    const dns = new Resolver({ timeout: 2_000, tries: 2 });
    dns.setServers([`127.0.0.1:${started.dnsPort}`]);
    return dns;
  };
  return {
    engine,
    url: () => started.url,
    ask: async (method, target, body, headers = {}) => {
      const answer = await fetch(`${started.url}${target}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await answer.text();
      const told = { status: answer.status, headers: answer.headers, body: text === '' ? null : JSON.parse(text) };
      checkAnswer(method, target, { ...told, header: (name) => answer.headers.get(name) });
      return told;
    },
    resolve: async (name) =>
      (
        await resolver()
          .resolve4(name)
          .catch(() => [])
      ).toSorted(),
    txt: async (name) =>
      (
        await resolver()
          .resolveTxt(name)
          .catch(() => [])
      ).map((parts) => parts.join('')),
    objects: async (namespace) => {
      const selector = 'app.kubernetes.io/managed-by=zone53';
      const { items } = JSON.parse(
        await succeed(engine, ['get', KINDS, '-n', namespace, '-l', selector, '-o', 'json']),
      );
      return new Map(
        items.map((item: { kind: string; metadata: { name: string } }) => [`${item.kind}/${item.metadata.name}`, item]),
      );
    },
    project: async (name) => {
      projects.add(name);
      await succeed(engine, ['create', 'namespace', name]);
      await apply(engine, [zone()]);
      return `/v2/projects/${name}`;
    },
    killAndRestart: async () => {
      started.kill();
      await started.ended;
      started = await startLocal(engine, folder);
    },
    end: async () => {
      started.kill();
      await started.ended;
      await engine.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function startLocal(engine: KubernetesEngine, folder: string) {
  const place = { folder, route53: 'http://127.0.0.1:9', env: { KUBECONFIG: engine.kubeconfig } };
  const ports = ['--dns-port', '0', '--route53-port', '0', '--intents-port', '0'];
  const { child, ended } = startZone53(place, ['local', '--context', 'zone53', ...ports]);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (said += String(chunk)));
  await eventually(() => {
    if (child.exitCode !== null) throw new Error(`zone53 local ended:\n${said}`);
    return serving(said) !== null;
  });
  const { intents: url = '', dnsPort = '' } = serving(said) ?? {};
  return { url, dnsPort, ended, kill: () => child.kill('SIGKILL') };
}
