// What tenants write: the objects of the tiny world, and the specs that they may have, valid and not.
import type { ObjectRef } from '../../lib/objects/object-ref.ts';
import { freeRules } from './free-texts.ts';
import { HOSTILE_RULE } from './hostile.ts';
import { withLongName } from './long-names.ts';
import { movedName } from './moved-names.ts';
import { APEX, DEEP_ZONE, FORBIDDEN, REJECTED, SUB_ZONE, VALUES_OF_A, VALUES_OF_B } from './names.ts';
import { hasHttps } from './other-kinds.ts';
import { hasPointers } from './pointed-addresses.ts';
import { routedRules } from './routed-records.ts';
import { sharedRules } from './shared-texts.ts';
import type { World } from './world.ts';

export const KEPT_REF: ObjectRef = { kind: 'Record', namespace: 'a', name: 'kept' };
export const ROOT: ObjectRef = { kind: 'Zone', namespace: 'a', name: 'root' };
const ZONES: readonly ObjectRef[] = [
  ROOT,
  { kind: 'Zone', namespace: 'a', name: 'sub' },
  { kind: 'Zone', namespace: 'b', name: 'sub' },
];
export const RECORDS: readonly ObjectRef[] = [
  { kind: 'Record', namespace: 'a', name: 'r1' },
  { kind: 'Record', namespace: 'a', name: 'r2' },
  { kind: 'Record', namespace: 'b', name: 'r3' },
  { kind: 'Record', namespace: 'b', name: 'r4' },
];
const DEEP: ObjectRef = { kind: 'Zone', namespace: 'a', name: 'deep' };
export const TAKEOVER_ANNOTATION = 'zone53.dev/takeover';
export const ACKNOWLEDGE_ANNOTATION = 'zone53.dev/acknowledge-plan';
export const INVALID = [
  { domainName: 'w' },
  { domainName: '..', type: 'A', rdata: '1' },
  null,
  { domainName: 'w.e.', type: 'A' },
  { domainName: 'w.e.', type: 'A', values: ['192.0.2.1', 'x'] },
];

export const ALL = { zones: ['*'], records: [{ pattern: '*' }, { pattern: '@' }] };
export const KEEPS = { namespaces: ['a'], zones: [], records: [{ pattern: 'kept' }] };

/** One seed in this many has a root that delegates ACME challenges, except while its TTL is another. */
const ACME_EVERY = 4;

/**
 * Rules that every Zone has besides its own: they allow the moving names and the deepest Zone, so that the nearest Zone
 * always adopts them.
 */
export function movesOf({ movingZones }: World): object[] {
  return movingZones.map((zone) => ({
    namespaces: ['a'],
    zones: zone === DEEP_ZONE ? [DEEP_ZONE] : [],
    records: [{ pattern: movedName(zone) }],
  }));
}

export function hostileRules({ hostile }: World): object[] {
  return hostile === null ? [] : [HOSTILE_RULE];
}

function delegationsOf(world: World, root: boolean): object[] {
  const { random, swarm } = world;
  const rules = random.pick<object[]>([
    [ALL],
    [ALL],
    [{ ...ALL, namespaces: ['a'] }],
    [{ namespaces: ['b'], zones: [], records: [{ pattern: 'w', types: ['A'] }] }],
    [{ ...ALL, zones: [] }],
    [],
  ]);
  const allowed = swarm.denyB ? rules.map((rule) => ({ ...rule, namespaces: ['a'] })) : rules;
  const moves = movesOf(world);
  return root
    ? [
        KEEPS,
        ...routedRules(world),
        ...sharedRules(world),
        ...hostileRules(world),
        ...freeRules(world),
        ...moves,
        ...allowed,
      ]
    : [...moves, ...allowed];
}

export function zonesOf({ movingZones }: World): readonly ObjectRef[] {
  return movingZones.includes(DEEP_ZONE) ? [...ZONES, DEEP] : ZONES;
}

function zoneSpec(world: World, ref: ObjectRef): object {
  const { random } = world;
  const more = random.chance(0.2) ? { ttl: 60 } : {};
  if (ref === DEEP) {
    const domainName = random.pick([DEEP_ZONE, DEEP_ZONE, DEEP_ZONE, `x.${APEX}`]);
    return { domainName, delegations: delegationsOf(world, false), ...more };
  }
  if (ref.name === 'root') {
    const delegates = world.seed % ACME_EVERY === 0 && !('ttl' in more);
    const acme = delegates ? { acme: { delegateTo: 'acme.f.' } } : {};
    const ptr = hasPointers(world) && !('ttl' in more) ? { ptr: true } : {};
    const https = hasHttps(world) && !('ttl' in more) ? { https: {} } : {};
    return { domainName: APEX, delegations: delegationsOf(world, true), ...more, ...acme, ...https, ...ptr };
  }
  const name = random.pick<object>([
    { domainName: SUB_ZONE },
    { domainName: SUB_ZONE },
    { domainName: 's', zoneRef: { namespace: 'a', name: 'root' } },
    { domainName: 't', zoneRef: { namespace: 'a', name: ref.namespace === 'a' ? 'root' : 'sub' } },
    { domainName: FORBIDDEN },
    // In namespace a this Zone would become the root while the root is not known yet.
    { domainName: ref.namespace === 'a' ? FORBIDDEN : APEX },
  ]);
  return { ...name, delegations: delegationsOf(world, false), ...more };
}

function recordSpec(world: World, ref: ObjectRef): object {
  const { random, swarm } = world;
  const name = random.pick<object>([
    { domainName: `w.${APEX}` },
    { domainName: `w.${APEX}` },
    { domainName: `w.${SUB_ZONE}` },
    { domainName: 'w', zoneRef: { namespace: 'a', name: 'root' } },
    { domainName: 'w', zoneRef: { namespace: ref.namespace, name: 'sub' } },
    { domainName: 's', zoneRef: { namespace: 'a', name: 'root' } },
    { domainName: '@', zoneRef: { namespace: ref.namespace, name: 'sub' } },
  ]);
  const values = ref.namespace === 'a' ? VALUES_OF_A : VALUES_OF_B;
  const data = random.pick<object>([
    ...values.map((rdata) => ({ type: 'A', rdata })),
    ...values.map((rdata) => ({ type: 'A', rdata })),
    { type: 'A', values },
    { type: 'A', values: [random.pick(values), values[0], values[0]] },
    { type: 'CNAME', rdata: `c.${ref.namespace}.` },
    { type: 'TXT', rdata: swarm.rejects ? REJECTED : '"x"' },
    { type: 'NS', rdata: `w.${SUB_ZONE}` },
  ]);
  return { ...name, ...data, ...(random.chance(0.2) ? { ttl: 120 } : {}) };
}

export function specOf(world: World, ref: ObjectRef): object {
  return withLongName(world, ref.kind === 'Zone' ? zoneSpec(world, ref) : recordSpec(world, ref));
}
