// The problems that parseRdata finds, for tables: only the details, after checking the beginning that all messages
// share.
import { quote } from '../../lib/dns/names/quote.ts';
import { parseRdata } from '../../lib/dns/rdata/rdata.ts';

/** The details of every problem, without `Cannot parse <type> rdata "<text>": `; empty when the rdata is valid. */
export function rdataProblems(type: string, text: string): string[] {
  const parsed = parseRdata(type, text);
  if (parsed.ok) return [];
  const beginning = `Cannot parse ${type} rdata ${quote(text)}: `;
  return parsed.problems.map((problem) => {
    if (!problem.startsWith(beginning)) throw new Error(`${problem} does not begin with ${beginning}`);
    return problem.slice(beginning.length);
  });
}

/** The canonical rdata, or the problems. */
export function canonicalRdata(type: string, text: string): string | readonly string[] {
  const parsed = parseRdata(type, text);
  return parsed.ok ? parsed.rdata : parsed.problems;
}
