// Opens what a command reads its objects from: files and folders, or the API server of a kubeconfig context. Both can
// be read, reported to and watched.

import { stat } from 'node:fs/promises';
import { type ManifestReading, objectsByRef } from '../../lib/adapters/manifests/build-listing.ts';
import { STANDARD_INPUT } from '../../lib/adapters/manifests/find-manifests.ts';
import { manifestCluster } from '../../lib/adapters/manifests/manifest-cluster.ts';
import { type ManifestReader, manifestReader } from '../../lib/adapters/manifests/manifest-reader.ts';
import { reasonOf } from '../../lib/adapters/manifests/read-file.ts';
import type { ManifestObject } from '../../lib/adapters/manifests/read-object.ts';
import { watchManifests } from '../../lib/adapters/manifests/watch-manifests.ts';
import { fieldPathIn } from '../../lib/objects/field-path.ts';
import { formatRef } from '../../lib/objects/object-ref.ts';
import { relatedKindsOf } from '../../lib/objects/source.ts';
import type { Listing, ReadRemark } from '../../lib/ports/cluster.ts';
import { asksForNames, kindsRead } from '../../lib/sources/source.ts';
import { UsageError } from '../print/usage-error.ts';
import type { OpenSource, SourceOptions } from './open-objects.ts';
import type { Source } from './requests.ts';

/** Opens the files or the cluster. This sends no request to an API server. */
export async function openSource(source: Source, options: SourceOptions): Promise<OpenSource> {
  if (source.kind === 'manifests') {
    if (options.pathsMustBe === true) await requirePaths(source.paths);
    return openManifests(source.paths, source.strict === true, options);
  }
  // Loading the Kubernetes client takes longer than most commands.
  const { openContext } = await import('./open-context.ts');
  return openContext(source.name, options);
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
  { clusterId, sources, sourcesOff = [], readingMsMax, goneMs }: SourceOptions,
): OpenSource {
  const off = sourcesOff.map((source) => ({
    kind: source,
    key: source.key ?? '',
    asks: (object: ManifestObject) => asksForNames(source, object),
  }));
  const gone = goneMs === undefined ? {} : { goneMs };
  const files = manifestReader({ kinds: kindsRead(sources), off, paths, ...gone });
  let last: ManifestReading | null = null;
  const reader: ManifestReader = {
    ...files,
    read: async () => {
      last = await files.read();
      return last;
    },
  };
  const relatedKinds = new Set(relatedKindsOf(sources).map(({ kind }) => kind)).difference(
    new Set(sources.map(({ kind }) => kind)),
  );
  const cluster = manifestCluster({ clusterId, reader, relatedKinds, staleMsMax: readingMsMax });
  return {
    cluster: strict ? { ...cluster, list: async () => strictly(await cluster.list()) } : cluster,
    central: null,
    seed: null,
    placeOf: (ref, problem) => {
      const origin = last === null ? null : (objectsByRef(last).get(formatRef(ref))?.origin ?? null);
      const path = problem === undefined ? null : fieldPathIn(problem);
      const line = origin === null || path === null ? null : (last?.listing.fieldLine?.(origin, path) ?? null);
      return origin === null || line === null ? origin : { ...origin, line };
    },
    described: paths.map((one) => (one === '-' ? 'standard input' : one)).join(', '),
    ready: async () => {},
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

/** Turns the remarks of a listing into errors, all but advice. */
function strictly(listing: Listing): Listing {
  const { problems, remarks = [] } = listing;
  const isAdvice = ({ level }: ReadRemark) => level === 'advice';
  return {
    ...listing,
    problems: [...problems, ...remarks.filter((one) => !isAdvice(one))],
    remarks: remarks.filter(isAdvice),
  };
}
