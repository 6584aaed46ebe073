// Counts what cannot be read of the cluster. One failed reading is tried again and means nothing; an alarm rings when
// they go on.
import type { Cluster } from '../../lib/ports/cluster.ts';
import type { Meter } from './meter.ts';

/** The cluster, with a metric for each reading that fails. */
export function countUnreadable(cluster: Cluster, meter: Meter): Cluster {
  const counting =
    <Asked extends readonly unknown[], Answer>(read: (...asked: Asked) => Promise<Answer>) =>
    (...asked: Asked): Promise<Answer> =>
      read(...asked).catch((error: unknown) => {
        meter('Unreadable', 1, { what: 'cluster' });
        throw error;
      });
  return {
    ...cluster,
    list: counting(cluster.list),
    listPage: counting(cluster.listPage),
    get: counting(cluster.get),
    ...(cluster.changes !== undefined && { changes: counting(cluster.changes) }),
  };
}
