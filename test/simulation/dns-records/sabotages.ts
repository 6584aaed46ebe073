// Safeguards of DNSRecords, weakened one at a time. Part of the list in sabotages.ts.
import type { JsonObject, LedgerItem } from '../../../lib/ports/ledger.ts';
import { breaks, type Sabotage } from '../bend.ts';
import type { SeedPorts } from './ports.ts';

const FINALIZERS_GONE = { finalizers: [] };

function seedSabotage(name: string, bend: (ports: SeedPorts) => Partial<SeedPorts>): Sabotage {
  return { name, seedPorts: (ports) => ({ ...ports, ...bend(ports) }) };
}

function isItem(partition: string): boolean {
  return partition.endsWith('/dnsrecords') && partition.startsWith('recordsets#');
}

function withTakeover(item: LedgerItem): LedgerItem {
  return isItem(item.partition) ? { ...item, body: { ...item.body, takeover: true } } : item;
}

/** What is written of a DNSRecord goes through `change`. */
function bendsNotes(name: string, change: (body: JsonObject) => JsonObject): Sabotage {
  return seedSabotage(name, ({ ledger }) => ({
    ledger: {
      ...ledger,
      put: (key, body, ...rest) =>
        ledger.put(key, key.partition.startsWith('dnsrecords#') ? change(body) : body, ...rest),
    },
  }));
}

export const SEED_SABOTAGES: readonly Sabotage[] = [
  breaks(
    'I1',
    seedSabotage('a DNSRecord takes over without takeover', ({ ledger }) => ({
      ledger: {
        ...ledger,
        query: async (partition, options) => {
          const page = await ledger.query(partition, options);
          return { ...page, items: page.items.map(withTakeover) };
        },
        get: async (key) => {
          const item = await ledger.get(key);
          return item === null ? null : withTakeover(item);
        },
      },
    })),
  ),
  breaks(
    'I21',
    seedSabotage('the finalizer of a DNSRecord is removed before its record sets are deleted', ({ seed }) => ({
      seed: {
        ...seed,
        patchStatus: async (of, status, ...version) => {
          const written = await seed.patchStatus(of, status, ...version);
          const { type, state } = status.lastOperation as { readonly type: string; readonly state: string };
          if (type !== 'Delete' || state !== 'Processing' || written.kind !== 'written') return written;
          const { metadata } = written.object as { readonly metadata: { readonly resourceVersion: string } };
          await seed.patchMetadata({ ...of, resourceVersion: metadata.resourceVersion }, FINALIZERS_GONE);
          return written;
        },
      },
    })),
  ),
  breaks(
    'I20',
    seedSabotage('the status of a DNSRecord is written whatever has changed since it was read', ({ seed }) => ({
      seed: { ...seed, patchStatus: (of, status) => seed.patchStatus(of, status) },
    })),
  ),
  breaks(
    'I20',
    bendsNotes('the operation that was begun for a DNSRecord is not saved', (body) => ({ ...body, pending: null })),
  ),
  breaks(
    'I21',
    bendsNotes('the places of a DNSRecord are not saved', (body) => ({ ...body, places: [] })),
  ),
  breaks(
    'I22',
    seedSabotage('the account of a DNSRecord is saved under its access key', ({ accounts }) => ({
      accounts: {
        open: (credentials) => {
          const account = accounts.open(credentials);
          return credentials.kind === 'key' ? { ...account, id: credentials.accessKeyId } : account;
        },
      },
    })),
  ),
];
