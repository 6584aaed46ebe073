// Sabotages: each weakens one safeguard, by wrapping a port or changing the queues. The simulation must find every
// sabotage within the seeds that CI runs, which proves that it can fail. This file has those of ledger and queues;
// other subjects have files of their own. Functions are deceived, the auditor never.
import { bend, bendWrites, breaks, of, type Sabotage, unconditional } from './bend.ts';
import { DISCOVERY_SABOTAGES } from './discovery/sabotages.ts';
import { SEED_SABOTAGES } from './dns-records/sabotages.ts';
import { OBJECT_SABOTAGES } from './object-sabotages.ts';
import { PUBLISH_SABOTAGES } from './publish-sabotages.ts';
import { ROUTED_SABOTAGES } from './routed-sabotages.ts';

/**
 * For sabotages that few seeds find, a seed that does. It is tried first. When the worlds have changed and it finds
 * nothing any more, the others are searched, as for every sabotage; write the seed that was printed here.
 */
export const FOUND_BY: Readonly<Record<string, number>> = {
  'a late landing is forgotten': 634,
  'half of a small hosted zone may go': 568,
  'no answer is taken for success': 537,
  'what stands as wanted is ours, whoever wrote it': 460,
  'a tombstone forgets its names': 2506,
  'dependents are not saved': 278,
  'a recheck always seems to be on its way': 278,
  'the caller reference of a new hosted zone is lost': 274,
  'what Services still ask for counts as endpoints that come and go': 2363,
  'an alias is not tried again when its target comes': 240,
  'what was refused is tried again with every sweep': 185,
  'no answer is taken for a throttle': 130,
  'a DNSRecord takes over without takeover': 118,
  'where a DNSRecord may stand is not noted': 109,
  'what a run that died meant to write is not looked for': 107,
  'what was refused before is forgotten': 105,
};

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
