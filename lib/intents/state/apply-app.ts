// Updates the objects of one app in the central cluster: its DNSEndpoints, and its annotation at the external-dns of
// each record that it uses. The cost depends on the app, not on its project. Other users of an external-dns are known
// by their annotations. What this cannot decide, such as whether an external-dns is still needed, a run of the whole
// project decides.
import type { CentralCluster, ExistingObject, ManifestRef } from '../../ports/central-cluster.ts';
import { inParallel } from '../../ports/in-parallel.ts';
import type { JsonObject } from '../../ports/ledger.ts';
import { APP_ANNOTATION, dnsEndpointOf, type Manifest } from '../manifests/dns-endpoint.ts';
import { APPS_OMITTED, APPS_PREFIX, appAnnotation, externalDnsName, externalDnsOf } from '../manifests/external-dns.ts';
import { RECORD_LABEL } from '../manifests/flags.ts';
import { projectBindings } from '../manifests/manifests.ts';
import type { LiveApp } from '../model/app.ts';
import type { DnsUpdateRecord } from '../model/record.ts';
import { AT_ONCE, applyProject, isOurs, type Left, refOf, saysAll, untilAsked } from './apply-project.ts';
import { readApp } from './apps.ts';
import type { IntentState } from './intent-state.ts';
import { readKnown } from './known.ts';

/** An app, with the names of its former and present DNSEndpoints and records. */
export type AppTask = {
  readonly project: string;
  readonly app: string;
  readonly objects: readonly string[];
  readonly records: readonly string[];
};

/** What was left alone, and the records concerned; null: a run of the whole project must decide. */
type Outcome = { readonly left: readonly Left[]; readonly records: readonly string[] } | null;

/** What an app should have: its DNSEndpoints, and the records that it uses. */
type Asked = {
  readonly live: LiveApp | null;
  readonly endpoints: readonly Manifest[];
  readonly uses: readonly string[];
};

/** Updates the objects of one app. Returns those that it could not write. */
export async function applyApp(state: IntentState, central: CentralCluster, task: AppTask): Promise<readonly Left[]> {
  const read = () => readAsked(state, task);
  return untilAsked(central, read, async (cluster) => {
    const asked = await read();
    return { left: await applyAsked(state, cluster, task, asked), asked };
  });
}

async function readAsked(state: IntentState, { project, app }: AppTask): Promise<Asked> {
  const live = await readApp(state, project, app);
  const apps = live === null ? [] : [live];
  const bindings = projectBindings(await readKnown(state, project, apps), apps);
  const endpoints = bindings.flatMap((binding) => dnsEndpointOf(project, binding) ?? []);
  return { live, endpoints, uses: [...new Set(bindings.map(({ record }) => record))] };
}

async function applyAsked(
  state: IntentState,
  central: CentralCluster,
  task: AppTask,
  { live, endpoints, uses }: Asked,
): Promise<readonly Left[]> {
  const { project } = task;
  const wanted = new Map(endpoints.map((manifest) => [manifest.metadata.name, manifest]));
  const made = await makeEndpoints(central, task, wanted);
  if (made === null) return applyProject(state, central, project);
  const used = new Set([...uses, ...task.records, ...made.records]);
  const all = await readKnown(state, project, [], [...used]);
  const left = [...made.left];
  for (const record of used) {
    const definition = all.record(record);
    if (definition === null || definition.provider === 'aws') continue;
    const noted = await noteApp(central, task, definition, uses.includes(record) ? live : null);
    if (noted === null) return applyProject(state, central, project);
    left.push(...noted);
  }
  return left;
}

/** Updates the DNSEndpoints of the app. `records` of the outcome: those that they belonged to before. */
async function makeEndpoints(
  central: CentralCluster,
  { project, app, objects }: AppTask,
  wanted: ReadonlyMap<string, Manifest>,
): Promise<Outcome> {
  const left: Left[] = [];
  const records = new Set<string>();
  let isDecidable = true;
  await inParallel(new Set([...wanted.keys(), ...objects]), AT_ONCE, async (name) => {
    const manifest = wanted.get(name);
    const ref = { apiVersion: 'externaldns.k8s.io/v1alpha1', kind: 'DNSEndpoint', namespace: project, name };
    const found = await central.look(ref);
    if (found.kind === 'unknown') throw new Error(found.reason);
    const existing = found.kind === 'present' ? found.existing : null;
    if (existing !== null && !isOurs(existing)) {
      if (manifest !== undefined) left.push({ ref, why: 'taken' });
      return;
    }
    if (existing !== null) records.add(existing.labels[RECORD_LABEL] ?? '');
    const isOwn = existing === null || annotationsOf(existing)[APP_ANNOTATION] === app;
    if (manifest === undefined) {
      if (existing !== null && isOwn) await central.remove(ref, existing.uid);
      return;
    }
    if (!isOwn) isDecidable = false;
    if (!isDecidable || (existing !== null && saysAll(existing.object, manifestJson(manifest)))) return;
    const isStopped = found.kind === 'absent' && found.obstacle !== null;
    const applied = isStopped ? 'impossible' : await central.apply(ref, manifestJson(manifest), existing?.uid ?? null);
    if (applied !== 'applied') left.push({ ref, why: applied });
  });
  return isDecidable ? { left, records: [...records] } : null;
}

/** Updates the app's annotation at the external-dns of a record. `live`: null if the app no longer uses it. */
async function noteApp(
  central: CentralCluster,
  { project, app }: AppTask,
  record: DnsUpdateRecord,
  live: LiveApp | null,
): Promise<readonly Left[] | null> {
  const ref: ManifestRef = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    namespace: project,
    name: externalDnsName(record.metadata.name),
  };
  const found = await central.look(ref);
  if (found.kind === 'unknown') throw new Error(found.reason);
  if (found.kind === 'absent') return live === null ? [] : null;
  const { existing } = found;
  if (!isOurs(existing)) return live === null ? [] : [{ ref, why: 'taken' }];
  const noted = Object.entries(annotationsOf(existing)).filter(([key]) => key.startsWith(APPS_PREFIX));
  const others = noted.filter(([key]) => key !== appAnnotation(app));
  if (live === null && others.length === noted.length) return [];
  if (others.length + (live === null ? 0 : 1) === 0) return null;
  const using = live ?? { name: app, version: '', profile: '' };
  const manifest = externalDnsOf(project, record, [using], { secrets: true }).find(({ kind }) => kind === ref.kind);
  if (manifest === undefined || annotationsOf(existing)[APPS_OMITTED] !== undefined) return null;
  const own = live === null ? {} : manifest.metadata.annotations;
  const annotations = { ...Object.fromEntries(others), ...own };
  const next: Manifest = { ...manifest, metadata: { ...manifest.metadata, annotations } };
  if (saysAll(existing.object, manifestJson(next))) return [];
  // Only at the version that was read: another run may write another app's annotation at the same time.
  const { resourceVersion = '' } = existing.object.metadata as { readonly resourceVersion?: string };
  const applied = await central.apply(refOf(next), manifestJson(next, { resourceVersion }), existing.uid);
  return applied === 'applied' ? [] : null;
}

function annotationsOf({ object }: ExistingObject): Readonly<Record<string, string>> {
  const { annotations = {} } = (object.metadata ?? {}) as { readonly annotations?: Readonly<Record<string, string>> };
  return annotations;
}

function manifestJson(manifest: Manifest, more: Readonly<Record<string, string>> = {}): JsonObject {
  return { ...manifest, metadata: { ...manifest.metadata, ...more } } as unknown as JsonObject;
}
