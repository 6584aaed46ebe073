// Loaded by `node --import` in front of a program that is measured: when that ends, one line on standard error says how
// long it ran and how much memory it took at most.
import { writeSync } from 'node:fs';

process.on('exit', () => {
  const usage = { ms: Math.round(performance.now()), peakKiB: process.resourceUsage().maxRSS };
  writeSync(2, `\nusage ${JSON.stringify(usage)}\n`);
});
