// A tenant who writes any characters into the free texts of Records and Zones, in some seeds: line ends, control
// characters, halves of surrogate pairs, up to 253 characters, in names, references, values, annotations and labels. I0
// fails if a run ends in an error because of them, and Q1 to Q5 if anybody else waits. The tenant has a random stream
// of its own, so that seeds without it stay as they were.
import { formatRef, type ObjectRef } from '../../lib/objects/object-ref.ts';
import { APEX } from './names.ts';
import { type Random, randomOf } from './random.ts';
import { REGRESSIONS } from './regressions.ts';
import { sawThat, tell, type World } from './world.ts';

const OBJECTS: readonly ObjectRef[] = [
  { kind: 'Record', namespace: 'd', name: 'f1' },
  { kind: 'Record', namespace: 'd', name: 'f2' },
  { kind: 'Record', namespace: 'd', name: 'f3' },
  { kind: 'Zone', namespace: 'd', name: 'f4' },
];
const ODD = [
  '\n',
  '\r',
  '\u2028',
  '\u2029',
  '\u0085',
  '\0',
  '\u001b',
  ' ',
  '/',
  '!',
  '#',
  '*',
  '@',
  '"',
  '\\',
  '\ufeff',
];
const HALVES = ['\ud800', '\udfff'];

/** A delegation of the root for this tenant's names. */
const FREE_RULE = { namespaces: ['d'], zones: [], records: [{ pattern: 'free*' }] };

/** Null for the seeds that have none. */
export function freeTextsOf(seed: number): Random | null {
  const random = randomOf(Math.imul(seed, 86_028_121) + 11);
  return REGRESSIONS.some((one) => one.seed === seed) || !random.chance(0.1) ? null : random;
}

function character(random: Random): string {
  if (random.chance(0.6)) return random.pick(ODD);
  if (random.chance(0.2)) return random.pick(HALVES);
  return String.fromCodePoint(random.whole(0, random.pick([0xff, 0x2fff, 0x10ffff])));
}

/** A status shows 1,000 characters of a problem, which names a name twice, each of its characters as up to nine. */
const NAME_MAX = 30;

/** The text, mostly with an odd character in it; sometimes any 1 to `longest` characters. */
function bent(random: Random, text: string, longest = 253): string {
  if (random.chance(0.4)) return text;
  if (random.chance(0.1)) return Array.from({ length: random.whole(1, longest) }, () => character(random)).join('');
  const at = random.whole(0, text.length);
  return text.slice(0, at) + character(random) + text.slice(at);
}

function specOf(random: Random, { kind }: ObjectRef): object {
  const write = (text: string) => bent(random, text);
  const name = (text: string) => bent(random, text, NAME_MAX);
  const place = random.chance(0.5)
    ? { domainName: name(`free${random.whole(1, 2)}.${APEX}`) }
    : {
        domainName: name(`free${random.whole(1, 2)}`),
        zoneRef: { name: write('root'), ...(random.chance(0.8) ? { namespace: write('a') } : {}) },
      };
  if (kind === 'Zone') {
    const rule = {
      namespaces: [write('d')],
      zones: [name('*')],
      records: [{ pattern: name('*'), types: [write('A')] }],
    };
    return { ...place, delegations: [rule], ...(random.chance(0.1) ? { [write('ttl')]: 60 } : {}) };
  }
  const data = random.pick<object>([
    { type: 'TXT', rdata: write('free text') },
    { type: 'TXT', rdata: write('"in quotes"') },
    { type: write('A'), rdata: write('192.0.2.7') },
    { type: 'A', values: ['192.0.2.7', write('192.0.2.8')] },
    { type: 'CNAME', rdata: name('c.d.') },
    { type: 'A', alias: { target: name(`w.${APEX}`), hostedZoneId: write('Z1') } },
  ]);
  return { ...place, ...data, ...(random.chance(0.2) ? { class: write('IN') } : {}) };
}

/** The tenant writes or deletes an object. */
export function freeTextsAct(world: World): void {
  const { freeTexts: random, cluster, queues, time } = world;
  if (random === null || !random.chance(0.04)) return;
  const ref = random.pick(OBJECTS);
  const deletes = cluster.find(ref) !== null && random.chance(0.3);
  const texts = (key: string, value: string) =>
    random.chance(0.3) ? { [bent(random, key)]: bent(random, value) } : {};
  if (deletes) cluster.remove(ref);
  else
    cluster.put(ref, {
      spec: specOf(random, ref),
      annotations: texts('zone53.dev/acknowledge-plan', 'ab'.repeat(32)),
      labels: texts('kubi.zone/parent-zone', 'root.a'),
    });
  queues.send({ kind: 'hint', hint: ref }, time.ms + random.whole(0, 2_000), null);
  sawThat(world, `a tenant: ${deletes ? 'deleted' : 'wrote'} an object with free texts`);
  tell(world, () => `free texts: ${formatRef(ref)}: ${JSON.stringify(cluster.find(ref))}`);
}

export function freeRules({ freeTexts }: World): object[] {
  return freeTexts === null ? [] : [FREE_RULE];
}
