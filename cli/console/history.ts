// The history that the console answers: page by page, or in whole as CSV.
//
// Many entries have one time, those of a batch, so the entries behind a page begin at the time of its last one, after
// as many as the pages before had of that time: `after` is MILLISECONDS.ENTRIES.
import { type HistoryQuestion, queryHistory } from '../../lib/history/query-history.ts';
import type { Context } from '../../lib/ports/context.ts';
import { csvHistory, jsonHistory } from '../account/print-history.ts';

/** The most entries of a CSV, as of `zone53 history`. */
const CSV_ENTRIES_MAX = 10_000;

/** The form of `after`. */
export const AFTER_ENTRIES = /^\d{1,15}\.\d{1,6}$/;

type Read = Pick<Context, 'ledger' | 'clock' | 'config' | 'log'>;

/** A page of the history. */
export async function historyPage(context: Read, question: HistoryQuestion, after: string | undefined) {
  const [ms = 0, passed = 0] = (after ?? '').split('.').map(Number);
  const untilMs = after === undefined ? question.untilMs : ms + 1;
  const { entries, more } = await queryHistory(context, { ...question, untilMs, limit: question.limit + passed });
  const lastMs = entries.at(-1)?.atMs;
  const page = entries.slice(passed);
  return {
    ...jsonHistory({ entries: page, more }),
    after: more ? `${lastMs}.${entries.filter(({ atMs }) => atMs === lastMs).length}` : null,
  };
}

/** The history as CSV. */
export async function historyCsv(context: Read, question: HistoryQuestion): Promise<string> {
  return csvHistory((await queryHistory(context, { ...question, limit: CSV_ENTRIES_MAX })).entries);
}
