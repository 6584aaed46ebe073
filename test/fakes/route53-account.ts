// For the tests of the local Route 53: an account with one zone example.com., a clock that only the test moves, a fixed
// sequence of random numbers, and short forms of changes and refusals.

import type { Route53StateOptions } from '../../local/route53/model/account.ts';
import { createRoute53State, type Route53State } from '../../local/route53/model/state.ts';
import type { ChangeAction, LocalChange } from '../../local/route53/records/change-batch.ts';
import type { LocalRecordSet } from '../../local/route53/records/record-set.ts';
import { Route53Error } from '../../local/route53/values/route53-error.ts';

export type TestAccount = {
  readonly state: Route53State;
  readonly zoneId: string;
  /** Moves the clock forward by `ms` milliseconds. */
  pass(ms: number): void;
  apply(...changes: LocalChange[]): void;
  /** The messages with which the batch is refused. */
  refused(...changes: LocalChange[]): readonly string[];
  /** `name type` of everything but NS and SOA of the apex. */
  keys(): string[];
};

/** Numbers of [0, 1) that are the same in every run (a linear congruential generator). */
export function fixedRandom(seed = 1): () => number {
  let value = seed;
  return () => {
    value = (value * 1_103_515_245 + 12_345) % 2_147_483_648;
    return value / 2_147_483_648;
  };
}

/** A new account. */
export function testAccount(options: Partial<Route53StateOptions> = {}): TestAccount {
  let nowMs = 1_795_000_000_000;
  const state = createRoute53State({ clock: { nowMs: () => nowMs }, random: fixedRandom(), ...options });
  const zoneId = createZone(state, 'example.com', 'first');
  return {
    state,
    zoneId,
    pass: (ms) => {
      nowMs += ms;
    },
    apply: (...changes) => void state.changeResourceRecordSets(zoneId, null, changes),
    refused: (...changes) => refusalOf(() => state.changeResourceRecordSets(zoneId, null, changes)).messages ?? [],
    keys: () =>
      (state.zones()[0]?.recordSets ?? []).slice(2).map(({ name, type, setIdentifier }) => {
        return setIdentifier === null ? `${name} ${type}` : `${name} ${type} ${setIdentifier}`;
      }),
  };
}

/** The same account after a restart. */
export function restarted(state: Route53State): Route53State {
  return createRoute53State({ clock: { nowMs: () => 0 }, random: fixedRandom(2), snapshot: state.snapshot() });
}

/** A new public zone; returns its id. */
export function createZone(state: Route53State, name: string, callerReference: string): string {
  return state.createHostedZone({ name, callerReference, comment: null, vpc: null }).zone.id;
}

/** A change of simple routing. */
export function change(
  action: ChangeAction,
  name: string,
  type: string,
  values: readonly string[],
  more: Partial<LocalRecordSet> = {},
): LocalChange {
  const recordSet = { name, type, setIdentifier: null, ttl: 300, values, alias: null, routing: null, ...more };
  return { action, recordSet };
}

/** The Route53Error that a call throws. */
export function refusalOf(call: () => unknown): Route53Error {
  try {
    call();
  } catch (error) {
    if (error instanceof Route53Error) return error;
    throw error;
  }
  throw new Error('Expected a refusal, and the call was accepted');
}

/** The routing of one of several weighted record sets. */
export const weight = (setIdentifier: string, value = '1'): Partial<LocalRecordSet> => ({
  setIdentifier,
  routing: { policy: 'Weight', value },
});

/** An alias instead of values. */
export const toAlias = (dnsName: string, hostedZoneId: string): Partial<LocalRecordSet> => ({
  ttl: null,
  values: [],
  alias: { hostedZoneId, dnsName, evaluateTargetHealth: false },
});
