// A TXT record set of external-dns that notes the owner of two record sets, a wildcard and the name that replaces it,
// in some of the seeds that may take over from it. Either may be wanted alone, so that one is taken over and the other
// stays with external-dns. It has a random stream of its own, so that seeds without it stay as they were.
import type { RecordSet } from '../../lib/dns/record-set.ts';
import { formatRef, type ObjectRef } from '../../lib/objects/object-ref.ts';
import type { ClusterObject } from '../../lib/ports/cluster.ts';
import { noteTakeable } from './audit-takeover.ts';
import { APEX, EXTERNAL_DNS } from './names.ts';
import { type Random, randomOf } from './random.ts';
import { textOf } from './record-set-texts.ts';
import { routedOf } from './routed-records.ts';
import { strangerSets } from './routed-strangers.ts';
import { sawThat, tell, type World } from './world.ts';

/** Names that nobody else asks for, so that only these two record sets are there. */
const [WILDCARD, REPLACEMENT] = [`*.shared.${APEX}`, `${EXTERNAL_DNS.wildcardReplacement}.shared.${APEX}`];
const TTL_SECONDS = 300;
const RECORDS: readonly (readonly [ObjectRef, object])[] = [
  [
    { kind: 'Record', namespace: 'a', name: 'shared-wildcard' },
    { domainName: WILDCARD, type: 'A', rdata: '192.0.2.9' },
  ],
  [
    { kind: 'Record', namespace: 'a', name: 'shared-replacement' },
    { domainName: REPLACEMENT, type: 'A', rdata: '192.0.2.8' },
  ],
];

/** Null for the seeds that have none. */
export function sharedTextsOf(seed: number): Random | null {
  const random = randomOf(Math.imul(seed, 86_028_121) + 23);
  return routedOf(seed)?.takesOver === true && random.chance(0.4) ? random : null;
}

/** Whatever else the root allows, it allows these. */
export function sharedRules({ sharedTexts }: World): object[] {
  return sharedTexts === null ? [] : [{ namespaces: ['a'], zones: [], records: [{ pattern: '*.shared' }] }];
}

/**
 * Perhaps external-dns writes both, or one of them again, and says so in one TXT record set; or somebody deletes one of
 * the two by hand, and leaves that.
 */
export function sharedTextsAct(world: World): void {
  const { sharedTexts: random } = world;
  if (random === null || !random.chance(0.04)) return;
  const values = (value: string) => ({ kind: 'values' as const, ttlSeconds: TTL_SECONDS, values: [value] });
  const sets: readonly RecordSet[] = [
    { name: WILDCARD, type: 'A', setIdentifier: null, content: values('203.0.113.1') },
    { name: REPLACEMENT, type: 'A', setIdentifier: null, content: values('203.0.113.2') },
  ];
  const said = `"heritage=external-dns,external-dns/owner=${EXTERNAL_DNS.ownerId},external-dns/resource=service/a/w"`;
  const text = {
    name: `${EXTERNAL_DNS.txtPrefix}${REPLACEMENT}`,
    type: 'TXT',
    setIdentifier: null,
    content: values(said),
  };
  const standing = world.route53.recordSets('Z1');
  if (standing.length === 0) return;
  world.needsSweep ??= 'external-dns wrote';
  const isTheirs = (set: RecordSet) =>
    standing.some((one) => one.name === set.name && textOf(one.content) === textOf(set.content));
  const theirs = sets.filter(isTheirs);
  if (theirs.length > 0 && random.chance(0.5)) {
    strangerSets(world, 'Z1', random.pick(theirs), null);
    noteTakeable(world, 'Z1');
    return;
  }
  const isOurs = ({ name, type }: RecordSet) => standing.some((set) => set.name === name && set.type === type);
  const missing = sets.filter((set) => !isOurs(set));
  if (missing.length === 0 || (missing.length === 1 && random.chance(0.8))) return;
  for (const set of [...missing, text]) strangerSets(world, 'Z1', set, set.content);
  if (missing.length === 2) sawThat(world, 'external-dns: one TXT record set for two record sets');
  noteTakeable(world, 'Z1');
}

/** A tenant writes or deletes one of the two Records. False where the seed has none, or it is not their turn. */
export function writesShared(
  world: World,
  hintAbout: (world: World, ref: ObjectRef, before: ClusterObject | null) => void,
): boolean {
  const { sharedTexts: random, cluster } = world;
  if (random === null || !random.chance(0.12)) return false;
  const [ref, spec] = random.pick(RECORDS);
  const before = cluster.find(ref);
  if (before === null) cluster.put(ref, { spec });
  else cluster.remove(ref);
  tell(world, () => `tenant: ${formatRef(ref)} ${before === null ? 'created' : 'deleted'}`);
  hintAbout(world, ref, before);
  return true;
}
