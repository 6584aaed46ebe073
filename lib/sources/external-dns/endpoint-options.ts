// Reads what an object says about all of its endpoints: TTL, alias and routing. The keys are annotations (aws-weight),
// or `providerSpecific` of a DNSEndpoint (aws/weight). A value that cannot be parsed is a problem and leaves the
// endpoints out: a weight of "x" must not become 0. Parsed values follow the rules of Records (routing-spec.ts,
// alias-spec.ts).
import { HEALTH_CHECK_ANNOTATION, HTTPS_ANNOTATION } from '../../objects/annotations.ts';
import { annotatedHealthCheck } from '../../objects/endpoint-spec/health-check-spec.ts';
import { type Annotation, type Annotations, aboutAnnotation, readTtl, readWord } from './annotations.ts';
import type { Draft } from './draft.ts';

const ALIAS_WORDS = ['true', 'false', 'A', 'AAAA'] as const;
type AliasWord = (typeof ALIAS_WORDS)[number];

/** Finds a key of AWS by the part after `aws-` or `aws/`, and the keys of every provider. */
export type Keys = {
  readonly aws: Annotations;
  readonly alias: Annotation | null;
  readonly setIdentifier: string | null;
  readonly healthCheck: Annotation | null;
};

export type EndpointOptions = {
  /** Seconds; null: the Zone's. */
  readonly ttl: number | null;
  /** Null: decided by the target and the configuration. */
  readonly alias: AliasWord | null;
  readonly targetHostedZone: string | null;
  readonly evaluateTargetHealth: boolean | null;
  readonly setIdentifier: string | null;
  /** The annotation for an HTTPS record, as written. */
  readonly https: Annotation | null;
  /** A note about what is ignored. */
  readonly note: string | null;
  /** In the shape of a Record's `spec.routing`, not validated yet; null for simple routing. */
  readonly routing: Readonly<Record<string, unknown>> | null;
};

type Report = (message: string) => void;

/** The options in an object's annotations; null if one of them is invalid and leaves its endpoints out. */
export function optionsIn(annotations: Annotations, { problem }: Draft): EndpointOptions | null {
  const keys: Keys = {
    aws: (name) => annotations(`aws-${name}`),
    alias: annotations('alias'),
    setIdentifier: annotations('set-identifier')?.value ?? null,
    healthCheck: annotations(HEALTH_CHECK_ANNOTATION),
  };
  const options = readOptions(keys, readTtl(annotations, problem), (message) => problem(message, null));
  return options === null ? null : { ...options, https: annotations(HTTPS_ANNOTATION) };
}

/** The options in some keys; null if one of them is invalid and leaves the endpoints out, which `left` reports. */
export function readOptions(keys: Keys, ttl: number | null, left: Report): EndpointOptions | null {
  let whole = true;
  const wrong = (found: Annotation, detail: string): undefined => {
    whole = false;
    left(aboutAnnotation(found, detail));
  };
  const alias = readWord(keys.alias, ALIAS_WORDS);
  if (keys.alias !== null && alias === undefined)
    wrong(keys.alias, 'is not an alias setting; write true, false, A or AAAA');
  const text = (name: string) => keys.aws(name)?.value;
  const health = readBoolean(keys.aws('evaluate-target-health'), wrong);
  const policies = {
    weight: readWholeNumber(keys.aws('weight'), wrong),
    region: text('region'),
    failover: text('failover'),
    geolocation: present({
      continent: text('geolocation-continent-code'),
      country: text('geolocation-country-code'),
      subdivision: text('geolocation-subdivision-code'),
    }),
    geoproximity: present({
      region: text('geoproximity-region'),
      localZoneGroup: text('geoproximity-local-zone-group'),
      coordinates: readCoordinates(keys.aws('geoproximity-coordinates'), wrong),
      bias: readWholeNumber(keys.aws('geoproximity-bias'), wrong),
    }),
    multivalue: readBoolean(keys.aws('multi-value-answer'), wrong) || undefined,
    healthCheckId: text('health-check-id'),
    healthCheck: readHealthCheck(keys.healthCheck, wrong),
  };
  if (!whole) return null;
  const { setIdentifier } = keys;
  const pin = keys.aws('hosted-zone-id');
  return {
    ttl,
    note: pin === null ? null : `${pin.path} is ignored: its Zone decides where a name is published`,
    https: null,
    alias: alias ?? null,
    targetHostedZone: text('target-hosted-zone') ?? null,
    evaluateTargetHealth: health ?? null,
    setIdentifier,
    routing: present({ setIdentifier: setIdentifier ?? undefined, ...policies }) ?? null,
  };
}

/** The fields that have a value; undefined if none has. */
function present(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | undefined {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

type Wrong = (found: Annotation, detail: string) => undefined;

function readWholeNumber(found: Annotation | null, wrong: Wrong): number | undefined {
  if (found === null) return undefined;
  return /^[+-]?[0-9]{1,15}$/.test(found.value) ? Number(found.value) : wrong(found, 'is not a whole number');
}

function readBoolean(found: Annotation | null, wrong: Wrong): boolean | undefined {
  if (found === null) return undefined;
  const word = readWord(found, ['true', 'false']);
  return word === undefined ? wrong(found, 'is neither true nor false') : word === 'true';
}

function readHealthCheck(found: Annotation | null, wrong: Wrong): unknown {
  if (found === null) return undefined;
  const said = annotatedHealthCheck(found.value);
  return (
    said ?? wrong(found, 'is no health check; write JSON, or an address such as https://www.example.org:443/health')
  );
}

const DEGREES = /^[+-]?[0-9]{1,3}(?:\.[0-9]{1,15})?$/;

function readCoordinates(found: Annotation | null, wrong: Wrong): unknown {
  if (found === null) return undefined;
  const parts = found.value.split(',').map((part) => part.trim());
  if (parts.length !== 2 || !parts.every((part) => DEGREES.test(part)))
    return wrong(found, 'is not a pair of coordinates; write latitude and longitude, such as 48.86,2.35');
  return { latitude: Number(parts[0]), longitude: Number(parts[1]) };
}
