// A configuration under another name than zone53.yaml must not be passed over: its roots would not count.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { runHere } from '../../test/support/run-here.ts';
import { testFolder } from '../../test/support/test-folder.ts';

const before = process.cwd();
afterEach(() => process.chdir(before));

const ZONE = `apiVersion: kubi.zone/v1alpha1
kind: Zone
metadata: { name: e }
spec: { domainName: e.test. }
`;

/** Renders a Zone in a folder with this file beside it. */
function renderBeside(name: string, ...argv: readonly string[]) {
  const folder = testFolder();
  mkdirSync(path.join(folder, 'dns'));
  writeFileSync(path.join(folder, 'dns', 'zone.yaml'), ZONE);
  writeFileSync(path.join(folder, name), 'roots: []\n');
  process.chdir(folder);
  return runHere('render', '-f', 'dns', '--strict', ...argv);
}

test.each(['zone53.yml', 'zone53.json', '.zone53.yaml'])('%s is an error', async (name) => {
  const { code, err } = await renderBeside(name);
  expect(code).toBe(1);
  expect(err).toContain(`${name} is not read: the configuration is zone53.yaml. Rename it, or use --config ${name}`);
});

test('zone53.yaml is read, and so is a file of another name that --config names', async () => {
  for (const [name, ...argv] of [['zone53.yaml'], ['zone53.yml', '--config', 'zone53.yml']] as const) {
    const { code, out } = await renderBeside(name, ...argv);
    expect(code).toBe(1);
    expect(out).toContain('RootNotAllowed');
  }
});

test('a file of another name is no configuration', async () => {
  expect((await renderBeside('zone53-example.yml')).code).toBe(0);
});
