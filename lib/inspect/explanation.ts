// What is known of one name.
import type { ExistingAtChange } from '../apply/read-planned.ts';
import type { Change } from '../dns/plan-changes.ts';
import type { RecordSetContent } from '../dns/record-set.ts';
import type { ProgrammedReason, Verdict } from '../objects/conditions.ts';
import type { ZoneKey } from '../objects/object-ref.ts';

/** One object with what is said of it; `parent`: the Zone that adopted it. */
export type AskingObject = {
  readonly object: string;
  readonly accepted: Verdict<string>;
  readonly programmed: Verdict<ProgrammedReason> | null;
  readonly parent: ZoneKey | null;
};

export type ExistingSet = {
  readonly type: string;
  readonly setIdentifier: string | null;
  readonly content: RecordSetContent;
  readonly owner: 'zone53' | 'external-dns' | 'foreign';
};

/** A change that is not made yet, and what is to be said of it. */
export type OpenChange = Change & ExistingAtChange;

export type Explanation = {
  readonly name: string;
  /** Null: every type. */
  readonly type: string | null;
  /** "ns/name" of the Zone that it falls to. */
  readonly zone: string | null;
  readonly hostedZone: { readonly id: string | null; readonly name: string } | null;
  readonly objects: readonly AskingObject[];
  readonly route53: readonly ExistingSet[];
  /** What was published last, and when; milliseconds since the epoch, null where the ledger does not know. */
  readonly published: {
    readonly type: string;
    readonly setIdentifier: string | null;
    readonly content: RecordSetContent;
    readonly atMs: number | null;
  } | null;
  readonly pending: readonly OpenChange[];
  readonly held: readonly OpenChange[];
  readonly advice: string;
};
