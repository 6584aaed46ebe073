// The DNSRecords of a seed in `zone53 local`. They are served apart from everything else, so that an account that does
// not answer delays nothing else.
import { setTimeout as after } from 'node:timers/promises';
import { route53Accounts } from '../lib/adapters/route53/account-hosted-zones.ts';
import { sleepMs, systemClock } from '../lib/adapters/system/system-time.ts';
import type { DnsRecordDeps } from '../lib/gardener/deps.ts';
import { type DnsRecordService, dnsRecordService } from '../lib/gardener/service.ts';
import { errorMessage } from '../lib/objects/plain.ts';
import type { Context } from '../lib/ports/context.ts';
import type { Hint } from '../lib/ports/queues.ts';
import type { Seed } from '../lib/ports/seed/seed.ts';
import type { PublishDeps } from '../lib/publish/run/run.ts';

/** The pause before a hint is tried again after an error that no DNSRecord caused. */
const AGAIN_SECONDS = 5;
/** How long `close` waits for an account that does not answer. The next start continues the open work. */
const CLOSE_MS_MAX = 5_000;

export type ServedDnsRecords = {
  hint(hints: readonly Hint[]): void;
  sweep(): void;
  /** Resolves when the work that was begun has ended. */
  close(): Promise<void>;
};

type Given = Pick<Context, 'config' | 'log' | 'ledger' | 'queues'>;
type Holding = Pick<PublishDeps, 'newHolder' | 'clock'> & Pick<DnsRecordDeps, 'agreed'>;

/**
 * The service for DNSRecords, over the AWS SDK; null if there is no seed. `route53Endpoint` undefined: the SDK's
 * default.
 */
export function openDnsRecords(
  seed: Seed | null,
  route53Endpoint: string | undefined,
  { config, log, ledger, queues }: Given,
  { newHolder, clock, agreed }: Holding,
): { readonly service: DnsRecordService; destroy(): void } | null {
  const settings = config.dnsRecords;
  if (settings === null || seed === null) return null;
  const { requestsPerSecond } = settings;
  const accounts = route53Accounts({
    clock: systemClock,
    sleep: sleepMs,
    requestsPerSecond,
    ...(route53Endpoint === undefined ? {} : { endpoint: route53Endpoint }),
  });
  const { clusterId } = config;
  const service = dnsRecordService({
    ...{ ledger, seed, accounts, clock, log, queues, newHolder },
    ...{ server: { clusterId, settings }, history: config.history, ...(agreed !== undefined && { agreed }) },
  });
  return { service, destroy: accounts.destroy };
}

/** Null where no DNSRecords are served. */
export function startDnsRecords(
  seed: Seed | null,
  route53Endpoint: string | undefined,
  given: Given,
  holding: Holding,
): ServedDnsRecords | null {
  const opened = openDnsRecords(seed, route53Endpoint, given, holding);
  if (opened === null) return null;
  const { service, destroy } = opened;
  const { log, queues } = given;
  const running = new Set<Promise<void>>();
  let closed = false;
  const run = (work: (service: DnsRecordService) => Promise<void>, again: readonly Hint[]) => {
    if (closed) return;
    const task = work(service).catch(async (error: unknown) => {
      log('error', `DNSRecords could not be served: ${errorMessage(error)}`);
      await queues.hint(again, AGAIN_SECONDS);
    });
    running.add(task);
    void task.finally(() => running.delete(task));
  };
  return {
    hint: (hints) => run((one) => one.hint(hints), hints),
    sweep: () => run((one) => one.sweep(() => closed), []),
    close: async () => {
      closed = true;
      await Promise.race([Promise.all(running), after(CLOSE_MS_MAX, undefined, { ref: false })]);
      destroy();
    },
  };
}
