import { expect, test } from 'vitest';
import { type KubernetesRequest, refusedError, unreachableError } from './kubernetes-error.ts';

const server = { origin: 'https://a', identity: '' };

function asking(group: string, resource: string): KubernetesRequest {
  return { action: `list ${resource}`, method: 'GET', path: '/', rule: { group, resource, verb: 'list' } };
}

test.each([
  ['kubi.zone', 'records', '{ apiGroups: [kubi.zone], resources: [records], verbs: [list] }; crds/rbac.yaml has all'],
  ['', 'pods', '{ apiGroups: [""], resources: [pods], verbs: [list] }; zone53 manifests-for-cluster --print rbac has'],
  ['networking.k8s.io', 'ingresses', 'verbs: [list] }; zone53 manifests-for-cluster --print rbac has all that zone53'],
])('refusedError() names the missing rule, and where all rules of group "%s" are', (group, resource, said) => {
  expect(refusedError(asking(group, resource), server, 403, 'no').message).toContain(said);
});

test.each([
  ['kubi.zone', 'the server does not know this type: run kubectl apply -f crds/'],
  ['externaldns.k8s.io', 'the server does not know this type: install its CRD'],
])('refusedError() says how to install a type of group "%s"', (group, said) => {
  expect(refusedError(asking(group, 'x'), server, 404, '404 page not found').message).toContain(said);
});

test('unreachableError() says that a connection was lost', () => {
  const { message } = unreachableError(asking('', 'pods'), 'https://a', new Error('aborted'));
  expect(message).toBe('Cannot list pods at https://a: the connection was lost');
});
