// A real browser for the tests of the console's page.
import { type Browser, chromium } from 'playwright-core';
import { engine } from '../engines.ts';

/** Starts it without a window. The caller closes it. */
export function startChromium(): Promise<Browser> {
  const executablePath = engine('chromium');
  if (executablePath === null) throw new Error('Cannot start chromium: it is not installed (npm run engines)');
  // Chromium refuses its sandbox to root. The page is ours, and it is on this machine.
  const isRoot = process.getuid?.() === 0;
  return chromium.launch({ executablePath, chromiumSandbox: !isRoot, timeout: 120_000 });
}
