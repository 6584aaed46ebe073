// What a process has used so far, as Linux counts it, so that both sides of a comparison are measured alike.
import { readFileSync } from 'node:fs';

/** CPU in seconds, user and system, with that of its threads; peak resident memory in MiB. */
export type Usage = { readonly cpuSeconds: number; readonly peakMiB: number };

/** Clock ticks a second, USER_HZ: 100 on every Linux that Node runs on (proc(5)). */
const TICKS_PER_SECOND = 100;

/** Null where there is no such process, or no /proc. */
export function processUsage(pid: number | undefined): Usage | null {
  try {
    return parseUsage(readFileSync(`/proc/${pid}/stat`, 'utf8'), readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return null;
  }
}

/** Out of the texts of /proc/PID/stat and /proc/PID/status. */
export function parseUsage(stat: string, status: string): Usage {
  // The second field is the program's name in parentheses, which may hold blanks; utime and stime are the 14th and
  // 15th.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  const peakKiB = Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN);
  return { cpuSeconds: ticks / TICKS_PER_SECOND, peakMiB: Math.round(peakKiB / 1024) };
}
