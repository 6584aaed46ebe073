// For the end-to-end tests of a single command: a folder of its own, and our strict Route 53 behind a proxy that counts
// calls and can fail.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startRoute53 } from '../../local/route53/api/server.ts';
import { createRoute53State, type Route53State } from '../../local/route53/model/state.ts';
import type { Route53Limits } from '../../local/route53/model/token-bucket.ts';
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts';
import type { CommandPlace } from './zone53-command.ts';

export type CommandAccount = {
  readonly folder: string;
  readonly state: Route53State;
  readonly proxy: FaultProxy;
  /** Where `zone53` runs. */
  readonly place: CommandPlace;
  /** Creates a public hosted zone; returns its id. */
  createZone(name: string): string;
  /** Writes a `List` of objects to a file in the folder `dns`. */
  writeList(file: string, items: readonly object[]): void;
  end(): Promise<void>;
};

/** Starts Route 53, empty. `options`: how long changes stay pending, the quota, and the limits. */
export async function startCommandAccount(
  options: Partial<Pick<Parameters<typeof createRoute53State>[0], 'processingMs' | 'recordSetsMax'>> & {
    readonly limits?: Route53Limits;
  } = {},
): Promise<CommandAccount> {
  const { limits, ...rest } = options;
  const folder = mkdtempSync(path.join(tmpdir(), 'zone53-command-'));
  const state = createRoute53State({ clock: { nowMs: Date.now }, random: Math.random, ...rest });
  const server = await startRoute53({ state, ...(limits !== undefined && { limits }) });
  const proxy = await startFaultProxy({ target: server.url, seed: 1, rate: 0 });
  return {
    folder,
    state,
    proxy,
    place: { folder, route53: proxy.url },
    createZone: (name) => state.createHostedZone({ name, callerReference: name, comment: null, vpc: null }).zone.id,
    writeList: (file, items) => {
      mkdirSync(path.join(folder, 'dns'), { recursive: true });
      const list = { apiVersion: 'v1', kind: 'List', items };
      writeFileSync(path.join(folder, 'dns', `${file}.json`), JSON.stringify(list));
    },
    end: async () => {
      await proxy.close();
      await server.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** A Zone or Record. */
export function kubizoneObject(kind: 'Zone' | 'Record', namespace: string, name: string, spec: object) {
  return { apiVersion: 'kubi.zone/v1alpha1', kind, metadata: { name, namespace }, spec };
}
