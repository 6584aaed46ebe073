// Refuses two records of provider aws that publish into one hosted zone with the same owner. With one owner, an
// external-dns that takes over later could not tell their names apart.
import { UnreadableItemError } from '../../ledger/item-codec.ts';
import { eachItem } from '../../ledger/pages.ts';
import type { Binding } from '../manifests/bindings.ts';
import { appBindings } from '../manifests/manifests.ts';
import { fqdnOf, type LiveApp } from '../model/app.ts';
import type { Problem } from '../model/problem.ts';
import { type DnsUpdateRecord, ownerOf } from '../model/record.ts';
import { eachApp } from './apps.ts';
import type { IntentState } from './intent-state.ts';
import { recordCodec } from './items.ts';
import { readKnown } from './known.ts';
import { projectIn } from './projects.ts';

type Owned = { readonly project: string; readonly record: DnsUpdateRecord; readonly owner: string };

/** The services of an app that a record would publish into a hosted zone where another record has the same owner. */
export async function ownerClashes(
  state: IntentState,
  project: string,
  app: LiveApp,
  bindings: readonly Binding[],
): Promise<readonly Problem[]> {
  const own = Map.groupBy(bindings, ({ record }) => record);
  const owned = [...own].flatMap(([, [first]]): Owned[] =>
    first?.definition?.provider === 'aws'
      ? [{ project, record: first.definition, owner: ownerOf(project, first.definition) }]
      : [],
  );
  const problems: Problem[] = [];
  const all = await sameOwners(state, new Set(owned.map(({ owner }) => owner)));
  for (const one of owned) {
    const using = own.get(one.record.metadata.name) ?? [];
    for (const other of all.get(one.owner) ?? []) {
      if (other.project === project && other.record.metadata.name === one.record.metadata.name) continue;
      const zones = await zonesOf(state, other.project, await namesOf(state, other, { project, app }));
      for (const { service } of using) {
        if (!zones.has(await zoneOf(state, project, service.dnsName))) continue;
        const index = app.services.findIndex(({ name }) => name === service.name);
        const detail = `records ${project}/${one.record.metadata.name} and ${other.project}/${other.record.metadata.name} both have owner "${one.owner}", and publish into one hosted zone: give one of them another txt-owner-id`;
        problems.push({ path: ['services', index, 'dnsName'], detail });
      }
    }
  }
  return problems;
}

/** The records of provider aws with these owners. The default owner is different for each record, so this is rare. */
async function sameOwners(
  state: IntentState,
  owners: ReadonlySet<string>,
): Promise<ReadonlyMap<string, readonly Owned[]>> {
  const found: Owned[] = [];
  if (owners.size === 0) return new Map();
  for await (const stored of eachItem(state.ledger, state.keys.partitions.records)) {
    const record = recordCodec.read(stored);
    // One that cannot be read affects its own project only.
    if (record instanceof UnreadableItemError) continue;
    const project = projectIn(stored.sort);
    const owner = ownerOf(project, record);
    if (record.provider === 'aws' && owners.has(owner)) found.push({ project, record, owner });
  }
  return Map.groupBy(found, ({ owner }) => owner);
}

/** The names that a record publishes; `instead`: an app as it is about to be. */
async function namesOf(
  state: IntentState,
  { project, record }: Owned,
  instead: { readonly project: string; readonly app: LiveApp },
): Promise<readonly string[]> {
  const apps: LiveApp[] = [];
  for await (const app of eachApp(state, project))
    if (instead.project !== project || app.name !== instead.app.name) apps.push(app);
  if (instead.project === project) apps.push(instead.app);
  const known = await readKnown(state, project, apps);
  return apps
    .flatMap((app) => appBindings(known, app))
    .filter((binding) => binding.record === record.metadata.name)
    .map(({ service }) => service.dnsName);
}

async function zonesOf(state: IntentState, project: string, names: readonly string[]): Promise<ReadonlySet<string>> {
  return new Set(await Promise.all([...new Set(names)].map((name) => zoneOf(state, project, name))));
}

/** The hosted zone of a name; if none is known yet, the domain above the name. */
async function zoneOf({ hostedZoneOf }: IntentState, project: string, dnsName: string): Promise<string> {
  const name = fqdnOf(dnsName);
  return (await hostedZoneOf(name, project))?.id ?? name.split('.').slice(-3).join('.');
}
