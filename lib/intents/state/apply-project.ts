// Creates, updates and removes the objects of a project in the central cluster. It compares what should exist with what
// does, so a run that dies is finished by the next one.

import { sameJson } from '../../objects/same-json.ts';
import type { CentralCluster, ExistingObject, ManifestRef } from '../../ports/central-cluster.ts';
import { inParallel } from '../../ports/in-parallel.ts';
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
  const read = async () => {
    const { project: known, apps } = await readProject(state, project);
    return manifestsOf(known, apps, { secrets: true });
  };
  return untilAsked(central, read, async (cluster) => {
    // What exists is read first. Then an object that should not exist is not one that was made for a newer app.
    const existing = await listAll(cluster, project);
    const asked = await read();
    const wanted = Map.groupBy(asked, ({ kind }) => kind);
    const left: Left[] = [];
    for (const { kind } of KINDS) {
      const present = new Map((existing.get(kind) ?? []).map((one) => [one.name, one]));
      const names = new Set(wanted.get(kind)?.map(({ metadata: { name } }) => name));
      await inParallel(wanted.get(kind) ?? [], AT_ONCE, async (manifest) => {
        const why = await makeOne(cluster, manifest, present.get(manifest.metadata.name) ?? null);
        if (why !== null) left.push({ ref: refOf(manifest), why });
      });
      const others = [...present.values()].filter(({ name }) => !names.has(name));
      await inParallel(others, AT_ONCE, (one) => cluster.remove(one, one.uid));
    }
    return { left, asked };
  });
}

/** The objects of a project that intents made, by kind. */
async function listAll(central: CentralCluster, project: string): Promise<ReadonlyMap<string, ExistingObject[]>> {
  const existing = new Map<string, ExistingObject[]>();
  await inParallel(KINDS, AT_ONCE, async ({ apiVersion, kind }) => {
    const all = await central.list({ apiVersion, kind, namespace: project }, { ...MANAGED, [RECORD_LABEL]: '' });
    existing.set(kind, all.filter(isOurs));
  });
  return existing;
}

/** How many calls of the cluster are made together. */
export const AT_ONCE = 16;

/** How often a run begins again because something else is asked for by then. */
const ROUNDS_MAX = 10;

/**
 * Runs `work`, which returns what it read as asked for. It runs once more if it wrote something and something else is
 * asked for by then: of two processes at once, the one with the older reading may write last.
 */
export async function untilAsked<Asked>(
  central: CentralCluster,
  read: () => Promise<Asked>,
  work: (central: CentralCluster) => Promise<{ readonly left: readonly Left[]; readonly asked: Asked }>,
): Promise<readonly Left[]> {
  for (let round = 1; ; round += 1) {
    let isWritten = false;
    const { left, asked } = await work({
      ...central,
      apply: (...of) => {
        isWritten = true;
        return central.apply(...of);
      },
      remove: (...of) => {
        isWritten = true;
        return central.remove(...of);
      },
    });
    if (!isWritten || round === ROUNDS_MAX || sameJson(asked, await read())) return left;
  }
}

async function makeOne(
  central: CentralCluster,
  manifest: Manifest,
  listed: ExistingObject | null,
): Promise<Left['why'] | null> {
  const wanted = manifest as unknown as JsonObject;
  const ref = refOf(manifest);
  const found = listed === null ? await central.look(ref) : { kind: 'present' as const, existing: listed };
  if (found.kind === 'unknown') throw new Error(found.reason);
  if (found.kind === 'absent' && found.obstacle !== null) return 'impossible';
  const existing = found.kind === 'present' ? found.existing : null;
  if (existing !== null && !isOurs(existing)) return 'taken';
  if (existing !== null && saysAll(existing.object, wanted)) return null;
  const applied = await central.apply(ref, wanted, existing?.uid ?? null);
  return applied === 'applied' ? null : applied;
}

/**
 * True when an object has all wanted fields, and no annotation of an app beside the wanted ones. Fields that the API
 * server filled in do not count. It fills in none in the spec of a DNSEndpoint, so there the wanted fields are all.
 */
export function saysAll(existing: JsonObject, wanted: JsonObject): boolean {
  const ours = (object: JsonObject) =>
    Object.keys((object.metadata as JsonObject | undefined)?.annotations ?? {}).filter((key) =>
      key.startsWith('zone53.dev/app'),
    ).length;
  const isWhole = wanted.kind !== 'DNSEndpoint' || sameJson(existing.spec, wanted.spec);
  return isWhole && hasAllOf(existing, wanted) && ours(existing) === ours(wanted);
}

function hasAllOf(existing: JsonValue | undefined, wanted: JsonValue | undefined): boolean {
  if (Array.isArray(wanted)) {
    if (!Array.isArray(existing) || existing.length !== wanted.length) return false;
    return wanted.every((one, index) => hasAllOf(existing[index], one));
  }
  if (typeof wanted !== 'object' || wanted === null) return existing === wanted;
  if (typeof existing !== 'object' || existing === null || Array.isArray(existing)) return false;
  return Object.entries(wanted).every(([key, value]) => hasAllOf((existing as JsonObject)[key], value));
}
