// Derives the objects that should exist in a project's namespace of the central cluster from the state of the project.
import { compareText } from '../../dns/names/compare-text.ts';
import type { LiveApp } from '../model/app.ts';
import { type Binding, bindingsOf, NO_TARGETS } from './bindings.ts';
import { dnsEndpointOf, endpointName, type Manifest } from './dns-endpoint.ts';
import { externalDnsOf } from './external-dns.ts';
import type { Project } from './project.ts';

/** The bindings of an app, ordered by its services as written, then by record. */
export function appBindings(project: Project, app: LiveApp): readonly Binding[] {
  return app.services.flatMap((service) => bindingsOf(project, { app, service }));
}

/**
 * The bindings of several apps. If two would make one object, the later one is an error. Instantiating refuses that,
 * but a list of records may change afterwards.
 */
export function projectBindings(project: Project, apps: readonly LiveApp[]): readonly Binding[] {
  const first = new Map<string, Binding>();
  return apps.flatMap((app) =>
    appBindings(project, app).map((binding): Binding => {
      const name = endpointName(binding.service.name, binding.record);
      const other = first.get(name);
      if (other === undefined) {
        first.set(name, binding);
        return binding;
      }
      const reason = `DNSEndpoint ${name} is that of service ${other.service.name} and record ${other.record}: give one of them another name`;
      return { ...binding, targets: NO_TARGETS, trouble: { state: 'Error', reason } };
    }),
  );
}

/** The objects that should exist: a DNSEndpoint a binding, and a Deployment a record that external-dns serves. */
export function manifestsOf(
  project: Project,
  apps: readonly LiveApp[],
  options: { readonly secrets: boolean },
): readonly Manifest[] {
  const bindings = projectBindings(project, apps);
  const endpoints = bindings.flatMap((binding) => dnsEndpointOf(project.name, binding) ?? []);
  const used = Map.groupBy(bindings, ({ record }) => record);
  const served = [...used].flatMap(([, using]) => {
    const definition = using[0]?.definition ?? null;
    if (definition === null || definition.provider === 'aws') return [];
    const apps = [...new Map(using.map(({ app }) => [app.name, app])).values()];
    return externalDnsOf(project.name, definition, apps, options);
  });
  return [...served, ...endpoints].sort((a, b) => compareText(placeOf(a), placeOf(b)));
}

/** The place of an object in a list. */
export function placeOf({ kind, metadata }: Manifest): string {
  return `${kind}/${metadata.name}`;
}
