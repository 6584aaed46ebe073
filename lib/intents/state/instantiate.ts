// Instantiates and terminates an app. Conflicts are found before the app is written; then only claims have been
// written, and these are removed again.
import { inParallel } from '../../ports/in-parallel.ts';
import type { Binding } from '../manifests/bindings.ts';
import { endpointName } from '../manifests/dns-endpoint.ts';
import { appBindings } from '../manifests/manifests.ts';
import type { Project } from '../manifests/project.ts';
import type { App, LiveApp } from '../model/app.ts';
import type { Problem } from '../model/problem.ts';
import { readStoredApp, removeApp, writeApp } from './apps.ts';
import {
  CLAIMS_AT_ONCE,
  type Claims,
  claim,
  holderOf,
  type ReadsApps,
  readClaims,
  readsAppsOnce,
  release,
} from './claims.ts';
import type { IntentState } from './intent-state.ts';
import { readKnown } from './known.ts';
import { ownerClashes } from './owners.ts';
import { noteRemoval } from './projects.ts';

export type Instantiated =
  | {
      readonly kind: 'live';
      readonly project: Project;
      readonly app: LiveApp;
      readonly bindings: readonly Binding[];
      /** The bindings that it had before. */
      readonly before: readonly Binding[];
      /** False: the app was the same already. */
      readonly changed: boolean;
    }
  | { readonly kind: 'conflict'; readonly problems: readonly Problem[] };

/** Makes an app live with these services, which replace its former ones. */
export async function instantiate(state: IntentState, project: string, name: string, body: App): Promise<Instantiated> {
  const twice = namedTwice(body);
  if (twice.length > 0) return { kind: 'conflict', problems: twice };
  for (;;) {
    const done = await instantiateOnce(state, project, name, body);
    if (done !== null) return done;
  }
}

/** Null: another call changed the app meanwhile, and the claims that this one relied on may be gone. */
async function instantiateOnce(
  state: IntentState,
  project: string,
  name: string,
  body: App,
): Promise<Instantiated | null> {
  const stored = await readStoredApp(state, project, name);
  const before = stored?.item ?? null;
  const app: LiveApp = { ...body, name };
  const known = await readKnown(state, project, [body]);
  const bindings = appBindings(known, app);
  const former = before === null ? [] : appBindings(await readKnown(state, project, [before]), before);
  const had = new Set(before?.services.map((service) => service.name));
  const own = body.services.map((service) => service.name);
  const added = own.filter((service) => !had.has(service));
  const apps = readsAppsOnce(state, project);
  const claimed = await claimAll(state, project, name, { own, added, apps });
  const problems = [
    ...claimed.problems,
    ...(await objectClashes(state, project, app, { bindings, apps })),
    ...(await ownerClashes(state, project, app, bindings)),
  ];
  if (problems.length > 0) {
    await release(state, project, claimed.claims);
    return { kind: 'conflict', problems };
  }
  const left = [...had].filter((service) => !own.includes(service));
  const leaving = await readClaims(state, project, left, name);
  const written = await writeApp(state, project, name, body, stored?.revision ?? null);
  if (written === 'changed') return null;
  await release(state, project, leaving);
  return { kind: 'live', project: known, app, bindings, before: former, changed: written === 'written' };
}

/** Terminates an app. Null: there is none. */
export async function terminate(state: IntentState, project: string, name: string): Promise<LiveApp | null> {
  for (;;) {
    const stored = await readStoredApp(state, project, name);
    if (stored === null) return null;
    const services = stored.item.services.map((service) => service.name);
    const claims = await readClaims(state, project, services, name);
    await noteRemoval(state, project);
    if (!(await removeApp(state, project, name, stored.revision))) continue;
    await release(state, project, claims);
    return stored.item;
  }
}

function namedTwice({ services }: App): readonly Problem[] {
  const first = new Map<string, number>();
  return services.flatMap(({ name }, index) => {
    const earlier = first.get(name);
    first.set(name, earlier ?? index);
    return earlier === undefined
      ? []
      : [{ path: ['services', index, 'name'], detail: `services/${earlier} is named ${name} already` }];
  });
}

async function claimAll(
  state: IntentState,
  project: string,
  app: string,
  {
    own,
    added,
    apps,
  }: { readonly own: readonly string[]; readonly added: readonly string[]; readonly apps: ReadsApps },
): Promise<{ readonly claims: Claims; readonly problems: readonly Problem[] }> {
  const claims = new Map<string, string>();
  const claimed = await Promise.all(added.map((service) => claim(state, project, service, app, apps)));
  const problems = added.flatMap((service, index): readonly Problem[] => {
    const { taken = null, revision = null } = claimed[index] ?? {};
    if (revision !== null) claims.set(service, revision);
    if (taken === null) return [];
    const detail =
      taken.kind === 'app'
        ? `app ${taken.app.name} of this project has a service named ${service}: give it another name`
        : `app ${taken.app} of this project reserved the name ${service} in the last six minutes: give the service another name, or try again later`;
    return [{ path: ['services', own.indexOf(service), 'name'], detail }];
  });
  return { claims, problems };
}

/** Pairs of service and record that would have the same object name: `a` with `b-c`, and `a-b` with `c`. */
async function objectClashes(
  state: IntentState,
  project: string,
  app: LiveApp,
  { bindings, apps }: { readonly bindings: readonly Binding[]; readonly apps: ReadsApps },
): Promise<readonly Problem[]> {
  const indexOf = new Map(app.services.map(({ name }, index) => [name, index]));
  const shared = new Set(
    bindings.flatMap(({ service, record }) => splitsOf(endpointName(service.name, record)).map((one) => one.service)),
  );
  const others = new Map<string, ReadonlySet<string>>();
  const notOwn = [...shared].filter((name) => !indexOf.has(name));
  await inParallel(notOwn, CLAIMS_AT_ONCE, async (service) => {
    others.set(service, await recordsUsedBy(state, project, { service, besides: app.name, apps }));
  });
  const ownNames = new Map<string, Binding>();
  const problems: Problem[] = [];
  const add = (binding: Binding, service: string, record: string) => {
    const name = endpointName(binding.service.name, binding.record);
    const detail = `with record ${binding.record} it makes DNSEndpoint ${name}, as service ${service} does with record ${record}: give it another name`;
    problems.push({ path: ['services', indexOf.get(binding.service.name) ?? 0, 'name'], detail });
  };
  for (const binding of bindings) {
    const name = endpointName(binding.service.name, binding.record);
    const own = ownNames.get(name);
    if (own !== undefined) add(binding, own.service.name, own.record);
    ownNames.set(name, own ?? binding);
    for (const { service, record } of splitsOf(name)) {
      if (others.get(service)?.has(record) === true) add(binding, service, record);
    }
  }
  return problems;
}

/** The records that a service of another app uses. This app's own former services are replaced by the call. */
async function recordsUsedBy(
  state: IntentState,
  project: string,
  { service, besides, apps }: { readonly service: string; readonly besides: string; readonly apps: ReadsApps },
): Promise<ReadonlySet<string>> {
  const holder = await holderOf(state, project, service, apps);
  if (holder === null || holder.kind === 'writing' || holder.app.name === besides) return new Set();
  const { services: _, ...rest } = holder.app;
  const one = { ...rest, services: [holder.service] };
  const known = await readKnown(state, project, [one]);
  return new Set(appBindings(known, one).map(({ record }) => record));
}

/** The pairs of service and record that may have this object name. */
function splitsOf(name: string): readonly { readonly service: string; readonly record: string }[] {
  return [...name.matchAll(/-/g)].flatMap(({ index }) => {
    const [service, record] = [name.slice(0, index), name.slice(index + 1)];
    return service === '' || record === '' || service.endsWith('-') || record.startsWith('-')
      ? []
      : [{ service, record }];
  });
}
