// The type of an opened folder or cluster, from which a command reads its objects.

import type { OwnKinds } from '../../lib/adapters/kubernetes/discover-kinds.ts';
import type { ObjectRef } from '../../lib/objects/object-ref.ts';
import type { Source } from '../../lib/objects/source.ts';
import type { CentralCluster } from '../../lib/ports/central-cluster.ts';
import type { Clock } from '../../lib/ports/clock.ts';
import type { Cluster, Origin, ReadProblem, ReadRemark } from '../../lib/ports/cluster.ts';
import type { Log } from '../../lib/ports/log.ts';
import type { Hint } from '../../lib/ports/queues.ts';
import type { Seed } from '../../lib/ports/seed/seed.ts';

/** Callbacks while the objects are watched. */
type SourceListener = {
  readonly onHints: (hints: readonly Hint[]) => void;
  /** All current problems of reading; called at the start, and whenever they change. */
  readonly onProblems: (problems: readonly ReadProblem[]) => void;
  /** All current remarks about the files; called like `onProblems`. */
  readonly onRemarks: (remarks: readonly ReadRemark[]) => void;
  /** Why the objects cannot be watched at the moment; null when they can be again. */
  readonly onTrouble: (message: string | null) => void;
};

export type OpenSource = {
  readonly cluster: Cluster;
  /** Where the objects of intents are created; null for files, which zone53 does not write. */
  readonly central: CentralCluster | null;
  /** Where DNSRecords are served; null for files, which have no status. */
  readonly seed: Seed | null;
  /** The file and line where an object was last read; null for a cluster. */
  readonly placeOf: (ref: ObjectRef, problem?: string) => Origin | null;
  /** A description of what is watched, for people. */
  readonly described: string;
  /** Waits while the API server starts, and reports that it waits. Throws when it cannot be read. */
  ready(signal: AbortSignal, onWaiting: (message: string) => void): Promise<void>;
  /** Resolves when the watch is established. */
  watch(listener: SourceListener): Promise<{ close(): Promise<void> }>;
  close(): void;
};

export type SourceOptions = {
  readonly clusterId: string;
  /** The sources that are switched on. Zones are always read. */
  readonly sources: readonly Source[];
  /** The sources that are switched off: an object in a file that asks for names gets a remark. Default: none. */
  readonly sourcesOff?: readonly Source[];
  /** Whether DNSRecords are served. */
  readonly dnsRecords?: boolean;
  /** Whether the API server must have the CRDs of Zones and Records. Default: it must. */
  readonly own?: OwnKinds;
  readonly clock: Clock;
  /** For how long after a reading of files further questions are answered from it, in milliseconds. */
  readonly readingMsMax: number;
  /** After this time a file that was moved away or emptied counts as gone; editors take less. Milliseconds. */
  readonly goneMs?: number;
  /** Whether an unreadable path ends the command, instead of being one problem among others. */
  readonly pathsMustBe?: boolean;
  readonly log?: Log;
};
