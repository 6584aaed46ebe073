// Where the objects of a command are: files and folders, or the API server of a kubeconfig context. Both are a cluster
// to read and to report to, and both can be watched.
import { manifestCluster } from '../../lib/adapters/manifests/manifest-cluster.ts';
import { manifestReader } from '../../lib/adapters/manifests/manifest-reader.ts';
import { watchManifests } from '../../lib/adapters/manifests/watch-manifests.ts';
import type { Clock, Cluster, Hint, ReadProblem } from '../../lib/ports/cluster.ts';
import type { Source } from './use-cases.ts';

/** Told while a source is watched. */
type SourceListener = {
  readonly onHints: (hints: readonly Hint[]) => void;
  /** Everything that does not read as an object now; told when that changes, and once at the start. */
  readonly onProblems: (problems: readonly ReadProblem[]) => void;
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
};

/** Opens a source. An API server is not asked anything yet. */
export async function openSource(source: Source, options: SourceOptions): Promise<OpenSource> {
  if (source.kind === 'manifests') return openManifests(source.paths, options);
  // The Kubernetes client takes longer to load than most commands to run.
  const { openContext } = await import('./open-context.ts');
  return openContext(source.name, options.clusterId, options.clock);
}

function openManifests(paths: readonly string[], { clusterId, readingMsMax, goneMs }: SourceOptions): OpenSource {
  const reader = manifestReader({ paths, ...(goneMs === undefined ? {} : { goneMs }) });
  return {
    cluster: manifestCluster({ clusterId, reader, staleMsMax: readingMsMax }),
    described: paths.join(', '),
    watch: async ({ onHints, onProblems, onTrouble }) => {
      const watch = await watchManifests(
        reader,
        ({ hints, problems, problemsChanged }) => {
          if (problemsChanged) onProblems(problems);
          if (hints.length > 0) onHints(hints);
        },
        { onWarning: onTrouble },
      );
      onProblems(watch.first.listing.problems);
      return watch;
    },
    close: () => {},
  };
}
