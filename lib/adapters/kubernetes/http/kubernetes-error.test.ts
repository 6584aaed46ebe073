import { expect, test } from 'vitest';
import { type KubernetesRequest, refusedError } from './kubernetes-error.ts';

const server = { origin: 'https://a', identity: '' };

test.each([
  ['kubi.zone', 'records', '{ apiGroups: [kubi.zone], resources: [records], verbs: [list] }; crds/rbac.yaml has all'],
  ['', 'pods', '{ apiGroups: [""], resources: [pods], verbs: [list] }; zone53 manifests-for-cluster --print rbac has'],
  ['networking.k8s.io', 'ingresses', 'verbs: [list] }; zone53 manifests-for-cluster --print rbac has all that zone53'],
])('refusedError() names the missing rule, and where all rules of group "%s" are', (group, resource, said) => {
  const rule = { group, resource, verb: 'list' };
  const request: KubernetesRequest = { action: `list ${resource}`, method: 'GET', path: '/', rule };
  expect(refusedError(request, server, 403, 'no').message).toContain(said);
});
