// What `npm ci` installs is what was tested: the lock file has a digest of every package.
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

/** Comes inside another package, whose digest covers it. */
const isCovered = ({ inBundle, link }: Locked) => inBundle === true || link === true;

test('every package that is installed on Linux has its digest in the lock file', () => {
  const without = Object.entries(packages).filter(
    ([at, one]) => at !== '' && one.integrity === undefined && !isCovered(one),
  );
  // Of these the registry that the file was made with has none: tools of a developer, as compiled for other machines.
  const elsewhere = without.filter(
    ([, { dev, optional, os = [], cpu = [], libc = [] }]) =>
      dev === true && optional === true && !(os.includes('linux') && cpu.includes('x64') && !libc.includes('musl')),
  );
  expect(without.filter((one) => !elsewhere.includes(one)).map(([at]) => at)).toEqual([]);
  for (const [at] of elsewhere) expect(at).toMatch(/^node_modules\/(@biomejs\/cli-|@oxc-parser\/binding-)/);
  // This number only gets smaller.
  expect(elsewhere.length).toBeLessThanOrEqual(23);
});

test('every package has one exact version', () => {
  const { dependencies, devDependencies } = packages[''] as unknown as Record<string, Record<string, string>>;
  for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
    expect(packages[`node_modules/${name}`]?.version, name).toBe(version);
  }
});
