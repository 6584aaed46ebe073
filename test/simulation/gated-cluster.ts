// The cluster as one function of a simulated world reads it, with faults: an older version, a short page, an empty
// list. Related objects are read without faults.
import type { Cluster } from '../../lib/ports/cluster.ts';
import { pageOf } from '../fakes/memory-cluster.ts';
import { crdState } from './crds.ts';
import { markOf } from './fleet/world.ts';
import type { Gate } from './gated-ports.ts';
import { relatedKind } from './related-objects.ts';
import { type FunctionRun, tell, type World } from './world.ts';

/** Objects of a page of the cluster: few, so that a sweep has several. */
const PAGE_OBJECTS = 2;

export function gatedCluster(world: World, run: FunctionRun, gate: Gate): Cluster {
  const { random, auditor, crds } = world;
  const { cluster, config } = run.member;
  const listing = (objects: ReturnType<typeof cluster.objects>) => ({
    objects,
    problems: [],
    unreadable: new Set<string>(),
  });
  return {
    clusterId: config.clusterId,
    list: () => gate('cluster', 'list', '', { effect: async () => listing(cluster.objects()) }),
    listPage: (kind, namespace, cursor, label = null) => {
      if (relatedKind(world, kind) !== null) {
        const has = ({ labels }: { readonly labels: Readonly<Record<string, string>> }) =>
          label === null || labels[label.key] === label.value;
        const some = () =>
          world.around
            .objects()
            .filter(
              (one) => one.ref.kind === kind && (namespace ?? one.ref.namespace) === one.ref.namespace && has(one),
            );
        return gate('cluster', 'listPage', `${kind} ${cursor ?? ''}`, {
          effect: async () => pageOf(some(), cursor, PAGE_OBJECTS),
        });
      }
      const page = (objects: ReturnType<typeof cluster.objects>) => {
        const asked = objects.filter(
          ({ ref }) => ref.kind === kind && (namespace === null || ref.namespace === namespace),
        );
        return pageOf(asked, cursor, PAGE_OBJECTS);
      };
      return gate('cluster', 'listPage', `${kind} ${cursor ?? ''}`, {
        effect: async () => page(cluster.objects()),
        odd: {
          empty: async () => page([]),
          short: async () => page(cluster.objects().filter(() => random.chance(0.5))),
          stale: async () => page(cluster.objectsStale(random)),
        },
      });
    },
    get: (ref) => {
      const observation = (object: ReturnType<typeof cluster.find>) =>
        object === null ? ({ kind: 'absent' } as const) : ({ kind: 'present', object } as const);
      const isRelated = relatedKind(world, ref.kind) !== null;
      return gate('cluster', 'get', `${ref.kind} ${ref.namespace}/${ref.name}`, {
        effect: async () => observation((isRelated ? world.around : cluster).find(ref)),
        odd: isRelated
          ? {}
          : {
              stale: async () => {
                world.needsSweep ??= 'a stale read';
                return observation(cluster.findStale(ref, random));
              },
            },
      });
    },
    ...(crds === null
      ? {}
      : { crd: (kind) => gate('cluster', 'crd', kind, { effect: async () => crdState(crds, kind) }) }),
    report: (ref, status) =>
      gate('cluster', 'report', `${ref.kind} ${ref.namespace}/${ref.name}`, {
        effect: async () => {
          auditor.reports(run, ref, status);
          const reported = cluster.report(ref, status);
          tell(
            world,
            () =>
              `   status of ${ref.kind} ${ref.namespace}/${ref.name}: ${status.conditions.map((one) => `${one.type}=${one.status} ${one.reason}`).join(', ')}`,
          );
          const hint = { kind: 'hint', hint: ref, ...markOf(world, run.member) } as const;
          if (reported && world.swarm.statusHints) world.queues.send(hint, world.time.ms, null);
        },
      }),
  };
}
