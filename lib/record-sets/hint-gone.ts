// A hosted zone that turns out to be gone: what it held is published no more.
import { parseRef } from '../objects/object-ref.ts';
import type { Queues } from '../ports/cluster.ts';
import type { HostedZoneItem } from './record-set-item.ts';

/** Asks for its Zone to be placed anew, which tells everything below it too. */
export async function hintGone(queues: Queues, { zone }: Pick<HostedZoneItem, 'zone'>): Promise<void> {
  if (zone !== '') await queues.hint([parseRef(`Zone ${zone}`)]);
}
