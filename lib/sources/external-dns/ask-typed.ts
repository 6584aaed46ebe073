// Asks for the values of one record type, as its object writes them.
import { compareText } from '../../dns/names/compare-text.ts';
import { parseRdata, sortRdata } from '../../dns/rdata/rdata.ts';
import { valueTooLong } from '../../route53/record-set-limits.ts';
import { allowedTargets } from './allowed-targets.ts';
import type { Written } from './annotations.ts';
import { type Asking, askHttps, askTargets, askValues } from './ask.ts';
import type { Draft } from './draft.ts';
import { NO_TARGETS } from './targets.ts';

/** Adds the endpoint of one type. All of its values must be valid. */
export function askTyped(fqdn: string, type: string, targets: readonly Written[], path: string, asking: Asking): void {
  const { draft, options } = asking;
  const stated = readValues(type, targets, fqdn, draft);
  const values = stated === null ? null : allowedValues(fqdn, type, stated, asking);
  if (values === null) return;
  if (type === 'CNAME') {
    askTargets(fqdn, { ...NO_TARGETS, hosts: values.toSorted(compareText) }, asking);
  } else if (options.alias !== null && options.alias !== 'false') {
    draft.problem(`${path}: alias: only an A or AAAA with one host name, or a CNAME, can be aliased`, fqdn);
  } else {
    const inOrder = sortRdata(type, values);
    askValues(fqdn, type, inOrder, asking);
    if (type === 'A') askHttps(fqdn, { ...NO_TARGETS, ipv4: inOrder }, null, asking);
    if (type === 'AAAA') askHttps(fqdn, { ...NO_TARGETS, ipv6: inOrder }, null, asking);
  }
}

/** The values that are allowed as targets; null if there are some and none is. */
function allowedValues(fqdn: string, type: string, values: readonly string[], asking: Asking) {
  if (type === 'A') return allowedTargets(fqdn, { ...NO_TARGETS, ipv4: values }, asking)?.ipv4 ?? null;
  if (type === 'AAAA') return allowedTargets(fqdn, { ...NO_TARGETS, ipv6: values }, asking)?.ipv6 ?? null;
  return values;
}

/** Canonical values, each once; null if one is invalid. */
function readValues(type: string, targets: readonly Written[], fqdn: string, draft: Draft): readonly string[] | null {
  const values = new Set<string>();
  let whole = true;
  for (const { text, path } of targets) {
    const parsed = parseRdata(type, text);
    const tooLong = parsed.ok ? valueTooLong(type, parsed.rdata) : null;
    if (parsed.ok && tooLong === null) values.add(parsed.rdata);
    else {
      whole = false;
      const problems = parsed.ok ? [tooLong] : parsed.problems;
      for (const problem of problems) draft.problem(`${path}: ${problem}`, fqdn);
    }
  }
  return whole ? [...values] : null;
}
