// A kind of object as its API serves it.

/** A kind of object as its API serves it, and how what became of an object is said back to it. */
export type Kind = {
  /** As manifests and messages name it: `Record`. */
  readonly kind: string;
  readonly group: string;
  readonly version: string;
  /** The plural, as paths of the API have it: `records`. */
  readonly resource: string;
  /**
   * Where it is said, beside the Event for a transition that every kind but `none` gets.
   * `subresource`: conditions, name and parent in its status subresource, and the parent-zone label.
   * `conditions`: the condition `zone53.dev/Programmed` in its status. `parents`: an entry of our own in
   * `status.parents`. `observedGeneration`: that, and conditions where its CRD keeps them. `events`: nowhere else.
   * `none`: nothing is ever said.
   */
  readonly status: 'subresource' | 'conditions' | 'parents' | 'observedGeneration' | 'events' | 'none';
  /** False: nothing of its status is read, so that a write of it is not news. Absent: it is. */
  readonly readsStatus?: false;
  /** Objects on one page of a list: fewer where one may be large. */
  readonly pageSize: number;
  /** `cluster`: its objects have no namespace, and `''` stands for it. Absent: namespaced. */
  readonly scope?: 'namespaced' | 'cluster';
  /** Of a kind that is only read beside others (related.ts). */
  readonly factsOf?: (object: unknown) => unknown;
};

/** Where in a status that others write too it is said what became of an object. */
export type StatusForm = Exclude<Kind['status'], 'subresource'>;

/** The Zone: the one kind that is read and yields no endpoint. */
export const ZONE_KIND: Kind = {
  kind: 'Zone',
  group: 'kubi.zone',
  version: 'v1alpha1',
  resource: 'zones',
  status: 'subresource',
  pageSize: 50,
};

/** `group/version`, as manifests have it. */
export function apiVersionOf({ group, version }: Kind): string {
  return group === '' ? version : `${group}/${version}`;
}

/** True where others write a status that is read: of zone53's own kinds it is ours alone to write. */
export function readsStatus({ status, readsStatus: reads }: Kind): boolean {
  return status !== 'subresource' && reads !== false;
}
