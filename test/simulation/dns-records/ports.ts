// The ports of one process of a simulated seed, each call of which waits at a gate. What truly happens is shown to the
// shadow at the instant that it happens.
import { hash } from 'node:crypto';
import type { DnsRecordDeps } from '../../../lib/gardener/deps.ts';
import type { BatchOutcome, HostedZones } from '../../../lib/ports/hosted-zones.ts';
import type { Ledger } from '../../../lib/ports/ledger.ts';
import { type AccountCredentials, AccountError, type Accounts } from '../../../lib/ports/seed/accounts.ts';
import type { Seed } from '../../../lib/ports/seed/seed.ts';
import { readDnsRecord } from '../../../lib/sources/gardener/dns-record.ts';
import { PortError } from '../gated-ports.ts';
import { sendingQueues } from '../simulated-queues.ts';
import { checkAnnotation, checkLetGo, checkStatus } from './object-writes.ts';
import { checkAccepted, checkSent, lookedAt, wroteItem } from './shadow.ts';
import { checkUntold } from './untold.ts';
import { type AccountName, type Call, type Mood, type Process, type SeedFate, type SeedWorld, tell } from './world.ts';

export type SeedPorts = Pick<DnsRecordDeps, 'ledger' | 'seed' | 'accounts' | 'queues'> & {
  readonly sleep: DnsRecordDeps['clock']['sleep'];
};

type How<T> = {
  readonly effect: () => Promise<T>;
  /** What a lost answer looks like; by default the call throws. */
  readonly lost?: (fate: SeedFate) => T;
  readonly late?: () => T;
};
type Gate = <T>(port: Call['port'], method: string, detail: string, how: How<T>) => Promise<T>;

export function seedPorts(world: SeedWorld, process: () => Process): SeedPorts {
  const gate: Gate = (port, method, detail, { effect, lost, late }) => {
    if (process().dead) return new Promise(() => {});
    if (world.direct) return effect();
    return new Promise((resolve, reject) => {
      const release = (fate: SeedFate | null) => {
        const lose = () => {
          try {
            if (lost !== undefined && fate !== null) resolve(lost(fate));
            else reject(new PortError(`${port}.${method}: ${fate}`));
          } catch (error) {
            reject(error);
          }
        };
        if (fate === 'before' || fate === 'crash before' || fate === 'throttled' || fate === 'denied') return lose();
        if (fate === 'crash after') return void effect().catch(() => null);
        if (fate === 'after') return void effect().then(lose, reject);
        if (fate === 'late' && late !== undefined) return resolve(late());
        return void effect().then(resolve, reject);
      };
      world.calls.push({ process: process(), port, method, detail, notBeforeMs: 0, release });
    });
  };
  const queues = sendingQueues(world.queues, () => world.time.ms, {
    twice: () => !world.direct && world.random.chance(0.1),
    delayMs: () => 0,
  });
  return {
    ledger: gatedLedger(world, gate),
    seed: gatedSeed(world, gate),
    accounts: gatedAccounts(world, gate),
    queues: {
      hint: (hints, seconds) => gate('queues', 'hint', '', { effect: () => queues.hint(hints, seconds) }),
      // The Zone publishes by itself.
      publish: (id) => gate('queues', 'publish', id, { effect: async () => {} }),
    },
    sleep: (ms) => {
      if (world.direct) {
        world.time.ms += ms;
        return Promise.resolve();
      }
      const slept = gate('clock', 'sleep', `${ms}`, { effect: async () => {} });
      const call = world.calls.at(-1);
      if (call !== undefined) call.notBeforeMs = world.time.ms + ms;
      return slept;
    },
  };
}

function gatedLedger(world: SeedWorld, gate: Gate): Ledger {
  const { ledger } = world;
  return {
    get: (key) => gate('ledger', 'get', `${key.partition} ${key.sort}`, { effect: () => ledger.get(key) }),
    query: (partition, options) =>
      gate('ledger', 'query', partition, { effect: () => ledger.query(partition, options) }),
    put: (key, body, expected, options) =>
      gate('ledger', 'put', `${key.partition} ${key.sort}`, {
        effect: async () => {
          const revision = await ledger.put(key, body, expected, options);
          if (revision === null) return null;
          tell(world, () => `   ${key.partition} ${key.sort}: ${JSON.stringify(body)}`);
          wroteItem(world, key, body);
          return revision;
        },
      }),
    remove: (key, expected) =>
      gate('ledger', 'remove', `${key.partition} ${key.sort}`, {
        effect: async () => {
          const removed = await ledger.remove(key, expected);
          if (removed) wroteItem(world, key, null);
          return removed;
        },
      }),
  };
}

function gatedSeed(world: SeedWorld, gate: Gate): Seed {
  const { api } = world;
  return {
    get: (ref) => gate('seed', 'get', ref.name, { effect: () => api.seed.get(ref) }),
    list: (namespace) => gate('seed', 'list', '', { effect: () => api.seed.list(namespace) }),
    readSecret: (namespace, name) =>
      gate('seed', 'readSecret', name, { effect: async () => api.secrets.get(`${namespace}/${name}`) ?? null }),
    readShoot: (name) => gate('seed', 'readShoot', name, { effect: async () => null }),
    recordEvent: ({ ref }, event) =>
      gate('seed', 'recordEvent', ref.name, {
        effect: async () => {
          checkUntold(world, `an Event of ${ref.name}`, event);
          tell(world, () => `   event of ${ref.name}: ${event.message}`);
        },
      }),
    patchMetadata: (of, patch) =>
      gate('seed', 'patchMetadata', of.ref.name, {
        effect: async () => {
          const before = api.read(of.ref.name);
          const written = await api.seed.patchMetadata(of, patch);
          tell(world, () => `   metadata of ${of.ref.name}: ${JSON.stringify(patch)}: ${written.kind}`);
          if (written.kind !== 'written' || before === null) return written;
          if (patch.finalizers !== undefined) checkLetGo(world, before, patch.finalizers);
          if (patch.annotations !== undefined) checkAnnotation(world, before);
          return written;
        },
      }),
    patchStatus: (of, status, ...version) =>
      gate('seed', 'patchStatus', of.ref.name, {
        effect: async () => {
          const written = await api.seed.patchStatus(of, status, ...version);
          tell(world, () => `   status of ${of.ref.name}: ${written.kind} ${JSON.stringify(status)}`);
          checkUntold(world, `the status of ${of.ref.name}`, status);
          const record = written.kind === 'written' ? readDnsRecord(written.object) : null;
          if (record !== null) checkStatus(world, record);
          return written;
        },
      }),
  };
}

function gatedAccounts(world: SeedWorld, gate: Gate): Accounts {
  const opened = new Map<string, HostedZones>();
  return {
    open: (credentials) => {
      const name = accountOf(credentials);
      const hostedZones = opened.get(name) ?? gatedHostedZones(world, gate, name);
      opened.set(name, hostedZones);
      const key = credentials.kind === 'key' ? credentials.accessKeyId : '';
      return { id: hash('sha256', key, 'hex'), hostedZones };
    },
  };
}

/** An access key ends in the name of its account. */
function accountOf(credentials: AccountCredentials): AccountName {
  return credentials.kind === 'key' && credentials.accessKeyId.endsWith('B') ? 'b' : 'a';
}

const OUTCOMES: Readonly<Record<Exclude<Mood, 'fine'>, BatchOutcome>> = {
  throttled: { kind: 'throttled', message: 'Throttling: Rate exceeded' },
  denied: { kind: 'denied', message: 'AccessDenied: not authorized' },
  silent: { kind: 'unknown', message: 'no answer' },
};

/** The error of an account in this mood to a read. */
function refusal(mood: Exclude<Mood, 'fine'>): AccountError {
  if (mood === 'silent') return new AccountError('unanswered', 'TimeoutError', 'TimeoutError: no answer');
  if (mood === 'throttled') return new AccountError('throttled', 'Throttling', 'Throttling: Rate exceeded');
  return new AccountError('refused', 'AccessDenied', 'AccessDenied: not authorized');
}

function moodOf(fate: SeedFate): Exclude<Mood, 'fine'> {
  return fate === 'throttled' || fate === 'denied' ? fate : 'silent';
}

function gatedHostedZones(world: SeedWorld, gate: Gate, account: AccountName): HostedZones {
  const { port } = world.accounts[account];
  const read = <T>(method: string, detail: string, effect: () => Promise<T>): Promise<T> =>
    gate('hostedZones', method, `${account} ${detail}`, {
      effect: async () => {
        const mood = world.moods[account];
        if (mood !== 'fine') throw refusal(mood);
        return effect();
      },
      lost: (fate) => {
        throw refusal(moodOf(fate));
      },
    });
  return {
    list: () => read('list', '', () => port.list()),
    get: (id) => read('get', id, () => port.get(id)),
    create: (name, reference) => port.create(name, reference),
    readName: (id, name) =>
      read('readName', `${id} ${name}`, () => {
        lookedAt(world, id, name);
        return port.readName(id, name);
      }),
    readPage: (id, from) => read('readPage', id, () => port.readPage(id, from)),
    changeStatus: (id, changeId) => read('changeStatus', id, () => port.changeStatus(id, changeId)),
    protections: (id, name) => read('protections', id, () => port.protections(id, name)),
    change: (id, changes) => {
      checkSent(world, id, changes);
      const shown = changes.map(
        ({ action, recordSet: { name, type, content } }) => `${action} ${name} ${type} ${JSON.stringify(content)}`,
      );
      return gate<BatchOutcome>('hostedZones', 'change', `${account} ${id}: ${shown.join('; ')}`, {
        effect: async () => {
          const mood = world.moods[account];
          return mood === 'fine' ? applied(world, account, id, changes) : OUTCOMES[mood];
        },
        lost: (fate) => OUTCOMES[moodOf(fate)],
        late: () => {
          world.late.push({ account, id, changes });
          return OUTCOMES.silent;
        },
      });
    },
  };
}

/** The account takes the batch, or not. */
export async function applied(
  world: SeedWorld,
  account: AccountName,
  id: string,
  changes: Parameters<HostedZones['change']>[1],
  isLate = false,
): Promise<BatchOutcome> {
  const outcome = await world.accounts[account].port.change(id, changes, '');
  if (outcome.kind === 'accepted') checkAccepted(world, id, changes, isLate);
  const shown = changes.map(({ action, recordSet: { name, type } }) => `${action} ${name} ${type}`).join(', ');
  const why = 'messages' in outcome ? outcome.messages.join() : '';
  tell(world, () => `   ${account} ${id}: ${shown}: ${outcome.kind} ${why}`);
  return outcome;
}
