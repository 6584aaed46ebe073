// Clients of Route 53 for accounts whose credentials come with objects. A client is kept for a minute at most; its
// budget, a token bucket, for longer. No message about a failed call contains credentials.
import { hash } from 'node:crypto';
import type { Route53Client } from '@aws-sdk/client-route-53';
import { fromWebToken } from '@aws-sdk/credential-provider-web-identity';
import type { BudgetLimits } from '../../ports/budget-limits.ts';
import type { Clock } from '../../ports/clock.ts';
import { type BatchOutcome, type HostedZones, HostedZonesDeniedError, ROLE_SESSION } from '../../ports/hosted-zones.ts';
import { type AccountCredentials, AccountError, type Accounts } from '../../ports/seed/accounts.ts';
import { awsFailure } from '../aws/aws-failure.ts';
import { BudgetExhaustedError, type CallBudget, callBudget } from './call-budget.ts';
import { route53Client } from './route53-client.ts';
import { route53HostedZones } from './route53-hosted-zones.ts';

/** The burst of Gardener's own controller: calls that may begin together after a pause. */
const BURST = 5;
/** The longest time that credentials are kept, in milliseconds. */
const HELD_MS = 60_000;
/** A read is repeated once; the caller has retries of its own. */
const ATTEMPTS_MAX = 2;

export type AccountsOptions = {
  readonly clock: Clock;
  readonly sleep: (ms: number) => Promise<unknown>;
  /** The rate for each account. */
  readonly requestsPerSecond: number;
  /** The budget of an account, by its id; default: a token bucket in this process. */
  readonly budgetOf?: (account: string) => CallBudget;
  /** The address of Route 53; default: as the SDK finds it. */
  readonly endpoint?: string;
};

/** The limits of an account of DNSRecords: its rate is what its operator gives zone53. */
export function accountLimits({ requestsPerSecond }: Pick<AccountsOptions, 'requestsPerSecond'>): BudgetLimits {
  return { requestsPerSecond, burst: BURST, reserve: 0, changesPerSecond: 'auto' };
}

type Held = { readonly client: Route53Client; readonly hostedZones: HostedZones; readonly untilMs: number };

/** Opens accounts. `destroy` closes all clients. */
export function route53Accounts(options: AccountsOptions): Accounts & { destroy(): void } {
  const { clock } = options;
  const held = new Map<string, Held>();
  const budgets = new Map<string, CallBudget>();
  let timer: NodeJS.Timeout | null = null;
  const forgetOld = () => {
    for (const [key, { client, untilMs }] of held) {
      if (untilMs > clock.nowMs()) continue;
      held.delete(key);
      client.destroy();
    }
    if (held.size > 0) return;
    if (timer !== null) clearInterval(timer);
    timer = null;
  };
  return {
    open: (credentials) => {
      forgetOld();
      const id = sha256(credentials.kind === 'key' ? credentials.accessKeyId : credentials.roleArn);
      const key = sha256(JSON.stringify(Object.entries(credentials).toSorted()));
      const budget = budgets.get(id) ?? options.budgetOf?.(id) ?? callBudget({ ...accountLimits(options), ...options });
      budgets.set(id, budget);
      const known = held.get(key);
      if (known !== undefined) return { id, hostedZones: known.hostedZones };
      const { client, secrets } = clientOf(credentials, options);
      const hostedZones = discreet(route53HostedZones(client, budget, { attemptsMax: ATTEMPTS_MAX }), (text) =>
        hidden(text, secrets),
      );
      held.set(key, { client, hostedZones, untilMs: clock.nowMs() + HELD_MS });
      timer ??= setInterval(forgetOld, HELD_MS / 4).unref();
      return { id, hostedZones };
    },
    destroy: () => {
      if (timer !== null) clearInterval(timer);
      for (const { client } of held.values()) client.destroy();
      held.clear();
    },
  };
}

/** A client, with what no message may quote: the credentials, and those that STS gives for a token. */
type Secretive = { readonly client: Route53Client; readonly secrets: ReadonlySet<string> };

function clientOf(credentials: AccountCredentials, options: Pick<AccountsOptions, 'endpoint'>): Secretive {
  const { endpoint } = options;
  const at = endpoint === undefined ? {} : { endpoint };
  if (credentials.kind === 'key') {
    const { accessKeyId, secretAccessKey, region } = credentials;
    const client = route53Client({ ...at, region, credentials: { accessKeyId, secretAccessKey } });
    return { client, secrets: new Set([secretAccessKey, accessKeyId]) };
  }
  const { token, roleArn, region } = credentials;
  const secrets = new Set([token]);
  const exchange = fromWebToken({
    webIdentityToken: token,
    roleArn,
    roleSessionName: ROLE_SESSION,
    clientConfig: { region, maxAttempts: 2 },
  });
  const exchanged: typeof exchange = async (...asked) => {
    const given = await exchange(...asked);
    for (const secret of [given.secretAccessKey, given.sessionToken, given.accessKeyId])
      if (secret !== undefined) secrets.add(secret);
    return given;
  };
  return { client: route53Client({ ...at, region, credentials: exchanged }), secrets };
}

/** The same hosted zones, with credentials removed from all messages. */
function discreet(hostedZones: HostedZones, hide: (text: string) => string): HostedZones {
  const read = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      throw accountError(error, hide);
    }
  };
  return {
    list: () => read(hostedZones.list()),
    get: async (id) => {
      const answer = await read(hostedZones.get(id));
      return answer !== null && 'unreadable' in answer ? { unreadable: hide(answer.unreadable) } : answer;
    },
    create: (name, reference) => read(hostedZones.create(name, reference)),
    change: async (...asked) => {
      const outcome = await read(hostedZones.change(...asked));
      return 'message' in outcome
        ? { ...outcome, message: hide(outcome.message) }
        : 'messages' in outcome
          ? ({ ...outcome, messages: outcome.messages.map(hide) } satisfies BatchOutcome)
          : outcome;
    },
    readName: (id, name) => read(hostedZones.readName(id, name)),
    readPage: (id, from) => read(hostedZones.readPage(id, from)),
    changeStatus: async (...asked) => {
      const status = await read(hostedZones.changeStatus(...asked));
      if (status.kind !== 'unsaid' || status.message === null) return status;
      return { kind: 'unsaid', message: hide(status.message) };
    },
    protections: async (id, name) => {
      try {
        return await hostedZones.protections(id, name);
      } catch (error) {
        if (!(error instanceof HostedZonesDeniedError)) throw accountError(error, hide);
        throw new HostedZonesDeniedError(hide(error.message));
      }
    },
  };
}

/** The error without its cause, which contains the request. */
function accountError(error: unknown, hide: (text: string) => string): AccountError {
  if (error instanceof BudgetExhaustedError) return new AccountError('unsent', 'Unsent', error.message);
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const { kind, code, message } = awsFailure(cause);
  const text = hide(`${code}: ${message}`);
  if (/Throttl|TooManyRequests|RequestLimitExceeded/i.test(code)) return new AccountError('throttled', code, text);
  const isRefused = kind === 'refused' || /(?:Credentials|Token)?ProviderError$/.test(code);
  return new AccountError(isRefused ? 'refused' : 'unanswered', code, text);
}

function hidden(text: string, secrets: ReadonlySet<string>): string {
  return [...secrets].reduce((shown, secret) => shown.replaceAll(secret, '(hidden)'), text);
}

function sha256(text: string): string {
  return hash('sha256', text, 'hex');
}
