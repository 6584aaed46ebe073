// In some seeds, the hosted zone of the sub-zone is in another account, and so is each that is created below it. Every
// call for a hosted zone must then be made with the role of its account (I30).
import { hostedZonesByAccount } from '../../lib/adapters/route53/hosted-zones-of-accounts.ts';
import type { Config } from '../../lib/ports/config.ts';
import type { HostedZones } from '../../lib/ports/hosted-zones.ts';
import type { Ledger } from '../../lib/ports/ledger.ts';
import { accountInLedger } from '../../lib/record-sets/list-hosted-zones.ts';
import { APEX, SUB_ZONE } from './names.ts';
import { isOlderThanSleepers } from './regressions.ts';
import type { Swarm } from './swarm.ts';
import { sawThat, type World } from './world.ts';

const EVERY = 8;
const AT = 5;
const OTHER_ACCOUNT = 'dns';
const SETTINGS = { role: 'arn:aws:iam::111122223333:role/dns', externalId: null, intents: false };

/** The accounts of hosted zones that are not in our own, by id; null: all are in our own. */
export function accountsOf(seed: number, { subZoneHosted, hostedZonesVanish }: Swarm): Map<string, string> | null {
  if (seed % EVERY !== AT || !subZoneHosted || hostedZonesVanish || isOlderThanSleepers(seed)) return null;
  return new Map([['Z2', OTHER_ACCOUNT]]);
}

/** The configuration that says so. */
export function accountConfig(accounts: Map<string, string> | null): Partial<Config> {
  if (accounts === null) return {};
  const hostedZones = [
    { zone: APEX, id: 'Z1' },
    { zone: SUB_ZONE, id: 'Z2', account: OTHER_ACCOUNT },
  ];
  return { accounts: { [OTHER_ACCOUNT]: SETTINGS }, hostedZones };
}

/** The ports of the accounts as one. */
export function joined(world: World, own: HostedZones, ledger: Ledger, other: HostedZones): HostedZones {
  if (world.accounts === null) return own;
  const accounts = new Map([[OTHER_ACCOUNT, checked(world, other, OTHER_ACCOUNT)]]);
  const knowing = { config: world.config, accountInLedger: accountInLedger(ledger) };
  return hostedZonesByAccount(checked(world, own, null), accounts, knowing);
}

/** The port of one account: I30 fails if it is asked for a hosted zone of another. */
export function checked(world: World, port: HostedZones, account: string | null): HostedZones {
  const { accounts, auditor } = world;
  if (accounts === null) return port;
  const check = (id: string) => {
    const right = accounts.get(id) ?? null;
    if (right !== account) auditor.fail('I30', `${id} is in account ${right}, and was asked for in ${account}`);
    if (account !== null) sawThat(world, 'a hosted zone of another account was called');
  };
  const after = <Args extends readonly unknown[], T>(call: (id: string, ...asked: Args) => T) => {
    return (id: string, ...asked: Args): T => {
      check(id);
      return call(id, ...asked);
    };
  };
  return {
    ...port,
    get: after(port.get),
    create: async (name, callerReference) => {
      const created = await port.create(name, callerReference);
      if (account !== null) accounts.set(created.id, account);
      return created;
    },
    change: after(port.change),
    readName: after(port.readName),
    readPage: after(port.readPage),
    protections: after(port.protections),
  };
}
