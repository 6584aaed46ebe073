// Reads manifests from files, folders and standard input into a `Listing`, repeatedly, and parses only what changed. An
// error affects only its own object. Whatever cannot be read in full is in `unreadable`, so that objects last seen
// there do not count as deleted.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Kind } from '../../objects/kind.ts';
import { sharedNext } from '../../ports/once.ts';
import { buildReading, type ManifestReading, type ParsedFile } from './build-listing.ts';
import { findManifests, type ManifestFile, type ManifestTree, STANDARD_INPUT } from './find-manifests.ts';
import { type OffKind, type ParsedManifest, parseManifest } from './parse-manifest.ts';
import { readManifestBytes, readStandardInput, sameState, tooLarge } from './read-file.ts';

/** Reads the same paths on each call. Calls during a reading share the next one. */
export type ManifestReader = Pick<ManifestReaderOptions, 'kinds' | 'paths'> & { read(): Promise<ManifestReading> };

export type ManifestReaderOptions = {
  readonly kinds: readonly Kind[];
  /** Kinds that are switched off: an object that asks for names gets a remark. Default: none. */
  readonly off?: readonly OffKind[];
  readonly paths: readonly string[];
  /** The input for `-`, which is read once; default: standard input. */
  readonly standardInput?: () => Promise<Buffer | null>;
  /**
   * For how long a file with objects must be gone or empty before that counts, in milliseconds; default 0. Above 0, it
   * also waits for a file that is being written: editors move a file away and write a new one.
   */
  readonly goneMs?: number;
};

/** A file that changed this recently counts as being written. The file system's clock ticks every 1 to 10 ms. */
const WRITTEN_MS = 15;
/** A state that was read this soon after a change may hide another change in the same tick. */
const TICK_MS = 60;
const WRITTEN_ROUNDS_MAX = 20;
const FILES_AT_ONCE_MAX = 64;

const EMPTY_INPUT =
  'Standard input is empty. The command that writes it has probably failed; for no objects, write "kind: List"';

type Kept = {
  readonly file: ManifestFile;
  readonly parsed: ParsedManifest;
  readonly trusted: boolean;
  goneSinceMs: number | null;
};
type Session = {
  readonly options: ManifestReaderOptions;
  readonly goneMs: number;
  kept: Map<string, Kept>;
  standardInput: Promise<Buffer | null> | null;
  last: ManifestReading | null;
};

/** A reader of these paths. Reading never throws: errors are in the listing. */
export function manifestReader(options: ManifestReaderOptions): ManifestReader {
  const session: Session = {
    options,
    goneMs: options.goneMs ?? 0,
    kept: new Map(),
    standardInput: null,
    last: null,
  };
  // A reading may have passed the file that the caller is interested in, so a call during one joins the next.
  return { kinds: options.kinds, paths: options.paths, read: sharedNext(() => readOnce(session)) };
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
    const read = await Promise.all(some.map((file) => readFile(file, session)));
    for (const one of read) if (one !== null) kept.set(one.file.name, one);
  }
  const lingering = keepGone(session, kept);
  session.kept = kept;
  const files: ParsedFile[] = [...kept.values()].map(({ file, parsed, goneSinceMs }) => ({
    name: file.name,
    order: file.order,
    given: file.given,
    parsed,
    lingers: goneSinceMs !== null,
  }));
  const state = { ...tree, files, hasLingering: lingering };
  session.last = buildReading(state, session.last, Date.now());
  return session.last;
}

/**
 * The tree, once none of its files is being written any more, and none changed while the tree was read: a file that was
 * moved meanwhile may be in it twice.
 */
async function findWritten(session: Session): Promise<ManifestTree> {
  for (let round = 0; ; round += 1) {
    const startedMs = Date.now();
    const tree = await findManifests(session.options.paths);
    if (session.goneMs === 0 || round === WRITTEN_ROUNDS_MAX) return tree;
    const nowMs = Date.now();
    const isNew = ({ changedMs }: ManifestFile['state']) =>
      changedMs > startedMs - WRITTEN_MS && changedMs < nowMs + WRITTEN_MS;
    if (!tree.files.some(({ state }) => isNew(state))) return tree;
    await sleep(WRITTEN_MS);
  }
}

/** Null: the file is gone since it was found, which `keepGone()` treats like one that was not found. */
async function readFile(file: ManifestFile, session: Session): Promise<Kept | null> {
  if (file.name === STANDARD_INPUT) {
    session.standardInput ??= (session.options.standardInput ?? readStandardInput)();
    const bytes = await session.standardInput;
    if (bytes === null) return unreadFile(file, tooLarge(file.name, null).message);
    // A command that fails writes nothing. That must not look as if all objects were deleted.
    if (bytes.every((byte) => byte <= 0x20)) return unreadFile(file, EMPTY_INPUT);
    return {
      file,
      parsed: parse(bytes, file, session),
      trusted: true,
      goneSinceMs: null,
    };
  }
  const read = await readManifestBytes(file.name, file.state);
  if (!read.ok) return read.gone && session.goneMs > 0 ? null : unreadFile(file, read.message);
  const trusted = !read.state.regular || Date.now() - read.state.changedMs > TICK_MS;
  return {
    file: { ...file, state: read.state },
    parsed: parse(read.bytes, file, session),
    trusted,
    goneSinceMs: null,
  };
}

function parse(bytes: Buffer, { name }: ManifestFile, { options: { kinds, off } }: Session): ParsedManifest {
  return parseManifest(kinds, bytes, name, undefined, off);
}

function unreadFile(file: ManifestFile, message: string): Kept {
  const problem = { file: file.name, line: 0, message };
  const parsed = { objects: [], problems: [problem], nearMisses: [], unasked: [], refused: [], hasOthers: false };
  return { file, parsed, trusted: false, goneSinceMs: null };
}

/** Keeps files that had objects a moment ago and are gone or empty now. Returns true if there is one. */
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
