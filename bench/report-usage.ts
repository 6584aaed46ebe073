// `node --import` loads this before the program that is measured. When that program ends, a line on standard error says
// how long it ran, how much CPU it took, and how much memory it had at the peak.
import { writeSync } from 'node:fs';

process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  const cpuMs = Math.round((user + system) / 1_000);
  const usage = { ms: Math.round(performance.now()), cpuMs, peakKiB: process.resourceUsage().maxRSS };
  writeSync(2, `\nusage ${JSON.stringify(usage)}\n`);
});
