// `zone53 plan` and `apply` as processes, with moto (a Route 53 written by others) behind a proxy that counts the calls
// and can deny them. Every test has a moto without hosted zones, and a folder of its own.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  type Change,
  ChangeResourceRecordSetsCommand,
  CreateHostedZoneCommand,
  ListResourceRecordSetsCommand,
  Route53Client,
} from '@aws-sdk/client-route-53';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { type RunningEngine, startMoto } from '../engines/engines.ts';
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts';
import { appliedOf, type CommandPlace, type Ran, zone53 } from './zone53-command.ts';

type Files = Readonly<Record<string, string>>;

export type ApplyWorld = {
  /** A client of moto itself, without the proxy. Available from the first test on, as are `proxy` and `place`. */
  readonly route53: Route53Client;
  readonly proxy: FaultProxy;
  /** Where the command runs. */
  readonly place: CommandPlace;
  createZone(name: string): Promise<string>;
  put(id: string, action: 'CREATE' | 'DELETE', name: string, type: string, value: string): Promise<unknown>;
  /** `name type` → values, without the SOA and NS of the apex. */
  standing(id: string): Promise<Record<string, string>>;
  /** Writes these files as the whole folder `dns`. */
  write(files: Files): void;
  run(...argv: string[]): Promise<Ran>;
  apply(...argv: string[]): Promise<Ran>;
  plan(...argv: string[]): Promise<Ran>;
  changeCalls(): number;
};

/** Starts moto before the tests of a suite, and ends it after them. */
export function applyWorld(): ApplyWorld {
  let moto: RunningEngine;
  let proxy: FaultProxy;
  let route53: Route53Client;
  let place: CommandPlace;
  beforeAll(async () => {
    moto = await startMoto();
    const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
    route53 = new Route53Client({ endpoint: moto.url, region: 'us-east-1', credentials });
  });
  afterAll(async () => {
    route53?.destroy();
    await moto?.close();
  });
  beforeEach(async () => {
    await fetch(`${moto.url}/moto-api/reset`, { method: 'POST' });
    proxy = await startFaultProxy({ target: moto.url, seed: 1, rate: 0 });
    place = { folder: mkdtempSync(path.join(tmpdir(), 'zone53-apply-')), route53: proxy.url };
  });
  afterEach(async () => {
    await proxy.close();
    rmSync(place.folder, { recursive: true });
  });
  const run = (...argv: string[]) => zone53(place, argv);
  return {
    get route53() {
      return route53;
    },
    get proxy() {
      return proxy;
    },
    get place() {
      return place;
    },
    createZone: async (name) => {
      const input = { Name: name, CallerReference: `${name} ${Math.random()}` };
      const { HostedZone } = await route53.send(new CreateHostedZoneCommand(input));
      return HostedZone?.Id?.replace('/hostedzone/', '') ?? '';
    },
    put: (id, Action, name, type, value) => {
      const set = { Name: name, Type: type, TTL: 300, ResourceRecords: [{ Value: value }] };
      const Changes = [{ Action, ResourceRecordSet: set } as Change];
      return route53.send(new ChangeResourceRecordSetsCommand({ HostedZoneId: id, ChangeBatch: { Changes } }));
    },
    standing: (id) => standingAt(route53, id),
    write: (files) => {
      const folder = path.join(place.folder, 'dns');
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder);
      for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
    },
    run,
    apply: (...argv) => run('apply', '-f', 'dns', '--yes', '-o', 'json', ...argv),
    plan: (...argv) => run('plan', '-f', 'dns', '-o', 'json', ...argv),
    changeCalls: () => proxy.count('ChangeResourceRecordSets'),
  };
}

async function standingAt(route53: Route53Client, id: string): Promise<Record<string, string>> {
  const { ResourceRecordSets = [] } = await route53.send(new ListResourceRecordSetsCommand({ HostedZoneId: id }));
  const soa = ResourceRecordSets.find(({ Type }) => Type === 'SOA');
  const own = ResourceRecordSets.filter(({ Name, Type }) => Name !== soa?.Name || (Type !== 'SOA' && Type !== 'NS'));
  return Object.fromEntries(
    own.map(({ Name, Type, ResourceRecords = [] }) => [
      `${Name?.replace('\\052', '*')} ${Type}`,
      ResourceRecords.map(({ Value }) => Value).join(','),
    ]),
  );
}

/** The outcome of each change except that of the SOA: `action type name outcome`. */
export function outcomes(ran: Ran): string[] {
  return (appliedOf(ran)?.hostedZones ?? []).flatMap(({ changes }) =>
    changes
      .filter(({ type }) => type !== 'SOA')
      .map(({ action, name, type, outcome }) => `${action} ${type} ${name} ${outcome}`),
  );
}

/** The condition Programmed of an object. */
export function programmed(ran: Ran, name: string) {
  return [...(appliedOf(ran)?.records ?? []), ...(appliedOf(ran)?.zones ?? [])]
    .find((object) => object.name === name)
    ?.conditions.find(({ type }) => type === 'Programmed');
}

/** A Zone's manifest. */
export function zone(domain: string, name = 'zone', annotations: Readonly<Record<string, string>> = {}): string {
  return `apiVersion: kubi.zone/v1alpha1
kind: Zone
metadata: { name: ${name}, annotations: ${JSON.stringify(annotations)} }
spec: { domainName: ${domain}, ttl: 300, delegations: [{ zones: ["*"], records: [{ pattern: "*" }, { pattern: "@" }] }] }
`;
}

/** A Record's manifest. */
export function record(name: string, type: string, rdata: string, zoneRef = 'zone'): string {
  return `apiVersion: kubi.zone/v1alpha1
kind: Record
metadata: { name: ${name}, namespace: default }
spec: { domainName: ${name}, zoneRef: { name: ${zoneRef} }, type: ${type}, rdata: ${JSON.stringify(rdata)}, ttl: 300 }
`;
}
