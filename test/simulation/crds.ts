// The CRD of Records is deleted and installed anew, once in some seeds. Kubernetes deletes all Records with it, and all
// but some of the tenants' are created again. I26: until an object of that name returns, or somebody acknowledges it,
// no record set is deleted that only such objects asked for. The event has a random stream of its own, so that seeds
// without it stay as they were.
import type { RecordSet } from '../../lib/dns/record-set.ts';
import { formatRef, parseRef } from '../../lib/objects/object-ref.ts';
import type { CrdState } from '../../lib/ports/cluster.ts';
import { type Random, randomOf } from './random.ts';
import { standingKey } from './record-set-texts.ts';
import { REGRESSIONS } from './regressions.ts';
import { RECORDS } from './tenant-specs.ts';
import { sawThat, tell, type World } from './world.ts';

const KIND = 'Record';
/** The deletion of a CRD takes a second at least, so all new objects are as young as the new CRD, or younger. */
const SECOND_MS = 1_000;

export type Crds = {
  readonly random: Random;
  /** When the present CRD was created; null: it is as old as the cluster. */
  sinceMs: number | null;
  /** The record sets that stood when the CRD went, with the objects that had asked for them. */
  readonly kept: Map<string, readonly string[]>;
};

/** Null for the seeds in which no CRD is deleted. */
export function crdsOf(seed: number): Crds | null {
  const random = randomOf(Math.imul(seed, 49_979_687) + 13);
  if (REGRESSIONS.some((one) => one.seed === seed) || !random.chance(0.15)) return null;
  return { random, sinceMs: null, kept: new Map() };
}

/** What the API server says of the CRD of a kind. */
export function crdState({ sinceMs }: Crds, kind: string): CrdState {
  if (kind !== KIND) return { kind: 'none' };
  return { kind: 'since', createdAt: new Date(sinceMs ?? 0).toISOString() };
}

/** Deletes the CRD and installs it anew, once. */
export function crdIsReplaced(world: World): void {
  const { crds, cluster, time } = world;
  if (crds === null || crds.sinceMs !== null || !crds.random.chance(0.01)) return;
  const { random } = crds;
  noteKept(world, crds);
  const gone = cluster.objects().filter(({ ref }) => ref.kind === KIND);
  time.ms += SECOND_MS;
  for (const { ref } of gone) cluster.remove(ref);
  time.ms += 2 * SECOND_MS;
  crds.sinceMs = time.ms - (time.ms % SECOND_MS);
  const mayStayAway = new Set(RECORDS.map(formatRef));
  for (const { ref, spec, annotations, labels } of gone) {
    const staysAway = mayStayAway.has(formatRef(ref)) && random.chance(0.5);
    if (!staysAway) cluster.put(ref, { spec, annotations, labels });
    world.queues.send({ kind: 'hint', hint: ref }, time.ms + random.whole(0, 5_000), null);
  }
  sawThat(world, 'the CRD of Records was installed anew');
  tell(world, () => `the CRD of Records is installed anew, since ${crds.sinceMs}`);
}

/** Notes which record sets stand as they are desired, and that Records which exist ask for them. */
function noteKept({ auditor: { shadow }, cluster, config }: World, { kept }: Crds): void {
  for (const [key, body] of shadow.items) {
    if (!key.startsWith('recordsets#')) continue;
    const id = key.slice('recordsets#'.length, key.indexOf(' '));
    const objects = body.objects as readonly string[];
    const isDone = body.intent == null && body.refusal == null && body.desired != null;
    const isPublished = JSON.stringify(body.desired) === JSON.stringify(body.published);
    // One that was edited since it was observed may ask for something else by now.
    const isThere = (one: string) => {
      const noted = shadow.items.get(`objects#${config.clusterId}#${one}`);
      const isSettled = noted?.unsettled === false && noted.generation === cluster.find(parseRef(one))?.generation;
      return one.startsWith(`${KIND} `) && isSettled;
    };
    if (isDone && isPublished && objects.length > 0 && objects.every(isThere))
      kept.set(standingKey(id, body as unknown as Pick<RecordSet, 'name' | 'type' | 'setIdentifier'>), objects);
  }
}

/** Checks that a deleted record set is none that was kept. */
export function checkKept({ crds, auditor, cluster }: World, key: string): void {
  const objects = crds?.kept.get(key);
  if (crds?.sinceMs == null || objects === undefined || auditor.shadow.acknowledged) return;
  const sinceMs = crds.sinceMs;
  const hasReturned = (one: string) =>
    cluster.history.get(one)?.some(({ atMs, object }) => object !== null && atMs >= sinceMs) === true;
  if (objects.some(hasReturned)) return;
  auditor.fail('I26', `${key} was deleted, whose objects went together with their CRD: ${objects.join(', ')}`);
}
