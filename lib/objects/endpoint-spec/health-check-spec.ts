// A health check as an object asks for it, from an untrusted value: every problem at once, by the rules of Route 53.
// Source: API reference, HealthCheckConfig. Last verified 2026-11-30.

import { CHECKER_REGIONS, HEALTH_CHECK_PROTOCOLS, type HealthCheck } from '../../dns/health-check.ts';
import { readName } from '../../dns/names/name.ts';
import { isInNetwork, parseNetwork } from '../../dns/rdata/network.ts';
import { parseRdata } from '../../dns/rdata/rdata.ts';
import {
  describe,
  type Fields,
  isWhole,
  openFields,
  optional,
  optionalBoolean,
  requiredText,
  textList,
} from '../spec-fields.ts';

const FIELDS = [
  ...['protocol', 'host', 'port', 'path', 'searchString', 'interval', 'threshold', 'inverted', 'regions'],
  'measureLatency',
];
const CHARACTERS_MAX = 255;
const REGIONS_MIN = 3;
const PORTS = { HTTP: 80, HTTPS: 443, TCP: null } as const;
const INTERVALS = [10, 30];
const DEFAULTS = { path: '/', interval: 30, threshold: 3 };
/** Addresses that Route 53 does not check: they are not reached from the internet. */
const UNREACHED = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'],
  ...['224.0.0.0/3', '::/127', 'fc00::/7', 'fe80::/10', 'ff00::/8'],
].flatMap((text) => {
  const parsed = parseNetwork(text);
  return parsed.ok ? [parsed.network] : [];
});
/** No control characters: XML, which Route 53 speaks, cannot have them. */
const PLAIN = /^[^\p{Cc}\p{Cs}\ufffe\uffff]*$/u;

/** Parses a health check at `path`. Null where anything of it is wrong; `problems` then says what. */
export function parseHealthCheck(value: unknown, path: string, problems: string[]): HealthCheck | null {
  const before = problems.length;
  const fields = openFields(value, path, FIELDS, problems);
  if (fields === null) return null;
  const protocol = optional(
    fields,
    'protocol',
    isProtocol,
    HEALTH_CHECK_PROTOCOLS.join(', ').replace(/, (\w+)$/, ' or $1'),
  );
  if ((fields.values.protocol ?? null) === null) problems.push(`${path}.protocol is required`);
  const host = readCheckedHost(fields);
  const port =
    optional(fields, 'port', isWhole(1, 65_535), 'a whole number from 1 to 65535') ?? portOf(protocol, fields);
  const checked = readShortText(fields, 'path');
  if (checked !== null && !checked.startsWith('/'))
    problems.push(`${path}.path: expected a path that begins with "/", got ${describe(checked)}`);
  const searchString = readShortText(fields, 'searchString');
  if (protocol === 'TCP')
    for (const key of ['path', 'searchString'] as const)
      if ((fields.values[key] ?? null) !== null)
        problems.push(`${path}.${key}: a health check by TCP has none; remove it, or write protocol HTTP or HTTPS`);
  const isInterval = (one: unknown): one is number => INTERVALS.includes(one as number);
  const interval = optional(fields, 'interval', isInterval, '10 or 30');
  const threshold = optional(fields, 'threshold', isWhole(1, 10), 'a whole number from 1 to 10');
  const inverted = optionalBoolean(fields, 'inverted');
  const measureLatency = optionalBoolean(fields, 'measureLatency');
  const regions = readCheckerRegions(fields);
  if (problems.length > before || protocol === null || host === null || port === null) return null;
  return {
    ...{ protocol, host, port },
    ...(checked !== null && checked !== DEFAULTS.path && { path: checked }),
    ...(searchString !== null && { searchString }),
    ...(interval !== null && interval !== DEFAULTS.interval && { interval }),
    ...(threshold !== null && threshold !== DEFAULTS.threshold && { threshold }),
    ...(inverted === true && { inverted }),
    ...(regions.length > 0 && { regions }),
    ...(measureLatency === true && { measureLatency }),
  };
}

function isProtocol(value: unknown): value is HealthCheck['protocol'] {
  return HEALTH_CHECK_PROTOCOLS.some((one) => one === value);
}

function portOf(protocol: HealthCheck['protocol'] | null, { values, path, problems }: Fields): number | null {
  if ((values.port ?? null) !== null || protocol === null) return null;
  const port = PORTS[protocol];
  if (port === null) problems.push(`${path}.port is required for a health check by TCP`);
  return port;
}

function readShortText(fields: Fields, key: string): string | null {
  const isRight = (value: unknown): value is string =>
    typeof value === 'string' && value !== '' && value.length <= CHARACTERS_MAX && PLAIN.test(value);
  return optional(fields, key, isRight, `1 to ${CHARACTERS_MAX} characters, none of them a control character`);
}

function readCheckedHost(fields: Fields): string | null {
  const text = requiredText(fields, 'host');
  if (text === null) return null;
  const address = [parseRdata('A', text), parseRdata('AAAA', text)].find(({ ok }) => ok);
  if (address?.ok === true) {
    if (!UNREACHED.some((network) => isInNetwork(network, address.rdata))) return address.rdata;
    fields.problems.push(
      `${fields.path}.host: Route 53 checks from the internet, and cannot reach ${text}; write a public name or address`,
    );
    return null;
  }
  const name = readName(text);
  if (name.ok && name.name !== '.') return name.name.slice(0, -1);
  const why = name.ok ? 'it is the root' : name.problems.join('; ');
  fields.problems.push(`${fields.path}.host: expected a name or an address, got ${describe(text)}: ${why}`);
  return null;
}

function readCheckerRegions(fields: Fields): readonly string[] {
  const regions = [...new Set(textList(fields, 'regions'))].toSorted();
  const unknown = regions.filter((one) => !CHECKER_REGIONS.some((known) => known === one));
  if (unknown.length > 0)
    fields.problems.push(
      `${fields.path}.regions: Route 53 does not check from ${unknown.join(', ')}; write some of ${CHECKER_REGIONS.join(', ')}`,
    );
  else if (Array.isArray(fields.values.regions) && regions.length < REGIONS_MIN)
    fields.problems.push(
      `${fields.path}.regions: expected ${REGIONS_MIN} regions at least, got ${regions.length}; without the key, Route 53 chooses`,
    );
  return regions.length === CHECKER_REGIONS.length ? [] : regions;
}

/** The value of an annotation in the shape of `spec.routing.healthCheck`, not validated yet; null: it is neither. */
export function annotatedHealthCheck(text: string): unknown {
  if (!text.startsWith('{')) return addressed(text);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

/** What an address such as `https://host:443/path` says. */
function addressed(text: string): unknown {
  const [, protocol = '', bracketed, plain, port, path] =
    /^(https?|tcp):\/\/(?:\[([0-9a-f:.]+)\]|([^/:?#@[\]\s]+))(?::([0-9]{1,5}))?(\/[^\s#]*)?$/i.exec(text) ?? [];
  if (protocol === '') return null;
  return {
    protocol: protocol.toUpperCase(),
    host: bracketed ?? plain,
    ...(port !== undefined && { port: Number(port) }),
    ...(path !== undefined && path !== '/' && { path }),
  };
}
