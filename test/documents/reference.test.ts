// What `npm run reference` writes: docs/reference.md.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { buildReference, REFERENCE } from './write-reference.ts';

const page = buildReference();

describe('docs/reference.md', () => {
  test('is up to date; if it is not, run `npm run reference`', () => {
    expect(readFileSync(REFERENCE, 'utf8')).toBe(page);
  });

  test('says of every key which values it takes', () => {
    expect(page.split('\n').filter((line) => /^- `[^`]+`: [^.]*(?:null|any value)/.test(line))).toEqual([]);
    expect(page).toContain('- `sources.ingresses.hostnamesFrom`: list of `rules`, `tls`, `annotation`.');
  });

  test('has a text for every field', () => {
    const bare = page.split('\n').filter((line) => /^- `(?!status|spec`)[^`]+`: [^.]*\.$/.test(line));
    expect(bare).toEqual([]);
  });
});
