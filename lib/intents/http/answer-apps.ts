// Apps over HTTP: instantiate, terminate, status and manifests.
import type { Binding } from '../manifests/bindings.ts';
import { dnsEndpointOf, endpointName } from '../manifests/dns-endpoint.ts';
import { externalDnsName } from '../manifests/external-dns.ts';
import { manifestsOf, placeOf, projectBindings } from '../manifests/manifests.ts';
import { appBody } from '../model/app.ts';
import type { AppTask } from '../state/apply-app.ts';
import { readApp } from '../state/apps.ts';
import { instantiate, terminate } from '../state/instantiate.ts';
import { readKnown, readProject } from '../state/known.ts';
import type { IntentDeps } from './deps.ts';
import { type Answer, badBody, json, problem, type Request } from './message.ts';
import { type PageQuery, pageAnswer, slicePage } from './pages.ts';
import { readBody } from './read-body.ts';

const missing = (project: string, app: string) => problem(404, `Project ${project} has no app ${app}`);

export async function instantiateApp(
  deps: IntentDeps,
  project: string,
  app: string,
  request: Request,
): Promise<Answer> {
  const read = readBody(request, appBody);
  if (!read.ok) return read.answer;
  const done = await instantiate(deps.state, project, app, read.value);
  if (done.kind === 'conflict') return badBody(done.problems, 409);
  const named = namesOf([...done.before, ...done.bindings]);
  // A repeated call may follow one that was cut off. What that one left is in no list here, so the whole project
  // follows.
  await deps.follow(done.changed ? { kind: 'app', project, app, ...named } : { kind: 'project', project });
  const { version, profile, logicalCloud } = read.value;
  return json(202, {
    project,
    app,
    version,
    profile,
    logicalCloud,
    status: await deps.statusOf(done.project, done.bindings),
    manifests: objectsOf(project, done.bindings),
  });
}

function namesOf(bindings: readonly Binding[]): Pick<AppTask, 'objects' | 'records'> {
  const objects = bindings.map(({ service, record }) => endpointName(service.name, record));
  return { objects: [...new Set(objects)], records: [...new Set(bindings.map(({ record }) => record))] };
}

/** The objects that are made for bindings, by kind and name. */
function objectsOf(project: string, bindings: readonly Binding[]): readonly object[] {
  const served = new Map(
    bindings.flatMap(({ record, definition }) =>
      definition === null || definition.provider === 'aws' ? [] : [[record, definition] as const],
    ),
  );
  return [
    ...[...served.keys()].map((record) => ({ kind: 'Deployment', namespace: project, name: externalDnsName(record) })),
    ...bindings.flatMap((binding) => {
      const endpoint = dnsEndpointOf(project, binding);
      return endpoint === null ? [] : [{ kind: endpoint.kind, namespace: project, name: endpoint.metadata.name }];
    }),
  ];
}

export async function terminateApp(deps: IntentDeps, project: string, app: string): Promise<Answer> {
  const gone = await terminate(deps.state, project, app);
  const bindings = gone === null ? [] : projectBindings(await readKnown(deps.state, project, [gone]), [gone]);
  // Also if there was no app: a call that was cut off after it removed the app has left its objects.
  await deps.follow(gone === null ? { kind: 'project', project } : { kind: 'app', project, app, ...namesOf(bindings) });
  if (gone === null) return missing(project, app);
  return json(202, { project, app, manifests: objectsOf(project, bindings) });
}

export async function appStatus(deps: IntentDeps, project: string, app: string, query: PageQuery): Promise<Answer> {
  const live = await readApp(deps.state, project, app);
  if (live === null) return missing(project, app);
  const known = await readKnown(deps.state, project, [live]);
  const all = projectBindings(known, [live]).toSorted((a, b) => (place(a) < place(b) ? -1 : 1));
  const { items, next } = slicePage(all, place, query);
  return pageAnswer(await deps.statusOf(known, items), next, query);
}

const place = ({ service, record }: Binding) => `${service.name}/${record}`;

export async function listManifests(
  deps: IntentDeps,
  project: string,
  app: string | null,
  query: PageQuery,
): Promise<Answer> {
  const { project: known, apps } = await readProject(deps.state, project);
  const own = app === null ? null : apps.find(({ name }) => name === app);
  if (own === undefined) return missing(project, app ?? '');
  const all = manifestsOf(known, apps, { secrets: false });
  const places = new Set((own === null ? all : manifestsOf(known, [own], { secrets: false })).map(placeOf));
  const shown = all.filter((manifest) => places.has(placeOf(manifest)));
  const { items, next } = slicePage(shown, placeOf, query);
  return pageAnswer(items, next, query);
}
