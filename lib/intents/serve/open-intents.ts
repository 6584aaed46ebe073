// Opens the intent API with everything that a write causes: zone53 publishes what it serves itself, and the rest
// becomes objects in the central cluster. The sweep does the same for all projects, so it finishes calls that were cut
// off.
import { whereReadable } from '../../ledger/skip-unreadable.ts';
import type { CentralCluster } from '../../ports/central-cluster.ts';
import type { Clock } from '../../ports/clock.ts';
import { inParallel } from '../../ports/in-parallel.ts';
import type { Ledger } from '../../ports/ledger.ts';
import type { Log } from '../../ports/log.ts';
import type { Hint } from '../../ports/queues.ts';
import { DNS_ENDPOINT } from '../../sources/external-dns/dns-endpoint.ts';
import type { Changed, IntentDeps } from '../http/deps.ts';
import type { RecordLimits } from '../model/record.ts';
import { isOurs } from '../state/apply-project.ts';
import { removeOrphans } from '../state/apps.ts';
import { follower } from '../state/follow.ts';
import { intentState } from '../state/intent-state.ts';
import { forgetRemovals, projectIn, projectsOf } from '../state/projects.ts';
import { publishingOf } from '../state/publishing.ts';
import { forgetGone, type MayBegin, serveApp, serveProject } from '../state/serve-project.ts';
import { hostedZoneInDirectory, ownPublishing, type RoleTrouble, type TagsOf } from './own-publishing.ts';
import { unobserved } from './unobserved.ts';

const DNS_ENDPOINT_KIND = { apiVersion: 'externaldns.k8s.io/v1alpha1', kind: DNS_ENDPOINT.kind };

/** How many projects are served together. */
const PROJECTS_AT_ONCE = 4;

export type IntentPorts = {
  readonly ledger: Ledger;
  readonly clusterId: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: RecordLimits;
  /** Null: there is no central cluster, so what only external-dns can publish is `Unsupported`. */
  readonly central: CentralCluster | null;
  readonly account: { readonly tagsOf: TagsOf; readonly roleTrouble: RoleTrouble };
  readonly hint: (hints: readonly Hint[]) => Promise<void>;
};

export type Intents = {
  readonly deps: IntentDeps;
  /** Does the work of all projects. An item that cannot be read affects only its own project. */
  sweep(): Promise<void>;
  /** Resolves when nothing is under way in the background. */
  idle(): Promise<void>;
};

/** The intents of one central cluster. `waits`: answers wait for it; otherwise its work is done in the background. */
export function openIntents(ports: IntentPorts, { waits }: { readonly waits: boolean }): Intents {
  const { ledger, clusterId, clock, log, limits, central } = ports;
  const { tagsOf, roleTrouble } = ports.account;
  const hostedZoneOf = hostedZoneInDirectory(ledger, clusterId, tagsOf);
  const state = intentState(clusterId, { ledger, clock, limits, hostedZoneOf });
  const background = central === null ? null : follower(state, central, log);
  const sendHints = async (objects: readonly string[]) => {
    const atMs = clock.nowMs();
    const hints = [...new Set(objects)].map((object): Hint => {
      const [namespace = '', name = ''] = object.split('/');
      return { kind: DNS_ENDPOINT.kind, namespace, name, atMs };
    });
    if (hints.length > 0) await ports.hint(hints);
  };
  const named = (project: string, objects: readonly string[]) => objects.map((name) => `${project}/${name}`);
  // If the central cluster does not take a DNSEndpoint, its row is an Error, and zone53 does not publish it either.
  const mayBegin =
    (project: string): MayBegin =>
    async (name) => {
      const found = (await central?.look({ ...DNS_ENDPOINT_KIND, namespace: project, name })) ?? null;
      if (found?.kind === 'present') return isOurs(found.existing);
      return found?.kind !== 'absent' || found.obstacle === null;
    };
  const servesProject = async (project: string) => {
    const changed = await serveProject(state, project, mayBegin(project));
    await sendHints([...named(project, changed), ...(await unobserved(ledger, clusterId, project))]);
  };
  /** A project that fails does not hold up the others. */
  const serveAll = async () => {
    const projects = await projectsOf(state);
    const errors: unknown[] = [];
    await inParallel(projects, PROJECTS_AT_ONCE, (project) =>
      whereReadable({ log }, () => servesProject(project)).catch((error: unknown) => errors.push(error)),
    );
    return { projects, errors };
  };
  const follow = async (changed: Changed) => {
    if (changed.kind === 'app') {
      const { project, app, objects } = changed;
      await sendHints(named(project, await serveApp(state, project, app, objects, mayBegin(project))));
    } else if (changed.kind === 'project') await servesProject(changed.project);
    const errors = changed.kind === 'cluster' ? (await serveAll()).errors : [];
    if (changed.kind === 'app') background?.askApp(changed);
    else background?.askProject(changed.kind === 'cluster' ? null : changed.project);
    if (waits) await background?.idle();
    if (errors.length > 0) throw errors[0];
  };
  return {
    deps: {
      state,
      statusOf: publishingOf(central, ownPublishing(ledger, clusterId, hostedZoneOf, roleTrouble)),
      follow,
    },
    sweep: async () => {
      await removeOrphans(state);
      await forgetGone(state);
      await forgetRemovals(state);
      const { projects, errors } = await serveAll();
      // A project that nothing is left of may have lost the hints of its last names.
      const lost = await unobserved(ledger, clusterId, null);
      await sendHints(lost.filter((object) => !projects.includes(projectIn(object))));
      background?.askProject(null);
      await background?.idle();
      if (errors.length > 0) throw errors[0];
    },
    idle: async () => background?.idle(),
  };
}
