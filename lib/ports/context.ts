// What every use case is given: ports, clock, configuration and log. No module has any of these as global state.

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
  /** The ids of the only hosted zones that may be read and changed: a deployment's configuration. Default: any may. */
  readonly onlyHostedZones?: ReadonlySet<string>;
  /** The external-dns installations whose record sets may be taken over. Default: none. */
  readonly externalDns?: readonly ExternalDnsRegistry[];
  /** Whether a sub-zone without a hosted zone is looked up at most once an hour. Default: it is looked up each time. */
  readonly remembersLookups?: boolean;
  /** Whether what a plan reads from Route 53 is kept in the ledger for an hour. Default: it is not kept. */
  readonly keepsReadings?: boolean;
};
