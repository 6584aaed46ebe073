// Where the objects of a command are: files and folders, or the API server of a kubeconfig context. Both are a cluster
// to read and to report to, and both can be watched.
import { stat } from 'node:fs/promises';
import { STANDARD_INPUT } from '../../lib/adapters/manifests/find-manifests.ts';
import { manifestCluster } from '../../lib/adapters/manifests/manifest-cluster.ts';
import { manifestReader } from '../../lib/adapters/manifests/manifest-reader.ts';
import { reasonOf } from '../../lib/adapters/manifests/read-file.ts';
import { watchManifests } from '../../lib/adapters/manifests/watch-manifests.ts';
import type { Clock } from '../../lib/ports/clock.ts';
import type { Cluster, Listing, ReadProblem, ReadRemark } from '../../lib/ports/cluster.ts';
import type { Hint } from '../../lib/ports/queues.ts';
import { UsageError } from '../print/usage-error.ts';
import type { Source } from './use-cases.ts';

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
  /** What is watched, in words. */
  readonly described: string;
  /** Resolves when the watch stands. */
  watch(listener: SourceListener): Promise<{ close(): Promise<void> }>;
  close(): void;
};

export type SourceOptions = {
  readonly clusterId: string;
  readonly clock: Clock;
  /** One reading of files serves all questions that come this soon after it, milliseconds. */
  readonly readingMsMax: number;
  /** A file that is moved away or emptied for so long is gone; editors take less. Milliseconds. */
  readonly goneMs?: number;
  /** A path that cannot be read is an error of the caller, not one of many files. */
  readonly pathsMustBe?: boolean;
};

/** Opens a source. An API server is not asked anything yet. */
export async function openSource(source: Source, options: SourceOptions): Promise<OpenSource> {
  if (source.kind === 'manifests') {
    if (options.pathsMustBe === true) await requirePaths(source.paths);
    return openManifests(source.paths, source.strict === true, options);
  }
  // The Kubernetes client takes longer to load than most commands to run.
  const { openContext } = await import('./open-context.ts');
  return openContext(source.name, options.clusterId, options.clock);
}

async function requirePaths(paths: readonly string[]): Promise<void> {
  const reasons = await Promise.all(
    paths.map(async (path) => {
      if (path === STANDARD_INPUT) return [];
      return stat(path).then(
        () => [],
        (error: unknown) => [`Cannot read "${path}": ${reasonOf(error)}`],
      );
    }),
  );
  if (reasons.flat().length > 0) throw new UsageError(`${reasons.flat().join('\n')}\nNothing was done.`);
}

function openManifests(
  paths: readonly string[],
  strict: boolean,
  { clusterId, readingMsMax, goneMs }: SourceOptions,
): OpenSource {
  const reader = manifestReader({ paths, ...(goneMs === undefined ? {} : { goneMs }) });
  const cluster = manifestCluster({ clusterId, reader, staleMsMax: readingMsMax });
  return {
    cluster: strict ? { ...cluster, list: async () => strictly(await cluster.list()) } : cluster,
    described: paths.join(', '),
    watch: async ({ onHints, onProblems, onRemarks, onTrouble }) => {
      const watch = await watchManifests(
        reader,
        ({ hints, problems, problemsChanged, remarks, remarksChanged }) => {
          if (problemsChanged) onProblems(problems);
          if (remarksChanged) onRemarks(remarks);
          if (hints.length > 0) onHints(hints);
        },
        { onWarning: onTrouble },
      );
      onProblems(watch.first.listing.problems);
      onRemarks(watch.first.listing.remarks ?? []);
      return watch;
    },
    close: () => {},
  };
}

/** A listing whose remarks are errors. */
function strictly(listing: Listing): Listing {
  return { ...listing, problems: [...listing.problems, ...(listing.remarks ?? [])], remarks: [] };
}
