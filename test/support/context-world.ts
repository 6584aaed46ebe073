// `zone53 --context` as processes, with a real API server that has our CRDs: the commands, `local` until it serves, and
// the content of the objects.
import type { ChildProcess } from 'node:child_process';
import { Resolver } from 'node:dns/promises';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { apply, applyCrds, eventually, type KubernetesObject, read, succeed } from '../engines/kubernetes/apply.ts';
import { type KubernetesEngine, startKubernetes } from '../engines/kubernetes/start.ts';
import { type CommandPlace, serving, startZone53 } from './zone53-command.ts';

export const TEAMS = path.resolve(import.meta.dirname, '../../examples/teams');

export type Local = {
  readonly child: ChildProcess;
  readonly dns: Resolver;
  /** Everything printed so far. */
  said(): string;
  /** Its exit status. */
  stop(): Promise<number | null>;
};

type Listed = { readonly items: readonly (KubernetesObject & { readonly metadata: { readonly name: string } })[] };
type Condition = NonNullable<KubernetesObject['status']['conditions']>[number];

export type ContextWorld = {
  /** Available from the first test on. */
  readonly engine: KubernetesEngine;
  readonly folder: string;
  /** Where a command runs, with no Route 53. */
  place(): CommandPlace;
  /** Starts `zone53 local --context`, which may not serve yet. */
  beginLocal(context: string, ...args: string[]): Omit<Local, 'dns'>;
  /** The same, and waits until it serves. */
  startLocal(context?: string, ...args: string[]): Promise<Local>;
  condition(what: string, namespace: string, type: string): Promise<Condition | undefined>;
  reason(what: string, namespace: string, type: string): Promise<string | undefined>;
  list(...args: string[]): Promise<Listed['items']>;
  /** Applies a Record of `example.org.`. */
  record(name: string, rdata: string, namespace?: string, type?: string): ReturnType<typeof apply>;
};

/** Starts it before the tests of a suite, and ends it after them. */
export function contextWorld(): ContextWorld {
  let engine: KubernetesEngine;
  let folder: string;
  beforeAll(async () => {
    engine = await startKubernetes();
    folder = mkdtempSync(path.join(tmpdir(), 'zone53-context-'));
    await applyCrds(engine);
  });
  afterAll(async () => {
    await engine?.stop();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });
  const condition = async (what: string, namespace: string, type: string) =>
    (await read(engine, what, namespace)).status?.conditions?.find((one) => one.type === type);
  const place = () => ({ folder, route53: 'http://127.0.0.1:9', env: { KUBECONFIG: engine.kubeconfig } });
  const beginLocal = (context: string, ...args: string[]) => {
    const argv = ['local', '--context', context, '--dns-port', '0', '--route53-port', '0', ...args];
    const { child, ended } = startZone53(place(), argv);
    const stop = async () => {
      child.kill('SIGINT');
      return (await ended).code;
    };
    return { child, said: listen(child), stop };
  };
  return {
    get engine() {
      return engine;
    },
    get folder() {
      return folder;
    },
    place,
    beginLocal,
    startLocal: async (context = 'zone53', ...args) => {
      const begun = beginLocal(context, ...args);
      await eventually(() => {
        if (begun.child.exitCode !== null) throw new Error(`zone53 local ended:\n${begun.said()}`);
        return serves(begun);
      });
      const dns = new Resolver({ timeout: 2_000, tries: 2 });
      dns.setServers([`127.0.0.1:${serving(begun.said())?.dnsPort}`]);
      return { ...begun, dns };
    },
    condition,
    reason: async (what, namespace, type) => (await condition(what, namespace, type))?.reason,
    list: async (...args) => (JSON.parse(await succeed(engine, ['get', ...args, '-o', 'json'])) as Listed).items,
    record: (name, rdata, namespace = 'platform', type = 'A') =>
      apply(engine, [{ kind: 'Record', name, namespace, spec: { domainName: `${name}.example.org.`, type, rdata } }]),
  };
}

/** True when `zone53 local` has printed that it serves. */
export function serves({ said }: Pick<Local, 'said'>): boolean {
  return serving(said()) !== null;
}

/** Collects what a process prints to standard output and standard error. */
function listen(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
    });
  }
  return () => text;
}
