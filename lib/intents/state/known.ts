// Reads the state of a project from the ledger: all of it, or only what some apps need.
import { readItem, type Stored } from '../../ledger/item-codec.ts';
import { inParallel } from '../../ports/in-parallel.ts';
import type { Project } from '../manifests/project.ts';
import { type App, fqdnOf, isPrivate, type LiveApp, type Service } from '../model/app.ts';
import { RECORD_LIST, recordsIn } from '../model/key-values.ts';
import type { DnsUpdateRecord } from '../model/record.ts';
import { eachApp } from './apps.ts';
import type { IntentState } from './intent-state.ts';
import { type PairsOf, pairCodec, recordCodec } from './items.ts';

/** Parallel reads of the directory. */
const READS_AT_ONCE = 25;

/** Reads a project with all of its apps. */
export async function readProject(
  state: IntentState,
  project: string,
): Promise<{ readonly project: Project; readonly apps: readonly LiveApp[] }> {
  const apps = await Array.fromAsync(eachApp(state, project));
  return { project: await readKnown(state, project, apps), apps };
}

/** Reads what these apps use: the lists of their clouds and clusters, and the records on them. `also`: more records. */
export async function readKnown(
  state: IntentState,
  project: string,
  apps: readonly App[],
  also: readonly string[] = [],
): Promise<Project> {
  const lists = new Map<string, readonly string[]>();
  const wanted = new Map<string, PairsOf>();
  for (const { logicalCloud, services } of apps) {
    wanted.set(cloudId(logicalCloud), { kind: 'cloud', project, cloud: logicalCloud });
    for (const { provider, cluster } of services.flatMap(({ clusters }) => clusters))
      wanted.set(clusterId(provider, cluster), { kind: 'cluster', provider, cluster });
  }
  await Promise.all(
    [...wanted].map(async ([id, of]) => {
      const stored = await readItem(state.ledger, state.keys.pair(of, RECORD_LIST), pairCodec);
      lists.set(id, recordsIn(stored?.item ?? null));
    }),
  );
  const records = new Map<string, Stored<DnsUpdateRecord>>();
  await Promise.all(
    [...new Set([...[...lists.values()].flat(), ...also])].map(async (name) => {
      const stored = await readItem(state.ledger, state.keys.record(project, name), recordCodec);
      if (stored !== null) records.set(name, stored);
    }),
  );
  const inPrivate = await privateNames(state, project, apps);
  return {
    name: project,
    isPrivate: (dnsName) => inPrivate.has(dnsName),
    record: (name) => records.get(name)?.item ?? null,
    revision: (name) => records.get(name)?.revision ?? null,
    recordsOfCloud: (cloud) => lists.get(cloudId(cloud)) ?? [],
    recordsOfCluster: (provider, cluster) => lists.get(clusterId(provider, cluster)) ?? [],
  };
}

/** The names with a private address that are published into a private hosted zone. */
async function privateNames(
  { hostedZoneOf }: IntentState,
  project: string,
  apps: readonly App[],
): Promise<ReadonlySet<string>> {
  const names = apps.flatMap(({ services }) => services.filter(hasPrivateAddress).map(({ dnsName }) => dnsName));
  const found = new Set<string>();
  await inParallel(new Set(names), READS_AT_ONCE, async (dnsName) => {
    const zone = await hostedZoneOf(fqdnOf(dnsName), project);
    if (zone?.isPrivate === true) found.add(dnsName);
  });
  return found;
}

function hasPrivateAddress({ clusters }: Service): boolean {
  return clusters.some(({ publicAddresses = [], clusterAddresses = [] }) =>
    [...publicAddresses, ...clusterAddresses].some(isPrivate),
  );
}

function cloudId(cloud: string): string {
  return `cloud/${cloud}`;
}

function clusterId(provider: string, cluster: string): string {
  return `cluster/${provider}/${cluster}`;
}
