// AdmissionReview (admission.k8s.io/v1), as an API server sends it to a validating webhook before it stores a change.
// The change may still be refused, or may not be stored yet when we read the object. So the hint has the previous
// resourceVersion and the next generation. While reconcile reads the object as it was before the change, it reads it
// again shortly after.
//
//   CREATE            the name, which the API server has made up already for generateName; before: nothing ("")
//   UPDATE, DELETE    the name; before: the old object's resourceVersion. deletecollection sends one DELETE per object
//   dry run           nothing: it is never stored
//   a subresource     nothing: zone53 writes that status; but a status that others write counts, if a source reads it
//   our own request   nothing: the label that a report writes is not news
import * as z from 'zod';
import type { Kind } from '../lib/objects/kind.ts';
import type { Hint } from '../lib/ports/queues.ts';
import type { AdmissionSubject } from '../lib/report/validate-admission.ts';
import { isOwnRequest, kindsOfEvent, namespaceIn, userOf } from './object-hints.ts';

const metadata = z.object({
  name: z.string().nullish(),
  namespace: z.string().nullish(),
  uid: z.string().nullish(),
  resourceVersion: z.string().nullish(),
  generation: z.number().nullish(),
});
const object = z.object({ metadata: metadata.nullish(), spec: z.unknown().optional() });

const review = z.object({
  kind: z.literal('AdmissionReview'),
  apiVersion: z.literal('admission.k8s.io/v1'),
  request: z.object({
    uid: z.string().min(1),
    resource: z.object({ group: z.string(), resource: z.string() }),
    subResource: z.string().nullish(),
    name: z.string().nullish(),
    namespace: z.string().nullish(),
    operation: z.string(),
    userInfo: z.object({ username: z.string().nullish(), groups: z.array(z.string()).nullish() }).nullish(),
    object: object.nullish(),
    oldObject: object.nullish(),
    dryRun: z.boolean().nullish(),
  }),
});

/**
 * How long a verdict may take: well within the `timeoutSeconds` of crds/examples/, also on a cold start. Whoever runs
 * `kubectl apply` must not wait for DNS.
 */
export const JUDGE_MS_MAX = 1_500;

/** The content of an AdmissionReview. `uid` goes into the answer. */
export type ParsedAdmission = {
  readonly uid: string;
  readonly hints: readonly Hint[];
  /** The object to judge. Null for a delete, a subresource, and for kinds that are not zone53's own. */
  readonly subject: AdmissionSubject | null;
};

/**
 * Parses a webhook's body, already decoded from JSON. `nowMs`: when it arrived. Throws if it is not an AdmissionReview.
 */
export function parseAdmissionReview(kinds: readonly Kind[], value: unknown, nowMs: number): ParsedAdmission {
  const parsed = review.safeParse(value);
  if (!parsed.success) throw new Error(`Cannot parse AdmissionReview: ${z.prettifyError(parsed.error)}`);
  const { request } = parsed.data;
  const { uid, resource, operation } = request;
  const told = kindsOfEvent(kinds, { ...resource, subresource: request.subResource });
  const [of] = told;
  if (of === undefined) return { uid, hints: [], subject: null };
  const { kind } = of;
  const [now, old] = [request.object?.metadata, request.oldObject?.metadata];
  const namespace = namespaceIn(of, request.namespace || now?.namespace || old?.namespace);
  const spec = operation === 'DELETE' ? undefined : request.object?.spec;
  const name = request.name || now?.name || old?.name || null;
  const isWhole = namespace !== null && name !== null && spec !== undefined && (request.subResource ?? '') === '';
  // Other kinds are always stored: an Ingress has other uses, and what is wrong is reported on the object.
  const subject =
    isWhole && of.status === 'subresource'
      ? { ref: { kind, namespace, name }, spec, oldSpec: request.oldObject?.spec }
      : null;
  if (request.dryRun === true || isOwnRequest(request.userInfo?.groups ?? [])) return { uid, hints: [], subject };
  const oldVersion = operation === 'CREATE' ? '' : old?.resourceVersion;
  const isKnown = typeof oldVersion === 'string' && name !== null;
  const more = {
    ...userOf(request.userInfo?.username),
    ...(isKnown ? { oldVersion, ...awaitedOf(operation, now, old) } : {}),
  };
  const hints = told.map((one) => ({ kind: one.kind, namespace, name, atMs: nowMs, ...more }));
  return { uid, hints, subject };
}

type Metadata = z.infer<typeof metadata> | null | undefined;

/** The state once the write is stored. Empty where no generation tells it, as when only an annotation changes. */
function awaitedOf(operation: string, now: Metadata, old: Metadata): Pick<Hint, 'awaited'> {
  const uid = old?.uid;
  if (typeof uid !== 'string') return {};
  if (operation === 'DELETE') return { awaited: { uid, generation: null } };
  const generation = now?.generation ?? 0;
  return operation === 'UPDATE' && generation > (old?.generation ?? 0) ? { awaited: { uid, generation } } : {};
}

/** The answer to an AdmissionReview; `refusal` is the message for the person who asked, null lets it pass. */
export function buildAdmissionAnswer(uid: string, refusal: string | null = null): object {
  const verdict =
    refusal === null
      ? { uid, allowed: true }
      : { uid, allowed: false, status: { status: 'Failure', reason: 'Invalid', code: 422, message: refusal } };
  return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: verdict };
}
