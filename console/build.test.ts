import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { buildPage } from './build.ts';

/** All that a browser loads, compressed. */
const OCTETS_MAX = 60 * 1024;

test('the page has at most 60 KiB, compressed', async () => {
  const sizes = Object.values(await buildPage()).map((text) => gzipSync(text).length);
  for (const size of sizes) expect(size).toBeGreaterThan(100);
  expect(sizes.reduce((total, size) => total + size, 0)).toBeLessThanOrEqual(OCTETS_MAX);
});

test('the page has no script or style in its markup, sets no markup, and asks no other server', async () => {
  const files = await buildPage();
  expect(files['index.html']).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]* src="\/app\.js")[^>]*>/);
  for (const text of Object.values(files))
    expect(text.match(/\bhttps?:\/\/(?!www\.w3\.org\/)[^\s"'`]*/g) ?? []).toEqual([]);
  expect(files['app.css']).not.toMatch(/url\(|@import|@font-face/);
});
