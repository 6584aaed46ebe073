// Which files a list of paths means: files as given, folders with everything below them that is named .yaml, .yml or
// .json, in byte order of the whole path. What cannot be looked into is a problem, never an empty folder: an object
// last seen there must not be taken for deleted. Links are followed; no folder and no file is taken twice.
import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { ReadProblem } from '../../ports/cluster.ts';
import type { GivenPath } from './find-remarks.ts';
import { type FileState, NO_STATE, reasonOf, stateOf } from './read-file.ts';

/**
 * A file to read. `name` is how it is called everywhere; `order` sorts bytewise in order of reading; `given`: below
 * which path.
 */
export type ManifestFile = {
  readonly name: string;
  readonly order: string;
  readonly given: number;
  readonly state: FileState;
};

/** A folder that was looked into; `inode` tells a folder from a later one of the same name. */
export type ManifestFolder = { readonly name: string; readonly inode: bigint };

export type ManifestTree = {
  readonly files: readonly ManifestFile[];
  readonly folders: readonly ManifestFolder[];
  readonly problems: readonly ReadProblem[];
  readonly given: readonly GivenPath[];
};

export const STANDARD_INPUT = '-';

const EXTENSIONS = ['.yaml', '.yml', '.json'];

type Found = { readonly name: string; readonly real: string; readonly state: FileState };
type Walk = {
  readonly found: Found[];
  readonly folders: ManifestFolder[];
  readonly problems: ReadProblem[];
  readonly seen: Set<string>;
};

/** Looks into every path, in the order given. A file that two of them reach counts for the first. Never throws. */
export async function findManifests(paths: readonly string[]): Promise<ManifestTree> {
  const files: ManifestFile[] = [];
  const folders: ManifestFolder[] = [];
  const problems: ReadProblem[] = [];
  const givenPaths: GivenPath[] = [];
  const taken = new Set<string>();
  for (const [index, given] of paths.entries()) {
    const walk: Walk = { found: [], folders, problems, seen: new Set() };
    givenPaths.push(await enterGiven(given, walk));
    const sorted = walk.found.map((file) => ({ ...file, bytes: Buffer.from(file.name) }));
    sorted.sort((a, b) => Buffer.compare(a.bytes, b.bytes));
    for (const { name, real, state, bytes } of sorted) {
      if (taken.has(real)) continue;
      taken.add(real);
      // One code unit for each byte, so that comparing texts compares bytes; a tab sorts before what a path goes on
      // with.
      files.push({
        name,
        state,
        given: index,
        order: `${String(index).padStart(4, '0')}\t${bytes.toString('latin1')}\t`,
      });
    }
  }
  return { files, folders, problems, given: givenPaths };
}

/** How a path is called in messages and in the ledger: from the current folder when it lies below it, else absolute. */
function manifestName(given: string): string {
  if (given === STANDARD_INPUT) return STANDARD_INPUT;
  const absolute = path.resolve(given);
  const relative = path.relative('', absolute);
  const below = relative !== '' && !path.isAbsolute(relative) && relative.split(path.sep)[0] !== '..';
  return (below ? relative : absolute).split(path.sep).join('/');
}

async function enterGiven(given: string, walk: Walk): Promise<GivenPath> {
  const name = manifestName(given);
  if (given === STANDARD_INPUT) {
    walk.found.push({ name, real: name, state: NO_STATE });
    return { name, isFolder: false, filesFound: 1 };
  }
  try {
    const status = await stat(given, { bigint: true });
    const isFolder = status.isDirectory();
    const problemsBefore = walk.problems.length;
    if (isFolder) await enterFolder(name, status.ino, walk);
    else walk.found.push({ name, real: await realOf(name), state: stateOf(status) });
    return { name, isFolder, filesFound: walk.problems.length > problemsBefore ? null : walk.found.length };
  } catch (error) {
    walk.problems.push({ file: name, line: 0, message: `Cannot read "${given}": ${reasonOf(error)}` });
    return { name, isFolder: false, filesFound: null };
  }
}

async function enterFolder(name: string, inode: bigint, walk: Walk): Promise<void> {
  const real = await realOf(name);
  if (walk.seen.has(real)) return;
  walk.seen.add(real);
  walk.folders.push({ name, inode });
  let children: string[];
  try {
    children = await readdir(name);
  } catch (error) {
    walk.problems.push({ file: name, line: 0, message: `Cannot read folder "${name}": ${reasonOf(error)}` });
    return;
  }
  await Promise.all(
    children.map((child) => enterChild(name.endsWith('/') ? name + child : `${name}/${child}`, child, walk)),
  );
}

async function enterChild(name: string, child: string, walk: Walk): Promise<void> {
  // Emacs locks a file that is being edited by a dangling link of this name.
  if (child.startsWith('.#')) return;
  const manifest = EXTENSIONS.includes(path.extname(child).toLowerCase());
  try {
    const status = await stat(name, { bigint: true });
    if (status.isDirectory()) await enterFolder(name, status.ino, walk);
    else if (manifest && status.isFile()) walk.found.push({ name, real: await realOf(name), state: stateOf(status) });
  } catch (error) {
    // A link that leads nowhere may have led to a folder; a plain name that is gone again was somebody's passing file.
    if (manifest || codeOf(error) !== 'ENOENT') {
      walk.problems.push({ file: name, line: 0, message: `Cannot read "${name}": ${reasonOf(error)}` });
    }
  }
}

/** The one true path, or the given one where there is none (a pipe under /dev/fd). */
async function realOf(name: string): Promise<string> {
  return realpath(name).catch(() => path.resolve(name));
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
