// In some worlds with several clusters, the hosted zone is in another account, whose role is refused for a while, and
// the configuration says another account now and then. Each call must be made with the role that the configuration of
// its run says, and none while that is refused (I30).
import { NOT_ASSUMED } from '../../../lib/objects/account-refusal.ts';
import type { Config } from '../../../lib/ports/config.ts';
import { type HostedZones, HostedZonesDeniedError } from '../../../lib/ports/hosted-zones.ts';
import { APEX } from '../names.ts';
import type { Random } from '../random.ts';
import { type FunctionRun, sawThat, tell, type World } from '../world.ts';
import { type Fleet, HOSTED } from './world.ts';

export const ACCOUNTS: readonly string[] = ['dns', 'network'];
const SETTINGS = { role: 'arn:aws:iam::111122223333:role/zone53', externalId: null, intents: false };
/** How often a role is refused, or accepted again, and how often the configuration names another account. */
const REFUSED_SHARE = 0.01;
const MOVES_SHARE = 0.003;
const MESSAGE = `${NOT_ASSUMED}${SETTINGS.role}: AccessDenied`;

/** The configuration that says that the hosted zone is in this account; null: in our own. */
export function inAccount(config: Config, account: string | null): Config {
  const accounts = Object.fromEntries(ACCOUNTS.map((id) => [id, SETTINGS]));
  return { ...config, accounts, hostedZones: [{ zone: APEX, id: HOSTED, ...(account !== null && { account }) }] };
}

/** A role is refused, or accepted again, or the configuration names another account. */
export function accountsMove(world: World): void {
  const accounts = world.fleet?.accounts ?? null;
  if (world.fleet === null || accounts === null) return;
  if (accounts.random.chance(REFUSED_SHARE)) {
    accounts.isRefused = !accounts.isRefused;
    tell(world, () => `the role is ${accounts.isRefused ? 'refused' : 'accepted again'}`);
  }
  if (accounts.random.chance(MOVES_SHARE)) moveAccount(world, world.fleet, accounts.random);
}

function moveAccount(world: World, { members }: Fleet, random: Random): void {
  const account = random.pick([null, ...ACCOUNTS]);
  for (const [id, member] of members) members.set(id, { ...member, config: inAccount(member.config, account) });
  // Who was refused learns by a sweep that another role is used.
  world.needsSweep ??= 'the hosted zone is in another account';
  sawThat(world, 'several clusters: the hosted zone is in another account');
  tell(world, () => `the configuration says that the hosted zone is in account ${account}`);
}

/** Once faults are over, roles are accepted. */
export function acceptRoles({ fleet }: World): void {
  if (fleet?.accounts != null) fleet.accounts.isRefused = false;
}

/** The hosted zones of the accounts, by the name of the account in the configuration; null: our own. */
export function accountPorts(
  world: World,
  run: FunctionRun,
  port: HostedZones,
): { readonly own: HostedZones; readonly others: ReadonlyMap<string, HostedZones> } {
  if (world.fleet?.accounts == null) return { own: port, others: new Map() };
  const others = ACCOUNTS.map((account) => [account, inOne(world, run, port, account)] as const);
  return { own: inOne(world, run, port, null), others: new Map(others) };
}

function inOne(world: World, run: FunctionRun, port: HostedZones, account: string | null): HostedZones {
  const { auditor, fleet } = world;
  const configured = run.member.config.hostedZones.find(({ id }) => id === HOSTED)?.account ?? null;
  /** Asks, or answers for a role that is refused. */
  const ask = <T>(id: string, call: () => Promise<T>, refused: () => T): Promise<T> => {
    if (id === HOSTED && account !== configured)
      auditor.fail('I30', `${run.id} asked for ${id} in account ${account}, and it is in ${configured}`);
    if (account === null || fleet?.accounts?.isRefused !== true) return call();
    sawThat(world, 'several clusters: a role was refused');
    return Promise.resolve().then(refused);
  };
  const deny = (): never => {
    throw new HostedZonesDeniedError(MESSAGE);
  };
  return {
    ...port,
    get: (id) =>
      ask(
        id,
        () => port.get(id),
        () => ({ unreadable: MESSAGE }),
      ),
    change: (id, ...asked) =>
      ask(
        id,
        () => port.change(id, ...asked),
        () => ({ kind: 'denied', message: MESSAGE }),
      ),
    changeStatus: (id, changeId) =>
      ask(
        id,
        () => port.changeStatus(id, changeId),
        () => ({ kind: 'unsaid', message: MESSAGE }),
      ),
    readName: (id, name) => ask(id, () => port.readName(id, name), deny),
    readPage: (id, from) => ask(id, () => port.readPage(id, from), deny),
    protections: (id, name) => ask(id, () => port.protections(id, name), deny),
  };
}
