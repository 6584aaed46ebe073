// Sabotages: each weakens one safeguard, by wrapping a port or changing the queues. The simulation must find every
// sabotage within the seeds that CI runs, which proves that it can fail. This file has those of ledger and queues;
// other subjects have files of their own. Functions are deceived, the auditor never.
import { bend, bendWrites, breaks, of, type Sabotage, unconditional } from './bend.ts';
import { DISCOVERY_SABOTAGES } from './discovery/sabotages.ts';
import { SEED_SABOTAGES } from './dns-records/sabotages.ts';
import { FLEET_SABOTAGES } from './fleet/sabotages.ts';
import { OBJECT_SABOTAGES } from './object-sabotages.ts';
import { PUBLISH_SABOTAGES } from './publish-sabotages.ts';
import { ROUTED_SABOTAGES } from './routed-sabotages.ts';

/**
 * For sabotages that few seeds find, a seed that does. It is tried first. When the worlds have changed and it finds
 * nothing any more, the others are searched, as for every sabotage; write the seed that was printed here.
 */
export const FOUND_BY: Readonly<Record<string, number>> = {
  'the guard allows more than half of a small hosted zone': 2937,
  'a call without an answer counts as accepted': 537,
  'a tombstone loses the names of its object': 611,
  'dependents are not saved': 278,
  'a recheck always seems to be scheduled': 278,
  'the caller reference of a new hosted zone is lost': 274,
  'a name that a Service still asks for counts as no longer asked for': 4056,
  'an alias is not tried again when its target is created': 1085,
  'a refused record set is tried again by every sweep': 185,
  'a hosted zone that denied a change counts as denying them for ever': 161,
  'a call without an answer counts as throttled': 121,
  'the guard is off for all clusters but the first': 1759,
  'a DNSRecord takes over without takeover': 118,
  'the status of a DNSRecord is written whatever has changed since it was read': 3584,
  'the places of a DNSRecord are not saved': 120,
  'the write intents of a dead run are ignored': 118,
  'earlier refusals are lost': 105,
  'every Pod counts as running': 383,
  'all Services may lose their names at once': 680,
  'the time of the last reading of a Service is lost': 1072,
  'a changed weight is not noticed': 360,
  'deletes are not charged before their call': 270,
  'the contents that may land late are lost': 701,
  'every record set with the desired content counts as ours': 801,
  'TXT records that stay for other record sets are forgotten': 2741,
  'the oldest Zone counts as the youngest': 954,
  'a hint whose object is not stored yet is not repeated': 342,
  'all deletes count for the namespace that deletes most': 124,
  'DELETE is sent with the content that Route 53 has': 87,
  'a batch waits for its turn without a limit': 73,
  'a replaced record set is deleted in a batch before its create': 87,
  'publish reads no other hosted zones': 203,
  'deletes do not wait for other deletes': 70,
  'deletes beside a record set that stays do not wait': 70,
  'every owner of external-dns counts as configured': 201,
  'the finalizer of a DNSRecord is removed before its record sets are deleted': 120,
};

export const SABOTAGES: readonly Sabotage[] = [
  bend('conditions of ledger writes are ignored', ({ ledger }) => ({ ledger: unconditional(ledger, () => true) })),
  { name: 'a failed message is not delivered again', queues: { redelivery: false } },
  { name: 'messages of one group are delivered at once', queues: { fifo: false } },
  bend('messages to publish are lost', () => ({ queues: { publish: async () => {} } })),
  bend('a run is never repeated after a pause', ({ queues }) => ({
    queues: {
      publish: async (id, delaySeconds, cause, after) => {
        if (after === undefined) await queues.publish(id, delaySeconds, cause);
      },
    },
  })),
  bend('messages to report are lost', () => ({ queues: { report: async () => {} } })),
  bend('the first page of a ledger query counts as the whole result', ({ ledger }) => ({
    ledger: {
      query: async (partition, options) => ({
        ...(await ledger.query(partition, { ...options, limit: 2 })),
        next: null,
      }),
    },
  })),
  breaks(
    'I0',
    bendWrites('items are written in an unknown version', of('dirty#'), (body) => ({ ...body, v: 2 })),
  ),
  ...OBJECT_SABOTAGES,
  ...PUBLISH_SABOTAGES,
  ...ROUTED_SABOTAGES,
  ...SEED_SABOTAGES,
  ...DISCOVERY_SABOTAGES,
  ...FLEET_SABOTAGES,
];
