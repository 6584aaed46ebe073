// Turns a name, its targets and the options of its object into endpoints. Routing and aliases follow the rules of
// Records; an endpoint that breaks them is InvalidSpec.

import type { Endpoint, EndpointAlias } from '../../objects/endpoint.ts';
import { parseAlias } from '../../objects/endpoint-spec/alias-spec.ts';
import { parseRouting } from '../../objects/endpoint-spec/routing-spec.ts';
import type { RelatedObjects } from '../../objects/related.ts';
import type { SourceSettings } from '../../objects/source-settings.ts';
import { VALUES_MAX } from '../../route53/record-set-limits.ts';
import { becomes, ringFrom, unknownAwsName } from './alias.ts';
import { allowedTargets } from './allowed-targets.ts';
import type { Draft } from './draft.ts';
import type { EndpointOptions } from './endpoint-options.ts';
import { annotatedHttps } from './https-annotation.ts';
import { chosenHost, hasTargets, type Targets } from './targets.ts';

/** What the functions here need besides a name and its targets. */
export type Asking = {
  readonly options: EndpointOptions;
  readonly settings: Pick<SourceSettings, 'preferCname' | 'targets'>;
  readonly related: Pick<RelatedObjects, 'typesAt' | 'aliasesAt'>;
  readonly draft: Draft;
  /** True: who has the addresses speaks TLS for the name on port 443. */
  readonly hasTls?: boolean;
};

/** Adds the endpoints of one name: its addresses, and its host name. */
export function askTargets(fqdn: string, all: Targets, asking: Asking): void {
  const { options, draft } = asking;
  const targets = allowedTargets(fqdn, all, asking);
  if (targets === null) return;
  const host = chosenHost(targets, draft);
  if (host === null && hasTargets(targets) && options.alias !== null && options.alias !== 'false') {
    draft.problem(`alias: ${fqdn} has no host name as its target, and only a host name can be aliased`, fqdn);
    return;
  }
  if (host === null) noteUnused(fqdn, asking);
  if (targets.ipv4.length > 0) askValues(fqdn, 'A', targets.ipv4, asking);
  if (targets.ipv6.length > 0) askValues(fqdn, 'AAAA', targets.ipv6, asking);
  const became = host === null ? null : askHost(fqdn, host, asking);
  askHttps(fqdn, targets, became, asking);
}

/** Adds the HTTPS record that the annotation asks for. `host`: as annotatedHttps() has it. */
export function askHttps(
  fqdn: string,
  targets: Pick<Targets, 'ipv4' | 'ipv6'>,
  host: 'alias' | 'cname' | null,
  asking: Asking,
): void {
  const { options, draft } = asking;
  const value = annotatedHttps(fqdn, targets, host, options, draft);
  // It is simple, whatever routing the addresses have.
  const simple = { ...options, routing: null, setIdentifier: null };
  if (value !== null) askValues(fqdn, 'HTTPS', [value], { ...asking, options: simple });
}

/** Asks for one set of values. They are canonical, each once. */
export function askValues(fqdn: string, type: string, values: readonly string[], asking: Asking): void {
  const { options, draft } = asking;
  if (values.length <= VALUES_MAX) {
    add(fqdn, type, values, null, asking);
    return;
  }
  const message = `${fqdn} ${type}: expected 1 to ${VALUES_MAX} values, got ${values.length}`;
  draft.invalid({
    fqdn,
    type,
    setIdentifier: options.setIdentifier,
    message,
    values: values.slice(0, VALUES_MAX),
    ttl: options.ttl,
  });
}

/** Adds the endpoints of a host name. Returns what it became; null if that is a problem. */
function askHost(fqdn: string, host: string, asking: Asking): 'alias' | 'cname' | null {
  const { options, draft, settings, related } = asking;
  const { preferCname } = settings;
  const what = becomes(fqdn, host, options, preferCname, related.typesAt);
  if (what?.kind !== 'cname' && fqdn === host) {
    draft.problem(`alias: ${host} is the name of the record itself; write another target`, fqdn);
    return null;
  }
  if (what === null) {
    draft.problem(
      `alias: ${options.alias} cannot be had at ${fqdn}: ${host} is neither the name of an AWS service that has it, nor a name of a live Zone that has such a record of its own`,
      fqdn,
    );
    return null;
  }
  if (what.kind === 'cname') {
    const unknown = options.alias === null && !preferCname ? unknownAwsName(host) : null;
    if (unknown !== null)
      draft.note(
        `${host} looks like ${unknown} of AWS in a region that zone53 does not know, so ${fqdn} is a CNAME; for an alias, write alias: "true" and aws-target-hosted-zone with the id of its hosted zone`,
      );
    noteUnused(fqdn, asking);
    askValues(fqdn, 'CNAME', [host], asking);
    return 'cname';
  }
  for (const type of what.missing) draft.problem(`alias: ${host} has no ${type} record, so ${fqdn} gets none`);
  for (const type of what.types) {
    const ring = what.hostedZoneId === null ? ringFrom(fqdn, what.target, type, related.aliasesAt) : null;
    if (ring !== null)
      draft.problem(
        `alias: ${ring.join(' → ')} is a ring of aliases, so nobody answers for ${fqdn} ${type}; give one of these names another target`,
      );
    askAlias(fqdn, type, what.target, what.hostedZoneId, asking);
  }
  return 'alias';
}

/** Notes the options of aliases at a name that is none. */
function noteUnused(fqdn: string, { options, draft }: Asking): void {
  const unused = [
    ...(options.targetHostedZone === null ? [] : ['aws-target-hosted-zone']),
    ...(options.evaluateTargetHealth === null ? [] : ['aws-evaluate-target-health']),
  ];
  for (const key of unused)
    draft.note(
      `${key} has no effect at ${fqdn}, which is no alias; to make an alias of a host name, write alias: "true"`,
    );
}

function askAlias(fqdn: string, type: string, target: string, hostedZoneId: string | null, asking: Asking): void {
  const { options, draft } = asking;
  const problems: string[] = [];
  const spec = { target, hostedZoneId, evaluateTargetHealth: options.evaluateTargetHealth };
  const alias = parseAlias(spec, type, { alias: 'alias', type: 'alias' }, problems);
  if (alias !== null) add(fqdn, type, [], alias, asking);
  else {
    const { setIdentifier } = options;
    const shown = { target, hostedZoneId, evaluateTargetHealth: options.evaluateTargetHealth ?? true };
    draft.invalid({ fqdn, type, setIdentifier, message: problems.join('; '), alias: shown });
  }
}

function add(
  fqdn: string,
  type: string,
  values: readonly string[],
  alias: EndpointAlias | null,
  { options, draft, hasTls = false }: Asking,
): void {
  const ttl = alias === null ? options.ttl : null;
  const note = options.note === null ? {} : { note: options.note };
  const domainName = { kind: 'full', fqdn } as const;
  const isAddress = type === 'A' || type === 'AAAA';
  const tls = hasTls && isAddress && options.https === null ? { tls: true as const } : {};
  const endpoint: Endpoint = { domainName, zoneRef: null, type, class: 'IN', ttl, values, ...note, ...tls };
  const aliased = alias === null ? endpoint : { ...endpoint, alias };
  if (options.routing === null) {
    draft.endpoint(aliased);
    return;
  }
  const problems: string[] = [];
  const shown = alias === null ? {} : { alias };
  const routing = parseRouting(options.routing, { type, isAlias: alias !== null }, 'routing', problems);
  if (routing !== null) draft.endpoint({ ...aliased, routing });
  else
    draft.invalid({
      fqdn,
      type,
      setIdentifier: options.setIdentifier,
      message: problems.join('; '),
      ttl,
      values,
      ...shown,
    });
}
