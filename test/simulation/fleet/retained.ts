// What stays in Route 53 of a cluster that was retired with `--retain`: it is foreign from then on, and nobody changes
// it (I1). At its names, nothing else is checked.
import type { RecordSet } from '../../../lib/dns/record-set.ts';
import { textOf } from '../record-set-texts.ts';
import { sawThat, type World } from '../world.ts';
import { isOfClaims } from './claims.ts';
import { type Fleet, HOSTED } from './world.ts';

function keyOf({ name, type, setIdentifier }: RecordSet): string {
  return [name, type, setIdentifier ?? ''].join(' ');
}

/** Notes what stands and is nobody's. */
export function keepRetained({ auditor, route53, ...world }: World, { retained }: Fleet): void {
  const published = new Set(
    [...auditor.shadow.items].flatMap(([key, { name, type, setIdentifier, published: has, intent }]) => {
      const isTheirs = key.startsWith('recordsets#') && (has !== null || intent !== null);
      return isTheirs ? [[name, type, setIdentifier ?? ''].join(' ')] : [];
    }),
  );
  for (const set of route53.recordSets(HOSTED).filter(isOfClaims))
    if (!published.has(keyOf(set))) retained.set(keyOf(set), { name: set.name, text: textOf(set.content) });
  if (retained.size > 0) sawThat({ auditor, route53, ...world }, 'several clusters: record sets were retained');
}

/** True for a name at which something was retained. */
export function isRetained({ retained }: Fleet, name: string): boolean {
  return [...retained.values()].some((one) => one.name === name);
}

/** Checks that all of it is there. */
export function checkRetained({ auditor, route53 }: World, { retained }: Fleet, when: string): void {
  const there = new Map(route53.recordSets(HOSTED).map((set) => [keyOf(set), textOf(set.content)]));
  for (const [key, { text }] of retained)
    if (there.get(key) !== text) auditor.fail('I1', `${when}: ${key}, which was retained, is ${there.get(key)}`);
}
