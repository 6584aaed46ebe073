// The result of explaining a name.
import type { ExistingAtChange } from '../apply/read-planned.ts';
import type { Change } from '../dns/plan-changes.ts';
import type { RecordSetContent } from '../dns/record-set.ts';
import type { ProgrammedReason, Verdict } from '../objects/conditions.ts';
import type { ZoneKey } from '../objects/object-ref.ts';
import type { Origin } from '../ports/cluster.ts';

/** An object that asks for the name. `parent`: the Zone that adopted it. `origin`: only of an object in a file. */
export type AskingObject = {
  readonly object: string;
  readonly accepted: Verdict<string>;
  readonly programmed: Verdict<ProgrammedReason> | null;
  readonly parent: ZoneKey | null;
  readonly origin?: Origin;
};

export type ExistingSet = {
  readonly type: string;
  readonly setIdentifier: string | null;
  readonly content: RecordSetContent;
  readonly owner: 'zone53' | 'external-dns' | 'foreign';
};

/** A change that is still to be made, with what exists at its name. */
export type OpenChange = Change & ExistingAtChange;

export type Explanation = {
  readonly name: string;
  /** null: all types. */
  readonly type: string | null;
  /** `namespace/name` of the Zone that is responsible for the name. */
  readonly zone: string | null;
  readonly hostedZone: { readonly id: string | null; readonly name: string } | null;
  readonly objects: readonly AskingObject[];
  readonly route53: readonly ExistingSet[];
  /** Route 53 could not be read, so `route53` is empty. */
  readonly isUnread?: true;
  /** What was published last, and when, in milliseconds since the epoch; null when the ledger does not know. */
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
