// The result of explaining a name.
import type { ExistingAtChange } from '../apply/read-planned.ts';
import type { Change } from '../dns/plan-changes.ts';
import type { RecordSetContent } from '../dns/record-set.ts';
import type { FoundEntry } from '../history/find-entries.ts';
import type { ProgrammedReason, Verdict } from '../objects/conditions.ts';
import type { ZoneKey } from '../objects/object-ref.ts';
import type { Origin } from '../ports/cluster.ts';
import type { Protection, Vpc } from '../ports/hosted-zones.ts';
import type { ExplainedClaim } from './claims-at.ts';
import type { Delegation } from './follow-delegation.ts';

/**
 * An object that asks for the name. `type`: null for a Zone, and where it is not known. `parent`: the Zone that adopted
 * it. `origin`: only of an object in a file.
 */
export type AskingObject = {
  readonly object: string;
  readonly type: string | null;
  readonly accepted: Verdict<string>;
  readonly programmed: Verdict<ProgrammedReason> | null;
  readonly parent: ZoneKey | null;
  readonly origin?: Origin;
};

export type ExistingSet = {
  readonly type: string;
  readonly setIdentifier: string | null;
  readonly content: RecordSetContent;
  /** `drifted`: zone53 published it, and somebody changed it. `route53`: SOA and NS that Route 53 made itself. */
  readonly owner: 'zone53' | 'external-dns' | 'foreign' | 'drifted' | 'route53';
};

/** What zone53 published last of a record set; `atMs`: when, since the epoch; null: the ledger does not know. */
type PublishedSet = {
  readonly type: string;
  readonly setIdentifier: string | null;
  readonly content: RecordSetContent;
  readonly atMs: number | null;
};

/** A change that is still to be made, with what exists at its name. `why`: why it deletes, half a sentence. */
export type OpenChange = Change & ExistingAtChange & { readonly why?: string };

export type Explanation = {
  readonly name: string;
  /** null: all types. */
  readonly type: string | null;
  /** `namespace/name` of the Zone that is responsible for the name. */
  readonly zone: string | null;
  /** `vpcs`: of a private one, the VPCs in which it answers; absent: they could not be read. */
  readonly hostedZone: { readonly id: string | null; readonly name: string; readonly vpcs?: readonly Vpc[] } | null;
  readonly objects: readonly AskingObject[];
  readonly route53: readonly ExistingSet[];
  /** Route 53 could not be read, so `route53` is empty. */
  readonly isUnread?: true;
  /** What somebody protects at the name: Route 53 refuses every change of it. */
  readonly protections: readonly Omit<Protection, 'name'>[];
  /** Why protections could not be listed. */
  readonly protectionsUnread?: string;
  /** What each cluster asks for at the name; absent: no hosted zone of the ledger has it. */
  readonly claims?: readonly ExplainedClaim[];
  readonly published: readonly PublishedSet[];
  /** The way of a resolver to the name; null: no public hosted zone of the account covers it. */
  readonly delegation: (Delegation & { readonly problem: string | null }) | null;
  readonly pending: readonly OpenChange[];
  readonly held: readonly OpenChange[];
  readonly advice: string;
  /** The last changes, the newest first; absent: not read. */
  readonly history?: readonly FoundEntry[];
};
