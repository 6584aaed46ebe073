// The source for Gateways, as the owners of Gardener's shoots annotate them: `dnsnames` leads to the addresses of the
// Gateway. It is on only with the prefix of shoots: external-dns publishes the names of routes alone. `*` stands for
// the hostnames of its listeners; those of its routes are published for the routes.
import { listAt, textAt } from '../../objects/plain.ts';
import type { RelatedObjects } from '../../objects/related.ts';
import type { Source, SourceObject, SourceResult } from '../../objects/source.ts';
import type { SourceSettings } from '../../objects/source-settings.ts';
import { queriesOf } from '../common/record-queries.ts';
import { readAnnotations, writtenIn } from './annotations.ts';
import { askTargets } from './ask.ts';
import { newDraft } from './draft.ts';
import { optionsIn } from './endpoint-options.ts';
import { namesOf } from './hostnames.ts';
import { isAllHosts, SHOOT_PREFIX } from './prefixes.ts';
import { defaultTargets, gatewayAddresses, hasTargets, parseTargets } from './targets.ts';

const NO_ADDRESS = 'there is no address yet (status.addresses)';

function endpointsOfGateway(object: SourceObject, settings: SourceSettings, related: RelatedObjects): SourceResult {
  const draft = newDraft();
  const { gatewayNamespaces, annotationPrefixes } = settings;
  const counts = gatewayNamespaces === null || gatewayNamespaces.includes(object.ref.namespace);
  const prefixes = annotationPrefixes.filter((prefix) => prefix === SHOOT_PREFIX);
  const annotations = counts ? readAnnotations(object, { annotationPrefixes: prefixes }, draft) : null;
  if (annotations === null) return draft.result();
  const listeners = listAt(object.spec, 'listeners').flatMap((listener, index) => {
    const text = textAt(listener, 'hostname');
    return text === null ? [] : [{ text, path: `spec.listeners[${index}].hostname` }];
  });
  const hosts = writtenIn(annotations('hostname')).flatMap((host) => (isAllHosts(host) ? listeners : [host]));
  const names = namesOf(hosts, draft);
  const options = optionsIn(annotations, draft);
  if (names.length === 0 || options === null) return draft.result();
  const addresses = gatewayAddresses(object.status, '');
  const given = addresses.length > 0 ? addresses : defaultTargets(settings.defaultTargets);
  const targets = parseTargets(given, draft, null);
  if (targets === null) return draft.result();
  for (const name of names) {
    if (hasTargets(targets)) askTargets(name, targets, { options, settings, related, draft });
    else draft.wait(name, NO_ADDRESS);
  }
  return draft.result();
}

export const GATEWAY: Source = {
  kind: 'Gateway',
  group: 'gateway.networking.k8s.io',
  version: 'v1',
  resource: 'gateways',
  status: 'events',
  key: 'gatewayRoutes',
  isOn: ({ annotationPrefixes }) => annotationPrefixes.includes(SHOOT_PREFIX),
  endpointsOf: endpointsOfGateway,
  relatedOf: queriesOf(endpointsOfGateway),
};
