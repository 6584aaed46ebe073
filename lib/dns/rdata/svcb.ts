// SVCB and HTTPS (RFC 9460 §2): a priority, a target, and parameters. Priority 0 makes it an alias, without parameters.
// The canonical form has the parameters in the order of their key numbers, as on the wire.
import { quote } from '../names/quote.ts';
import { splitTokens } from './character-string.ts';
import { joinFields, numberOctets, type ParsedRdata, readHost, readNumber } from './fields.ts';
import { formatParam, keyName, type Param, parseParam } from './svcb-params.ts';
import { KEYS } from './svcb-values.ts';

export function parseSvcb(text: string, problems: string[]): ParsedRdata | null {
  const tokens = splitTokens(text, problems);
  if (tokens === null) return null;
  const [priorityText, targetText, ...paramTexts] = tokens;
  if (priorityText === undefined || targetText === undefined) {
    problems.push('expected "<priority> <target> <params>", such as 1 . alpn="h3,h2"');
    return null;
  }
  const before = problems.length;
  const priority = readNumber(priorityText, 'priority', 2, problems);
  const target = readHost(targetText, 'target', true, problems);
  const parsed = paramTexts.map((param) => parseParam(param, problems));
  const params = parsed.filter((param) => param !== null).sort((a, b) => a.key - b.key);
  if (priority?.text === '0' && paramTexts.length > 0) {
    problems.push('priority 0 makes it an alias, which has no parameters (RFC 9460 §2.4.2)');
  }
  if (params.length === parsed.length) checkTogether(params, problems);
  if (problems.length > before) return null;
  return joinFields([
    priority,
    target,
    ...params.map((param) => ({ text: formatParam(param), octets: paramWire(param) })),
  ]);
}

/** Checks the rules between parameters (RFC 9460 §2.1, §7.1.1, §8). */
function checkTogether(params: readonly Param[], problems: string[]): void {
  const keys = params.map(({ key }) => key);
  const twice = new Set(keys.filter((key, index) => keys.indexOf(key) !== index));
  for (const key of twice) problems.push(`parameter ${keyName(key)} is given more than once`);
  if (keys.includes(KEYS.noDefaultAlpn) && !keys.includes(KEYS.alpn)) {
    problems.push('parameter no-default-alpn needs the parameter alpn');
  }
  const mandatory = params.find(({ key }) => key === KEYS.mandatory);
  if (mandatory === undefined) return;
  const buffer = Buffer.from(mandatory.value);
  for (let at = 0; at < buffer.length; at += 2) {
    const key = buffer.readUInt16BE(at);
    if (!keys.includes(key)) problems.push(`parameter mandatory lists ${quote(keyName(key))}, which is missing`);
  }
}

function paramWire({ key, value }: Param): Uint8Array {
  return Buffer.concat([numberOctets(key, 2), numberOctets(value.length, 2), value]);
}
