// `zone53 history` with the real ledger. Nothing is created or written, so another zone53 may have the folder open.
import { type HistoryAnswer, queryHistory } from '../../lib/history/query-history.ts';
import { doubtState, openLedgerToRead } from '../run/open-ledger.ts';
import type { HistoryRequest } from './requests.ts';

/** Answers a question about the history. */
export async function runHistory(request: HistoryRequest): Promise<HistoryAnswer> {
  const { store, config, clock, log, progress, question } = request;
  const doubt = doubtState(store);
  if (doubt !== null) log('warn', doubt);
  progress('reading the ledger');
  const { ledger, close } = await openLedgerToRead(store);
  try {
    return await queryHistory({ ledger, clock, config, log }, question);
  } finally {
    await close();
  }
}
