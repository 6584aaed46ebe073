// Watches manifests and says which objects changed. One watcher for each folder, never for a file: an editor that
// writes a new file and renames it over the old one leaves a file's watcher looking at what is gone. What a watcher
// says is only ever "read again"; what changed comes from comparing two readings, and a slow re-scan finds what no
// watcher told.
import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { ReadProblem, ReadRemark } from '../../ports/cluster.ts';
import type { Hint } from '../../ports/queues.ts';
import { changedObjects, type ManifestReading } from './build-listing.ts';
import { type ManifestFolder, STANDARD_INPUT } from './find-manifests.ts';
import type { ManifestReader } from './manifest-reader.ts';

/** What differs between two readings. `problems` and `remarks`: all that there are now. */
export type ManifestChange = {
  readonly hints: readonly Hint[];
  readonly problems: readonly ReadProblem[];
  readonly problemsChanged: boolean;
  readonly remarks: readonly ReadRemark[];
  readonly remarksChanged: boolean;
};

export type WatchOptions = {
  /** How long nothing must happen before files are read, in milliseconds; default 30. */
  readonly quietMs?: number;
  /** How often everything is looked at all the same, in milliseconds; default 2000. */
  readonly rescanMs?: number;
  /** Told once when folders cannot be watched, for want of watchers; the re-scan then has to do. */
  readonly onWarning?: (message: string) => void;
};

/** A running watch. `close` ends it; nothing is told afterwards. */
export type ManifestWatch = { readonly first: ManifestReading; close(): Promise<void> };

const QUIET_MS = 30;
const RESCAN_MS = 2_000;
/** A re-scan may take this share of the time between two, at most. */
const RESCAN_SHARE_MAX = 0.05;
const LINGERING_MS = 100;
/** However busy a folder is, files are read this often. */
const BUSY_MS_MAX = 300;

type Session = {
  readonly reader: ManifestReader;
  readonly options: WatchOptions;
  readonly onChange: (change: ManifestChange) => void;
  readonly watchers: Map<string, { readonly inode: bigint | null; readonly watcher: FSWatcher }>;
  last: ManifestReading;
  /** When the first event came that no reading has followed yet. */
  eventMs: number | null;
  timer: NodeJS.Timeout | null;
  reading: Promise<void> | null;
  warned: boolean;
  closed: boolean;
};

/** Watches what `reader` reads. The first reading is the state that changes are told against. */
export async function watchManifests(
  reader: ManifestReader,
  onChange: (change: ManifestChange) => void,
  options: WatchOptions = {},
): Promise<ManifestWatch> {
  const first = await reader.read();
  const session: Session = {
    reader,
    options,
    onChange,
    watchers: new Map(),
    last: first,
    eventMs: null,
    timer: null,
    reading: null,
    warned: false,
    closed: false,
  };
  watchFolders(session, first.folders);
  // What happened between the reading and the first watcher.
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
  const quietMs = session.options.quietMs ?? QUIET_MS;
  const leftMs = Math.max(0, session.eventMs + BUSY_MS_MAX - nowMs);
  // While files are being read the timer waits: readAgain schedules the next reading itself.
  if (session.reading === null) schedule(session, Math.min(quietMs, leftMs));
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
  tell(session, before, after, eventMs ?? startedMs);
  const tookMs = Date.now() - startedMs;
  if (newFolders) schedule(session, 0);
  else if (session.eventMs !== null) schedule(session, session.options.quietMs ?? QUIET_MS);
  else if (after.hasLingering) schedule(session, LINGERING_MS);
  else schedule(session, Math.max(session.options.rescanMs ?? RESCAN_MS, tookMs / RESCAN_SHARE_MAX));
}

function tell(session: Session, before: ManifestReading, after: ManifestReading, atMs: number): void {
  const hints = changedObjects(before, after, atMs);
  const { problems, remarks = [] } = after.listing;
  const problemsChanged = JSON.stringify(problems) !== JSON.stringify(before.listing.problems);
  const remarksChanged = JSON.stringify(remarks) !== JSON.stringify(before.listing.remarks);
  if (hints.length > 0 || problemsChanged || remarksChanged)
    session.onChange({ hints, problems, problemsChanged, remarks, remarksChanged });
}

/** A folder to watch; `only` are the names in it that matter, null for all. */
type Wanted = { readonly inode: bigint | null; readonly only: ReadonlySet<string> | null };

/**
 * Every folder that was read, and the folder around each given path: it sees a file renamed over, or come up at last.
 */
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

/** Sets a watcher on every folder that has none, drops those of folders that are gone. True when one was set anew. */
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
    // A folder that is gone again is for the next reading; for want of watchers the re-scan has to do.
    const gone = error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
    if (!gone && !session.warned) {
      session.warned = true;
      const reason = error instanceof Error ? error.message : String(error);
      session.options.onWarning?.(`Cannot watch folder "${name}" (${reason}): edits show after a re-scan only`);
    }
    return false;
  }
}
