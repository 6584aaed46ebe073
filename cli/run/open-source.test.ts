import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DEFAULT_CONFIG } from '../../lib/ports/config.ts';
import { UsageError } from '../print/usage-error.ts';
import type { SourceOptions } from './open-objects.ts';
import { openSource } from './open-source.ts';
import { render } from './use-cases.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'zone53-source-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

const clock = { nowMs: () => 0 };
const options: SourceOptions = { clusterId: 'a', clock, readingMsMax: 0, sources: [] };
const at = (name: string) => path.join(folder, name);
const common = { config: DEFAULT_CONFIG, clock, log: () => {}, progress: () => {} };

test('openSource() fails at once for missing paths, and names each without a line number', async () => {
  await writeFile(at('a.yaml'), '');
  const source = { kind: 'manifests', paths: [at('a.yaml'), at('b'), at('c')] } as const;
  const opening = openSource(source, { ...options, pathsMustBe: true });
  await expect(opening).rejects.toThrow(UsageError);
  await expect(opening).rejects.toThrow(
    `Cannot read "${at('b')}": there is no such file or folder\nCannot read "${at('c')}": there is no such file or folder\nNothing was done.`,
  );
});

test('render() reports a misspelt object as a remark, and with --strict as an error', async () => {
  const file = at('a.yaml');
  await writeFile(file, 'apiVersion: kubi.zone/v1alpha1\nkind: Recrod\nmetadata: { name: a }\n');
  const source = { kind: 'manifests', paths: [folder] } as const;
  const remark = { file, line: 1, message: expect.stringContaining('did you mean "kind: Record"?') };
  const lenient = await render({ ...common, source });
  expect(lenient).toMatchObject({ errors: [], remarks: [{ ...remark, level: 'warning' }] });
  expect(await render({ ...common, source: { ...source, strict: true } })).toMatchObject({
    errors: [remark],
    remarks: [],
  });
});

test('render() gives the file and line of each object', async () => {
  const file = at('a.yaml');
  await writeFile(file, '---\napiVersion: kubi.zone/v1alpha1\nkind: Record\nmetadata: { name: a }\n');
  const { records } = await render({ ...common, source: { kind: 'manifests', paths: [folder] } });
  expect(records[0]?.origin).toEqual({ file, line: 2 });
});
