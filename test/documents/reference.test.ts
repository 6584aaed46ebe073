// docs/reference.md is what write-reference.ts makes of the CRDs and of the schemas of zone53.yaml.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { buildReference, REFERENCE } from './write-reference.ts';

const page = buildReference();

describe('docs/reference.md', () => {
  test('is up to date; if it is not, run `npm run reference`', () => {
    expect(readFileSync(REFERENCE, 'utf8')).toBe(page);
  });

  test('says something of every field', () => {
    const bare = page.split('\n').filter((line) => /^- `(?!status|spec`)[^`]+`: [^.]*\.$/.test(line));
    expect(bare).toEqual([]);
  });
});
