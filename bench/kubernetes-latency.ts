// The time from the API server's answer to a write until the local Route 53 has accepted the change. It is measured for
// each way in which `zone53 local` and a deployed stack hear of a write: a watch, the admission webhook, the audit
// webhook.

import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import { publishDeps } from '../cli/run/publish-deps.ts';
import { parseAuditEventList } from '../events/audit-event-list.ts';
import { kubeconfigTransport } from '../lib/adapters/kubernetes/http/kubeconfig-transport.ts';
import type { KubernetesTransport } from '../lib/adapters/kubernetes/http/transport.ts';
import { kubernetesCluster } from '../lib/adapters/kubernetes/kubernetes-cluster.ts';
import { watchKubernetes } from '../lib/adapters/kubernetes/watch-objects.ts';
import { systemClock } from '../lib/adapters/system/system-time.ts';
import { DEFAULT_CONFIG } from '../lib/ports/config.ts';
import type { Hint } from '../lib/ports/queues.ts';
import { KINDS } from '../lib/sources/source.ts';
import { startWebhook } from '../local/admission-webhook.ts';
import { startLocalStack } from '../local/local-stack.ts';
import { eventually, succeed } from '../test/engines/kubernetes/apply.ts';
import { AUDIT_BATCH_MS } from '../test/engines/kubernetes/audit.ts';
import type { KubernetesEngine } from '../test/engines/kubernetes/start.ts';

const SAMPLES = 200;
/** As in `zone53 local`: an object is stored only after the webhook has answered, so it is read this much later. */
const LOOK_AFTER_MS = 25;

/** Milliseconds. */
export type LatencyRow = {
  readonly 'heard by': string;
  readonly samples: number;
  readonly median: number;
  readonly p99: number;
};

type OnHints = (hints: readonly Hint[]) => void;

/** Begins to listen, and returns the function that ends it. */
type Way = (onHints: OnHints, transport: KubernetesTransport) => Promise<() => Promise<void>>;

export type AuditServer = { readonly url: string; hears: OnHints; close(): void };

/** Receives the API server's audit events, and calls `hears` with the hints of each batch. */
export async function openAuditServer(): Promise<AuditServer> {
  const server = createServer(async (request, response) => {
    opened.hears(parseAuditEventList(KINDS, await json(request)).hints);
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/audit`;
  const opened: AuditServer = { url, hears: () => {}, close: () => server.close() };
  return opened;
}

/** A transport of the engine's kubeconfig. */
export function transportOf(engine: KubernetesEngine, context: 'admin' | 'zone53'): KubernetesTransport {
  return kubeconfigTransport(context, engine.kubeconfig);
}

/**
 * Measures 200 edits by each way, one at a time. `edit` writes the Record changed.example.org with a new address each
 * time.
 */
export async function measureLatencies(
  engine: KubernetesEngine,
  audit: AuditServer,
  edit: (sample: number) => Promise<void>,
): Promise<readonly LatencyRow[]> {
  const rows: LatencyRow[] = [];
  const ways: Readonly<Record<string, Way>> = {
    watch,
    'admission webhook': (onHints) => hearAdmission(engine, onHints, () => edit(255)),
    [`audit webhook, batches of ${AUDIT_BATCH_MS} ms`]: async (onHints) => {
      audit.hears = onHints;
      return async () => {
        audit.hears = () => {};
      };
    },
  };
  for (const [name, way] of Object.entries(ways)) {
    const tookMs = (await measure(engine, way, edit)).toSorted((a, b) => a - b);
    const at = (share: number) => Math.round(tookMs[Math.floor((tookMs.length - 1) * share)] ?? 0);
    rows.push({ 'heard by': name, samples: tookMs.length, median: at(0.5), p99: at(0.99) });
  }
  return rows;
}

const watch: Way = async (onHints, transport) => {
  const ending = new AbortController();
  const watching = watchKubernetes({ kinds: KINDS, transport, signal: ending.signal, onHints, onProblem: () => {} });
  return async () => {
    ending.abort();
    await watching;
  };
};

async function hearAdmission(
  engine: KubernetesEngine,
  onHints: OnHints,
  probe: () => Promise<void>,
): Promise<() => Promise<void>> {
  let heard = false;
  const webhook = await startWebhook({
    port: 0,
    host: '127.0.0.1',
    clock: systemClock,
    judge: null,
    onHints: (hints) => {
      heard = true;
      setTimeout(() => onHints(hints), LOOK_AFTER_MS);
    },
  });
  await succeed(engine, ['apply', '-f', '-'], webhook.configuration);
  // An API server takes up to a second until it calls a new webhook.
  await eventually(async () => {
    await probe();
    return heard;
  });
  return async () => {
    await succeed(engine, ['delete', 'validatingwebhookconfiguration', 'zone53-local']);
    await webhook.close();
  };
}

async function measure(engine: KubernetesEngine, way: Way, edit: (sample: number) => Promise<void>): Promise<number[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'zone53-bench-'));
  const transport = transportOf(engine, 'zone53');
  let accepted: (address: string) => void = () => {};
  const stack = await startLocalStack({
    config: {
      ...DEFAULT_CONFIG,
      createHostedZones: 'all',
      budget: { requestsPerSecond: 1_000, burst: 1_000, reserve: 0, changesPerSecond: 'auto' },
    },
    folder,
    dnsPort: 0,
    route53Port: 0,
    cluster: kubernetesCluster({ kinds: KINDS, clusterId: DEFAULT_CONFIG.clusterId, transport, clock: systemClock }),
    clock: systemClock,
    log: () => {},
    deps: publishDeps,
    onChange: ({ outcome: { change } }) => {
      const values = change.after?.kind === 'values' ? change.after.values : [];
      if (change.name === 'changed.example.org.') accepted(values[0] ?? '');
    },
  });
  const end = await way((hints) => void stack.hint(hints), transport);
  const tookMs: number[] = [];
  for (let sample = 0; sample <= SAMPLES; sample += 1) {
    const done = new Promise<void>((resolve) => {
      accepted = (address) => {
        if (address === `192.0.2.${sample}`) resolve();
      };
    });
    await edit(sample);
    const started = performance.now();
    await done;
    // The first edit warms up and is not counted.
    if (sample > 0) tookMs.push(Math.max(0, performance.now() - started));
  }
  await end();
  await stack.close();
  transport.close();
  rmSync(folder, { recursive: true, force: true });
  return tookMs;
}
