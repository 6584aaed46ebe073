// A NodePort Service: its names lead to Nodes, and each of its ports gets an SRV.
//
//   externalTrafficPolicy: Local    Nodes with ready endpoints, else with terminating ones that still serve, else all
//   any other                       all Nodes
import { at, listAt, textAt } from '../../objects/plain.ts';
import { aboutAnnotation, readWord, type Written } from './annotations.ts';
import { askValues } from './ask.ts';
import { nameOf } from './hostnames.ts';
import { isReady, nodeAddresses, type ServiceWork, sliceEndpoints } from './service-work.ts';

/** The public or private addresses of the Nodes that count; null for an unknown annotation, which is a problem. */
export function nodePortTargets(work: ServiceWork): readonly Written[] | null {
  const { annotations, asking, settings, related } = work;
  const found = annotations('access');
  const access = readWord(found, ['public', 'private']);
  if (found !== null && access === undefined) {
    asking.draft.problem(aboutAnnotation(found, 'is not an access mode; write public or private'), null);
    return null;
  }
  const wanted = nodesWithEndpoints(work);
  const nodes = related.list('Node', null, null).filter(({ ref, facts }) => {
    if (wanted !== null && !wanted.has(ref.name)) return false;
    if ((at(facts, 'metadata', 'deletionTimestamp') ?? null) !== null) return false;
    return !(settings.excludeUnschedulable && at(facts, 'spec', 'unschedulable') === true);
  });
  const external = nodes.flatMap((node) => nodeAddresses(node, 'ExternalIP'));
  const isPublic = access === 'public' || (access === null && external.length > 0);
  return isPublic ? external : nodes.flatMap((node) => nodeAddresses(node, 'InternalIP'));
}

/** The names of the only Nodes that count; null if all do. */
function nodesWithEndpoints(work: ServiceWork): ReadonlySet<string> | null {
  if (textAt(work.object.spec, 'externalTrafficPolicy') !== 'Local') return null;
  const endpoints = sliceEndpoints(work).map(({ endpoint }) => endpoint);
  const serves = (endpoint: unknown) =>
    at(endpoint, 'conditions', 'terminating') === true && at(endpoint, 'conditions', 'serving') !== false;
  for (const counts of [isReady, serves]) {
    const names = endpoints.filter(counts).map((endpoint) => textAt(endpoint, 'nodeName'));
    const found = new Set(names.filter((name) => name !== null));
    if (found.size > 0) return found;
  }
  return null;
}

/** Adds an SRV for each port of the Service at each name. */
export function askPorts({ object, asking }: ServiceWork, names: readonly string[]): void {
  for (const name of names) {
    // A wildcard answers for all names below it, so no name is added there.
    if (name.startsWith('*.')) continue;
    for (const [index, port] of listAt(object.spec, 'ports').entries()) {
      const nodePort = at(port, 'nodePort');
      if (typeof nodePort !== 'number' || !Number.isInteger(nodePort) || nodePort < 1 || nodePort > 65_535) continue;
      const service = textAt(port, 'name') ?? object.ref.name;
      const protocol = (textAt(port, 'protocol') ?? 'TCP').toLowerCase();
      const fqdn = nameOf({ text: `_${service}._${protocol}.${name}`, path: `spec.ports[${index}]` }, asking.draft);
      if (fqdn !== null) askValues(fqdn, 'SRV', [`0 50 ${nodePort} ${name}`], asking);
    }
  }
}
