// Watches manifests and reports which objects changed. It watches folders, never files: if an editor renames a new file
// over the old one, a watcher of the file would look at the old one. An event only means "read again"; the changes come
// from comparing two readings. A regular re-scan finds what the watchers missed.
import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { ObjectRef } from '../../objects/object-ref.ts';
import { errorMessage } from '../../objects/plain.ts';
import type { ReadProblem, ReadRemark } from '../../ports/cluster.ts';
import type { Hint } from '../../ports/queues.ts';
import { changedObjects, isUnder, type ManifestReading, objectsByRef } from './build-listing.ts';
import { type ManifestFolder, STANDARD_INPUT } from './find-manifests.ts';
import type { ManifestReader } from './manifest-reader.ts';
import { codeOf } from './read-file.ts';

/** The differences between two readings. `problems` and `remarks`: all current ones. */
export type ManifestChange = {
  readonly hints: readonly Hint[];
  readonly problems: readonly ReadProblem[];
  readonly problemsChanged: boolean;
  readonly remarks: readonly ReadRemark[];
  readonly remarksChanged: boolean;
};

export type WatchOptions = {
  /** The time between two re-scans, in milliseconds; default 2000. */
  readonly rescanMs?: number;
  /** Called once if folders cannot be watched for lack of watchers; then only the re-scan finds changes. */
  readonly onWarning?: (message: string) => void;
};

/** A running watch. After `close`, nothing is reported. */
export type ManifestWatch = { readonly first: ManifestReading; close(): Promise<void> };

/** The quiet time before files are read. */
const QUIET_MS = 30;
const RESCAN_MS = 2_000;
/** The largest share of the time that re-scans may take. */
const RESCAN_SHARE_MAX = 0.05;
const LINGERING_MS = 100;
/** In a busy folder, files are read at least this often. */
const BUSY_MS_MAX = 300;

type Session = {
  readonly reader: ManifestReader;
  readonly options: WatchOptions;
  readonly onChange: (change: ManifestChange) => void;
  readonly watchers: Map<string, { readonly inode: bigint | null; readonly watcher: FSWatcher }>;
  last: ManifestReading;
  /** Objects whose file could not be read in full when they were gone. Nobody knows yet whether they are deleted. */
  readonly missing: Map<string, { readonly ref: ObjectRef; readonly file: string }>;
  /** Files that could not be read in full since the start: their content is unknown. */
  readonly neverRead: Set<string>;
  /** The time of the first event since the last reading. */
  eventMs: number | null;
  timer: NodeJS.Timeout | null;
  reading: Promise<void> | null;
  warned: boolean;
  closed: boolean;
};

/** Watches what `reader` reads. Changes are reported relative to the first reading. */
export async function watchManifests(
  reader: ManifestReader,
  onChange: (change: ManifestChange) => void,
  options: WatchOptions,
): Promise<ManifestWatch> {
  const first = await reader.read();
  const session: Session = {
    reader,
    options,
    onChange,
    watchers: new Map(),
    last: first,
    missing: new Map(),
    neverRead: new Set(first.listing.unreadable),
    eventMs: null,
    timer: null,
    reading: null,
    warned: false,
    closed: false,
  };
  watchFolders(session, first.folders);
  // Catches changes between the first reading and the first watcher.
  schedule(session, 0);
  return {
    first,
    async close() {
      session.closed = true;
      if (session.timer !== null) clearTimeout(session.timer);
      for (const { watcher } of session.watchers.values()) watcher.close();
      await session.reading;
    },
  };
}

function schedule(session: Session, delayMs: number): void {
  if (session.closed) return;
  if (session.timer !== null) clearTimeout(session.timer);
  session.timer = setTimeout(() => {
    session.timer = null;
    if (session.reading !== null) return;
    session.reading = readAgain(session).finally(() => {
      session.reading = null;
    });
  }, delayMs);
}

function noteEvent(session: Session): void {
  const nowMs = Date.now();
  session.eventMs ??= nowMs;
  const leftMs = Math.max(0, session.eventMs + BUSY_MS_MAX - nowMs);
  // During a reading, the timer waits: readAgain schedules the next reading itself.
  if (session.reading === null) schedule(session, Math.min(QUIET_MS, leftMs));
}

async function readAgain(session: Session): Promise<void> {
  const startedMs = Date.now();
  const eventMs = session.eventMs;
  session.eventMs = null;
  const after = await session.reader.read();
  if (session.closed) return;
  const before = session.last;
  session.last = after;
  const newFolders = watchFolders(session, after.folders);
  hintChanges(session, before, after, eventMs ?? startedMs);
  const tookMs = Date.now() - startedMs;
  if (newFolders) schedule(session, 0);
  else if (session.eventMs !== null) schedule(session, QUIET_MS);
  else if (after.hasLingering) schedule(session, LINGERING_MS);
  else schedule(session, Math.max(session.options.rescanMs ?? RESCAN_MS, tookMs / RESCAN_SHARE_MAX));
}

function hintChanges(session: Session, before: ManifestReading, after: ManifestReading, atMs: number): void {
  const changed = changedObjects(before, after, atMs);
  const hints = [...changed, ...hintsOfMissing(session, atMs, before, after), ...hintsOfKinds(session, atMs, after)];
  const { problems, remarks = [] } = after.listing;
  const problemsChanged = JSON.stringify(problems) !== JSON.stringify(before.listing.problems);
  const remarksChanged = JSON.stringify(remarks) !== JSON.stringify(before.listing.remarks);
  if (hints.length > 0 || problemsChanged || remarksChanged)
    session.onChange({ hints, problems, problemsChanged, remarks, remarksChanged });
}

/**
 * Hints for objects of files that can be read in full again, or are gone. While a file cannot be read, a hint for an
 * object that is missing in it says nothing, so it is given again.
 */
function hintsOfMissing({ missing }: Session, atMs: number, before: ManifestReading, after: ManifestReading): Hint[] {
  const { unreadable } = after.listing;
  const are = objectsByRef(after);
  const again: Hint[] = [];
  for (const [key, { ref, file }] of missing) {
    if (isUnder(unreadable, file) && !are.has(key)) continue;
    missing.delete(key);
    if (!are.has(key)) again.push({ ...ref, atMs });
  }
  if (unreadable.size === 0) return again;
  for (const [key, { ref, origin }] of objectsByRef(before)) {
    const file = origin?.file ?? '';
    if (!are.has(key) && isUnder(unreadable, file)) missing.set(key, { ref, file });
  }
  return again;
}

/** Hints for all objects of all kinds, once something can be read in full for the first time, or is gone. */
function hintsOfKinds({ neverRead, reader }: Session, atMs: number, { listing }: ManifestReading): Hint[] {
  const read = [...neverRead].filter((file) => !listing.unreadable.has(file));
  for (const file of read) neverRead.delete(file);
  return read.length === 0 ? [] : reader.kinds.map(({ kind }) => ({ kind, namespace: null, name: null, atMs }));
}

/** A folder to watch. `only`: the names in it that matter; null: all. */
type Wanted = { readonly inode: bigint | null; readonly only: ReadonlySet<string> | null };

/** Every folder that was read, and the parent of each given path, where a file may be renamed or appear. */
function wantedFolders(session: Session, folders: readonly ManifestFolder[]): Map<string, Wanted> {
  const wanted = new Map<string, Wanted>(folders.map(({ name, inode }) => [name, { inode, only: null }]));
  for (const given of session.reader.paths) {
    const parent = dirname(given);
    const other = wanted.get(parent);
    if (given === STANDARD_INPUT || other?.only === null) continue;
    wanted.set(parent, { inode: null, only: new Set([...(other?.only ?? []), basename(given)]) });
  }
  return wanted;
}

/** Adds watchers for new folders and removes those of folders that are gone. Returns true if one was added. */
function watchFolders(session: Session, folders: readonly ManifestFolder[]): boolean {
  const wanted = wantedFolders(session, folders);
  for (const [name, { inode, watcher }] of session.watchers) {
    if (wanted.get(name)?.inode === inode) continue;
    watcher.close();
    session.watchers.delete(name);
  }
  let added = false;
  for (const [name, { inode, only }] of wanted) {
    if (!session.watchers.has(name) && watchFolder(session, name, inode, only)) added = true;
  }
  return added;
}

function watchFolder(session: Session, name: string, inode: bigint | null, only: Wanted['only']): boolean {
  try {
    const watcher = watch(name, (_event, changed) => {
      if (only === null || changed === null || only.has(changed)) noteEvent(session);
    });
    watcher.on('error', () => {
      watcher.close();
      if (session.watchers.get(name)?.watcher === watcher) session.watchers.delete(name);
      noteEvent(session);
    });
    session.watchers.set(name, { inode, watcher });
    return true;
  } catch (error) {
    // The next reading notices a folder that is gone. For lack of watchers, the re-scan must do.
    const code = codeOf(error);
    const gone = code === 'ENOENT' || code === 'ENOTDIR';
    if (!gone && !session.warned) {
      session.warned = true;
      const reason = errorMessage(error);
      session.options.onWarning?.(`Cannot watch folder "${name}" (${reason}): edits show after a re-scan only`);
    }
    return false;
  }
}
