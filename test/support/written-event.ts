// One write to an object named x as the API server announces it: an audit event, and an AdmissionReview.

/** The object that was written; `subresource` is empty for the object itself. */
export type WrittenObject = {
  readonly group: string;
  readonly resource: string;
  /** Missing for a cluster-scoped object. */
  readonly namespace?: string;
  readonly subresource: string;
};

export function auditEventOf(verb: string, { group, ...objectRef }: WrittenObject) {
  return {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'Metadata',
    stage: 'ResponseComplete',
    verb,
    user: { groups: ['system:authenticated'] },
    objectRef: { ...objectRef, apiGroup: group, name: 'x' },
    responseStatus: { code: 200 },
  };
}

export function admissionReviewOf(operation: string, written: WrittenObject, object: object) {
  const { group, resource, subresource, ...place } = written;
  return {
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    request: {
      uid: 'r',
      resource: { group, version: 'v1', resource },
      ...(subresource !== '' && { subResource: subresource }),
      ...{ ...place, name: 'x', operation, userInfo: { groups: [] } },
      object: operation === 'DELETE' ? null : object,
      oldObject: operation === 'CREATE' ? null : object,
    },
  };
}
