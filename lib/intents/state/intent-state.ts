// What the intent API works on: a ledger, the keys of one central cluster in it, the clock, the operator's limits, and
// where names are published.
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

/** The intents of one central cluster. */
export function intentState(clusterId: string, world: Omit<IntentState, 'keys'>): IntentState {
  return { ...world, keys: intentKeys(clusterId) };
}

/**
 * The hosted zone that a name, with its last dot, is published into; null: none is known. Its tags are read where they
 * are asked for.
 */
export type HostedZoneOf = (dnsName: string, options?: { readonly tags: boolean }) => Promise<HostedZoneFacts | null>;
