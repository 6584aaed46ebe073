// Creates, updates and removes the objects of a project in the central cluster. It compares what should exist with what
// does, so a run that dies is finished by the next one.
import type { CentralCluster, ExistingObject, ManifestRef } from '../../ports/central-cluster.ts';
import type { JsonObject, JsonValue } from '../../ports/ledger.ts';
import { MANAGED, type Manifest } from '../manifests/dns-endpoint.ts';
import { RECORD_LABEL } from '../manifests/flags.ts';
import { manifestsOf } from '../manifests/manifests.ts';
import type { IntentState } from './intent-state.ts';
import { readProject } from './known.ts';

/** Every kind that is made, in the order of creation: a Deployment comes after what its pods need. */
const KINDS = [
  { apiVersion: 'v1', kind: 'ServiceAccount' },
  { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role' },
  { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding' },
  { apiVersion: 'v1', kind: 'Secret' },
  { apiVersion: 'apps/v1', kind: 'Deployment' },
  { apiVersion: 'externaldns.k8s.io/v1alpha1', kind: 'DNSEndpoint' },
] as const;

/** An object that could not be written: its name is `taken` by somebody else, or the cluster refuses it. */
export type Left = { readonly ref: ManifestRef; readonly why: 'taken' | 'impossible' };

/** True for an object that intents made. */
export function isOurs({ labels }: Pick<ExistingObject, 'labels'>): boolean {
  return Object.entries(MANAGED).every(([key, value]) => labels[key] === value) && labels[RECORD_LABEL] !== undefined;
}

/** The reference to a manifest's object. */
export function refOf({ apiVersion, kind, metadata: { namespace, name } }: Manifest): ManifestRef {
  return { apiVersion, kind, namespace, name };
}

/** Updates the objects of one project. Returns those that it could not write. */
export async function applyProject(
  state: IntentState,
  central: CentralCluster,
  project: string,
): Promise<readonly Left[]> {
  const { project: known, apps } = await readProject(state, project);
  const wanted = Map.groupBy(manifestsOf(known, apps, { secrets: true }), ({ kind }) => kind);
  const left: Left[] = [];
  for (const { apiVersion, kind } of KINDS) {
    const all = await central.list({ apiVersion, kind, namespace: project }, { ...MANAGED, [RECORD_LABEL]: '' });
    const existing = new Map(all.filter(isOurs).map((one) => [one.name, one]));
    for (const manifest of wanted.get(kind) ?? []) {
      const why = await makeOne(central, manifest, existing.get(manifest.metadata.name) ?? null);
      if (why !== null) left.push({ ref: refOf(manifest), why });
      existing.delete(manifest.metadata.name);
    }
    for (const one of existing.values()) await central.remove(one, one.uid);
  }
  return left;
}

async function makeOne(
  central: CentralCluster,
  manifest: Manifest,
  existing: ExistingObject | null,
): Promise<Left['why'] | null> {
  const wanted = manifest as unknown as JsonObject;
  if (existing !== null && saysAll(existing.object, wanted)) return null;
  const ref = refOf(manifest);
  if (existing === null) {
    const found = await central.look(ref);
    if (found.kind === 'unknown') throw new Error(found.reason);
    if (found.kind === 'present') return 'taken';
    if (found.obstacle !== null) return 'impossible';
  }
  const applied = await central.apply(ref, wanted, existing?.uid ?? null);
  return applied === 'applied' ? null : applied;
}

/**
 * True when an object has all wanted fields, and no annotation of an app beside the wanted ones. Fields that the API
 * server filled in do not count.
 */
export function saysAll(existing: JsonObject, wanted: JsonObject): boolean {
  const ours = (object: JsonObject) =>
    Object.keys((object.metadata as JsonObject | undefined)?.annotations ?? {}).filter((key) =>
      key.startsWith('zone53.dev/app'),
    ).length;
  return covers(existing, wanted) && ours(existing) === ours(wanted);
}

function covers(existing: JsonValue | undefined, wanted: JsonValue | undefined): boolean {
  if (Array.isArray(wanted)) {
    if (!Array.isArray(existing) || existing.length !== wanted.length) return false;
    return wanted.every((one, index) => covers(existing[index], one));
  }
  if (typeof wanted !== 'object' || wanted === null) return existing === wanted;
  if (typeof existing !== 'object' || existing === null || Array.isArray(existing)) return false;
  return Object.entries(wanted).every(([key, value]) => covers((existing as JsonObject)[key], value));
}
