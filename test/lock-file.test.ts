// The lock file has a digest of every package, so `npm ci` installs exactly what was tested.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

type Locked = {
  readonly version: string;
  readonly integrity?: string;
  readonly inBundle?: boolean;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
};

const { packages } = JSON.parse(readFileSync(path.join(import.meta.dirname, '..', 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Locked>;
};

/** A package inside another package is covered by the digest of that package. */
const isCovered = ({ inBundle, link }: Locked) => inBundle === true || link === true;

test('every package that is installed on Linux has its digest in the lock file', () => {
  const without = Object.entries(packages).filter(
    ([at, one]) => at !== '' && one.integrity === undefined && !isCovered(one),
  );
  // The registry that the file was made with has no digest of these: a developer's tools, compiled for other machines.
  const elsewhere = without.filter(
    ([, { dev, optional, os = [], cpu = [], libc = [] }]) =>
      dev === true && optional === true && !(os.includes('linux') && cpu.includes('x64') && !libc.includes('musl')),
  );
  expect(without.filter((one) => !elsewhere.includes(one)).map(([at]) => at)).toEqual([]);
  for (const [at] of elsewhere) expect(at).toMatch(/^node_modules\/(@biomejs\/cli-|@oxc-parser\/binding-)/);
  // This number may only fall.
  expect(elsewhere.length).toBeLessThanOrEqual(23);
});

test('every package has one exact version', () => {
  const { dependencies, devDependencies } = packages[''] as unknown as Record<string, Record<string, string>>;
  for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
    expect(packages[`node_modules/${name}`]?.version, name).toBe(version);
  }
});
