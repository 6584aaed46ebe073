import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../test/support/test-folder.ts';
import { buildSite, headingAnchor } from './build-site.ts';

/** A folder with these pages. */
function pagesOf(pages: Readonly<Record<string, string>>): string {
  const folder = testFolder();
  for (const [file, text] of Object.entries(pages)) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  }
  return folder;
}

const README = '# All pages\n\n| to use it | |\n|---|---|\n| [a.md](a.md) | one |\n| [adr/](adr/) | decisions |\n';

test('a page is HTML with the list of all pages, and its links lead to pages of the site', async () => {
  const to = testFolder();
  const from = pagesOf({
    'README.md': README,
    'a.md':
      '# The `a` page\n\n## A heading, with `code`\n\n[up](adr/0001.md#why-so) [out](https://example.org/x.md) <b>\n',
    'adr/0001.md': '# One\n\n## Why so\n\n[back](../a.md#a-heading-with-code)\n',
  });
  expect(await buildSite(from, to)).toBe(4);
  const html = readFileSync(path.join(to, 'a.html'), 'utf8');
  expect(html).toContain('<title>The a page · zone53</title>');
  expect(html).toContain('<h2>to use it</h2>');
  expect(html).toContain('aria-current="page" href="a.html"');
  expect(html).toContain('href="adr/0001.html#why-so"');
  expect(html).toContain('href="https://example.org/x.md"');
  expect(html).toContain('&lt;b&gt;');
  expect(readFileSync(path.join(to, 'adr', '0001.html'), 'utf8')).toContain('href="../a.html#a-heading-with-code"');
});

test('every link, heading and picture that does not exist is named with its page, and nothing is written', async () => {
  const to = path.join(testFolder(), 'site');
  const from = pagesOf({
    'README.md': README,
    'a.md': '# A\n\n[page](b.md) [heading](#nothing) ![picture](x.png) [other](adr/0001.md#why)\n',
    'adr/0001.md': '# One\n',
  });
  await expect(buildSite(from, to)).rejects.toThrow(
    'a.md: b.html does not exist\na.md: #nothing does not exist\na.md: x.png does not exist\na.md: adr/0001.html#why does not exist',
  );
  expect(existsSync(to)).toBe(false);
});

test('headingAnchor() is that of GitHub', () => {
  expect(headingAnchor('`Propagated`: what it says, and when')).toBe('propagated-what-it-says-and-when');
});
