// Keeps the objects that a watch in the same process has shown lately, so that they need not be read again: 1,000
// changed objects would be read 2,000 times, by what a hint leads to and by their reports. Only who knows an older
// version of the same object may take one in place of a reading: an event may be late, but it is news then, and what
// came after it has a hint of its own. A report is written on condition of the version. Zones are not kept: they are
// large, and few.
import { formatRef, isOlder, isZone, type ObjectRef } from '../../objects/object-ref.ts';
import { type Mapping, mapping } from '../../objects/plain.ts';
import type { KnownVersion } from '../../ports/cluster.ts';

const KEPT_MAX = 2_000;
/** A larger object is read again. */
const OCTETS_MAX = 16 * 1024;

export type WatchedObjects = {
  /**
   * Notes an object as an event shows it; null: it is gone. `isNews`: a hint about it is sent. Otherwise it is noted
   * only in place of an older one, as nobody may ask for it.
   */
  show(ref: ObjectRef, object: Mapping | null, octets: number, isNews: boolean): void;
  /** The object, if it was news and is newer than what is known. Each event can be taken once. */
  take(ref: ObjectRef, known: KnownVersion): Mapping | null;
  /** The object as it was shown last. */
  last(ref: ObjectRef): Mapping | null;
};

/** A memory without objects. */
export function rememberWatched(): WatchedObjects {
  const kept = new Map<string, { readonly object: Mapping; isNews: boolean }>();
  return {
    show: (ref, object, octets, isNews) => {
      const key = formatRef(ref);
      const before = kept.get(key);
      kept.delete(key);
      if (object === null || octets > OCTETS_MAX || isZone(ref) || (before === undefined && !isNews)) return;
      kept.set(key, { object, isNews: isNews || before?.isNews === true });
      const [oldest] = kept.keys();
      if (kept.size > KEPT_MAX && oldest !== undefined) kept.delete(oldest);
    },
    take: (ref, known) => {
      const shown = kept.get(formatRef(ref));
      if (shown === undefined || !shown.isNews) return null;
      shown.isNews = false;
      const { uid, resourceVersion } = mapping(shown.object.metadata);
      return uid === known.uid && isOlder(known.version, String(resourceVersion)) ? shown.object : null;
    },
    last: (ref) => kept.get(formatRef(ref))?.object ?? null,
  };
}
