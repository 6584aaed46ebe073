// A request to the API server, and the error if it failed, in words that name the remedy. These errors have a remedy of
// their own:
//
//   401  the token has expired or is not known               sign in again, or renew the token
//   403  RBAC                                                the missing rule, as crds/rbac.yaml would have it
//   404  without the name of an object: the type is unknown  kubectl apply -f crds/, or its CRD
//   413  the request is too large                            no remedy, but that the object is too large

import { jsonOf, mapping } from '../../../objects/plain.ts';

/** One call. `action` continues "Cannot …"; `rule` is what RBAC must grant for it. */
export type KubernetesRequest = {
  readonly action: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** From `/apis/…` on. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly contentType?: string;
  readonly body?: unknown;
  /** The body of the answer is not needed, and is not read. */
  readonly unread?: true;
  readonly rule: { readonly group: string; readonly resource: string; readonly verb: string };
};

/** The most octets of an answer that are read. 500 objects may have more than 700 MB, too much for any process. */
export const ANSWER_OCTETS_MAX = 32 * 1024 * 1024;
/** The `reason` of a larger answer: fewer objects must be requested at a time. */
export const ANSWER_TOO_LARGE = 'AnswerTooLarge';

export function tooLargeAnswer(): KubernetesError {
  const message = `Cannot read an answer of the API server: it has more than ${ANSWER_OCTETS_MAX} octets`;
  return new KubernetesError(message, { status: null, reason: ANSWER_TOO_LARGE });
}

/** The Status object of an answer. */
type Said = {
  /** Such as `Expired`. */
  readonly reason: string | null;
  /** Its `details.name`: the name of the object concerned. */
  readonly objectName: string | null;
  /** The invalid fields of a 422, such as `spec.domainName`. */
  readonly fields: readonly string[];
  /** The token with which a list may continue whose snapshot is gone (410), with the objects of now. */
  readonly continueToken: string | null;
};

/** A failed request to the API server. `status`: null without an answer. A redelivered message repeats it. */
export class KubernetesError extends Error implements Said {
  readonly status: number | null;
  readonly reason: string | null;
  readonly objectName: string | null;
  readonly fields: readonly string[];
  readonly continueToken: string | null;

  constructor(message: string, facts: Partial<Said> & { readonly status: number | null }, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'KubernetesError';
    this.status = facts.status;
    this.reason = facts.reason ?? null;
    this.objectName = facts.objectName ?? null;
    this.fields = facts.fields ?? [];
    this.continueToken = facts.continueToken ?? null;
  }
}

/** The error for an answer that is not a success. */
export function refusedError(
  request: KubernetesRequest,
  { origin: server, identity }: { readonly origin: string; readonly identity: string },
  status: number,
  body: string,
): KubernetesError {
  const said = readAnswer(body);
  const text = said?.message ?? (body.trim().slice(0, 300) || 'no message');
  const asked = status === 403 && identity !== '' ? `; asked by ${identity}` : '';
  const remedy = remedyFor(request, status, said);
  return new KubernetesError(`Cannot ${request.action} at ${server}: ${status}: ${text}${asked}${remedy}`, {
    status,
    ...said,
  });
}

/** The error for a server that gave no answer, or an incomplete one. */
export function unreachableError(request: KubernetesRequest, server: string, cause: unknown): KubernetesError {
  const { code, message, name } = cause as { code?: unknown; message?: unknown; name?: unknown };
  // Node says no more than that when a connection ends in the middle of an answer.
  const isCut = message === 'aborted';
  const said = isCut ? 'the connection was lost' : String(message || code || cause);
  const text = name === 'TimeoutError' ? 'no answer in time' : said;
  const remedy = isCertificateError(code)
    ? ` (${String(code)}: the certificate authority in the kubeconfig or configuration is not the one that signed this server's certificate)`
    : '';
  return new KubernetesError(`Cannot ${request.action} at ${server}: ${text}${remedy}`, { status: null }, cause);
}

/** True if the connection failed or was lost, or no answer came in time; false if the server's certificate is wrong. */
export function isUnreachable({ cause }: KubernetesError): boolean {
  return cause instanceof Error && !(cause instanceof SyntaxError) && !isCertificateError(mapping(cause).code);
}

function isCertificateError(code: unknown): boolean {
  return typeof code === 'string' && /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME/.test(code);
}

function readAnswer(body: string): (Said & { readonly message: string }) | null {
  const value = mapping(jsonOf(body));
  if (value.kind !== 'Status') return null;
  const { name, causes } = mapping(value.details);
  const token = mapping(value.metadata).continue;
  return {
    message: String(value.message ?? ''),
    reason: typeof value.reason === 'string' ? value.reason : null,
    objectName: typeof name === 'string' && name !== '' ? name : null,
    fields: Array.isArray(causes) ? causes.map((cause) => String(mapping(cause).field ?? '')) : [],
    continueToken: typeof token === 'string' && token !== '' ? token : null,
  };
}

function remedyFor(request: KubernetesRequest, status: number, said: ReturnType<typeof readAnswer>): string {
  switch (status) {
    case 401:
      return ' (the token has expired or is not known to this server: sign in again, or renew the token)';
    case 403:
      return forbidden(request, said?.message ?? '');
    case 404:
      return said?.objectName == null ? ` (the server does not know this type: ${whatToInstall(request)})` : '';
    case 413:
      return ' (the object is larger than the API server takes)';
    default:
      return '';
  }
}

function whatToInstall({ rule: { group } }: KubernetesRequest): string {
  return group === 'kubi.zone' ? 'run kubectl apply -f crds/' : 'install its CRD';
}

/** The missing RBAC rule: for the request, or for the impersonation that the kubeconfig asks for. */
function forbidden(request: KubernetesRequest, message: string): string {
  // From 1.36 on: `cannot impersonate-on:user-info:list resource "zones"`. The right to impersonate a user covers that
  // too.
  const [, on, named] = /cannot impersonate(-on:\S+)? resource "([^"]+)"/.exec(message) ?? [];
  const resource = on === undefined ? named : 'users';
  if (resource === undefined) return ` (missing RBAC rule: ${formatRule(request)}; ${whereRules(request)})`;
  const group = /^(?:users|groups|serviceaccounts)$/.test(resource) ? '""' : 'authentication.k8s.io';
  return ` (missing RBAC rule: { apiGroups: [${group}], resources: [${resource}], verbs: [impersonate] }, for the user of the kubeconfig)`;
}

/** crds/rbac.yaml has the rules for Zones, Records and Events. Those for other kinds depend on the configuration. */
function whereRules({ rule: { group } }: KubernetesRequest): string {
  return group === 'kubi.zone' || group === 'events.k8s.io'
    ? 'crds/rbac.yaml has all that zone53 needs for Zones and Records'
    : 'zone53 manifests-for-cluster --print rbac has all that zone53 needs';
}

function formatRule({ rule }: KubernetesRequest): string {
  return `{ apiGroups: [${rule.group || '""'}], resources: [${rule.resource}], verbs: [${rule.verb}] }`;
}

/** True if the API server answered with this status. */
export function hasStatus(error: unknown, status: number): error is KubernetesError {
  return error instanceof KubernetesError && error.status === status;
}

/** True if the object that was asked for does not exist: a 404 with its name, not one for the kind or the path. */
export function isAbsence(error: unknown, { name }: { readonly name: string }): boolean {
  return hasStatus(error, 404) && error.objectName === name;
}

/** True if the API server refused the request, and would refuse it again: it is not only busy or out of reach. */
export function isRefused(error: unknown): error is KubernetesError {
  if (!(error instanceof KubernetesError) || error.status === null) return false;
  return error.status >= 400 && error.status < 500 && error.status !== 429;
}

/**
 * True if a write of status or label was refused because of what else the object has: a spec that does not match the
 * CRD, annotations as large as all may be together, or a size that leaves no room.
 */
export function isFaultOfObject(error: unknown): boolean {
  if (!(error instanceof KubernetesError)) return false;
  if (error.status === 422)
    return error.fields.some(
      (field) => field === 'spec' || field.startsWith('spec.') || field === 'metadata.annotations',
    );
  return isTooLarge(error) || /failed to create typed (live|patch) object.*\.spec/s.test(error.message);
}

/** True if the object would be larger than etcd takes. The API server says so with status 500. */
export function isTooLarge({ status, message }: KubernetesError): boolean {
  return status === 413 || (status === 500 && message.includes('request is too large'));
}
