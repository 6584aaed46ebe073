// The state of the intent API: the ledger with the keys of one central cluster, the clock, the operator's limits, and
// the hosted zones of names.
import type { Clock } from '../../ports/clock.ts';
import type { Ledger } from '../../ports/ledger.ts';
import type { HostedZoneFacts } from '../manifests/served.ts';
import type { RecordLimits } from '../model/record.ts';
import { type IntentKeys, intentKeys } from './items.ts';

export type IntentState = {
  readonly ledger: Ledger;
  readonly keys: IntentKeys;
  readonly clock: Clock;
  readonly limits: RecordLimits;
  readonly hostedZoneOf: HostedZoneOf;
};

export function intentState(clusterId: string, ports: Omit<IntentState, 'keys'>): IntentState {
  return { ...ports, keys: intentKeys(clusterId) };
}

/** The hosted zone of a project's name (with final dot); null if none is known. Tags are read only on request. */
export type HostedZoneOf = (
  dnsName: string,
  project: string,
  options?: { readonly tags: boolean },
) => Promise<HostedZoneFacts | null>;
