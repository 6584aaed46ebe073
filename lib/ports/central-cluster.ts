// The central cluster, as the intents see it: objects are made to stand there, and none that somebody else made is
// touched.
import type { JsonObject } from './ledger.ts';

/** Which object. */
export type ManifestRef = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
};

/** An object as it stands. */
export type ExistingObject = ManifestRef & {
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
  /** All of it, untrusted. */
  readonly object: JsonObject;
};

/** What is at an address. Never throws: what the cluster does not tell is `unknown`, with the reason. */
export type Look =
  | { readonly kind: 'standing'; readonly standing: ExistingObject }
  /** `obstacle`: why none can stand there, in words. */
  | { readonly kind: 'absent'; readonly obstacle: string | null }
  | { readonly kind: 'unknown'; readonly reason: string };

export type CentralCluster = {
  look(ref: ManifestRef): Promise<Look>;
  /** The objects of a kind in a namespace that have these labels. */
  list(
    kind: Pick<ManifestRef, 'apiVersion' | 'kind' | 'namespace'>,
    labels: Readonly<Record<string, string>>,
  ): Promise<readonly ExistingObject[]>;
  /**
   * Makes an object stand as it is written, whatever others wrote in the same fields. `uid`: of the object that is to
   * be changed; null: there was none, and one that somebody made meanwhile is left alone (`taken`). `impossible`:
   * `look` has the obstacle.
   */
  apply(ref: ManifestRef, manifest: JsonObject, uid: string | null): Promise<'applied' | 'taken' | 'impossible'>;
  /** Removes the object of this uid; one that is gone, or another, is not an error. */
  remove(ref: ManifestRef, uid: string): Promise<void>;
};
