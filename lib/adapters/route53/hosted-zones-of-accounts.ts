// The hosted zones of the stack's own account and of those that the configuration declares. Each call goes to the
// account of its hosted zone, with the client and the budget of that account, and to no other: what one account denies
// is not asked for with the role of another.
//
//   hosted zone                                      account
//   listed by the configuration                      what the entry says; the stack's own by default
//   created                                          where it was created
//   else                                             what the ledger says; the stack's own by default
import type { Route53Client } from '@aws-sdk/client-route-53';
import { NOT_ASSUMED } from '../../objects/account-refusal.ts';
import { withoutShare } from '../../objects/share-id.ts';
import type { Config } from '../../ports/config.ts';
import { HostedZoneRefusedError, type HostedZones, HostedZonesDeniedError } from '../../ports/hosted-zones.ts';
import type { AccountClients } from './account-clients.ts';
import type { CallBudget } from './call-budget.ts';
import { hostedZonesInViews } from './hosted-zones-in-views.ts';
import { route53HostedZones } from './route53-hosted-zones.ts';

type Knowing = {
  readonly config: Pick<Config, 'accounts' | 'hostedZones'>;
  /** The account of a hosted zone that the configuration does not list, by the ledger. Default: the stack's own. */
  readonly accountInLedger?: (id: string) => Promise<string | null>;
};

export type AccountsWorld = Knowing & {
  /** The client of the stack's own account. */
  readonly own: Route53Client;
  readonly clients: AccountClients;
  /** The budget of an AWS account, by its number; undefined: of the stack's own. */
  readonly budgetOf: (number: string | undefined) => CallBudget;
};

/** All hosted zones, each with the client and the budget of its account. */
export function hostedZonesOfAccounts({ own, clients, budgetOf, ...knowing }: AccountsWorld): HostedZones {
  const budgets = new Map<string, CallBudget>();
  const accounts = new Map(
    Object.entries(knowing.config.accounts).flatMap(([id, { role }]) => {
      const client = clients.get(id);
      if (client === undefined) return [];
      // Two roles of one AWS account share its limits.
      const number = role.split(':')[4] ?? id;
      const budget = budgets.get(number) ?? budgetOf(number);
      budgets.set(number, budget);
      return [[id, route53HostedZones(client, budget, { role })] as const];
    }),
  );
  const all = hostedZonesByAccount(route53HostedZones(own, budgetOf(undefined)), accounts, knowing);
  return hostedZonesInViews(all, knowing.config);
}

/** The hosted zones of several accounts as one port. `accounts`: by the name in the configuration. */
export function hostedZonesByAccount(
  own: HostedZones,
  accounts: ReadonlyMap<string, HostedZones>,
  { config, accountInLedger = async () => null }: Knowing,
): HostedZones {
  const listed = new Map(config.hostedZones.map(({ id, account = null }) => [id, account]));
  const others = new Map<string, Promise<string | null>>();
  const named = (account: string | null): HostedZones =>
    account === null ? own : (accounts.get(account) ?? undeclaredAccount(account));
  const accountOf = async (id: string): Promise<string | null> => {
    const known = listed.get(id);
    if (known !== undefined) return known;
    const asked = others.get(id) ?? accountInLedger(id);
    others.set(id, asked);
    asked.catch(() => others.delete(id));
    return asked;
  };
  // A share of a cluster is a hosted zone of the ledger alone.
  const at = async <T>(shared: string, ask: (port: HostedZones, id: string) => Promise<T>): Promise<T> => {
    const id = withoutShare(shared);
    return ask(named(await accountOf(id)), id);
  };
  const healthChecksOf = (account: string | null) => {
    const { healthChecks } = named(account);
    if (healthChecks === undefined) throw new HostedZonesDeniedError(`account ${account} is not used`);
    return healthChecks.of(null);
  };
  const learnsLimits = [own, ...accounts.values()].every(({ changesAtOnce }) => changesAtOnce !== undefined);
  return {
    list: () => own.list(),
    get: async (id, account) => {
      if (account !== undefined) others.set(withoutShare(id), Promise.resolve(account));
      return at(id, (port, own) => port.get(own));
    },
    create: async (name, callerReference, account) => {
      const created = await named(account ?? null).create(name, callerReference);
      others.set(created.id, Promise.resolve(account ?? null));
      return created;
    },
    change: (id, ...asked) => at(id, (port, own) => port.change(own, ...asked)),
    ...(own.healthChecks !== undefined && {
      healthChecks: { accountOf: (id: string) => accountOf(withoutShare(id)), of: healthChecksOf },
    }),
    ...(learnsLimits && {
      changesAtOnce: (wanted, id) => at(id, async (port, own) => (await port.changesAtOnce?.(wanted, own)) ?? wanted),
    }),
    readName: (id, name) => at(id, (port, own) => port.readName(own, name)),
    readPage: (id, from) => at(id, (port, own) => port.readPage(own, from)),
    changeStatus: (id, changeId) => at(id, (port, own) => port.changeStatus(own, changeId)),
    protections: (id, name) => at(id, (port, own) => port.protections(own, name)),
  };
}

/** An account that the configuration does not declare any more: nothing is asked. */
function undeclaredAccount(account: string): HostedZones {
  const message = `${NOT_ASSUMED}of account ${account}: the configuration does not declare the account`;
  const deny = async (): Promise<never> => {
    throw new HostedZonesDeniedError(message);
  };
  return {
    list: deny,
    get: async () => ({ unreadable: message }),
    create: async () => {
      throw new HostedZoneRefusedError(message);
    },
    change: async () => ({ kind: 'denied', message }),
    changeStatus: async () => ({ kind: 'unsaid', message }),
    readName: deny,
    readPage: deny,
    protections: deny,
  };
}
