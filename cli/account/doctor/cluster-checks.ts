// Checks of a cluster: the API server answers, the CRDs are those of this version, and the kinds of the configuration
// are served and may be listed.
import { parse } from 'yaml';
import { servedKinds } from '../../../lib/adapters/kubernetes/discover-kinds.ts';
import { kubeconfigTransport } from '../../../lib/adapters/kubernetes/http/kubeconfig-transport.ts';
import { KubernetesError } from '../../../lib/adapters/kubernetes/http/kubernetes-error.ts';
import type { KubernetesTransport } from '../../../lib/adapters/kubernetes/http/transport.ts';
import { listPath } from '../../../lib/adapters/kubernetes/read-object.ts';
import { shippedFile } from '../../../lib/adapters/system/shipped-file.ts';
import { type Kind, ZONE_KIND } from '../../../lib/objects/kind.ts';
import { errorMessage, mapping } from '../../../lib/objects/plain.ts';
import type { Clock } from '../../../lib/ports/clock.ts';
import type { Config } from '../../../lib/ports/config.ts';
import { kindsHinted } from '../../../lib/sources/source.ts';
import { type Check, type Finding, fine, wrong } from './finding.ts';

const INSTALL =
  'Install the CRDs of this version: zone53 manifests-for-cluster, the Helm chart, or kubectl apply --server-side -f crds/.';
/** Each try of a request may take this long, so that all of a check stays within its ten seconds. */
const PATIENCE = { timeoutMs: 4_000, triesMax: 2 };

/** The checks of a kubeconfig context. */
export function clusterChecks(context: string, config: Config, clock: Clock): readonly Check[] {
  const opened = (): KubernetesTransport => kubeconfigTransport(context, undefined, PATIENCE);
  const within = (check: (transport: KubernetesTransport) => Promise<Finding>) => async () => {
    const transport = opened();
    try {
      return await check(transport);
    } finally {
      transport.close();
    }
  };
  return [
    { name: `API server of ${context}`, run: within(checkServer) },
    ...['zones', 'records'].map((resource) => ({
      name: `CRD ${resource}.${ZONE_KIND.group}`,
      run: within((transport) => checkCrd(transport, resource)),
    })),
    ...kindsHinted(config).map((kind) => ({
      name: `${kind.kind} of ${kind.group === '' ? 'the core group' : kind.group}`,
      run: within((transport) => checkKind(transport, kind, clock)),
    })),
  ];
}

async function checkServer(transport: KubernetesTransport): Promise<Finding> {
  try {
    const rule = { group: '', resource: '/version', verb: 'get' };
    const answer = await transport.send({ action: 'read the version', method: 'GET', path: '/version', rule });
    return fine(`Kubernetes ${String(mapping(answer).gitVersion)}`);
  } catch (error) {
    return wrong(
      errorMessage(error),
      'Look at the context (kubectl config get-contexts), and whether kubectl reaches it.',
    );
  }
}

async function checkCrd(transport: KubernetesTransport, resource: string): Promise<Finding> {
  const name = `${resource}.${ZONE_KIND.group}`;
  const group = 'apiextensions.k8s.io';
  try {
    const installed = await transport.send({
      action: `read the CRD ${name}`,
      method: 'GET',
      path: `/apis/${group}/v1/customresourcedefinitions/${name}`,
      rule: { group, resource: 'customresourcedefinitions', verb: 'get' },
    });
    const lacks = fieldsOf(parse(shippedFile(`crds/${resource}.yaml`))).filter(
      (field) => !fieldsOf(installed).includes(field),
    );
    if (lacks.length === 0) return fine(`${ZONE_KIND.version}, with every field of this version`);
    const some = lacks.slice(0, 3).join(', ');
    return wrong(`it is of an older version: it lacks ${some}${lacks.length > 3 ? ' and others' : ''}`, INSTALL);
  } catch (error) {
    if (error instanceof KubernetesError && error.status === 404) return wrong('it is not installed', INSTALL);
    throw error;
  }
}

/** The fields of the served version, as paths: `spec.domainName`. */
function fieldsOf(crd: unknown): readonly string[] {
  const { versions } = mapping(mapping(crd).spec);
  const all = Array.isArray(versions) ? versions.map(mapping) : [];
  const served = all.find(({ name, served: isServed }) => name === ZONE_KIND.version && isServed === true);
  return served === undefined ? [] : pathsOf(mapping(mapping(served.schema).openAPIV3Schema), '');
}

function pathsOf(schema: Readonly<Record<string, unknown>>, at: string): readonly string[] {
  const own = Object.entries(mapping(schema.properties)).flatMap(([name, of]) => {
    const path = at === '' ? name : `${at}.${name}`;
    return [path, ...pathsOf(mapping(of), path)];
  });
  return schema.items === undefined ? own : [...own, ...pathsOf(mapping(schema.items), `${at}[]`)];
}

async function checkKind(transport: KubernetesTransport, kind: Kind, clock: Clock): Promise<Finding> {
  const served = servedKinds(transport, clock, 'optional');
  const found = await served.find(kind);
  if (found === null)
    return served.mayLack(kind)
      ? fine('not served, and it need not be')
      : wrong('the API server does not serve it', 'Install its CRD, or remove its key from sources.');
  const rule = { group: kind.group, resource: kind.resource, verb: 'list' };
  try {
    await transport.send({
      action: `list ${kind.resource}`,
      method: 'GET',
      path: listPath(found),
      query: { limit: '1' },
      unread: true,
      rule,
    });
    return fine(`${found.version}, and it may be listed`);
  } catch (error) {
    return wrong(errorMessage(error), 'Grant what zone53 manifests-for-cluster --print rbac prints.');
  }
}
