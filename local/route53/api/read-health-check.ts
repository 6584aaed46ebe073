// The bodies of CreateHealthCheck and UpdateHealthCheck, by the schema and by the rules of the API reference on what
// each type needs. Source: API reference, HealthCheckConfig and UpdateHealthCheck. Last verified 2026-11-30.
import type { HealthCheckUpdate } from '../model/health-checks.ts';
import type { ConfigValue } from '../model/snapshot.ts';
import { invalidInput } from '../values/route53-error.ts';
import {
  readBoolean,
  readChildren,
  readList,
  readMatching,
  readOneOf,
  readText,
  readWithin,
  requiredChild,
} from './schema.ts';
import { readXml, type XmlElement } from './xml.ts';

const TYPES = [
  'HTTP',
  'HTTPS',
  'HTTP_STR_MATCH',
  'HTTPS_STR_MATCH',
  'TCP',
  'CALCULATED',
  'CLOUDWATCH_METRIC',
  'RECOVERY_CONTROL',
] as const;
/** Those whose endpoint Route 53 probes. */
const PROBING = new Set<string>(TYPES.slice(0, 5));
const REGIONS = [
  'us-east-1',
  'us-west-1',
  'us-west-2',
  'eu-west-1',
  'ap-southeast-1',
  'ap-southeast-2',
  'ap-northeast-1',
  'sa-east-1',
] as const;
const REGIONS_MIN = 3;
const RESETTABLE = ['FullyQualifiedDomainName', 'Regions', 'ResourcePath', 'ChildHealthChecks'] as const;
const STATUSES = ['Healthy', 'Unhealthy', 'LastKnownStatus'] as const;

const whole = (least: number, most: number) => (element: XmlElement) => String(readWithin(element, least, most));
const upTo = (most: number) => (element: XmlElement) => readText(element, 0, most);
const flag = (element: XmlElement) => String(readBoolean(element));

/** What can be changed later, too: each element's reader. */
const CHANGEABLE: Readonly<Record<string, (element: XmlElement) => ConfigValue>> = {
  IPAddress: (element) => readMatching(element, /^[0-9A-Fa-f.:]{2,45}$/),
  Port: whole(1, 65_535),
  ResourcePath: upTo(255),
  FullyQualifiedDomainName: upTo(255),
  SearchString: upTo(255),
  FailureThreshold: whole(1, 10),
  Inverted: flag,
  Disabled: flag,
  HealthThreshold: whole(0, 256),
  ChildHealthChecks: (element) => ({
    ChildHealthCheck: readList(element, 'ChildHealthCheck').map((one) => readText(one, 1, 64)),
  }),
  EnableSNI: flag,
  Regions: readRegions,
  AlarmIdentifier: (element) => {
    const fields = readChildren(element, ['Region', 'Name']);
    return {
      Region: readText(requiredChild(fields, 'Region'), 1, 64),
      Name: readText(requiredChild(fields, 'Name'), 1, 256),
    };
  },
  InsufficientDataHealthStatus: (element) => readOneOf(element, STATUSES),
};

/** What stays as it was created. */
const FIXED: Readonly<Record<string, (element: XmlElement) => ConfigValue>> = {
  RequestInterval: whole(10, 30),
  MeasureLatency: flag,
  RoutingControlArn: (element) => readText(element, 1, 255),
};

/** Reads a CreateHealthCheckRequest. */
export function readCreateHealthCheck(body: string): { callerReference: string; config: ConfigValue } {
  const fields = readChildren(readXml(body, 'CreateHealthCheckRequest'), ['CallerReference', 'HealthCheckConfig']);
  const element = requiredChild(fields, 'HealthCheckConfig');
  const given = readChildren(element, ['Type'], [...Object.keys(CHANGEABLE), ...Object.keys(FIXED)]);
  const type = readOneOf(requiredChild(given, 'Type'), TYPES);
  const config = { ...readKnown(element, { ...CHANGEABLE, ...FIXED }), Type: type };
  checkConfig(type, config);
  return { callerReference: readText(requiredChild(fields, 'CallerReference'), 1, 64), config };
}

/** Reads an UpdateHealthCheckRequest. An element that cannot be changed is one that the schema does not have. */
export function readUpdateHealthCheck(body: string): HealthCheckUpdate {
  const root = readXml(body, 'UpdateHealthCheckRequest');
  const fields = readChildren(root, [], ['HealthCheckVersion', 'ResetElements', ...Object.keys(CHANGEABLE)]);
  const version = fields.get('HealthCheckVersion');
  const reset = fields.get('ResetElements');
  return {
    version: version === undefined ? null : readWithin(version, 1, Number.MAX_SAFE_INTEGER),
    reset: reset === undefined ? [] : readList(reset, 'ResettableElementName').map((one) => readOneOf(one, RESETTABLE)),
    config: readKnown(root, CHANGEABLE),
  };
}

/** Throws InvalidInput for a configuration that lacks what its type needs, or that has what no other type may have. */
export function checkConfig(type: string, config: Readonly<Record<string, ConfigValue>>): void {
  const has = (name: string) => (config[name] ?? '') !== '';
  if (PROBING.has(type)) {
    if (!has('IPAddress') && !has('FullyQualifiedDomainName'))
      throw invalidInput('Either IPAddress or FullyQualifiedDomainName must be specified');
    if (type === 'TCP' && !has('Port')) throw invalidInput('Port must be specified for a health check of type TCP');
  } else if (has('IPAddress') || has('Port'))
    throw invalidInput(`IPAddress and Port must not be specified for a health check of type ${type}`);
  const isMatching = type.endsWith('_STR_MATCH');
  if (isMatching !== has('SearchString'))
    throw invalidInput(`SearchString must ${isMatching ? '' : 'not '}be specified for a health check of type ${type}`);
  if (type === 'TCP' && has('ResourcePath'))
    throw invalidInput('ResourcePath must not be specified for a health check of type TCP');
  if (has('RequestInterval') && !['10', '30'].includes(String(config.RequestInterval)))
    throw invalidInput('RequestInterval must be 10 or 30');
}

function readRegions(element: XmlElement): ConfigValue {
  const regions = readList(element, 'Region').map((one) => readOneOf(one, REGIONS));
  if (new Set(regions).size >= REGIONS_MIN) return { Region: regions };
  throw invalidInput(`At least ${REGIONS_MIN} regions must be specified`);
}

function readKnown(
  { children }: XmlElement,
  readers: Readonly<Record<string, (element: XmlElement) => ConfigValue>>,
): Record<string, ConfigValue> {
  return Object.fromEntries(
    children.flatMap((child) => {
      const value = readers[child.name]?.(child);
      return value === undefined ? [] : [[child.name, value] as const];
    }),
  );
}
