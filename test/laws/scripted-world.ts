// Small clusters and accounts that a script of random steps brings into all kinds of states: fresh, published,
// killed in the middle, changed by hand, half taken over, with held deletes. The same script always makes the same
// world.
import fc from 'fast-check';
import { applyCluster } from '../../lib/apply/apply-cluster.ts';
import type { RecordSetChange } from '../../lib/dns/record-set.ts';
import { ACKNOWLEDGE_ANNOTATION, TAKEOVER_ANNOTATION } from '../../lib/objects/annotations.ts';
import { parseRef } from '../../lib/objects/object-ref.ts';
import { guardLimitsOf } from '../../lib/ports/config.ts';
import type { HostedZones } from '../../lib/ports/hosted-zones.ts';
import { publish } from '../../lib/publish/run/publish-hosted-zone.ts';
import type { HostedZoneItem } from '../../lib/record-sets/hosted-zone-item.ts';
import { failing } from '../fakes/failing-world.ts';
import { planCluster } from '../fakes/plan-cluster.ts';
import { deliverHints, hintFor, type ReconcileWorld, reconcileWorld } from '../fakes/reconcile-world.ts';
import { REGISTRY } from '../fakes/takeover-world.ts';

/** The Records at a name, by kind. */
const RECORDS = {
  nothing: [],
  a: [{ type: 'A', rdata: '192.0.2.1' }],
  b: [{ type: 'A', rdata: '192.0.2.2' }],
  both: [
    { type: 'A', rdata: '192.0.2.1' },
    { type: 'AAAA', rdata: '2001:db8::1' },
  ],
  text: [
    { type: 'TXT', rdata: 'x' },
    { type: 'A', rdata: '192.0.2.1' },
  ],
  cname: [{ type: 'CNAME', rdata: 'x.example.' }],
  weighted: ['blue', 'green'].map((setIdentifier, at) => ({
    ...{ type: 'A', rdata: `192.0.2.${at}` },
    routing: { setIdentifier, weight: 1 },
  })),
  one: [{ type: 'A', rdata: '192.0.2.0', routing: { setIdentifier: 'blue', weight: 1 } }],
} as const;
type Kind = keyof typeof RECORDS;
const NAMES = ['a', 'b', 'c', 'd', 'w.s'] as const;
type Name = (typeof NAMES)[number];

/** What somebody else writes; the first is what the kind `a` wants. */
const THEIRS = {
  equal: ['A', '192.0.2.1', 300],
  other: ['A', '203.0.113.1', 60],
  cname: ['CNAME', 'theirs.example.', 60],
  text: ['TXT', '"theirs"', 60],
} as const;

export type Step =
  | { readonly does: 'declare'; readonly name: Name; readonly kind: Kind }
  | { readonly does: 'takeover' | 'sub-zone'; readonly on: boolean }
  /** Somebody writes a record set at a name, or deletes what is there. */
  | { readonly does: 'meddle'; readonly name: Name; readonly what: keyof typeof THEIRS | 'delete' }
  /** External-dns notes that it owns what is at a name. */
  | { readonly does: 'note'; readonly name: Name; readonly owner: 'prod' | 'other' }
  /** Route 53 refuses to create record sets at this name from now on; null: at none. */
  | { readonly does: 'refuse'; readonly name: Name | null }
  | { readonly does: 'wait'; readonly minutes: number }
  /** The digest of what is held becomes the Zone's annotation; or the annotation goes. */
  | { readonly does: 'annotate'; readonly on: boolean }
  /** Runs `apply`, which may die at a call of its ports. */
  | { readonly does: 'apply'; readonly acknowledges: boolean; readonly dies: Death | null }
  /** The running system reads everything that was declared, and publishes once; it may die. */
  | { readonly does: 'serve'; readonly dies: Death | null };
type Death = { readonly at: number; readonly after: boolean };

export type Script = {
  readonly isStrict: boolean;
  readonly hasRegistry: boolean;
  /** `takeover.equal`, for the namespace p. */
  readonly takesEqual: boolean;
  /** Whether somebody also changes by hand what zone53 published. Otherwise only where nothing stands. */
  readonly touchesOurs: boolean;
  readonly steps: readonly Step[];
};

export type ScriptedWorld = ReconcileWorld & {
  /** What Route 53 refuses now. */
  readonly refused: { name: string | null };
  /** The digest that the last run held, and that of the first namespace. */
  readonly held: { digest: string | null; first: string | null };
};

const anyName = fc.constantFrom(...NAMES);
const anyDeath = fc.option(fc.record({ at: fc.integer({ min: 1, max: 160 }), after: fc.boolean() }), { freq: 1 });
const kinds = Object.keys(RECORDS) as readonly Kind[];
const theirs = [...(Object.keys(THEIRS) as readonly (keyof typeof THEIRS)[]), 'delete'] as const;
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 14,
    arbitrary: fc.record({ does: fc.constant('declare'), name: anyName, kind: fc.constantFrom(...kinds) }),
  },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('declare'), name: anyName, kind: fc.constant('nothing') }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constantFrom('takeover', 'sub-zone'), on: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('meddle'), name: anyName, what: fc.constantFrom(...theirs) }) },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant('note'), name: anyName, owner: fc.constantFrom('prod', 'other') }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('refuse'), name: fc.option(anyName) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('wait'), minutes: fc.constantFrom(1, 16, 61) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('annotate'), on: fc.boolean() }) },
  { weight: 5, arbitrary: fc.record({ does: fc.constant('apply'), acknowledges: fc.boolean(), dies: anyDeath }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('serve'), dies: anyDeath }) },
);

export function anyScript(takesEqual: boolean): fc.Arbitrary<Script> {
  const steps = fc.array(anyStep, { minLength: 2, maxLength: 40, size: 'max' });
  const flags = { isStrict: fc.boolean(), hasRegistry: fc.boolean(), touchesOurs: fc.boolean() };
  return fc.record({ ...flags, steps }).map((script) => ({ ...script, takesEqual }));
}

/** The hosted zones of the account. */
export const HOSTED_ZONES = [
  { id: 'Z1', name: 'e.' },
  { id: 'Z2', name: 's.e.' },
];
const BOTH = { namespaces: ['p', 'q'], records: [{ pattern: '*' }] };
const ZONE = { domainName: 'e.', delegations: [{ zones: ['*'] }, BOTH], ttl: 300 };
const SUB_ZONE = { domainName: 's.e.', delegations: [BOTH], ttl: 300 };

/** The world after all steps of a script. */
export async function worldOf({
  isStrict,
  hasRegistry,
  takesEqual,
  touchesOurs,
  steps,
}: Script): Promise<ScriptedWorld> {
  const guard = isStrict ? { deletesMax: 2, deletesShareMax: 0.5 } : { deletesMax: 1_000, deletesShareMax: 1 };
  const takeover = { namespaces: takesEqual ? ['p'] : null, equal: takesEqual, externalDns: [] };
  const made = reconcileWorld({ hostedZones: HOSTED_ZONES, config: { soa: 'never', guard, takeover } });
  const refused: ScriptedWorld['refused'] = { name: null };
  const change: HostedZones['change'] = async (id, changes, ...rest) => {
    const problem = changes.find((one) => isRefused(refused.name, one));
    if (problem === undefined) return made.route53.port.change(id, changes, ...rest);
    const { name, type } = problem.recordSet;
    return { kind: 'refused', messages: [`Invalid Resource Record: RRSet with DNS name ${name}, type ${type} is odd`] };
  };
  const port = { ...made.route53.port, change };
  const externalDns = hasRegistry ? [REGISTRY] : [];
  const world: ScriptedWorld = {
    ...made,
    context: { ...made.context, account: { hostedZones: port, externalDns } },
    deps: {
      ...made.deps,
      hostedZones: port,
      config: { ...made.deps.config, guard: guardLimitsOf(made.context.config), externalDns },
    },
    refused,
    held: { digest: null, first: null },
  };
  world.cluster.put(parseRef('Zone p/e'), ZONE);
  for (const step of steps) await take(world, step, touchesOurs);
  return world;
}

function isRefused(name: string | null, { action, recordSet }: RecordSetChange): boolean {
  return action === 'CREATE' && name !== null && recordSet.name === `${name}.e.`;
}

async function take(world: ScriptedWorld, step: Step, touchesOurs: boolean): Promise<void> {
  const { cluster, route53 } = world;
  world.clock.ms += 1_000;
  switch (step.does) {
    case 'declare':
      for (const [at, ref] of refsAt(step.name).entries()) {
        const spec = RECORDS[step.kind][at];
        if (spec === undefined) cluster.remove(ref);
        else cluster.put(ref, { domainName: `${step.name}.e.`, ...spec });
      }
      return;
    case 'takeover':
      return annotate(world, TAKEOVER_ANNOTATION, step.on ? 'true' : null);
    case 'annotate':
      return annotate(world, ACKNOWLEDGE_ANNOTATION, step.on ? world.held.digest : null);
    case 'sub-zone':
      if (step.on) cluster.put(parseRef('Zone p/s'), SUB_ZONE);
      else cluster.remove(parseRef('Zone p/s'));
      return;
    case 'meddle': {
      const name = `${step.name}.e.`;
      const there = route53.recordSets('Z1').find((set) => set.name === name);
      if (there !== undefined && !touchesOurs) return;
      if (step.what === 'delete') {
        if (there !== undefined) route53.edit('Z1', there, null);
        return;
      }
      const [type, value, ttlSeconds] = THEIRS[step.what];
      const isBarred =
        there !== undefined && (there.type === 'CNAME' || type === 'CNAME' || there.setIdentifier !== null);
      // Route 53 allows no other record set beside a CNAME: somebody replaces it.
      if (isBarred) for (const set of route53.recordSets('Z1')) if (set.name === name) route53.edit('Z1', set, null);
      return route53.edit('Z1', { name, type, setIdentifier: null }, { kind: 'values', ttlSeconds, values: [value] });
    }
    case 'note': {
      const there = route53.recordSets('Z1').find((set) => set.name === `${step.name}.e.`);
      if (there === undefined) return;
      const name = `${there.type.toLowerCase()}-${step.name}.e.`;
      const value = `"heritage=external-dns,external-dns/owner=${step.owner},external-dns/resource=crd/t/w"`;
      const content = { kind: 'values', ttlSeconds: 300, values: [value] } as const;
      return route53.edit('Z1', { name, type: 'TXT', setIdentifier: null }, content);
    }
    case 'refuse':
      world.refused.name = step.name;
      return;
    case 'wait':
      world.clock.ms += step.minutes * 60_000;
      return;
    case 'apply':
      return mayDie(world, step.dies, (mortal) => applied(mortal, step.acknowledges));
    case 'serve':
      return mayDie(world, step.dies, serve);
    default:
      return step satisfies never;
  }
}

function annotate({ cluster }: ScriptedWorld, key: string, value: string | null): void {
  const ref = parseRef('Zone p/e');
  const { annotations = {} } = cluster.objects().find((one) => one.ref.kind === 'Zone' && one.ref.name === 'e') ?? {};
  const { [key]: _, ...others } = annotations;
  cluster.put(ref, ZONE, value === null ? others : { ...others, [key]: value });
}

async function mayDie(
  world: ScriptedWorld,
  death: Death | null,
  act: (world: ScriptedWorld) => Promise<unknown>,
): Promise<void> {
  if (death === null) await act(world);
  else
    await act({ ...world, ...mortal(world, death) }).catch((error: unknown) => {
      if (!String(error).includes('crash')) throw error;
    });
}

/** The world whose ledger, cluster and Route 53 fail from a call on. */
function mortal(world: ScriptedWorld, { at, after }: Death): ReconcileWorld {
  const dying = failing(world, at, after);
  let isDead = false;
  const { hostedZones } = world.context.account;
  const change: HostedZones['change'] = async (...args) => {
    // A call of the ledger fails when the run is dead; so does every later call of Route 53.
    isDead ||= await dying.ledger.get({ partition: 'none', sort: 'none' }).then(
      () => false,
      () => true,
    );
    if (!isDead || after) await Promise.resolve();
    if (isDead && !after) throw new Error('crash');
    const outcome = await hostedZones.change(...args);
    if (isDead) throw new Error('crash');
    return outcome;
  };
  const port = { ...hostedZones, change };
  return {
    ...dying,
    context: { ...dying.context, account: { ...world.context.account, hostedZones: port } },
    deps: { ...dying.deps, hostedZones: port },
  };
}

async function applied(world: ScriptedWorld, acknowledges: boolean): Promise<void> {
  const { first } = world.held;
  const acknowledged = acknowledges && first !== null ? [first] : [];
  const plan = await planCluster(world.context, { reads: true, acknowledged });
  const options = { acknowledged, reads: true, only: () => true, progress: () => {} };
  const { hostedZones } = await applyCluster(world.context, world.deps, plan, options);
  noteHeld(world, hostedZones.find(({ held }) => held !== null)?.held ?? null);
}

function noteHeld({ held }: ScriptedWorld, now: HostedZoneItem['held']): void {
  held.digest = now?.digest ?? null;
  held.first = now?.holds?.[0]?.digest ?? null;
}

async function serve(world: ScriptedWorld): Promise<void> {
  const refs = [...world.cluster.objects().map(({ ref }) => ref), ...NAMES.flatMap(refsAt)];
  world.queued.hints.push(...refs.map(hintFor));
  await deliverHints(world);
  const ids = [...world.queued.publish];
  world.queued.publish.clear();
  for (const id of ids) {
    const result = await publish(world.deps, id);
    if (result.kind === 'done' && result.held !== null) noteHeld(world, result.held);
  }
}

/** The Records at a name. Two namespaces publish, so that each has its own holds. */
function refsAt(name: Name) {
  const namespace = name === 'c' || name === 'd' ? 'q' : 'p';
  return [0, 1].map((at) => parseRef(`Record ${namespace}/${name.replace('.', '-')}-${at}`));
}
