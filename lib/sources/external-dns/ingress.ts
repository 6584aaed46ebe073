// The source for Ingresses: the hosts of rules, TLS and annotation lead to the load balancer, or to the annotation
// `target`.
import { listAt, textAt, textsAt } from '../../objects/plain.ts';
import type { RelatedObjects } from '../../objects/related.ts';
import type { Source, SourceObject, SourceResult } from '../../objects/source.ts';
import type { SourceSettings } from '../../objects/source-settings.ts';
import { queriesOf } from '../common/record-queries.ts';
import { readAnnotations, type Written, withoutSpaceAround, writtenIn } from './annotations.ts';
import { askTargets } from './ask.ts';
import { newDraft } from './draft.ts';
import { optionsIn } from './endpoint-options.ts';
import { hostnameSource, hostsIn, hostsOfTemplate, namesOf } from './hostnames.ts';
import { defaultTargets, hasTargets, loadBalancerTargets, NO_LOAD_BALANCER, parseTargets } from './targets.ts';

/** The older annotation for the class, before `spec.ingressClassName`. */
const CLASS_ANNOTATION = 'kubernetes.io/ingress.class';

function endpointsOfIngress(object: SourceObject, settings: SourceSettings, related: RelatedObjects): SourceResult {
  const draft = newDraft();
  const annotations = hasClass(object, settings) ? readAnnotations(object, settings, draft) : null;
  if (annotations === null) return draft.result();
  const source = hostnameSource(annotations('ingress-hostname-source'), draft);
  const own = allowedHosts(object, settings, hostsIn(annotations, true, draft), source);
  const hosts = own.length > 0 ? own : hostsOfTemplate(settings.hostnameTemplate, object.ref);
  const names = namesOf(hosts, draft);
  const options = optionsIn(annotations, draft);
  if (names.length === 0 || options === null) return draft.result();
  const stated = writtenIn(annotations('target'));
  const given = stated.length > 0 ? stated : loadBalancerTargets(object.status);
  const targets = parseTargets(given.length > 0 ? given : defaultTargets(settings.defaultTargets), draft, null);
  if (targets === null) return draft.result();
  const asking = { options, settings, related, draft };
  for (const name of names) {
    if (hasTargets(targets)) askTargets(name, targets, asking);
    else draft.wait(name, NO_LOAD_BALANCER);
  }
  return draft.result();
}

function hasClass({ spec, annotations }: SourceObject, { classNames }: SourceSettings): boolean {
  if (classNames === null) return true;
  const name = textAt(spec, 'ingressClassName') ?? textAt(annotations, CLASS_ANNOTATION);
  return name !== null && classNames.includes(withoutSpaceAround(name));
}

/** The hosts that both the operator and the annotation allow. */
function allowedHosts(
  { spec }: SourceObject,
  { hostnamesFrom }: SourceSettings,
  annotated: readonly Written[],
  source: 'defined-hosts-only' | 'annotation-only' | null,
): readonly Written[] {
  const isDefined = source !== 'annotation-only';
  const rules = listAt(spec, 'rules').flatMap((rule, index) => {
    const text = textAt(rule, 'host');
    return text === null ? [] : [{ text, path: `spec.rules[${index}].host` }];
  });
  const tls = listAt(spec, 'tls').flatMap((item, index) =>
    textsAt(item, 'hosts').map((text) => ({ text, path: `spec.tls[${index}].hosts` })),
  );
  return [
    ...(isDefined && hostnamesFrom.includes('rules') ? rules : []),
    ...(isDefined && hostnamesFrom.includes('tls') ? tls : []),
    ...(source !== 'defined-hosts-only' && hostnamesFrom.includes('annotation') ? annotated : []),
  ];
}

export const INGRESS: Source = {
  kind: 'Ingress',
  group: 'networking.k8s.io',
  version: 'v1',
  resource: 'ingresses',
  status: 'events',
  key: 'ingresses',
  endpointsOf: endpointsOfIngress,
  relatedOf: queriesOf(endpointsOfIngress),
};
