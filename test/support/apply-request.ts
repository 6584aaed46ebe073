// For tests that run a use case of the command in their own process: the Route 53 that it finds, and a request of
// apply.
import path from 'node:path';
import { vi } from 'vitest';
import type { ApplyRequest } from '../../cli/run/requests.ts';
import { systemClock } from '../../lib/adapters/system/system-time.ts';
import { DEFAULT_CONFIG } from '../../lib/ports/config.ts';

/** Has the AWS SDK find the Route 53 at this URL, and credentials, until vi.unstubAllEnvs(). */
export function stubRoute53(url: string): void {
  vi.stubEnv('AWS_ENDPOINT_URL_ROUTE_53', url);
  vi.stubEnv('AWS_REGION', 'us-east-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
}

/** Applies the manifests of `file`, as after a yes. The ledger is in the folder `state` below `folder`. */
export function applyRequest(folder: string, file: string, more: Partial<ApplyRequest> = {}): ApplyRequest {
  return {
    source: { kind: 'manifests', paths: [path.join(folder, file)] },
    store: { kind: 'folder', folder: path.join(folder, 'state') },
    config: DEFAULT_CONFIG,
    clock: systemClock,
    log: () => {},
    progress: () => {},
    acknowledged: [],
    refresh: false,
    reads: true,
    reviewed: null,
    confirm: async () => true,
    timeoutMs: 60_000,
    untilStopped: () => new AbortController().signal,
    ...more,
  };
}
