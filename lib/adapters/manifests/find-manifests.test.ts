import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../test/support/test-folder.ts';
import { findManifests } from './find-manifests.ts';

test('findManifests() reports a path with too many folders as a whole, and reads the others', async () => {
  const folder = testFolder();
  const [large, small] = [path.join(folder, 'large'), path.join(folder, 'small')];
  await mkdir(path.join(large, 'one', 'two', 'three'), { recursive: true });
  await mkdir(small);
  await symlink('no such folder', path.join(large, 'dangling'));
  for (const file of [path.join(large, 'a.yaml'), path.join(small, 'b.yaml')]) await writeFile(file, '');
  const found = await findManifests([large, small], 3);
  expect(found.files.map(({ name }) => path.basename(name))).toEqual(['b.yaml']);
  expect(found.problems).toEqual([
    {
      file: large,
      line: 0,
      message: `Cannot read "${large}": it has more than 3 folders, with those that links lead to; name the folders that have manifests`,
    },
  ]);
  expect(found.given.map(({ filesFound }) => filesFound)).toEqual([null, 1]);
  expect((await findManifests([large], 4)).files).toHaveLength(1);
});
