// One call of the API server, before anything is known of its transport.
/** One call. `action` continues "Cannot …"; `rule` is what RBAC must grant for it. */
export type KubernetesRequest = {
  readonly action: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** From `/apis/…` on. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly contentType?: string;
  readonly body?: unknown;
  readonly rule: { readonly group: string; readonly resource: string; readonly verb: string };
};
