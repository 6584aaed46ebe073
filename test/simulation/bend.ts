// How a sabotage weakens a safeguard: it changes what a function's ports return or do. The auditor sees what truly
// happens. The sabotages are in sabotages.ts and the files beside it.

import type { GuardLimits } from '../../lib/ports/guard-limits.ts';
import type { BatchOutcome } from '../../lib/ports/hosted-zones.ts';
import type { JsonObject, Ledger, LedgerItem, LedgerKey } from '../../lib/ports/ledger.ts';
import type { SeedPorts } from './dns-records/ports.ts';
import type { SeedWorld } from './dns-records/world.ts';
import type { Ports } from './gated-ports.ts';
import type { FunctionRun, World } from './world.ts';

export type Sabotage = {
  readonly name: string;
  /** The invariant that must find it. Default: any. */
  readonly breaks?: string;
  /**
   * False for a seed whose world has nothing that it could weaken: the seed is skipped. Default: every seed is used.
   */
  readonly concerns?: (seed: number) => boolean;
  readonly queues?: { readonly fifo?: boolean; readonly redelivery?: boolean };
  readonly ports?: (ports: Ports, run: FunctionRun, world: World) => Ports;
  /** Replaces the configured limits of the guard. */
  readonly guard?: (limits: GuardLimits, run: FunctionRun) => GuardLimits;
  readonly noRoots?: boolean;
  /** Changes the outcomes of batches in a crowd of names (change-limits.ts). */
  readonly limits?: (outcome: BatchOutcome) => BatchOutcome;
  /** Changes the ports of the processes that serve DNSRecords. */
  readonly seedPorts?: (ports: SeedPorts, world: SeedWorld) => SeedPorts;
};

type Bend = Partial<{ readonly [Port in keyof Ports]: Partial<Ports[Port]> }>;

export function bend(name: string, how: (ports: Ports, run: FunctionRun, world: World) => Bend): Sabotage {
  return {
    name,
    ports: (ports, run, world) => {
      const bent = how(ports, run, world);
      return {
        ...ports,
        ledger: { ...ports.ledger, ...bent.ledger },
        hostedZones: { ...ports.hostedZones, ...bent.hostedZones },
        cluster: { ...ports.cluster, ...bent.cluster },
        queues: { ...ports.queues, ...bent.queues },
      };
    },
  };
}

/** A sabotage that only this invariant may find. */
export function breaks(invariant: string, sabotage: Sabotage): Sabotage {
  return { ...sabotage, breaks: invariant };
}

export const of = (partition: string) => (key: LedgerKey) => key.partition.startsWith(partition);
export const isRecordSet = of('recordsets#');

/** Changes every body that is written. */
export function bendWrites(
  name: string,
  which: (key: LedgerKey) => boolean,
  change: (body: JsonObject) => JsonObject,
): Sabotage {
  return bend(name, ({ ledger }) => ({
    ledger: { put: (key, body, ...rest) => ledger.put(key, which(key) ? change(body) : body, ...rest) },
  }));
}

/** Changes every item that is read. */
export function bendReads(
  name: string,
  which: (key: LedgerKey, run: FunctionRun) => boolean,
  change: (item: LedgerItem) => LedgerItem,
): Sabotage {
  return bend(name, ({ ledger }, run) => bentReads(ledger, (item) => (which(item, run) ? change(item) : item)));
}

function bentReads(ledger: Ledger, seen: (item: LedgerItem) => LedgerItem): Bend {
  return {
    ledger: {
      get: async (key) => {
        const item = await ledger.get(key);
        return item === null ? null : seen(item);
      },
      query: async (partition, options) => {
        const page = await ledger.query(partition, options);
        return { ...page, items: page.items.map(seen) };
      },
    },
  };
}

/** Writes of these items do not happen, but are reported as successful. */
export function losesWrites(name: string, which: (key: LedgerKey) => boolean): Sabotage {
  return bend(name, ({ ledger }) => ({
    ledger: { put: async (key, ...rest) => (which(key) ? 'lost' : ledger.put(key, ...rest)) },
  }));
}

export function bendOutcomes(name: string, change: (outcome: BatchOutcome) => BatchOutcome): Sabotage {
  return bend(name, ({ hostedZones }) => ({
    hostedZones: { change: async (...asked) => change(await hostedZones.change(...asked)) },
  }));
}

export function unconditional(ledger: Ledger, which: (key: LedgerKey) => boolean): Partial<Ledger> {
  return {
    put: async (key, body, expected, options) =>
      ledger.put(key, body, which(key) ? ((await ledger.get(key))?.revision ?? null) : expected, options),
  };
}
