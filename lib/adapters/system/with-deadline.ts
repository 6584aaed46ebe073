// Waits for an answer with a deadline.
import { setTimeout } from 'node:timers/promises';

/** What `answer` resolves to, or `late` after `waitMs` milliseconds. Throws what `answer` throws before that. */
export async function inTime<T>(answer: Promise<T>, waitMs: number, late: T): Promise<T> {
  const answered = new AbortController();
  const waiting = setTimeout(waitMs, late, { signal: answered.signal });
  try {
    return await Promise.race([answer, waiting]);
  } finally {
    answered.abort();
    await waiting.catch(() => late);
    // A late result or error is ignored.
    answer.catch(() => late);
  }
}
