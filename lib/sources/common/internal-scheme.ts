// Whether a load balancer is internal, by the annotations of the AWS Load Balancer Controller and of the cloud
// provider. Of a Service with both, that of the scheme goes before the older one (the controller's guide to the
// annotations of Services). Last verified 2026-11-30.
import type { SourceObject } from '../../objects/source.ts';

const SERVICE_SCHEME = 'service.beta.kubernetes.io/aws-load-balancer-scheme';
const SERVICE_INTERNAL = 'service.beta.kubernetes.io/aws-load-balancer-internal';
const INGRESS_SCHEME = 'alb.ingress.kubernetes.io/scheme';

type Annotated = Pick<SourceObject, 'annotations'>;

export function isInternalService(object: Annotated): boolean {
  const scheme = wordOf(object, SERVICE_SCHEME);
  if (scheme !== '') return scheme === 'internal';
  const older = wordOf(object, SERVICE_INTERNAL);
  return older !== '' && older !== 'false';
}

export function isInternalIngress(object: Annotated): boolean {
  return wordOf(object, INGRESS_SCHEME) === 'internal';
}

function wordOf({ annotations }: Annotated, key: string): string {
  return annotations[key]?.trim().toLowerCase() ?? '';
}
