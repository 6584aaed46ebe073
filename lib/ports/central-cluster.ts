// The interface to the central cluster, where the intents create and remove objects. The callers never change an
// object that somebody else created.
import type { JsonObject } from './ledger.ts';

/** The address of an object. */
export type ManifestRef = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
};

/** An object as the cluster has it now. */
export type ExistingObject = ManifestRef & {
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
  /** The whole object, untrusted. */
  readonly object: JsonObject;
};

/** What is at an address. look() never throws: if the cluster cannot tell, it is `unknown`, with the reason. */
export type Look =
  | { readonly kind: 'present'; readonly existing: ExistingObject }
  /** `obstacle`: why no object can be created here, in words; null when one can. */
  | { readonly kind: 'absent'; readonly obstacle: string | null }
  | { readonly kind: 'unknown'; readonly reason: string };

export type CentralCluster = {
  look(ref: ManifestRef): Promise<Look>;
  /** The objects of a kind in a namespace that have all of these labels. */
  list(
    kind: Pick<ManifestRef, 'apiVersion' | 'kind' | 'namespace'>,
    labels: Readonly<Record<string, string>>,
  ): Promise<readonly ExistingObject[]>;
  /**
   * Creates or changes an object so that it has what the manifest says, also in fields that others wrote. `uid`: the
   * object to change; null: create one. When another object is there instead, nothing is written (`taken`).
   * `impossible`: the object cannot be created here; `look` says why.
   */
  apply(ref: ManifestRef, manifest: JsonObject, uid: string | null): Promise<'applied' | 'taken' | 'impossible'>;
  /** Removes the object with this uid. Not an error when it is gone, or another has its address. */
  remove(ref: ManifestRef, uid: string): Promise<void>;
};
