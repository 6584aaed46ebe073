// Finds the files of a list of paths: files as given, and in folders every .yaml, .yml and .json file at any depth, in
// the byte order of the whole path. A folder that cannot be read is a problem, never an empty folder: objects last seen
// there must not count as deleted. Links are followed; no folder or file is taken twice.
import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { ReadProblem } from '../../ports/cluster.ts';
import type { GivenPath } from './find-remarks.ts';
import { codeOf, type FileState, NO_STATE, reasonOf, stateOf } from './read-file.ts';

/** A file to read. `name`: for messages; `order`: for sorting; `given`: the index of the path that led to it. */
export type ManifestFile = {
  readonly name: string;
  readonly order: string;
  readonly given: number;
  readonly state: FileState;
};

/** A folder that was read. `inode` distinguishes it from a later one of the same name. */
export type ManifestFolder = { readonly name: string; readonly inode: bigint };

export type ManifestTree = {
  readonly files: readonly ManifestFile[];
  readonly folders: readonly ManifestFolder[];
  readonly problems: readonly ReadProblem[];
  readonly given: readonly GivenPath[];
};

export const STANDARD_INPUT = '-';

/** More than anybody keeps manifests in. Links may lead to a whole disk, as those in /proc do. */
const FOLDERS_MAX = 20_000;

const EXTENSIONS = ['.yaml', '.yml', '.json'];

type Found = { readonly name: string; readonly real: string; readonly state: FileState };
type Walk = {
  readonly found: Found[];
  readonly folders: ManifestFolder[];
  readonly problems: ReadProblem[];
  readonly seen: Set<string>;
  readonly foldersMax: number;
  /** There are more folders than that. */
  isTooLarge: boolean;
};

/**
 * Searches all paths in order. A file that two of them reach belongs to the first. A path with more folders than
 * `foldersMax` is a problem as a whole. Never throws.
 */
export async function findManifests(paths: readonly string[], foldersMax = FOLDERS_MAX): Promise<ManifestTree> {
  const files: ManifestFile[] = [];
  const folders: ManifestFolder[] = [];
  const problems: ReadProblem[] = [];
  const givenPaths: GivenPath[] = [];
  const taken = new Set<string>();
  for (const [index, given] of paths.entries()) {
    const walk: Walk = { found: [], folders, problems, seen: new Set(), foldersMax, isTooLarge: false };
    givenPaths.push(await enterGiven(given, walk));
    const sorted = walk.found.map((file) => ({ ...file, bytes: Buffer.from(file.name) }));
    sorted.sort((a, b) => Buffer.compare(a.bytes, b.bytes));
    for (const { name, real, state, bytes } of sorted) {
      if (taken.has(real)) continue;
      taken.add(real);
      // One code unit for each byte, so that comparing texts compares bytes. A tab sorts before any character of a
      // longer path.
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

/** The name of a path in messages and in the ledger: relative if it is below the current folder, else absolute. */
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
    if (isFolder) await enterGivenFolder(given, name, status.ino, walk);
    else walk.found.push({ name, real: await realOf(name), state: stateOf(status) });
    return { name, isFolder, filesFound: walk.problems.length > problemsBefore ? null : walk.found.length };
  } catch (error) {
    walk.problems.push({ file: name, line: 0, message: `Cannot read "${given}": ${reasonOf(error)}` });
    return { name, isFolder: false, filesFound: null };
  }
}

async function enterGivenFolder(given: string, name: string, inode: bigint, walk: Walk): Promise<void> {
  const problemsBefore = walk.problems.length;
  await enterFolder(name, inode, walk);
  if (!walk.isTooLarge) return;
  // To read what was found so far could take as long again, and would not be the whole.
  walk.found.length = 0;
  walk.problems.length = problemsBefore;
  const message = `Cannot read "${given}": it has more than ${walk.foldersMax} folders, with those that links lead to; name the folders that have manifests`;
  walk.problems.push({ file: name, line: 0, message });
}

async function enterFolder(name: string, inode: bigint, walk: Walk): Promise<void> {
  const real = await realOf(name);
  if (walk.seen.has(real)) return;
  if (walk.seen.size >= walk.foldersMax) {
    walk.isTooLarge = true;
    return;
  }
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

/** The folder of the ledger by default, which `-f .` would find. It has no manifests, and changes all the time. */
const STATE_FOLDER = '.zone53';

async function enterChild(name: string, child: string, walk: Walk): Promise<void> {
  // Emacs marks a file that is being edited with a dangling link of this name.
  if (child.startsWith('.#') || child === STATE_FOLDER) return;
  const manifest = EXTENSIONS.includes(path.extname(child).toLowerCase());
  try {
    const status = await stat(name, { bigint: true });
    if (status.isDirectory()) await enterFolder(name, status.ino, walk);
    else if (manifest && status.isFile()) walk.found.push({ name, real: await realOf(name), state: stateOf(status) });
  } catch (error) {
    // A dangling link may have led to a folder. A plain name that is gone was somebody's temporary file.
    if (manifest || codeOf(error) !== 'ENOENT') {
      walk.problems.push({ file: name, line: 0, message: `Cannot read "${name}": ${reasonOf(error)}` });
    }
  }
}

/** The resolved path, or the given one if there is none (a pipe under /dev/fd). */
async function realOf(name: string): Promise<string> {
  return realpath(name).catch(() => path.resolve(name));
}
