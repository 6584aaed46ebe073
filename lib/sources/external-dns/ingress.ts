// The source for Ingresses: the hosts of rules, TLS and annotation lead to the load balancer, or to the annotation
// `target`.
import { readName } from '../../dns/names/name.ts';
import { listAt, textAt, textsAt } from '../../objects/plain.ts';
import type { RelatedObjects } from '../../objects/related.ts';
import type { Source, SourceObject, SourceResult } from '../../objects/source.ts';
import type { SourceSettings } from '../../objects/source-settings.ts';
import { isInternalIngress } from '../common/internal-scheme.ts';
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
  const certified = tlsHosts(object);
  for (const name of names) {
    const hasTls = certified.some((host) => coversName(host, name));
    if (hasTargets(targets)) askTargets(name, targets, { ...asking, hasTls });
    else draft.wait(name, NO_LOAD_BALANCER);
  }
  return draft.result();
}

/** The canonical names of `spec.tls`. An item without hosts leaves them to the controller, so it has none here. */
function tlsHosts({ spec }: SourceObject): readonly string[] {
  const texts = listAt(spec, 'tls').flatMap((item) => textsAt(item, 'hosts'));
  return texts.flatMap((text) => {
    const parsed = readName(text, { wildcard: true });
    return parsed.ok ? [parsed.name] : [];
  });
}

/** True if a certificate for `host` is one for the name: a `*.` stands for one label (RFC 9525 §6.3). */
function coversName(host: string, name: string): boolean {
  if (host === name) return true;
  const { parent } = /^[^.*]+\.(?<parent>.+)$/.exec(name)?.groups ?? {};
  return parent !== undefined && host === `*.${parent}`;
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
  isInternal: isInternalIngress,
  endpointsOf: endpointsOfIngress,
  relatedOf: queriesOf(endpointsOfIngress),
};
