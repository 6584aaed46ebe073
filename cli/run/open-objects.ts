// Where objects are read from, opened.

import type { Source } from '../../lib/objects/source.ts';
import type { CentralCluster } from '../../lib/ports/central-cluster.ts';
import type { Clock } from '../../lib/ports/clock.ts';
import type { Cluster, ReadProblem, ReadRemark } from '../../lib/ports/cluster.ts';
import type { Log } from '../../lib/ports/log.ts';
import type { Hint } from '../../lib/ports/queues.ts';
import type { Seed } from '../../lib/ports/seed/seed.ts';

/** Told while a source is watched. */
type SourceListener = {
  readonly onHints: (hints: readonly Hint[]) => void;
  /** Everything that does not read as an object now; told when that changes, and once at the start. */
  readonly onProblems: (problems: readonly ReadProblem[]) => void;
  /** What else is to be said of the files now, as `onProblems`. */
  readonly onRemarks: (remarks: readonly ReadRemark[]) => void;
  /** The source cannot be watched for now; null when it can again. */
  readonly onTrouble: (message: string | null) => void;
};

export type OpenSource = {
  readonly cluster: Cluster;
  /** Where intents make objects stand; null: nowhere, as files are not ours to write. */
  readonly central: CentralCluster | null;
  /** Where DNSRecords are served; null: nowhere, as files have no status. */
  readonly seed: Seed | null;
  /** What is watched, in words. */
  readonly described: string;
  /** Waits while the source starts, and says so. Throws when it cannot be read. */
  ready(signal: AbortSignal, onWaiting: (message: string) => void): Promise<void>;
  /** Resolves when the watch stands. */
  watch(listener: SourceListener): Promise<{ close(): Promise<void> }>;
  close(): void;
};

export type SourceOptions = {
  readonly clusterId: string;
  /** The kinds that are read besides Zones. */
  readonly sources: readonly Source[];
  /** DNSRecords are served: then Zones need not be known to the API server. */
  readonly dnsRecords?: boolean;
  readonly clock: Clock;
  /** One reading of files serves all questions that come this soon after it, milliseconds. */
  readonly readingMsMax: number;
  /** A file that is moved away or emptied for so long is gone; editors take less. Milliseconds. */
  readonly goneMs?: number;
  /** A path that cannot be read is an error of the caller, not one of many files. */
  readonly pathsMustBe?: boolean;
  readonly log?: Log;
};
