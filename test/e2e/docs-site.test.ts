// The site of `npm run docs`, from its files in a real browser: the pages of this checkout, their search, and axe.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import axe, { type AxeResults } from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildSite } from '../../release/site/build-site.ts';
import { startChromium } from '../engines/chromium/start.ts';
import { describeWithEngine } from '../engines/engines.ts';

const DOCS = path.join(import.meta.dirname, '..', '..', 'docs');

describeWithEngine('chromium', 'the documentation as a site', () => {
  let folder: string;
  let browser: Browser;
  let page: Page;

  const open = (file: string) => page.goto(pathToFileURL(path.join(folder, file)).href);

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'zone53-site-'));
    await buildSite(DOCS, folder);
    browser = await startChromium();
    page = await browser.newPage({ viewport: { width: 1_280, height: 800 } });
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('finds a section by its words, and goes there', async () => {
    await open('adr/0001-one-write-primitive.html');
    await page.keyboard.press('/');
    await page.keyboard.type('Route 53 throttles');
    const first = page.locator('search li a').first();
    expect(await first.textContent()).toContain('Route 53 throttles us');
    await page.keyboard.press('Enter');
    await page.waitForURL(/runbook\.html#/);
    expect(await page.locator('h1').textContent()).toBe('Runbook');
  });

  it('says so where no page has the words', async () => {
    await open('index.html');
    await page.getByRole('searchbox').fill('xyzzy plugh');
    expect(await page.locator('search li').allTextContents()).toEqual(['No page has “xyzzy plugh”.']);
  });

  it.each(['light', 'dark'] as const)('axe finds nothing in %s mode', async (colorScheme) => {
    await page.emulateMedia({ colorScheme });
    for (const file of ['index.html', 'kubernetes.html', 'console.html']) {
      await open(file);
      await page.evaluate(axe.source);
      const { violations } = (await page.evaluate('axe.run({ resultTypes: ["violations"] })')) as AxeResults;
      expect(violations.map(({ id, nodes }) => [file, id, nodes[0]?.html])).toEqual([]);
    }
  });
});
