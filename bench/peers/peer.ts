// Who is compared: zone53 as it stands, and external-dns in two settings. Each is a process beside the same API server,
// with an account of its own behind a proxy of its own, and reads objects of its own kind.
import { fileURLToPath } from 'node:url';
import { freePort } from '../../test/engines/kubernetes/guard.ts';
import type { KubernetesEngine } from '../../test/engines/kubernetes/start.ts';
import type { Account } from './double.ts';
import { type Guarded, startGuarded } from './guarded.ts';

export type PeerName = RivalName | FirstOnlyName;
/** Those that every case is measured of. */
export type RivalName = 'zone53' | 'external-dns, events' | 'external-dns, defaults';
/**
 * Measured by their first publish alone: zone53 with its ledger in its own process, and what Node needs for less than
 * that.
 */
export type FirstOnlyName = 'zone53, SQLite' | 'bare loop';

export type PeerPlace = {
  readonly engine: Pick<KubernetesEngine, 'kubeconfig'>;
  readonly account: Account;
  /** zone53's: where DynamoDB is, and which table is its own; null: embedded. */
  readonly ledger: { readonly url: string; readonly table: string; readonly pid: number | undefined } | null;
  /** The program of external-dns; null when it is not to be had. */
  readonly externalDns: string | null;
  /**
   * Both read Ingresses, with external-dns's own defaults beside these flags. Default: each reads objects of its own
   * kind.
   */
  readonly ingresses?: { readonly flags: readonly string[] };
};

/** Starts a peer; `ready` resolves when it has gone through everything once, for external-dns at once. */
export async function startPeer(
  name: PeerName,
  place: PeerPlace,
): Promise<Guarded & { readonly ready: (timeoutMs: number) => Promise<void> }> {
  if (isOurs(name)) {
    const peer = startOurs(name, place);
    return { ...peer, ready: async (timeoutMs) => void (await peer.line(/^ready$/, timeoutMs)) };
  }
  return { ...(await startExternalDns(name, place)), ready: async () => {} };
}

/** True of what reads Records. */
export function isOurs(name: PeerName): name is 'zone53' | FirstOnlyName {
  return name === 'zone53' || name === 'zone53, SQLite' || name === 'bare loop';
}

const AWS_ENV = {
  AWS_ACCESS_KEY_ID: 'bench',
  AWS_SECRET_ACCESS_KEY: 'bench',
  AWS_REGION: 'us-east-1',
  AWS_EC2_METADATA_DISABLED: 'true',
  AWS_PROFILE: undefined,
  AWS_SESSION_TOKEN: undefined,
};

function startOurs(name: 'zone53' | FirstOnlyName, { engine, account, ledger, ingresses }: PeerPlace): Guarded {
  const [bareLoop, zone53] = [
    new URL('./bare-loop.ts', import.meta.url),
    new URL('./zone53-process.ts', import.meta.url),
  ];
  const file = fileURLToPath(name === 'bare loop' ? bareLoop : zone53);
  const env = { ...AWS_ENV, KUBECONFIG: engine.kubeconfig, AWS_ENDPOINT_URL_ROUTE_53: account.proxy.url };
  return startGuarded('zone53', process.execPath, [file, 'zone53'], {
    env,
    args: (folder) => [
      ...(ledger === null ? [`${folder}/ledger`, 'zone53'] : [ledger.url, ledger.table]),
      ...(ingresses === undefined ? [] : ['ingresses']),
    ],
  });
}

/** What both settings of external-dns need. Its answer to a second instance is a metrics port of its own. */
const EXTERNAL_DNS = ['--provider=aws', '--registry=txt', '--policy=sync', '--txt-owner-id=bench'];
/**
 * The best that it offers for speed and few calls: events, the shortest pause between two runs, all caches but that of
 * the record sets, which would hide a hand edit, full batches without a pause, retries for when it is throttled, and an
 * API server that it may ask as often as it likes.
 */
const EVENTS_FLAGS = [
  '--events',
  '--min-event-sync-interval=1s',
  '--interval=1m',
  '--aws-zones-cache-duration=1h',
  '--aws-batch-change-size=1000',
  '--aws-batch-change-interval=200ms',
  '--aws-api-retries=10',
  '--kube-api-qps=1000',
  '--kube-api-burst=1000',
];

async function startExternalDns(name: RivalName, place: PeerPlace): Promise<Guarded> {
  const { engine, account, externalDns, ingresses } = place;
  if (externalDns === null) throw new Error('external-dns is not there');
  const env = { ...AWS_ENV, AWS_ENDPOINT_URL: account.proxy.url, KUBECONFIG: engine.kubeconfig };
  const flags = ingresses?.flags ?? ['--source=crd', ...(name === 'external-dns, events' ? EVENTS_FLAGS : [])];
  const own = [`--kubeconfig=${engine.kubeconfig}`, `--metrics-address=127.0.0.1:${await freePort()}`];
  return startGuarded('external-dns', externalDns, [...EXTERNAL_DNS, ...flags, ...own], { env });
}
