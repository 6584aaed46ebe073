// Finds remarks about files without an object of ours: a path that has none at all is a warning, a single file among
// others a note. A file with objects of other kinds, such as kustomization.yaml, is meant for other tools and gets no
// remark, save where an object asks for names and its kind is switched off.
import { formatRef } from '../../objects/object-ref.ts';
import type { ReadRemark } from '../../ports/cluster.ts';
import { API_VERSION } from './near-miss.ts';
import type { ParsedManifest } from './parse-manifest.ts';

/** A path that was given to `-f`, with the number of its files that no earlier path has. Null: it cannot be read. */
export type GivenPath = { readonly name: string; readonly isFolder: boolean; readonly filesFound: number | null };

type ReadFile = { readonly name: string; readonly given: number; readonly parsed: ParsedManifest };

/** Files of other tools, and our own configuration, that are often beside manifests. */
const OTHER_FILES = /(?:^|\/)(?:zone53|kustomization|Chart)\.ya?ml$/i;
const NOTHING_OF_OURS = `no Zone or Record of ${API_VERSION}`;

/** All remarks: near misses, and paths and files without an object of ours. */
export function findRemarks(given: readonly GivenPath[], files: readonly ReadFile[]): readonly ReadRemark[] {
  const byPath = Map.groupBy(files, (file) => file.given);
  return [
    ...given.flatMap((one, index) => remarksOf(one, byPath.get(index) ?? [])),
    ...adviseUnasked(files),
    ...adviseRefused(files),
  ];
}

/** One remark about all objects that ask for names and are not read, at the place of the first. */
function adviseUnasked(files: readonly ReadFile[]): readonly ReadRemark[] {
  const unasked = files.flatMap(({ parsed }) => parsed.unasked);
  const [first] = unasked;
  if (first === undefined) return [];
  const others = unasked.length - 1;
  const who = `${formatRef(first.ref)}${others === 0 ? ' asks' : ` and ${others} more ask`}`;
  const flags = [...new Set(unasked.map(({ key }) => `--source ${key}`))].sort().join(' ');
  const message = `${who} for names and ${others === 0 ? 'is' : 'are'} not read. To read such objects, use ${flags}, or these keys below "sources" in the configuration`;
  return [{ level: 'advice', ...first.origin, message }];
}

/** A remark for each reason why an API server would refuse objects, at the place of the first. */
function adviseRefused(files: readonly ReadFile[]): readonly ReadRemark[] {
  const byCode = Map.groupBy(
    files.flatMap(({ parsed }) => parsed.refused),
    ({ code }) => code,
  );
  return [...byCode.values()].flatMap(([first, ...others]): readonly ReadRemark[] => {
    if (first === undefined) return [];
    const more = others.length === 0 ? '' : ` (and ${others.length} more of this kind)`;
    return [{ level: 'advice', ...first.origin, message: `${formatRef(first.ref)}: ${first.message}${more}` }];
  });
}

function remarksOf({ name, isFolder, filesFound }: GivenPath, files: readonly ReadFile[]): readonly ReadRemark[] {
  if (filesFound === 0) return [warning(name, 0, `folder "${name}" has no .yaml, .yml or .json file`)];
  if (filesFound !== null && files.length > 0 && files.every(({ parsed }) => isSilent(parsed))) {
    if (!isFolder) return [warning(name, 1, `${NOTHING_OF_OURS} in it`)];
    const where = files.length === 1 ? 'its one file' : `any of its ${files.length} files`;
    return [warning(name, 0, `folder "${name}" has ${NOTHING_OF_OURS} in ${where}`)];
  }
  return files.flatMap(({ name: file, parsed }): readonly ReadRemark[] => {
    if (!isSilent(parsed)) return parsed.nearMisses.map(({ line, message }) => warning(file, line, message));
    if (parsed.hasOthers || OTHER_FILES.test(file)) return [];
    return [{ level: 'note', file, line: 1, message: `${NOTHING_OF_OURS} in it` }];
  });
}

function warning(file: string, line: number, message: string): ReadRemark {
  return { level: 'warning', file, line, message };
}

/** True for a file without objects of ours, errors and near misses. */
function isSilent({ objects, problems, nearMisses }: ParsedManifest): boolean {
  return objects.length === 0 && problems.length === 0 && nearMisses.length === 0;
}
