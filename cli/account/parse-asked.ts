// What is asked for on the command line and in the API of the console in the same words: a name, a moment.
import { InvalidArgumentError } from 'commander';
import { NAME_OCTETS_MAX, nameOctets, parseName } from '../../lib/dns/names/name.ts';
import { inView, isViewName } from '../../lib/dns/names/view.ts';
import { parseRoute53Name } from '../../lib/route53/escapes.ts';

/**
 * Parses a DNS name; NAME@VIEW is a name of that view. Octal escapes, as Route 53 lists them, are allowed: a record set
 * may have a name that no object can ask for.
 */
export function parseDnsName(value: string): string {
  const [, named, view] = /^([^@]*[^@.])\.?@([^@]+)$/.exec(value) ?? [];
  if (named !== undefined && view !== undefined) return inView(parseDnsName(named), parseView(view));
  if (/\\[0-7]{3}/.test(value)) {
    const listed = parseRoute53Name(value);
    const isName = listed.split('.').every((label, index, all) => label !== '' || index === all.length - 1);
    if (isName && nameOctets(listed) <= NAME_OCTETS_MAX) return listed;
  }
  const parsed = parseName(value, { wildcard: true });
  if (!parsed.ok) throw new InvalidArgumentError(`${parsed.problems.join('; ')}.`);
  return parsed.name;
}

/** Parses the name of a view. */
export function parseView(value: string): string {
  if (isViewName(value)) return value;
  throw new InvalidArgumentError('Write the name of a view (an RFC 1123 label), such as public or internal.');
}

/** A moment: so long before now, or a time. */
export function parseMoment(value: string): (nowMs: number) => number {
  const [, amount, unit = ''] = /^(\d{1,6})([smhd])$/.exec(value) ?? [];
  if (amount !== undefined) {
    const ms = Number(amount) * ({ s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }[unit] ?? 0);
    return (nowMs) => nowMs - ms;
  }
  const instant = parseInstant(value);
  return () => instant;
}

/** A time, in milliseconds since the epoch. */
export function parseInstant(value: string): number {
  const shape = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;
  const instant = Date.parse(value.toUpperCase());
  // Date.parse reads 30 February as 2 March.
  const day = value.slice(0, 10);
  const isDay = !Number.isNaN(Date.parse(day)) && new Date(day).toISOString().startsWith(day);
  if (!shape.test(value) || Number.isNaN(instant) || !isDay)
    throw new InvalidArgumentError('Write a time such as 2026-01-31T12:00:00Z.');
  return instant;
}
