// Invariant I6: within an hour, at most `deletesMax` record sets of one namespace, and as many of all others together,
// are deleted and not published again, and of three to nine record sets at most half by one namespace, unless somebody
// acknowledged. The publisher counts what it noted, the auditor what it saw. So the auditor takes the lowest and the
// highest number that may count as published, and reports a violation only if both exceed the limit.
import type { RecordSetKey } from '../../lib/dns/record-set.ts';
import type { Shadow } from './auditor.ts';
import { isDerived, standingKey } from './record-set-texts.ts';
import type { World } from './world.ts';

const HOUR_MS = 3_600_000;
/** The share of one half applies only from FEW_MIN to FEW_MAX record sets. */
const FEW_MIN = 3;
const FEW_MAX = 9;

/** Keys of the record sets in a hosted zone that we wrote and that the ledger has as published. */
export function knownAsOurs(shadow: Shadow, id: string): readonly string[] {
  const noted = new Set(notedKeys(shadow, id));
  return standingKeys(shadow, id).filter((key) => noted.has(key));
}

function standingKeys(shadow: Shadow, id: string): readonly string[] {
  const all = [...shadow.standing].filter(([key, { writer }]) => key.startsWith(`${id} `) && writer === 'us');
  return all.map(([key]) => key).filter((key) => !key.endsWith(' SOA') && !isDerived(key));
}

function notedKeys(shadow: Shadow, id: string): readonly string[] {
  const prefix = `recordsets#${id} `;
  return [...shadow.items]
    .filter(([at, { type, published }]) => at.startsWith(prefix) && type !== 'SOA' && published != null)
    .map(([, body]) => standingKey(id, body as unknown as RecordSetKey))
    .filter((key) => !isDerived(key));
}

/** The namespace of the first object for which the ledger has the record set as published, by its key; null: none. */
export function namespaceAt(shadow: Shadow, id: string, key: string): string | null {
  const prefix = `recordsets#${id} `;
  for (const [at, body] of shadow.items) {
    if (!at.startsWith(prefix) || standingKey(id, body as unknown as RecordSetKey) !== key) continue;
    const objects = [body.publishedObjects, body.objects] as readonly (readonly string[])[];
    const asking = objects.flatMap((some) => some.filter((one) => /^[A-Z]\w+ [^/]+\//.test(one)));
    return asking[0]?.split(' ')[1]?.split('/')[0] ?? null;
  }
  return null;
}

/** Call this after a batch with at least one delete. */
export function checkGuard({ auditor, time, swarm }: World, id: string): void {
  const { shadow } = auditor;
  if (shadow.acknowledged) return;
  const since = time.ms - HOUR_MS + 4 * 2_400;
  const deleted = shadow.deletions.filter((one) => one.id === id && one.atMs > since && !isDerived(one.key));
  const gone = new Set(deleted.map(({ key }) => key).filter((key) => shadow.standing.get(key)?.writer == null));
  const namespaceOf = new Map(deleted.map(({ key, namespace }) => [key, namespace]));
  const most = Math.max(
    0,
    ...[...Map.groupBy(gone, (key) => namespaceOf.get(key)).values()].map(({ length }) => length),
  );
  if (most > swarm.deletesMax || gone.size - most > swarm.deletesMax)
    auditor.fail(
      'I6',
      `${gone.size} record sets of ${id} were deleted within an hour, ${most} of them of one namespace, and deletesMax is ${swarm.deletesMax}: ${[...gone].join('; ')}`,
    );
  // The publisher may or may not have noticed what a stranger removed or changed since.
  const least = deleted.map(({ ours }) => {
    const isUntouched = (key: string) => (shadow.standing.get(key)?.strangerAtMs ?? 0) < (ours?.atMs ?? 0);
    return (ours?.keys ?? []).filter(isUntouched).length;
  });
  const lowest = Math.max(0, ...least);
  const within = shadow.deletions.filter((one) => one.id === id && one.atMs > time.ms - 2 * HOUR_MS);
  const ever = deleted.flatMap(({ ours }) => ours?.keys ?? []);
  const any = [...standingKeys(shadow, id), ...notedKeys(shadow, id), ...within.map(({ key }) => key), ...ever];
  const highest = new Set(any).size;
  if (lowest >= FEW_MIN && highest <= FEW_MAX && most > highest / 2)
    auditor.fail(
      'I6',
      `${most} of at most ${highest} record sets of ${id} were deleted within an hour by one namespace: ${[...gone].join('; ')}`,
    );
}
