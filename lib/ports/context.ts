// What every use case is given: the ports, the clock, the configuration, and somewhere to log. Nothing is module-level.

import type { Clock, Cluster, HostedZones, Ledger, Queues } from './cluster.ts';
import type { Config } from './config.ts';

/** One structured log line; `fields` carry keys and counts, never a tenant's text unescaped. */
export type Log = (
  level: 'debug' | 'info' | 'warn' | 'error',
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void;

export type Context = {
  readonly ledger: Ledger;
  readonly cluster: Cluster;
  readonly hostedZones: HostedZones;
  readonly queues: Queues;
  readonly clock: Clock;
  readonly config: Config;
  readonly log: Log;
};
