// Describes the machine that the figures were measured on, without naming it.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import path from 'node:path';
import { engine } from '../test/engines/engines.ts';
import { findKubernetes } from '../test/engines/kubernetes/binaries.ts';

/** Facts and their values. A program that is not installed is left out. */
export type Machine = Readonly<Record<string, string>>;

/** Cores, memory, load, and the versions of everything that is measured or measures. */
export function describeMachine(externalDns: string | null): Machine {
  const kubernetes = findKubernetes();
  const found = {
    cores: `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}`,
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    'load at the start': loadavg()
      .map((load) => load.toFixed(1))
      .join(' '),
    node: process.version,
    'kube-apiserver': kubernetes.found ? version(kubernetes.apiserver, ['--version']) : null,
    etcd: kubernetes.found ? version(kubernetes.etcd, ['--version']) : null,
    moto: motoVersion(),
    'DynamoDB Local': pinned('dynamodb-local/pom.xml', /<artifactId>DynamoDBLocal<\/artifactId>\s*<version>([^<]+)</),
    'external-dns': externalDns === null ? null : version(externalDns, ['--version']),
  };
  return Object.fromEntries(Object.entries(found).filter((entry): entry is [string, string] => entry[1] !== null));
}

function motoVersion(): string | null {
  return engine('moto') === null ? null : pinned('moto/requirements.txt', /^moto.*==\s*(\S+)/m);
}

function pinned(file: string, pattern: RegExp): string | null {
  const text = readFileSync(path.join(import.meta.dirname, '..', 'test', 'engines', file), 'utf8');
  return pattern.exec(text)?.[1] ?? null;
}

/** The first thing in the program's output that looks like a version. */
function version(command: string, args: readonly string[]): string | null {
  try {
    const output = execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
    return /v?\d+\.\d+(\.\d+)?\S*/.exec(output)?.[0] ?? null;
  } catch {
    return null;
  }
}
