// Which cluster an event is of, where a deployment serves several: what the sender says. A sender shows the secret of
// that cluster, or IAM has let it send.
//
//   HTTP               /clusters/ID in the path
//   audit log of EKS   the name of the cluster in that of the log group
//   event of our bus   `cluster` in its detail
import { logGroupOf } from '../../events/cloudwatch-logs.ts';
import { at, textAt } from '../../lib/objects/plain.ts';
import { isHttp, pathOfCluster } from '../runtime/http-event.ts';

/** The id of the cluster that an event names; null: it names none. `eks`: the ids of clusters by their name in EKS. */
function clusterOfEvent(event: unknown, eks: ReadonlyMap<string, string>): string | null {
  if (isHttp(event)) return pathOfCluster(textAt(event, 'rawPath') ?? textAt(event, 'path') ?? '').cluster;
  if (at(event, 'awslogs') === undefined) return textAt(event, 'detail', 'cluster');
  const [, name = ''] = /^\/aws\/eks\/(.+)\/cluster$/.exec(logGroupOf(event) ?? '') ?? [];
  return eks.get(name) ?? null;
}

/** The handler of each event is that of its cluster. `other`: of an event of no cluster of the configuration. */
export function bySender<Result>(
  handlers: ReadonlyMap<string, (event: unknown) => Promise<Result>>,
  other: (event: unknown) => Promise<Result>,
  eks: ReadonlyMap<string, string> = new Map(),
): (event: unknown) => Promise<Result> {
  const [only = other, second] = handlers.values();
  return async (event) => {
    const cluster = clusterOfEvent(event, eks);
    // An only cluster needs no name.
    if (cluster === null) return second === undefined ? only(event) : other(event);
    return (handlers.get(cluster) ?? other)(event);
  };
}
