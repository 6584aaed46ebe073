// The kinds of object, as the Kubernetes API serves them.

/** A kind of object, and where its objects show what zone53 reports. */
export type Kind = {
  /** The name in messages and in the ledger: `Record`. For a source of the configuration: `Custom` and its key. */
  readonly kind: string;
  /** The name in manifests and in the API. Absent: `kind`. */
  readonly apiKind?: string;
  readonly group: string;
  readonly version: string;
  /** The plural in the paths of the API: `records`. */
  readonly resource: string;
  /**
   * Where the report goes. All kinds but those with `none` also get an Event when a condition changes. `subresource`:
   * conditions, name and parent in the status subresource, and the parent-zone label. `conditions`: the condition
   * `zone53.dev/Programmed` in the status. `parents`: an entry of ours in `status.parents`. `observedGeneration`: that
   * field, and the condition when the CRD has conditions. `events`: nowhere but in Events. `none`: nothing is reported.
   */
  readonly status: 'subresource' | 'conditions' | 'parents' | 'observedGeneration' | 'events' | 'none';
  /** False: the source reads nothing of the status, so a change of the status alone is ignored. Absent: it is read. */
  readonly readsStatus?: false;
  /** How many objects a page of a listing has, for kinds whose objects may be large. Absent: 500. */
  readonly pageSize?: number;
  /** `cluster`: the objects have no namespace, and `''` is used for it. Absent: `namespaced`. */
  readonly scope?: 'namespaced' | 'cluster';
  /** An API server may lack it: then nobody need be told. Absent: it is a mistake if the kind is read. */
  readonly mayBeAbsent?: true;
  /** Only for related kinds (related.ts). */
  readonly factsOf?: (object: unknown) => unknown;
};

/** Where the report goes in a status that others write too. */
export type StatusForm = Exclude<Kind['status'], 'subresource'>;

/** The Zone, the only kind that zone53 reads and that has no endpoints. */
export const ZONE_KIND: Kind = {
  kind: 'Zone',
  group: 'kubi.zone',
  version: 'v1alpha1',
  resource: 'zones',
  status: 'subresource',
  pageSize: 50,
};

/** Groups of kinds that every API server has without a CRD. That of a CRD has a dot. */
export const GROUPS_WITHOUT_CRD: ReadonlySet<string> = new Set(['networking.k8s.io', 'discovery.k8s.io']);

/** The name of the kind's CRD; null for a kind that needs none. */
export function crdOf({ resource, group }: Pick<Kind, 'resource' | 'group'>): string | null {
  return !group.includes('.') || GROUPS_WITHOUT_CRD.has(group) ? null : `${resource}.${group}`;
}

/** The name of the kind in manifests and in the API. */
export function apiKindOf({ kind, apiKind = kind }: Kind): string {
  return apiKind;
}

/** `group/version`, as in manifests; `version` alone for the core group. */
export function apiVersionOf({ group, version }: Kind): string {
  return group === '' ? version : `${group}/${version}`;
}

/** True when the source reads a status that others write. zone53 alone writes that of its own kinds. */
export function readsStatus({ status, readsStatus: reads }: Kind): boolean {
  return status !== 'subresource' && reads !== false;
}
