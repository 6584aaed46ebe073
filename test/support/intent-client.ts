// The intent API over a ledger in memory, called as a client calls it: with HTTP requests and answers.
import { memoryLedger } from '../../lib/adapters/ledger/memory-ledger.ts';
import { answerIntents } from '../../lib/intents/http/answer.ts';
import type { Changed, IntentDeps } from '../../lib/intents/http/deps.ts';
import { type HostedZoneOf, intentState } from '../../lib/intents/state/intent-state.ts';
import type { Ledger } from '../../lib/ports/ledger.ts';
import { checkAnswer } from './intent-answers.ts';

export const ROLE = 'arn:aws:iam::123456789012:role/external-dns';

type Told = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: the body of an answer, which each test looks into
  readonly body: any;
};

export type IntentClient = {
  readonly ledger: Ledger;
  readonly deps: IntentDeps;
  /** The changes that the API passed on after its writes. */
  readonly followed: Changed[];
  ask(method: string, target: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Told>;
};

/** A client of an API of its own. */
export function intentClient(
  options: Partial<Omit<IntentDeps, 'state'>> & { readonly ledger?: Ledger; readonly hostedZoneOf?: HostedZoneOf } = {},
): IntentClient {
  const ledger = options.ledger ?? memoryLedger();
  const followed: Changed[] = [];
  const deps: IntentDeps = {
    state: intentState('test', {
      ledger,
      clock: { nowMs: () => 1_000_000 },
      limits: { assumeRoles: [ROLE] },
      hostedZoneOf: options.hostedZoneOf ?? (async () => null),
    }),
    statusOf: async (_, bindings) =>
      bindings.map(({ service, record, trouble }) => ({
        service: service.name,
        record,
        state: trouble?.state ?? 'Pending',
        reason: trouble?.reason ?? '',
      })),
    follow: async (changed) => {
      followed.push(changed);
    },
    ...options,
  };
  return {
    ledger,
    deps,
    followed,
    ask: async (method, target, body, headers = {}) => {
      const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
      const answer = await answerIntents(deps, { method, target, headers, body: Buffer.from(text) });
      const told = { ...answer, body: answer.body === '' ? null : JSON.parse(answer.body) };
      const header = (name: string) => answer.headers[name.toLowerCase()] ?? null;
      checkAnswer(method, target, { ...told, header });
      return told;
    },
  };
}

/** The body of a DNS Update Record. */
export function recordBody(name: string, provider = 'aws', parameters: object = {}): object {
  return { metadata: { name }, spec: { provider, 'external-dns-parameters': parameters } };
}

/** The body of the pair that lists records. */
export function listBody(...records: readonly string[]): object {
  return {
    metadata: { name: 'dns-update-record-list' },
    spec: { kv: records.map((record, index) => ({ [`key${index + 1}`]: record })) },
  };
}

export const RECORDS = '/v2/projects/shop/dns-update-records';
export const CLOUD = '/v2/projects/shop/logical-clouds/main/kv-pairs';
export const CLUSTER = '/v2/cluster-providers/edge/clusters/one/kv-pairs';

/** The body of `instantiate` with one service for each name, in cluster edge/one. */
export function appOf(
  services: Readonly<
    Record<string, { readonly publicAddresses?: readonly string[]; readonly clusterAddresses?: readonly string[] }>
  >,
  more: object = {},
): object {
  return {
    version: 'v1',
    profile: 'prod',
    logicalCloud: 'main',
    services: Object.entries(services).map(([name, addresses]) => ({
      name,
      dnsName: `${name}.example.org`,
      ttl: 60,
      clusters: [{ provider: 'edge', cluster: 'one', ...addresses }],
    })),
    ...more,
  };
}
