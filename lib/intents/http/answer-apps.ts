// Apps over HTTP: instantiate, terminate, status and manifests.
import { compareText } from '../../dns/names/compare-text.ts';
import type { Binding } from '../manifests/bindings.ts';
import { dnsEndpointOf, endpointName } from '../manifests/dns-endpoint.ts';
import { externalDnsName } from '../manifests/external-dns.ts';
import { manifestsOf, placeOf, projectBindings } from '../manifests/manifests.ts';
import type { Project } from '../manifests/project.ts';
import { appBody } from '../model/app.ts';
import type { AppTask } from '../state/apply-app.ts';
import { readApp } from '../state/apps.ts';
import { instantiate, terminate } from '../state/instantiate.ts';
import { readKnown, readProject } from '../state/known.ts';
import type { Row } from '../state/publishing.ts';
import type { IntentDeps } from './deps.ts';
import { type Answer, badBody, json, problem, type Request } from './message.ts';
import { fitting, fittingPage, LIMIT_MAX, nextLink, type PageQuery, pageAnswer, slicePage } from './pages.ts';
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
  const { link, ...leadsTo } = await consequencesOf(deps, done.project, app, done.bindings);
  const body = { project, app, version, profile, logicalCloud, ...leadsTo };
  return json(202, body, link === null ? {} : { link });
}

/** The most rows that an answer to `instantiate` has. */
const ROWS_MAX = 10_000;

type Consequences = {
  readonly status: readonly Row[];
  readonly manifests: readonly ObjectName[];
  /** Where both lists continue; null: they are complete. */
  readonly link: string | null;
};

/** What an app leads to. If that is too large for one answer, the first page of each list. */
async function consequencesOf(
  { statusOf }: IntentDeps,
  project: Project,
  app: string,
  bindings: readonly Binding[],
): Promise<Consequences> {
  const manifests = objectsOf(project.name, bindings);
  if (bindings.length <= ROWS_MAX) {
    const status = await statusOf(project, bindings);
    if (fitting([status, manifests]) === 2) return { status, manifests, link: null };
  }
  const first = { after: null, limit: LIMIT_MAX };
  const of = (what: string, next: string | null) => {
    const at = { path: `/v2/projects/${project.name}/apps/${app}/${what}`, query: new URLSearchParams() };
    return next === null ? [] : [`${nextLink(at, next)}; title="${what}"`];
  };
  const rows = slicePage(inOrder(bindings, place), place, first);
  const status = fittingPage(rows, await statusOf(project, rows.items), place);
  const objects = slicePage(inOrder(manifests, placeOfName), placeOfName, first);
  const link = [...of('status', status.next), ...of('manifests', objects.next)].join(', ');
  return { status: status.items, manifests: objects.items, link };
}

function inOrder<T>(all: readonly T[], placeOf: (one: T) => string): readonly T[] {
  return all.toSorted((a, b) => compareText(placeOf(a), placeOf(b)));
}

function namesOf(bindings: readonly Binding[]): Pick<AppTask, 'objects' | 'records'> {
  const objects = bindings.map(({ service, record }) => endpointName(service.name, record));
  return { objects: [...new Set(objects)], records: [...new Set(bindings.map(({ record }) => record))] };
}

type ObjectName = { readonly kind: string; readonly namespace: string; readonly name: string };

const placeOfName = ({ kind, name }: ObjectName) => `${kind}/${name}`;

/** The objects that are made for bindings, by kind and name. */
function objectsOf(project: string, bindings: readonly Binding[]): readonly ObjectName[] {
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
  const manifests = objectsOf(project, bindings);
  return json(202, { project, app, manifests: manifests.slice(0, fitting(manifests)) });
}

export async function appStatus(deps: IntentDeps, project: string, app: string, query: PageQuery): Promise<Answer> {
  const live = await readApp(deps.state, project, app);
  if (live === null) return missing(project, app);
  const known = await readKnown(deps.state, project, [live]);
  const all = inOrder(projectBindings(known, [live]), place);
  const page = slicePage(all, place, query);
  return pageAnswer(page, await deps.statusOf(known, page.items), place, query);
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
  const page = slicePage(shown, placeOf, query);
  return pageAnswer(page, page.items, placeOf, query);
}
