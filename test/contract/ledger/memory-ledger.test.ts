import { memoryLedger } from '../../../lib/adapters/ledger/memory-ledger.ts';
import { ledgerContract } from './ledger-contract.ts';

ledgerContract('memory', async () => ({ ledger: memoryLedger(), close: async () => {} }));
