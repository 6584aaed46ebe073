// The source for Services: names come from annotations, and targets by the type of the Service.
//
//   LoadBalancer   spec.externalIPs, else status.loadBalancer.ingress; if there is none yet, the name waits
//   ClusterIP      spec.clusterIPs, for `hostname` only where internal Services are published
//   headless       the ready endpoints (headless.ts)
//   NodePort       the addresses of Nodes, and an SRV for each port (node-port.ts)
//   ExternalName   spec.externalIPs, else spec.externalName
import { didYouMean } from '../../dns/names/edit-distance.ts';
import { quote } from '../../dns/names/quote.ts';
import { textAt, textsAt } from '../../objects/plain.ts';
import type { RelatedObjects } from '../../objects/related.ts';
import type { Source, SourceObject, SourceResult } from '../../objects/source.ts';
import { SERVICE_TYPES, type SourceSettings } from '../../objects/source-settings.ts';
import { isInternalService } from '../common/internal-scheme.ts';
import { queriesOf } from '../common/record-queries.ts';
import { ENDPOINT_SLICE, NODE, POD } from '../common/related-kinds.ts';
import { annotationsOf, readAnnotations, type Written, writtenIn } from './annotations.ts';
import { type Asking, askTargets } from './ask.ts';
import { type Draft, newDraft } from './draft.ts';
import { optionsIn } from './endpoint-options.ts';
import { askHeadless } from './headless.ts';
import { hostsIn, hostsOfTemplate, lackNames, namesOf } from './hostnames.ts';
import { askPorts, nodePortTargets } from './node-port.ts';
import type { ServiceWork } from './service-work.ts';
import {
  defaultTargets,
  hasTargets,
  loadBalancerTargets,
  NO_LOAD_BALANCER,
  parseTargets,
  type Targets,
} from './targets.ts';

const NOT_INTERNAL =
  'hostname counts on a ClusterIP Service only with services.publishInternal in the configuration: write internal-hostname, or a target';
const NO_CLUSTER_IP = 'it has no cluster IP (spec.clusterIPs)';
const NO_ENDPOINT = 'none of its endpoints is ready (EndpointSlices)';
const NO_NODE = 'no Node that counts has an address';
const NO_EXTERNAL_NAME = 'it has no spec.externalName';

function endpointsOfService(object: SourceObject, settings: SourceSettings, related: RelatedObjects): SourceResult {
  const draft = newDraft();
  const type = SERVICE_TYPES.find((one) => one === (textAt(object.spec, 'type') ?? 'ClusterIP'));
  if (type === undefined) noteType(object, settings, draft);
  if (type === undefined || !settings.types.includes(type)) return draft.result();
  const annotations = readAnnotations(object, settings, draft);
  if (annotations === null) return draft.result();
  const hosts = hostsIn(annotations, false, draft);
  const internalHosts = writtenIn(annotations('internal-hostname'));
  const template = hosts.length + internalHosts.length > 0 ? null : settings.hostnameTemplate;
  const counts = type !== 'ClusterIP' || isHeadless(object) || settings.publishInternal;
  const targetHosts = counts || writtenIn(annotations('target')).length > 0;
  const asked = targetHosts ? [...hosts, ...hostsOfTemplate(template, object.ref)] : [];
  if (!targetHosts) lackNames(hosts, NOT_INTERNAL, draft);
  if (asked.length + internalHosts.length === 0) return draft.result();
  const names = namesOf(asked, draft);
  const internalNames = namesOf(internalHosts, draft);
  const options = optionsIn(annotations, draft);
  if (options === null) return draft.result();
  const asking: Asking = { options, settings, related, draft };
  const work: ServiceWork = { object, settings, annotations, related, asking };
  const own = parseTargets(writtenIn(annotations('target')), draft, null);
  if (own === null) return draft.result();
  askInternal(work, internalNames, own);
  if (names.length > 0) askPublic(work, type, names, own);
  return draft.result();
}

/** Notes a type that no Service has, if the Service asks for names. */
function noteType(object: SourceObject, { annotationPrefixes }: SourceSettings, { note }: Draft): void {
  const annotations = annotationsOf(object.annotations, annotationPrefixes);
  if (annotations('hostname') === null && annotations('internal-hostname') === null) return;
  const type = textAt(object.spec, 'type') ?? '';
  note(`spec.type: ${quote(type)} is no type of a Service${didYouMean(type, SERVICE_TYPES)}`);
}

/** Adds the names of the annotation for internal addresses, for a Service of any type. */
function askInternal(work: ServiceWork, names: readonly string[], own: Targets): void {
  const { object, asking } = work;
  if (names.length === 0) return;
  if (hasTargets(own)) {
    for (const name of names) askTargets(name, own, asking);
  } else if (isHeadless(object)) {
    if (!askHeadless(work, names, true)) for (const name of names) asking.draft.lack(name, NO_ENDPOINT);
  } else {
    const targets = parseTargets(clusterIps(object), asking.draft, null);
    if (targets === null) return;
    for (const name of names) {
      if (hasTargets(targets)) askTargets(name, targets, asking);
      else asking.draft.lack(name, NO_CLUSTER_IP);
    }
  }
}

function askPublic(work: ServiceWork, type: string, names: readonly string[], own: Targets): void {
  const { object, settings, asking } = work;
  const ofNodes = type === 'NodePort' && !hasTargets(own) ? nodePortTargets(work) : [];
  if (ofNodes === null) return;
  if (type === 'NodePort') askPorts(work, names);
  if (hasTargets(own)) {
    for (const name of names) askTargets(name, own, asking);
    return;
  }
  if (isHeadless(object) && type === 'ClusterIP') {
    if (askHeadless(work, names, false)) return;
  } else {
    const found = type === 'NodePort' ? ofNodes : statedTargets(object, type);
    const targets = parseTargets(found, asking.draft, null);
    if (targets === null) return;
    if (hasTargets(targets)) {
      for (const name of names) askTargets(name, targets, asking);
      return;
    }
  }
  const defaults = parseTargets(defaultTargets(settings.defaultTargets), asking.draft, null);
  for (const name of names) {
    if (defaults !== null && hasTargets(defaults)) askTargets(name, defaults, asking);
    else if (type === 'LoadBalancer') asking.draft.wait(name, NO_LOAD_BALANCER);
    else asking.draft.lack(name, whyNone(object, type));
  }
}

/** Why a Service of another type than LoadBalancer has no targets. */
function whyNone(object: SourceObject, type: string): string {
  if (type === 'NodePort') return NO_NODE;
  if (type === 'ExternalName') return NO_EXTERNAL_NAME;
  return isHeadless(object) ? NO_ENDPOINT : NO_CLUSTER_IP;
}

/** The targets in the Service's own spec and status. */
function statedTargets({ spec, status }: SourceObject, type: string): readonly Written[] {
  const external = textsAt(spec, 'externalIPs').map((text) => ({ text, path: 'spec.externalIPs' }));
  if (type === 'ClusterIP') return clusterIps({ spec });
  if (external.length > 0) return external;
  if (type === 'ExternalName') {
    const name = textAt(spec, 'externalName');
    return name === null ? [] : [{ text: name, path: 'spec.externalName' }];
  }
  return loadBalancerTargets(status);
}

function clusterIps({ spec }: Pick<SourceObject, 'spec'>): readonly Written[] {
  const all = textsAt(spec, 'clusterIPs');
  const single = textAt(spec, 'clusterIP');
  const path = 'spec.clusterIPs';
  const texts = all.length > 0 || single === null ? all : [single];
  return texts.filter((text) => text !== 'None').map((text) => ({ text, path }));
}

/** True for a Service whose spec asks for no cluster IP. */
function isHeadless({ spec }: Pick<SourceObject, 'spec'>): boolean {
  return textAt(spec, 'clusterIP') === 'None' || textsAt(spec, 'clusterIPs')[0] === 'None';
}

export const SERVICE: Source = {
  kind: 'Service',
  group: '',
  version: 'v1',
  resource: 'services',
  status: 'conditions',
  key: 'services',
  isInternal: isInternalService,
  endpointsOf: endpointsOfService,
  relatedOf: queriesOf(endpointsOfService),
  relatedKinds: ({ types }) => {
    if (types.includes('ClusterIP')) return [ENDPOINT_SLICE, NODE, POD];
    return types.includes('NodePort') ? [ENDPOINT_SLICE, NODE] : [];
  },
};
