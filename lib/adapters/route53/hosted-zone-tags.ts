// Reads the tags of a hosted zone. They change seldom, so an answer is cached for a minute.
import { ListTagsForResourceCommand, type Route53Client } from '@aws-sdk/client-route-53';
import type { Clock } from '../../ports/clock.ts';
import type { Config } from '../../ports/config.ts';
import type { AccountClients } from './account-clients.ts';

const GOOD_MS = 60_000;

/** Reads tags, each time in the account of the hosted zone; null if its client may not read them. */
export function hostedZoneTags(
  { hostedZones }: Pick<Config, 'hostedZones'>,
  own: Route53Client,
  clients: AccountClients,
  clock: Clock,
) {
  const accounts = new Map(hostedZones.map(({ id, account }) => [id, account]));
  const known = new Map<string, { readonly tags: Readonly<Record<string, string>> | null; readonly atMs: number }>();
  return async (id: string): Promise<Readonly<Record<string, string>> | null> => {
    const before = known.get(id);
    if (before !== undefined && clock.nowMs() - before.atMs < GOOD_MS) return before.tags;
    const account = accounts.get(id);
    const client = account === undefined ? own : clients.get(account);
    const tags = client === undefined ? null : await read(client, id);
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
