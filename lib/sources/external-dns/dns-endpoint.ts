// The source for DNSEndpoints of external-dns: a list of endpoints with name, type, TTL, targets and properties. Each
// is judged alone: an invalid value leaves out its whole endpoint and no other. `controller` is the only annotation
// that is read.

import { didYouMean } from '../../dns/names/edit-distance.ts';
import { parseRdata } from '../../dns/rdata/rdata.ts';
import { typeMeant, typeNumber } from '../../dns/record-type.ts';
import { HEALTH_CHECK_ANNOTATION, HTTPS_ANNOTATION, insteadOfHttps } from '../../objects/annotations.ts';
import { at, mapping, textAt } from '../../objects/plain.ts';
import type { RelatedObjects } from '../../objects/related.ts';
import type { Source, SourceObject, SourceResult } from '../../objects/source.ts';
import type { SourceSettings } from '../../objects/source-settings.ts';
import { describe, TTL_SECONDS_MAX } from '../../objects/spec-fields.ts';
import { queriesOf } from '../common/record-queries.ts';
import { type Annotation, aboutOdd, annotationsOf, isOthers, type Written, withoutSpaceAround } from './annotations.ts';
import { type Asking, askTargets } from './ask.ts';
import { askTyped } from './ask-typed.ts';
import { type Draft, newDraft } from './draft.ts';
import { type EndpointOptions, type Keys, readOptions } from './endpoint-options.ts';
import { nameOf } from './hostnames.ts';
import { misspeltProperty } from './misspelt.ts';
import { defaultTargets, parseTargets } from './targets.ts';

function endpointsOfDnsEndpoint(object: SourceObject, settings: SourceSettings, related: RelatedObjects): SourceResult {
  const draft = newDraft();
  const { annotations, oddAnnotations = {} } = object;
  if (isOthers(annotationsOf(annotations, settings.annotationPrefixes))) return draft.result();
  const odd = settings.annotationPrefixes.map((prefix) => `${prefix}controller`).find((key) => key in oddAnnotations);
  if (odd !== undefined) {
    draft.problem(aboutOdd(odd, oddAnnotations[odd] as string), null);
    return draft.result();
  }
  if (HTTPS_ANNOTATION in annotations) draft.note(insteadOfHttps('an endpoint with recordType HTTPS'));
  const endpoints = at(object.spec, 'endpoints') ?? [];
  if (!Array.isArray(endpoints)) {
    return { ok: false, problems: [`spec.endpoints: expected a list, got ${describe(endpoints)}`] };
  }
  for (const [index, item] of endpoints.entries()) askSet(item, `spec.endpoints[${index}]`, settings, related, draft);
  return draft.result();
}

/** The fields of an endpoint (external-dns: endpoint.Endpoint). */
const FIELDS = ['dnsName', 'targets', 'recordType', 'setIdentifier', 'recordTTL', 'labels', 'providerSpecific'];

/** Notes the fields that are probably misspelt. */
function noteFields(item: unknown, path: string, { note }: Draft): void {
  const unknown = Object.keys(mapping(item)).filter((key) => !FIELDS.includes(key));
  for (const key of unknown.slice(0, FIELDS.length)) {
    const advice = didYouMean(key, FIELDS);
    if (advice !== '') note(`${path}.${key} is not read${advice}`);
  }
}

function askSet(item: unknown, path: string, settings: SourceSettings, related: RelatedObjects, whole: Draft): void {
  noteFields(item, path, whole);
  const dnsName = textAt(item, 'dnsName');
  if (dnsName === null) {
    whole.problem(`${path}.dnsName: expected a name, got ${describe(at(item, 'dnsName'))}`, null);
    return;
  }
  const fqdn = nameOf({ text: dnsName, path: `${path}.dnsName` }, whole);
  if (fqdn === null) return;
  const type = readType(item, path, fqdn, whole);
  // A CNAME concerns every type at its name.
  const draft: Draft = typeof type === 'string' && type !== 'CNAME' ? ofType(whole, type) : whole;
  const keys = keysOf(item, path, fqdn, draft);
  const ttl = readTtl(item, path, draft);
  const options = keys === null ? null : readOptions(keys, ttl, (message) => draft.problem(message, fqdn));
  const targets = readTargets(item, path, type, settings, fqdn, draft);
  if (type === undefined || options === null || targets === null) return;
  const asking: Asking = { options, settings, related, draft };
  if (type === null) askByTargets(fqdn, targets, asking);
  else if (isHostAlias(type, targets, options)) {
    askByTargets(fqdn, targets, { ...asking, options: { ...options, alias: type === 'A' ? 'A' : 'AAAA' } });
  } else askTyped(fqdn, type, targets, path, asking);
}

/** A draft whose problems are those of an endpoint of this type. */
function ofType(draft: Draft, type: string): Draft {
  return { ...draft, problem: (message, leavesOut) => draft.problem(message, leavesOut, type) };
}

/** Adds the endpoints of a name without a type: its targets decide the types. */
function askByTargets(fqdn: string, targets: readonly Written[], asking: Asking): void {
  const parsed = parseTargets(targets, asking.draft, fqdn);
  if (parsed !== null) askTargets(fqdn, parsed, asking);
}

/** The type in upper case; null if the targets decide, undefined if it is not a type. */
function readType(item: unknown, path: string, fqdn: string, draft: Draft): string | null | undefined {
  const given = at(item, 'recordType') ?? '';
  if (given === '') return null;
  const type = typeof given === 'string' ? given.toUpperCase() : '';
  if (typeNumber(type) !== null) return type;
  draft.problem(`${path}.recordType: ${describe(given)} is not a DNS record type; ${typeMeant(type)}`, fqdn);
  return undefined;
}

/** Seconds; null if it is 0, absent or invalid. An invalid one is a problem. */
function readTtl(item: unknown, path: string, draft: Draft): number | null {
  const ttl = at(item, 'recordTTL') ?? 0;
  if (ttl === 0) return null;
  if (typeof ttl === 'number' && Number.isInteger(ttl) && ttl > 0 && ttl <= TTL_SECONDS_MAX) return ttl;
  draft.problem(
    `${path}.recordTTL: expected whole seconds from 1 to ${TTL_SECONDS_MAX}, got ${describe(ttl)}; the default holds`,
  );
  return null;
}

/** A list of the endpoint; null for any other value, which is a problem. */
function readList(item: unknown, key: string, path: string, fqdn: string, draft: Draft): readonly unknown[] | null {
  const given = at(item, key) ?? [];
  if (Array.isArray(given)) return given;
  draft.problem(`${path}.${key}: expected a list, got ${describe(given)}`, fqdn);
  return null;
}

/** Null if the set identifier or the value of a property is not a string, which is a problem. */
function keysOf(item: unknown, path: string, fqdn: string, draft: Draft): Keys | null {
  const properties = new Map<string, Annotation>();
  let whole = true;
  const given = readList(item, 'providerSpecific', path, fqdn, draft);
  const setIdentifier = at(item, 'setIdentifier') ?? '';
  if (typeof setIdentifier !== 'string') {
    whole = false;
    draft.problem(`${path}.setIdentifier: expected a string, got ${describe(setIdentifier)}; put it in quotes`, fqdn);
  }
  for (const property of given ?? []) {
    const name = textAt(property, 'name');
    const stated = at(property, 'value') ?? '';
    const value = typeof stated === 'string' ? withoutSpaceAround(stated) : stated;
    const isRead = name === 'alias' || name === HEALTH_CHECK_ANNOTATION || name?.startsWith('aws/') === true;
    const misspelt = name === null ? null : misspeltProperty(name);
    if (misspelt !== null) draft.note(`${path}.${misspelt}`);
    if (name === null || !isRead || value === '' || properties.has(name)) continue;
    const where = `${path}.providerSpecific ${name}`;
    if (typeof value === 'string') properties.set(name, { path: where, value });
    else {
      whole = false;
      draft.problem(`${where}: expected a string, got ${describe(value)}; put it in quotes`, fqdn);
    }
  }
  if (!whole || given === null) return null;
  return {
    aws: (name) => properties.get(`aws/${name}`) ?? null,
    alias: properties.get('alias') ?? null,
    setIdentifier: textAt(item, 'setIdentifier'),
    healthCheck: properties.get(HEALTH_CHECK_ANNOTATION) ?? null,
  };
}

/** The targets as written; null if there is none, or if one is not a string. */
function readTargets(
  item: unknown,
  path: string,
  type: string | null | undefined,
  { defaultTargets: defaults }: SourceSettings,
  fqdn: string,
  draft: Draft,
): readonly Written[] | null {
  const given = readList(item, 'targets', path, fqdn, draft);
  if (given === null) return null;
  const targets = given.flatMap((text, index): Written[] => {
    const where = `${path}.targets[${index}]`;
    if (typeof text === 'string') return [{ text, path: where }];
    draft.problem(`${where}: expected a string, got ${describe(text)}`, fqdn);
    return [];
  });
  if (targets.length < given.length) return null;
  if (targets.length > 0) return targets;
  const takesDefaults = type === null || type === 'A' || type === 'AAAA' || type === 'CNAME';
  if (takesDefaults && defaults.length > 0) return defaultTargets(defaults);
  draft.problem(`${path}.targets: expected one target at least, there is none`, fqdn);
  return null;
}

/** True for an A or AAAA whose single target is a host name, and which is to be an alias. */
function isHostAlias(type: string, targets: readonly Written[], { alias }: EndpointOptions): boolean {
  if ((type !== 'A' && type !== 'AAAA') || targets.length !== 1) return false;
  if (alias !== 'true' && alias !== type) return false;
  const [{ text }] = targets as [Written];
  return parseRdata('CNAME', text).ok;
}

export const DNS_ENDPOINT: Source = {
  kind: 'DNSEndpoint',
  group: 'externaldns.k8s.io',
  version: 'v1alpha1',
  resource: 'dnsendpoints',
  readsStatus: false,
  status: 'observedGeneration',
  pageSize: 200,
  key: 'dnsEndpoints',
  endpointsOf: endpointsOfDnsEndpoint,
  relatedOf: queriesOf(endpointsOfDnsEndpoint),
};
