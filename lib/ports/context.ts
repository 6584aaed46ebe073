// What every use case is given: the ports, the clock, the configuration, and somewhere to log. Nothing is module-level.

import type { ExternalDnsRegistry } from '../external-dns/ownership.ts';
import type { Source } from '../objects/source.ts';
import type { Clock } from './clock.ts';
import type { Cluster } from './cluster.ts';
import type { Config } from './config.ts';
import type { HostedZones } from './hosted-zones.ts';
import type { Ledger } from './ledger.ts';
import type { Log } from './log.ts';
import type { Queues } from './queues.ts';

export type Context = {
  readonly ledger: Ledger;
  readonly cluster: Cluster;
  readonly account: Account;
  readonly queues: Queues;
  readonly clock: Clock;
  readonly config: Config;
  /** The kinds of object that are read besides Zones. */
  readonly sources: readonly Source[];
  readonly log: Log;
};

/** The AWS account whose Route 53 is published to. */
export type Account = {
  readonly hostedZones: HostedZones;
  /** Whose record sets may be taken over; default: nobody's. */
  readonly externalDns?: readonly ExternalDnsRegistry[];
  /** A sub-zone without a hosted zone is looked up at most once an hour; default: always. */
  readonly remembersLookups?: boolean;
  /** What a plan reads in Route 53 is kept in the ledger for an hour; default: it is not. */
  readonly keepsReadings?: boolean;
};
