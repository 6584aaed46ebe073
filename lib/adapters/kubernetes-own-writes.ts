// The resourceVersions that our reports wrote lately, so that a watch in the same process does not take our own writes for
// somebody's. Forgetting one costs a read, never more, so only the last few are kept.

/** What was written here and not yet seen by the watch. */
export type OwnWrites = { note(resourceVersion: string): void; has(resourceVersion: string): boolean };

const KEPT_MAX = 10_000;

/** An empty memory. */
export function rememberWrites(keptMax = KEPT_MAX): OwnWrites {
  const versions = new Set<string>();
  return {
    note: (resourceVersion) => {
      versions.add(resourceVersion);
      if (versions.size <= keptMax) return;
      for (const oldest of versions) {
        versions.delete(oldest);
        return;
      }
    },
    has: (resourceVersion) => versions.has(resourceVersion),
  };
}
