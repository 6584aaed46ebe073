// Remembers what our reports wrote, so that a watch in the same process can skip events about our own writes. An event
// often arrives before the answer to its write, so it waits for that answer for a short time. If a write is forgotten
// or not waited for, an object is read once too often, no more.
import { setTimeout as after } from 'node:timers/promises';
import { formatRef, type ObjectRef } from '../../objects/object-ref.ts';
import { type Mapping, mapping } from '../../objects/plain.ts';
import { hasStatus, isAbsence, type KubernetesRequest } from './http/kubernetes-error.ts';
import type { KubernetesTransport } from './http/transport.ts';

export type OwnWrites = {
  /** Begins a write. The function that it returns is told the new resourceVersion; null: nothing was written. */
  begin(ref: ObjectRef): (resourceVersion: string | null) => void;
  /** True if we wrote this version of the object. A promise while a write is under way. */
  has(ref: ObjectRef, resourceVersion: string): boolean | Promise<boolean>;
};

const KEPT_MAX = 10_000;
/** Writing a Zone's status may take seconds; an edit that arrives meanwhile must not wait so long. */
const WAIT_MS_MAX = 300;

/** A memory without writes. */
export function rememberWrites(): OwnWrites {
  const versions = new Set<string>();
  const underway = new Map<string, Promise<void>>();
  const note = (resourceVersion: string) => {
    versions.add(resourceVersion);
    const [oldest] = versions;
    if (versions.size > KEPT_MAX && oldest !== undefined) versions.delete(oldest);
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

export type Written = { readonly kind: 'written'; readonly object: Mapping } | { readonly kind: 'gone' | 'changed' };

/**
 * Writes to an object. `changed`: it is not the version that was read. The version is remembered if the written
 * metadata are `isOurs`: a write that changes nothing returns the version of somebody else's edit.
 */
export async function writeOwn(
  { transport, ownWrites }: { readonly transport: KubernetesTransport; readonly ownWrites?: OwnWrites },
  ref: ObjectRef,
  request: KubernetesRequest,
  isOurs: (metadata: Mapping) => boolean,
): Promise<Written> {
  const ended = ownWrites?.begin(ref);
  let version: string | null = null;
  try {
    const object = mapping(await transport.send(request));
    const metadata = mapping(object.metadata);
    if (typeof metadata.resourceVersion === 'string' && isOurs(metadata)) version = metadata.resourceVersion;
    return { kind: 'written', object };
  } catch (error) {
    if (isAbsence(error, ref)) return { kind: 'gone' };
    if (hasStatus(error, 409)) return { kind: 'changed' };
    throw error;
  } finally {
    ended?.(version);
  }
}

/** If our report is replaced so many times within this time, the object is left to the other writer for a while. */
const REPLACED_MAX = 5;
const REPLACED_WITHIN_MS = 60_000;
export const LEFT_ALONE_MS = 600_000;

/** Whether to write a report. `begins`: another writer was just noticed; `left`: the object is left to it. */
type ReportVerdict = 'write' | 'begins' | 'left';

/**
 * Remembers the report of each object, to notice another writer that replaces it again and again, such as a second
 * zone53. Otherwise both would write for ever.
 */
export type Reports = {
  /** `report`: the status as text, without times. To be called only if the object does not have it. */
  judge(uid: string, report: string, nowMs: number): ReportVerdict;
  /** Notes that the object has the report now. One that could not be written has not been replaced. */
  written(uid: string, report: string): void;
};

/** A memory without reports. */
export function rememberReports(): Reports {
  type Known = { report: string | null; replacedAtMs: readonly number[]; leftUntilMs: number };
  const known = new Map<string, Known>();
  const keep = (uid: string, one: Known) => {
    known.delete(uid);
    known.set(uid, one);
    const [oldest] = known.keys();
    if (known.size > KEPT_MAX && oldest !== undefined) known.delete(oldest);
  };
  return {
    judge: (uid, report, nowMs) => {
      const before = known.get(uid);
      const isReplaced = before?.report === report;
      const recent = (before?.replacedAtMs ?? []).filter((atMs) => atMs > nowMs - REPLACED_WITHIN_MS);
      const replacedAtMs = isReplaced ? [...recent, nowMs] : recent;
      const isLeft = before !== undefined && nowMs < before.leftUntilMs;
      const begins = !isLeft && replacedAtMs.length >= REPLACED_MAX;
      const leftUntilMs = begins ? nowMs + LEFT_ALONE_MS : (before?.leftUntilMs ?? 0);
      keep(uid, { report: null, replacedAtMs: begins ? [] : replacedAtMs, leftUntilMs });
      return begins ? 'begins' : isLeft ? 'left' : 'write';
    },
    written: (uid, report) => {
      keep(uid, { ...(known.get(uid) ?? { replacedAtMs: [], leftUntilMs: 0 }), report });
    },
  };
}
