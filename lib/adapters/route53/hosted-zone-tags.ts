// Reads the tags of a hosted zone. They change seldom, so an answer is cached for a minute.
import { ListTagsForResourceCommand, type Route53Client } from '@aws-sdk/client-route-53';
import type { Clock } from '../../ports/clock.ts';

const GOOD_MS = 60_000;

/** Reads tags; null if no client may read them. */
export function hostedZoneTags(clients: readonly Route53Client[], clock: Clock) {
  const known = new Map<string, { readonly tags: Readonly<Record<string, string>> | null; readonly atMs: number }>();
  return async (id: string): Promise<Readonly<Record<string, string>> | null> => {
    const before = known.get(id);
    if (before !== undefined && clock.nowMs() - before.atMs < GOOD_MS) return before.tags;
    let tags: Readonly<Record<string, string>> | null = null;
    for (const client of clients) tags ??= await read(client, id);
    known.set(id, { tags, atMs: clock.nowMs() });
    return tags;
  };
}

async function read(client: Route53Client, id: string): Promise<Readonly<Record<string, string>> | null> {
  try {
    const answer = await client.send(new ListTagsForResourceCommand({ ResourceType: 'hostedzone', ResourceId: id }));
    const tags = answer.ResourceTagSet?.Tags ?? [];
    return Object.fromEntries(tags.map(({ Key = '', Value = '' }) => [Key, Value]));
  } catch {
    return null;
  }
}
