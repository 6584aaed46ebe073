// The peers that are compared: zone53 as it is, and external-dns with two sets of flags. Each is a process that reads
// objects of its own kind from the same API server. Each has an account of its own, behind a proxy of its own.
import { fileURLToPath } from 'node:url';
import { freePort } from '../../test/engines/kubernetes/guard.ts';
import type { KubernetesEngine } from '../../test/engines/kubernetes/start.ts';
import type { Account } from './double.ts';
import { type Guarded, startGuarded } from './guarded.ts';

export type PeerName = RivalName | FirstOnlyName;
/** Peers that are measured in every case. */
export type RivalName = 'zone53' | 'external-dns, events' | 'external-dns, defaults';
/** Peers of which only the first publish is measured: zone53 with its ledger in its own process, and the bare loop. */
export type FirstOnlyName = 'zone53, SQLite' | 'bare loop';

export type PeerPlace = {
  readonly engine: Pick<KubernetesEngine, 'kubeconfig'>;
  readonly account: Account;
  /** The ledger of zone53: the URL of DynamoDB, and a table of its own; null: embedded in the process. */
  readonly ledger: { readonly url: string; readonly table: string; readonly pid: number | undefined } | null;
  /** Path of the program of external-dns; null when there is none. */
  readonly externalDns: string | null;
  /**
   * Makes both peers read Ingresses. External-dns has these flags, and its defaults for all others. Default: each peer
   * reads objects of its own kind.
   */
  readonly ingresses?: { readonly flags: readonly string[] };
};

/** Starts a peer. `ready` resolves when the peer has processed all objects once; for external-dns, at once. */
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

/** True of peers that read Records. */
export function isOurs(name: PeerName): name is 'zone53' | FirstOnlyName {
  return name === 'zone53' || name === 'zone53, SQLite' || name === 'bare loop';
}

/** The account of a peer: credentials for the double. */
export const AWS_ENV = {
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

/** Flags of external-dns in both settings. */
export const EXTERNAL_DNS_FLAGS = ['--provider=aws', '--registry=txt', '--policy=sync'];
/**
 * The best flags of external-dns for speed and few calls: events, the shortest pause between two runs, full batches
 * with a short pause, retries when it is throttled, and no limit on its requests to the API server. All its caches are
 * on but that of the record sets, which would hide a hand edit.
 */
export const EVENTS_FLAGS = [
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
  if (externalDns === null) throw new Error('external-dns is not installed: run npm run engines');
  const env = { ...AWS_ENV, AWS_ENDPOINT_URL: account.proxy.url, KUBECONFIG: engine.kubeconfig };
  const flags = ingresses?.flags ?? ['--source=crd', ...(name === 'external-dns, events' ? EVENTS_FLAGS : [])];
  const own = [
    '--txt-owner-id=bench',
    `--kubeconfig=${engine.kubeconfig}`,
    `--metrics-address=127.0.0.1:${await freePort()}`,
  ];
  return startGuarded('external-dns', externalDns, [...EXTERNAL_DNS_FLAGS, ...flags, ...own], { env });
}
