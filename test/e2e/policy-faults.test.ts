// Changes of routing policy while Route 53 loses, delays and refuses calls, and while `zone53 apply` is killed. At
// every moment the name has an answer; in the end it has exactly what is wanted, and there is nothing to do.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startRoute53 } from '../../local/route53/api/server.ts';
import { createRoute53State, type Route53State } from '../../local/route53/model/state.ts';
import { type FaultProxy, type FaultProxyOptions, startFaultProxy } from '../support/fault-proxy.ts';
import { appliedOf, type Running, startZone53 } from '../support/zone53-command.ts';

const NAME = 'www.example.org.';
const STARTED_MS = Date.parse('2026-11-21T10:00:00Z');
/** Longer than a lease, and than the time in which repeated changes count as a fight. */
const STEP_MS = 600_000;
const APPLIES_MAX = 8;

/** The record sets of each policy are replaced by those of the next. */
const POLICIES: readonly (readonly object[])[] = [
  [{ rdata: '192.0.2.1' }],
  [1, 2].map((weight) => ({ rdata: `192.0.2.${weight}`, routing: { setIdentifier: `w${weight}`, weight } })),
  [
    { rdata: '192.0.2.1', routing: { setIdentifier: 'all', geolocation: { country: '*' } } },
    { rdata: '192.0.2.2', routing: { setIdentifier: 'w2', geolocation: { continent: 'EU' } } },
  ],
  [1, 2, 3].map((index) => ({ rdata: `192.0.2.${index}`, routing: { setIdentifier: `m${index}`, multivalue: true } })),
  [{ alias: { target: 'other.example.org.' } }],
  [{ rdata: '192.0.2.9' }],
];

/** Each test takes half a minute on a busy machine. `ZONE53_ALL_FAULTS=1` runs all of them. */
const ALL = process.env.ZONE53_ALL_FAULTS !== undefined;
const FAULTS = ALL ? ['answerLost', 'requestLost', 'requestLate', 'throttled', 'error'] : ['answerLost', 'requestLate'];
const MOMENTS = ALL ? (['arrived', 'applied'] as const) : (['applied'] as const);

let folder: string;
let state: Route53State;
let server: Awaited<ReturnType<typeof startRoute53>>;
let proxy: FaultProxy;
let nowMs: number;
let bare: string[];

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'zone53-policies-'));
  mkdirSync(path.join(folder, 'dns'));
  state = createRoute53State({ clock: { nowMs: Date.now }, random: Math.random });
  state.createHostedZone({ name: 'example.org.', callerReference: 'by hand', comment: null, vpc: null });
  server = await startRoute53({ state });
  nowMs = STARTED_MS;
  bare = [];
});

afterEach(async () => {
  await proxy.close();
  await server.close();
  rmSync(folder, { recursive: true });
});

async function open(options: Omit<FaultProxyOptions, 'target'>): Promise<void> {
  proxy = await startFaultProxy({ target: server.url, ...options });
}

const standing = () => (state.zones()[0]?.recordSets ?? []).filter(({ name }) => name === NAME);

function want(records: readonly object[]): void {
  const object = (kind: string, name: string, spec: object) => {
    return { apiVersion: 'kubi.zone/v1alpha1', kind, metadata: { name, namespace: 'team' }, spec };
  };
  const items = [
    object('Zone', 'root', { domainName: 'example.org.', delegations: [{ records: [{ pattern: '*' }] }] }),
    object('Record', 'other', { domainName: 'other.example.org.', type: 'A', rdata: '192.0.2.7' }),
    ...records.map((spec, index) => object('Record', `r${index}`, { domainName: NAME, type: 'A', ...spec })),
  ];
  writeFileSync(path.join(folder, 'dns', 'a.json'), JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
}

function start(): Running {
  nowMs += STEP_MS;
  const argv = ['apply', '-f', 'dns', '--yes', '-o', 'json', '--now', new Date(nowMs).toISOString()];
  return startZone53({ folder, route53: proxy.url }, argv);
}

/** Applies until everything is published. A run may fail because of Route 53's faults, but it holds nothing. */
async function settle(): Promise<void> {
  for (let count = 0; count < APPLIES_MAX; count += 1) {
    const ran = await start().ended;
    expect(ran.err).not.toMatch(/TypeError|RangeError|ReferenceError|at file:/);
    expect(ran.code, ran.out).not.toBe(3);
    for (const { reason } of (appliedOf(ran)?.records ?? []).flatMap(({ conditions }) => conditions))
      expect(['Adopted', 'Published', 'Pending'], ran.out).toContain(reason);
    if (ran.code === 0) return;
  }
  throw new Error(`not published after ${APPLIES_MAX} applies`);
}

/** Checks that Route 53 has what is wanted, and that another apply sends no change. */
async function expectWanted(records: readonly object[]): Promise<void> {
  const wanted = records.map((spec) => {
    const { rdata, routing } = spec as { rdata?: string; routing?: { setIdentifier: string } };
    return `${routing?.setIdentifier ?? null} ${rdata ?? 'alias'}`;
  });
  const stands = standing().map(({ setIdentifier, values }) => `${setIdentifier} ${values[0] ?? 'alias'}`);
  expect(stands.toSorted()).toEqual(wanted.toSorted());
  const before = proxy.count('ChangeResourceRecordSets');
  expect((await start().ended).code).toBe(0);
  expect(proxy.count('ChangeResourceRecordSets')).toBe(before);
}

/** Notes each moment at which the name, once it had an answer, has none. */
function watch(): void {
  let isThere = false;
  state.onChange(() => {
    isThere ||= standing().length > 0;
    if (isThere && standing().length === 0) bare.push(new Date().toISOString());
  });
}

const only = (fault: string) => {
  const all = ['requestLost', 'requestLate', 'answerLost', 'error', 'malformed', 'throttled', 'unknownCode', 'slow'];
  return Object.fromEntries([...all, 'refused'].map((name) => [name, name === fault ? 1 : 0]));
};

it.each(FAULTS)(
  'each policy replaces the one before while half of the calls end so: %s',
  async (fault) => {
    await open({ seed: 7, rate: 0, lateMsMax: 500, weights: only(fault) });
    watch();
    for (const records of POLICIES) {
      want(records);
      proxy.setRate(0.5);
      await start().ended;
      proxy.setRate(0);
      await proxy.landed();
      await settle();
      await expectWanted(records);
    }
    expect(bare).toEqual([]);
  },
  240_000,
);

it.each(MOMENTS)(
  'each policy replaces the one before when apply is killed after the batch has %s',
  async (when) => {
    let running: Running | null = null;
    await open({
      seed: 1,
      rate: 0,
      onMoment: (moment, operation) => {
        if (moment === when && operation === 'ChangeResourceRecordSets') running?.child.kill('SIGKILL');
      },
    });
    watch();
    for (const records of POLICIES) {
      want(records);
      running = start();
      expect((await running.ended).code).toBeNull();
      running = null;
      const changes = proxy.count('ChangeResourceRecordSets');
      await settle();
      // What the killed apply sent has landed, before or after its death.
      expect(proxy.count('ChangeResourceRecordSets')).toBe(changes);
      await expectWanted(records);
    }
    expect(bare).toEqual([]);
  },
  240_000,
);
