// What our reports wrote lately, so that a watch in the same process does not take our own writes for somebody's. The
// watch often hears of a write before its answer has come: what it hears of an object that is being written waits for
// that answer, not for long. Forgetting a write, or not waiting for it, costs a read, never more.
import { setTimeout as after } from 'node:timers/promises';
import { formatRef, type ObjectRef } from '../../objects/object-ref.ts';

export type OwnWrites = {
  /**
   * A write of the object begins; what it returns is told the resourceVersion that it led to, null when it led to none.
   */
  begin(ref: ObjectRef): (resourceVersion: string | null) => void;
  /** True when it was a write of ours that made this version of the object. A promise while one is under way. */
  has(ref: ObjectRef, resourceVersion: string): boolean | Promise<boolean>;
};

const KEPT_MAX = 10_000;
/** A Zone's status may take seconds to write: an edit that comes meanwhile does not wait so long. */
const WAIT_MS_MAX = 300;

/** An empty memory. */
export function rememberWrites(keptMax = KEPT_MAX): OwnWrites {
  const versions = new Set<string>();
  const underway = new Map<string, Promise<void>>();
  const note = (resourceVersion: string) => {
    versions.add(resourceVersion);
    if (versions.size <= keptMax) return;
    for (const oldest of versions) {
      versions.delete(oldest);
      return;
    }
  };
  return {
    begin: (ref) => {
      const id = formatRef(ref);
      const { promise, resolve } = Promise.withResolvers<void>();
      underway.set(id, promise);
      return (resourceVersion) => {
        if (resourceVersion !== null) note(resourceVersion);
        if (underway.get(id) === promise) underway.delete(id);
        resolve();
      };
    },
    has: (ref, resourceVersion) => {
      const write = underway.get(formatRef(ref));
      if (versions.has(resourceVersion) || write === undefined) return versions.has(resourceVersion);
      return Promise.race([write, after(WAIT_MS_MAX, undefined, { ref: false })]).then(() =>
        versions.has(resourceVersion),
      );
    },
  };
}

/**
 * So many times within the time, the same report of ours is found replaced; then it is left to the other for a while.
 */
const REPLACED_MAX = 5;
const REPLACED_WITHIN_MS = 60_000;
const LEFT_ALONE_MS = 600_000;

/**
 * Whether to write a report: `begins` once as a fight is noticed, `left` for as long as the object is left to the
 * other.
 */
export type ReportVerdict = 'write' | 'begins' | 'left';

/**
 * Remembers what was reported of each object, to notice somebody who writes another report in its place again and
 * again: another zone53 beside the same cluster, say. Were neither to stop, both would write for ever.
 */
export function rememberReports(keptMax = KEPT_MAX): {
  /** `report`: what is to be written, as text, without times. Called only where the object does not say it. */
  judge(uid: string, report: string, nowMs: number): ReportVerdict;
} {
  const known = new Map<string, { report: string; replacedAtMs: readonly number[]; leftUntilMs: number }>();
  return {
    judge: (uid, report, nowMs) => {
      const before = known.get(uid);
      const isReplaced = before?.report === report;
      const recent = (before?.replacedAtMs ?? []).filter((atMs) => atMs > nowMs - REPLACED_WITHIN_MS);
      const replacedAtMs = isReplaced ? [...recent, nowMs] : recent;
      const isLeft = before !== undefined && nowMs < before.leftUntilMs;
      const begins = !isLeft && replacedAtMs.length >= REPLACED_MAX;
      const leftUntilMs = begins ? nowMs + LEFT_ALONE_MS : (before?.leftUntilMs ?? 0);
      known.delete(uid);
      known.set(uid, { report, replacedAtMs: begins ? [] : replacedAtMs, leftUntilMs });
      const [oldest] = known.keys();
      if (known.size > keptMax && oldest !== undefined) known.delete(oldest);
      return begins ? 'begins' : isLeft ? 'left' : 'write';
    },
  };
}
