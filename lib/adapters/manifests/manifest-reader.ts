// Reads manifests from files, folders and standard input into a `Listing`, again and again, parsing only what changed.
// The rule it keeps: an error costs only itself. Whatever could not be read in full is in `unreadable`, so that nobody
// takes an object last seen there for deleted.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Kind } from '../../objects/kind.ts';
import type { Listing } from '../../ports/cluster.ts';
import { buildReading, type ManifestReading, type ParsedFile } from './build-listing.ts';
import { findManifests, type ManifestFile, type ManifestTree, STANDARD_INPUT } from './find-manifests.ts';
import { type ParsedManifest, parseManifest } from './parse-manifest.ts';
import { readManifestBytes, readStandardInput, sameState } from './read-file.ts';

/** Reads the same paths whenever asked. Calls that come while one runs share the next. */
export type ManifestReader = { readonly paths: readonly string[]; read(): Promise<ManifestReading> };

export type ManifestReaderOptions = {
  /** Every kind that is read. */
  readonly kinds: readonly Kind[];
  readonly paths: readonly string[];
  /** What `-` reads; default: standard input. Read once. */
  readonly standardInput?: () => Promise<Buffer>;
  /**
   * How long a file that held objects must be gone or empty before that is believed, in milliseconds; default 0. Above
   * 0 a file that is just being written is waited for, too: editors move a file away and write it anew.
   */
  readonly goneMs?: number;
  /** Default: `Date.now`. Versions are made of it. */
  readonly nowMs?: () => number;
};

/**
 * A file whose status changed this recently is still being written. A tick of the file system's clock is 1 to 10 ms.
 */
const WRITTEN_MS = 15;
/** A state noted this soon after the change may hide another change within the same tick. */
const TICK_MS = 60;
const WRITTEN_ROUNDS_MAX = 20;
const FILES_AT_ONCE_MAX = 64;

type Kept = {
  readonly file: ManifestFile;
  readonly parsed: ParsedManifest;
  readonly trusted: boolean;
  goneSinceMs: number | null;
};
type Session = {
  readonly options: ManifestReaderOptions;
  readonly goneMs: number;
  readonly nowMs: () => number;
  kept: Map<string, Kept>;
  standardInput: Promise<Buffer> | null;
  last: ManifestReading | null;
};

/** A reader of these paths. Reading never throws: what is wrong is in the listing. */
export function manifestReader(options: ManifestReaderOptions): ManifestReader {
  const session: Session = {
    options,
    goneMs: options.goneMs ?? 0,
    nowMs: options.nowMs ?? Date.now,
    kept: new Map(),
    standardInput: null,
    last: null,
  };
  let current: Promise<ManifestReading> | null = null;
  let next: Promise<ManifestReading> | null = null;
  const run = (): Promise<ManifestReading> =>
    readOnce(session).finally(() => {
      if (next === null) current = null;
    });
  return {
    paths: options.paths,
    read() {
      if (current === null) {
        current = run();
        return current;
      }
      // A reading that has begun may have passed by the file that the caller cares for: join the one after it.
      next ??= current.then(() => {
        current = next;
        next = null;
        return run();
      });
      return next;
    },
  };
}

/** One reading of these paths. */
export async function readManifests(options: ManifestReaderOptions): Promise<Listing> {
  return (await manifestReader(options).read()).listing;
}

async function readOnce(session: Session): Promise<ManifestReading> {
  const tree = await findWritten(session);
  const kept = new Map<string, Kept>();
  const changed: ManifestFile[] = [];
  for (const file of tree.files) {
    const before = session.kept.get(file.name);
    if (before?.trusted && sameState(before.file.state, file.state))
      kept.set(file.name, { ...before, file, goneSinceMs: null });
    else changed.push(file);
  }
  for (let start = 0; start < changed.length; start += FILES_AT_ONCE_MAX) {
    const some = changed.slice(start, start + FILES_AT_ONCE_MAX);
    for (const read of await Promise.all(some.map((file) => readFile(file, session)))) kept.set(read.file.name, read);
  }
  const lingering = keepGone(session, kept);
  session.kept = kept;
  const files: ParsedFile[] = [...kept.values()].map(({ file, parsed }) => ({
    name: file.name,
    order: file.order,
    given: file.given,
    parsed,
  }));
  const state = { ...tree, files, hasLingering: lingering };
  session.last = buildReading(state, session.last, session.nowMs());
  return session.last;
}

/** The tree, once no file of it is being written any more. */
async function findWritten(session: Session): Promise<ManifestTree> {
  for (let round = 0; ; round += 1) {
    const tree = await findManifests(session.options.paths);
    if (session.goneMs === 0 || round === WRITTEN_ROUNDS_MAX) return tree;
    const nowMs = Date.now();
    if (!tree.files.some(({ state }) => Math.abs(nowMs - state.changedMs) < WRITTEN_MS)) return tree;
    await sleep(WRITTEN_MS);
  }
}

async function readFile(file: ManifestFile, session: Session): Promise<Kept> {
  if (file.name === STANDARD_INPUT) {
    session.standardInput ??= (session.options.standardInput ?? readStandardInput)();
    return {
      file,
      parsed: parseManifest(session.options.kinds, await session.standardInput, file.name),
      trusted: true,
      goneSinceMs: null,
    };
  }
  const read = await readManifestBytes(file.name, file.state);
  if (!read.ok) {
    const problem = { file: file.name, line: 0, message: read.message };
    const parsed = { objects: [], problems: [problem], nearMisses: [], hasOthers: false };
    return { file, parsed, trusted: false, goneSinceMs: null };
  }
  const trusted = !read.state.regular || Date.now() - read.state.changedMs > TICK_MS;
  return {
    file: { ...file, state: read.state },
    parsed: parseManifest(session.options.kinds, read.bytes, file.name),
    trusted,
    goneSinceMs: null,
  };
}

/** Puts back what held objects a moment ago and is gone or empty now. True when there is such a file. */
function keepGone(session: Session, kept: Map<string, Kept>): boolean {
  if (session.goneMs === 0) return false;
  let lingering = false;
  const nowMs = Date.now();
  for (const [name, before] of session.kept) {
    if (before.parsed.objects.length === 0 || !looksGone(kept.get(name))) continue;
    const goneSinceMs = before.goneSinceMs ?? nowMs;
    if (nowMs - goneSinceMs >= session.goneMs) continue;
    kept.set(name, { ...before, trusted: false, goneSinceMs });
    lingering = true;
  }
  return lingering;
}

function looksGone(now: Kept | undefined): boolean {
  return now === undefined || (now.file.state.regular && now.file.state.sizeBytes === 0n);
}
