// The guard of a cluster's own names, and the Zone of these names when it is deleted and created again, as an operator
// sees them: `plan`, `apply` and `explain` as processes, with our strict Route 53. The expected behaviour is that of
// docs/service-discovery.md.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ApplyOutput } from '../../cli/print/output.ts';
import { type Route53Server, startRoute53 } from '../../local/route53/api/server.ts';
import { createRoute53State, type Route53State } from '../../local/route53/model/state.ts';
import { appliedOf, plannedOf, type Ran, zone53 } from '../support/zone53-command.ts';

const START_MS = Date.UTC(2030, 0, 1);
const ZONES = ['cluster.example.', '10.in-addr.arpa.'] as const;
const ACKNOWLEDGE = 'zone53.dev/acknowledge-plan';

let state: Route53State;
let server: Route53Server;
let folder: string;
beforeEach(async () => {
  state = createRoute53State({ clock: { nowMs: Date.now }, random: Math.random, insyncDelayMs: 20 });
  for (const [index, name] of ZONES.entries())
    state.createHostedZone({ id: `Z${index}`, name, callerReference: name, comment: '', vpc: null });
  server = await startRoute53({ state, limits: null });
  folder = mkdtempSync(path.join(tmpdir(), 'zone53-guard-'));
  mkdirSync(path.join(folder, 'dns'));
  configure('');
});
afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

function configure(guard: string): void {
  const sources = `sources: { serviceDiscovery: { zone: cluster.example${guard} } }`;
  const hostedZones = ZONES.map((name, index) => `{ zone: ${name}, id: Z${index} }`);
  writeFileSync(path.join(folder, 'zone53.yaml'), `${sources}\nhostedZones: [${hostedZones.join(', ')}]\n`);
}

const DELEGATIONS = [{ records: [{ pattern: '*', types: ['PTR'] }] }];
const zone = (name: string, domainName: string, annotations: object = {}) => ({
  apiVersion: 'kubi.zone/v1alpha1',
  kind: 'Zone',
  metadata: { name, namespace: 'platform', annotations },
  spec: { domainName, delegations: DELEGATIONS },
});
const NAMES = zone('cluster', ZONES[0]);
const REVERSE = zone('reverse', ZONES[1]);

function service(index: number, spec: object = { clusterIP: `10.3.0.${index}` }): object {
  const ports = [{ name: 'http', port: 80 }];
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: `s${index}`, namespace: 'shop' },
    spec: { ports, ...spec },
  };
}

const services = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => service(from + index));

/** A headless Service with two endpoints. */
function headless(index: number, ready: readonly boolean[]): readonly object[] {
  const endpoints = ready.map((one, at) => ({
    addresses: [`10.4.${index}.${at}`],
    hostname: `p${at}`,
    conditions: { ready: one },
  }));
  const metadata = { name: `s${index}-a`, namespace: 'shop', labels: { 'kubernetes.io/service-name': `s${index}` } };
  const slice = { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', metadata, addressType: 'IPv4', endpoints };
  return [service(index, { clusterIP: 'None' }), slice];
}

function write(...items: readonly object[]): void {
  const list = { apiVersion: 'v1', kind: 'List', items };
  writeFileSync(path.join(folder, 'dns', 'all.json'), JSON.stringify(list));
}

async function run(command: string, seconds: number, ...argv: readonly string[]): Promise<Ran> {
  const now = new Date(START_MS + seconds * 1_000).toISOString();
  const args = [command, ...argv, '-f', 'dns', '--now', now, '-o', 'json'];
  return zone53({ folder, route53: server.url }, command === 'apply' ? [...args, '--yes'] : args);
}

/** Runs apply and returns its exit code. */
async function apply(seconds: number, ...argv: readonly string[]): Promise<number | null> {
  const { code, err } = await run('apply', seconds, ...argv);
  expect(err).not.toMatch(/^error/m);
  return code;
}

/** "name TYPE" of all record sets of the cluster's names. */
function standing(): readonly string[] {
  return state
    .zones()
    .flatMap(({ recordSets }) => recordSets)
    .filter(({ type }) => type !== 'SOA' && type !== 'NS')
    .map(({ name, type }) => `${name} ${type}`)
    .toSorted();
}

/** The Services whose own name has an address. */
const standingServices = () =>
  standing().flatMap((line) => /^(s\d+)\.shop\.svc\.cluster\.example\. A$/.exec(line)?.[1] ?? []);

const digests = ({
  hostedZones,
}: {
  readonly hostedZones: readonly { readonly held: boolean; readonly digest: string }[];
}) => hostedZones.flatMap(({ held, digest }) => (held ? [digest] : []));

describe("the guard of a cluster's own names", () => {
  it('allows half of twelve Services to go, and holds one more within the same minute', async () => {
    write(NAMES, REVERSE, ...services(0, 12));
    expect(await apply(0)).toBe(0);
    expect(standing()).toHaveLength(12 * 3 + 1);
    write(NAMES, REVERSE, ...services(6, 12));
    expect(await apply(10)).toBe(0);
    expect(standingServices()).toHaveLength(6);
    write(NAMES, REVERSE, ...services(7, 12));
    expect(await apply(69)).toBe(3);
    expect(standingServices()).toContain('s6');
    // Held deletes stay held, however much time passes. They do not hold back anything else: new names are published.
    write(NAMES, REVERSE, ...services(7, 14));
    expect(await apply(1_000)).toBe(3);
    expect(standingServices()).toEqual(['s10', 's11', 's12', 's13', 's6', 's7', 's8', 's9']);
    // The hold ends when the Service is back.
    write(NAMES, REVERSE, ...services(6, 14));
    expect(await apply(1_001)).toBe(0);
    expect((await run('plan', 1_002, '--detailed-exitcode')).code).toBe(0);
  });

  it('no longer counts deletes when the window is over', async () => {
    write(NAMES, REVERSE, ...services(0, 20));
    expect(await apply(0)).toBe(0);
    write(NAMES, REVERSE, ...services(10, 20));
    expect(await apply(10)).toBe(0);
    write(NAMES, REVERSE, ...services(15, 20));
    // Long after: the clock of a command goes on while it runs.
    expect(await apply(100)).toBe(0);
    expect(standingServices()).toHaveLength(5);
  });

  it('reports the same in the plan, in each hosted zone and on its Zone, and releases by one digest each', async () => {
    write(NAMES, REVERSE, ...services(0, 12));
    expect(await apply(0)).toBe(0);
    const all = standing();
    write(NAMES, REVERSE, ...services(7, 12));
    const said = '7 of 12 Services would lose all of their names within 60 seconds: more than servicesShareMax, 50 %.';
    const plan = await run('plan', 10);
    expect(plan.code).toBe(3);
    expect(plannedOf(plan).hostedZones.map(({ name, held, reasons }) => [name, held, reasons[0]])).toEqual([
      ['10.in-addr.arpa.', true, said],
      ['cluster.example.', true, said],
    ]);
    const applied = await run('apply', 20);
    expect(applied.code).toBe(3);
    expect(standing()).toEqual(all);
    const output = appliedOf(applied) as ApplyOutput;
    expect(digests(output)).toEqual(digests(plannedOf(plan)));
    for (const { changes } of output.hostedZones) {
      expect(new Set(changes.map(({ action, outcome }) => `${action} ${outcome}`))).toEqual(new Set(['delete held']));
      for (const { message } of changes) expect(message).toContain(said);
    }
    for (const [index, name] of ['reverse', 'cluster'].entries()) {
      const programmed = output.zones.find((one) => one.name === name)?.conditions.at(-1);
      expect(programmed).toMatchObject({ type: 'Programmed', status: 'False', reason: 'HeldByGuard' });
      expect(programmed?.message).toContain(said);
      expect(programmed?.message).toContain(`annotate Zone platform/${name} with ${ACKNOWLEDGE}: `);
      expect(programmed?.message).toContain(digests(output)[index]);
    }
    expect(applied.err.match(/^warning: The guard holds \d+ deletes: 7 of 12 Services/gm)).toHaveLength(2);
    const explained = JSON.parse((await run('explain', 30, 's3.shop.svc.cluster.example', 'A')).out);
    expect(explained).toMatchObject({ objects: [], held: [{ action: 'delete' }], route53: [{ owner: 'zone53' }] });
    expect(explained.advice).toContain(said);
    // --yes alone releases nothing. A flag releases the names, an annotation the addresses, each once.
    expect(await apply(40)).toBe(3);
    const [reverse = '', names = ''] = digests(output);
    expect(await apply(50, '--acknowledge', names)).toBe(3);
    expect(standing().filter((line) => line.endsWith(' PTR'))).toHaveLength(12);
    expect(standingServices()).toHaveLength(5);
    write(NAMES, zone('reverse', ZONES[1], { [ACKNOWLEDGE]: reverse }), ...services(7, 12));
    expect(await apply(60)).toBe(0);
    expect(standing()).toHaveLength(5 * 3 + 1);
    const used = await run('apply', 70, '--acknowledge', names);
    expect(used.code).toBe(1);
    expect(used.err).toContain('the guard holds no deletes with this digest now');
  });

  it('counts a headless Service when it has lost all of its endpoints, and does not count single endpoints', async () => {
    const all = (ready: (index: number) => readonly boolean[]) =>
      Array.from({ length: 10 }, (_, index) => headless(index, ready(index))).flat();
    write(NAMES, REVERSE, ...all(() => [true, true]));
    expect(await apply(0)).toBe(0);
    // One endpoint of each goes, which is half of all names. The guard does not count them: endpoints come and go all
    // the time.
    write(NAMES, REVERSE, ...all(() => [true, false]));
    expect(await apply(10)).toBe(0);
    expect(standing().filter((line) => line.startsWith('p1.'))).toEqual([]);
    const before = standing();
    write(NAMES, REVERSE, ...all((index) => [index > 5, false]));
    expect(await apply(20)).toBe(3);
    expect(standing()).toEqual(before);
    write(NAMES, REVERSE, ...all(() => [true, false]));
    expect(await apply(30)).toBe(0);
    write(NAMES, REVERSE, ...all((index) => [index > 4, false]));
    expect(await apply(40)).toBe(0);
    expect(standingServices()).toEqual(['s5', 's6', 's7', 's8', 's9']);
  });

  it('has no such limit for nine Services', async () => {
    write(NAMES, REVERSE, ...services(0, 9));
    expect(await apply(0)).toBe(0);
    write(NAMES, REVERSE);
    expect(await apply(10)).toBe(0);
    expect(standing()).toEqual(['dns-version.cluster.example. TXT']);
  });

  it('takes its limits from the configuration', async () => {
    configure(', guard: { servicesShareMax: 0.1, windowSeconds: 5 }');
    write(NAMES, ...services(0, 10));
    expect(await apply(0)).toBe(0);
    write(NAMES, ...services(1, 10));
    expect(await apply(10)).toBe(0);
    write(NAMES, ...services(1, 11));
    expect(await apply(20)).toBe(0);
    write(NAMES, ...services(3, 11));
    const { code, out } = await run('plan', 30);
    expect(code).toBe(3);
    expect(out).toContain('2 of 10 Services would lose all of their names within 5 seconds');
    expect(out).toContain('more than servicesShareMax, 10 %');
  });
});

describe("the Zone of a cluster's own names", () => {
  it('may come last: until then nothing is published, and each endpoint says which Zone is missing', async () => {
    write(REVERSE, service(1));
    const ran = await run('apply', 0);
    expect(ran.code).toBe(0);
    expect(standing()).toEqual([]);
    const [found] = (appliedOf(ran) as ApplyOutput).sources ?? [];
    expect(found?.endpoints.map(({ fqdn, type }) => `${fqdn} ${type}`)).toEqual([
      's1.shop.svc.cluster.example. A',
      '_http._tcp.s1.shop.svc.cluster.example. SRV',
    ]);
    for (const { parent, conditions } of found?.endpoints ?? []) {
      expect(parent).toBeNull();
      expect(conditions).toMatchObject([{ type: 'Accepted', status: 'False', reason: 'ParentNotFound' }]);
      expect(conditions[0]?.message).toContain('no live Zone with exactly the name cluster.example.');
    }
    expect(ran.err).toContain('1 PTR record is left out');
    expect((await run('apply', 1, '--strict')).code).toBe(1);
    write(REVERSE, service(1), NAMES);
    expect(await apply(10, '--strict')).toBe(0);
    expect(standing()).toEqual([
      '1.0.3.10.in-addr.arpa. PTR',
      '_http._tcp.s1.shop.svc.cluster.example. SRV',
      'dns-version.cluster.example. TXT',
      's1.shop.svc.cluster.example. A',
    ]);
  });

  it('takes all of its names with it once that is acknowledged, and brings them back', async () => {
    write(NAMES, REVERSE, ...services(0, 3));
    expect(await apply(0)).toBe(0);
    const all = standing();
    write(REVERSE, ...services(0, 3));
    const held = await run('apply', 10);
    expect(held.code).toBe(3);
    expect(standing()).toEqual(all);
    const explained = JSON.parse((await run('explain', 11, 's1.shop.svc.cluster.example', 'A')).out);
    expect(explained).toMatchObject({
      zone: null,
      hostedZone: { id: 'Z0', name: 'cluster.example.' },
      objects: [{ object: 'Service shop/s1', accepted: { reason: 'ParentNotFound' } }],
      held: [{ action: 'delete', name: 's1.shop.svc.cluster.example.' }],
    });
    // Nothing was acknowledged, and the Zone is back: nothing was changed.
    write(NAMES, REVERSE, ...services(0, 3));
    expect((await run('plan', 12, '--detailed-exitcode')).code).toBe(0);
    expect(await apply(13)).toBe(0);
    write(REVERSE, ...services(0, 3));
    const acknowledged = digests(plannedOf(await run('plan', 20))).flatMap((digest) => ['--acknowledge', digest]);
    expect(acknowledged).toHaveLength(4);
    expect(await apply(21, ...acknowledged)).toBe(0);
    expect(standing()).toEqual([]);
    write(NAMES, REVERSE, ...services(0, 3));
    expect(await apply(30)).toBe(0);
    expect(standing()).toEqual(all);
  });
});
