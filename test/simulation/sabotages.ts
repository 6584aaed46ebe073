// Sabotages: each weakens one safeguard, by wrapping a port or changing the queues. The simulation must find every
// sabotage within the seeds that CI runs, which proves that it can fail. This file has those of ledger and queues;
// other subjects have files of their own. Functions are deceived, the auditor never.
import { bend, bendWrites, breaks, of, type Sabotage, unconditional } from './bend.ts';
import { DISCOVERY_SABOTAGES } from './discovery/sabotages.ts';
import { SEED_SABOTAGES } from './dns-records/sabotages.ts';
import { OBJECT_SABOTAGES } from './object-sabotages.ts';
import { PUBLISH_SABOTAGES } from './publish-sabotages.ts';
import { ROUTED_SABOTAGES } from './routed-sabotages.ts';

export const SABOTAGES: readonly Sabotage[] = [
  bend('conditions of ledger writes are ignored', ({ ledger }) => ({ ledger: unconditional(ledger, () => true) })),
  { name: 'a failed message is not delivered again', queues: { redelivery: false } },
  { name: 'messages of one group are delivered at once', queues: { fifo: false } },
  bend('messages to publish are lost', () => ({ queues: { publish: async () => {} } })),
  bend('messages to report are lost', () => ({ queues: { report: async () => {} } })),
  bend('a page of the ledger is taken for the whole', ({ ledger }) => ({
    ledger: {
      query: async (partition, options) => ({
        ...(await ledger.query(partition, { ...options, limit: 2 })),
        next: null,
      }),
    },
  })),
  breaks(
    'I0',
    bendWrites('items are written in a version that nobody knows', of('dirty#'), (body) => ({ ...body, v: 2 })),
  ),
  ...OBJECT_SABOTAGES,
  ...PUBLISH_SABOTAGES,
  ...ROUTED_SABOTAGES,
  ...SEED_SABOTAGES,
  ...DISCOVERY_SABOTAGES,
];
