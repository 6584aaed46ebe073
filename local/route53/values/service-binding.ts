// SVCB and HTTPS values in presentation form (RFC 9460 §2.1): `priority target key=value …`. Alias mode (priority 0)
// takes no parameters. A key may appear once; `mandatory` may only name keys that are there; `no-default-alpn` needs
// `alpn`. The canonical form lists the parameters by key number, so that two spellings of one binding are equal.
import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { exactly, hostName, unsigned, ValueProblem } from './value-result.ts';

const KEYS = ['mandatory', 'alpn', 'no-default-alpn', 'port', 'ipv4hint', 'ech', 'ipv6hint', 'dohpath', 'ohttp'];

/** Checks an SVCB or HTTPS value and returns its canonical form. */
export function serviceBinding(fields: readonly string[], type: string): string {
  const [priorityText = '', targetText = ''] = exactly(fields.slice(0, 2), 2, type);
  const priority = unsigned(priorityText, 16, `${type}Priority`);
  const target = hostName(targetText, 'root');
  const params = new Map<number, string>();
  for (const field of fields.slice(2)) addParameter(params, field);
  if (priority === '0' && params.size > 0)
    throw new ValueProblem(`${type}AliasModeParameters (Alias mode takes no parameters)`);
  checkTogether(params);
  const sorted = [...params].sort(([a], [b]) => a - b).map(([key, value]) => `${key}=${value}`);
  return [priority, target, ...sorted].join(' ');
}

function addParameter(params: Map<number, string>, field: string): void {
  const at = field.indexOf('=');
  const name = at < 0 ? field : field.slice(0, at);
  const raw = at < 0 ? null : field.slice(at + 1);
  const key = keyNumber(name);
  if (params.has(key)) throw new ValueProblem(`SvcParamDuplicate (Parameter ${name} is given twice)`);
  params.set(key, parameterValue(key, name, raw === null ? null : unquote(raw)));
}

function keyNumber(name: string): number {
  const known = KEYS.indexOf(name);
  if (known >= 0) return known;
  const match = /^key(0|[1-9]\d{0,4})$/.exec(name);
  const number = match === null ? Number.NaN : Number(match[1]);
  if (!(number < 65_535)) throw new ValueProblem(`SvcParamKeyInvalid (Parameter ${name} is not known)`);
  return number;
}

function unquote(raw: string): string {
  if (!raw.startsWith('"')) {
    if (raw.includes('"')) throw new ValueProblem('SvcParamValueInvalid (Value has a quotation mark inside)');
    return raw;
  }
  if (!/^"(?:\\.|[^"\\])*"$/.test(raw))
    throw new ValueProblem('SvcParamValueInvalid (Value has an open quotation mark)');
  return raw.slice(1, -1);
}

function parameterValue(key: number, name: string, value: string | null): string {
  if (name === 'no-default-alpn' || name === 'ohttp') {
    if (value !== null && value !== '')
      throw new ValueProblem(`SvcParamValueInvalid (Parameter ${name} takes no value)`);
    return '';
  }
  if (key >= KEYS.length) return value ?? '';
  if (value === null || value === '') throw new ValueProblem(`SvcParamValueInvalid (Parameter ${name} needs a value)`);
  if (name === 'port') return unsigned(value, 16, 'SvcPort');
  if (name === 'ech' && !/^[A-Za-z0-9+/]+={0,2}$/.test(value)) throw invalid(name);
  if (name === 'ech' || name === 'dohpath') return value;
  return value
    .split(',')
    .map((item) => listItem(name, item))
    .join(',');
}

function listItem(name: string, item: string): string {
  if (item === '') throw invalid(name);
  if (name === 'ipv4hint' && !isIPv4(item)) throw invalid(name);
  if (name === 'ipv6hint') {
    if (!isIPv6(item) || item.includes('%')) throw invalid(name);
    return ipaddr.parse(item).toString();
  }
  return name === 'mandatory' ? String(keyNumber(item)) : item;
}

function checkTogether(params: ReadonlyMap<number, string>): void {
  const named = params.get(0)?.split(',') ?? [];
  const bad = named.find((key, at) => key === '0' || !params.has(Number(key)) || named.indexOf(key) !== at);
  if (bad !== undefined)
    throw new ValueProblem('SvcParamMandatoryInvalid (mandatory names a key that is not there, or twice)');
  if (params.has(2) && !params.has(1)) throw new ValueProblem('SvcParamValueInvalid (no-default-alpn needs alpn)');
}

function invalid(name: string): ValueProblem {
  return new ValueProblem(`SvcParamValueInvalid (Value of ${name} is not valid)`);
}
