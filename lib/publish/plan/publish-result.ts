// The result of a run of publish: the outcome of each change, and what is left to do.
import type { HostedZoneItem } from '../../record-sets/hosted-zone-item.ts';
import type { DirtySince } from './names.ts';
import type { ChangeOutcome } from './outcome.ts';

export type PublishResult =
  /** All dirty names that were read are done or explained. `retryAfterSeconds`: the delay of the next run, if any. */
  | {
      readonly kind: 'done';
      readonly outcomes: readonly ChangeOutcome[];
      readonly held: HostedZoneItem['held'];
      /** Why names could not be read or changed; null: no call was denied. */
      readonly denied: HostedZoneItem['denied'];
      readonly retryAfterSeconds: number | null;
      readonly causes: ReadonlyMap<string, DirtySince>;
      /** Names that wait for another hosted zone, or for another name of this one, with what they wait for. */
      readonly waiting: ReadonlyMap<string, string>;
    }
  /** Another run holds the lease: nothing was done, and the caller must try again. */
  | { readonly kind: 'busy'; readonly retryAfterSeconds: number }
  /** The ledger knows no such hosted zone. */
  | { readonly kind: 'unknown' }
  /** Route 53 has no such hosted zone any more; everything stays dirty until another is found. */
  | {
      readonly kind: 'gone';
      readonly outcomes: readonly ChangeOutcome[];
      readonly causes: ReadonlyMap<string, DirtySince>;
    };
