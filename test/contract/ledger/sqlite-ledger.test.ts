import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteLedger } from '../../../lib/adapters/ledger/sqlite-ledger.ts';
import { ledgerContract } from './ledger-contract.ts';

ledgerContract('SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'zone53-sqlite-'));
  const { ledger, close } = sqliteLedger(join(folder, 'ledger.sqlite'));
  return {
    ledger,
    close: async () => {
      close();
      rmSync(folder, { recursive: true });
    },
  };
});
