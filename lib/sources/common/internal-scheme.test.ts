import { expect, test } from 'vitest';
import { isInternalIngress, isInternalService } from './internal-scheme.ts';

const INTERNAL = { 'service.beta.kubernetes.io/aws-load-balancer-internal': 'true' };

test.each([
  [{ 'service.beta.kubernetes.io/aws-load-balancer-scheme': 'internal' }, true, false],
  [{ 'service.beta.kubernetes.io/aws-load-balancer-scheme': 'internet-facing' }, false, false],
  [INTERNAL, true, false],
  [{ 'service.beta.kubernetes.io/aws-load-balancer-internal': '0.0.0.0/0' }, true, false],
  [{ 'service.beta.kubernetes.io/aws-load-balancer-internal': 'false' }, false, false],
  [{ ...INTERNAL, 'service.beta.kubernetes.io/aws-load-balancer-scheme': 'internet-facing' }, false, false],
  [{ 'alb.ingress.kubernetes.io/scheme': 'Internal' }, false, true],
  [{ 'alb.ingress.kubernetes.io/scheme': 'internet-facing' }, false, false],
  [{}, false, false],
])('annotations %j: internal Service %j, internal Ingress %j', (annotations, ofService, ofIngress) => {
  expect([isInternalService({ annotations }), isInternalIngress({ annotations })]).toEqual([ofService, ofIngress]);
});
