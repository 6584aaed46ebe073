// Strangers at the names of aliases and routed record sets. They write simple or routed record sets and aliases, some
// with the content that is wanted there. An external-dns, ours or somebody else's, also writes the TXT records that
// note the owner. The account never has what Route 53 would refuse. Only in the seeds of routed-records.ts.
import { type RecordSet, type RecordSetContent, type RecordSetKey, recordSetId } from '../../lib/dns/record-set.ts';
import type { RoutingPolicy } from '../../lib/dns/routing-policy.ts';
import { besideProblem } from '../fakes/beside-rules.ts';
import { noteTakeable, textNamesOf } from './audit-takeover.ts';
import { APEX, EXTERNAL_DNS } from './names.ts';
import type { Random } from './random.ts';
import { standingKey, textOf } from './record-set-texts.ts';
import { ROUTED_NAMES } from './routed-records.ts';
import { sawThat, tell, type World } from './world.ts';

/** Seconds. */
const STRANGER_TTL = 61;
const LOAD_BALANCER = { hostedZoneId: 'Z32O12XQLNTSW2', dnsName: 'lb.eu-west-1.elb.amazonaws.com.' };
const POLICIES: readonly RoutingPolicy[] = [
  { kind: 'weight', weight: 1 },
  { kind: 'multivalue' },
  { kind: 'region', region: 'eu-west-1' },
  { kind: 'geolocation', geolocation: { country: '*' } },
];

/** Perhaps a stranger sets or deletes a record set, or a TXT record that says whose one is. */
export function routedStrangerActs(world: World): void {
  const { routed, route53 } = world;
  if (routed === null || !routed.strangers || !routed.random.chance(0.02)) return;
  const { random } = routed;
  const id = random.pick(['Z1', 'Z1', 'Z2']);
  const apex = route53.recordSets(id).find(({ type }) => type === 'SOA')?.name;
  const name = random.pick(ROUTED_NAMES);
  if (apex === undefined || !name.endsWith(`.${apex}`)) return;
  world.needsSweep ??= 'a stranger';
  const here = route53.recordSets(id).filter((set) => set.name === name && set.type === 'A');
  const found = here.length > 0 ? random.pick(here) : null;
  if (found !== null && random.chance(0.25)) {
    strangerSets(world, id, found, null);
    // external-dns deletes what says that it was its own, or somebody deletes by hand and leaves that.
    if (random.chance(0.7)) for (const text of textNamesOf(found)) strangerSets(world, id, textKey(text, found), null);
  } else if (found !== null && random.chance(0.4)) claim(world, id, found);
  else {
    const set = setAt(world, id, name, here);
    if (set !== null && strangerSets(world, id, set, set.content) && random.chance(0.6)) claim(world, id, set);
  }
  noteTakeable(world, id);
}

function textKey(name: string, { setIdentifier }: RecordSet) {
  return { name, type: 'TXT', setIdentifier };
}

/** A record set that may stand there: what somebody wants, or something else. Null: this time there is none. */
function setAt(world: World, id: string, name: string, here: readonly RecordSet[]): RecordSet | null {
  const { random } = (world.routed ?? world) as { random: Random };
  const wanted = [...world.auditor.shadow.items].flatMap(([key, body]) => {
    const set = { name, type: 'A', setIdentifier: body.setIdentifier as string | null };
    const isHere = key.startsWith(`recordsets#${id} `) && body.name === name && body.type === 'A';
    return isHere && body.desired !== null ? [{ ...set, content: body.desired as unknown as RecordSetContent }] : [];
  });
  const isRouted = random.chance(0.6);
  const routing = isRouted
    ? { routing: here[0]?.content.routing ?? { policy: random.pick(POLICIES), healthCheckId: null } }
    : {};
  const content: RecordSetContent = random.chance(0.4)
    ? { kind: 'alias', alias: { ...LOAD_BALANCER, evaluateTargetHealth: true }, ...routing }
    : { kind: 'values', ttlSeconds: STRANGER_TTL, values: [random.pick(['203.0.113.1', '203.0.113.2'])], ...routing };
  const own = { name, type: 'A', setIdentifier: isRouted ? random.pick(['x', 'y', 'theirs']) : null, content };
  return wanted.length > 0 && random.chance(0.5) ? random.pick(wanted) : own;
}

/** external-dns says that the record set is its own: in the new format, the old one, or both. */
function claim(world: World, id: string, set: RecordSet): void {
  const { random } = (world.routed ?? world) as { random: Random };
  const owner = random.pick([EXTERNAL_DNS.ownerId, EXTERNAL_DNS.ownerId, EXTERNAL_DNS.ownerId, 'other']);
  const said = `"heritage=external-dns,external-dns/owner=${owner},external-dns/resource=service/a/w"`;
  const value = random.chance(0.08) ? '"heritage=external-dns,damaged"' : said;
  const routing = set.content.routing === undefined ? {} : { routing: set.content.routing };
  const content: RecordSetContent = { kind: 'values', ttlSeconds: 300, values: [value], ...routing };
  const [newFormat = '', oldFormat = newFormat] = textNamesOf(set);
  for (const name of random.pick([[newFormat], [oldFormat], [newFormat, oldFormat]]))
    strangerSets(world, id, textKey(name, set), content);
}

/**
 * A stranger sets a record set, or with null deletes it; false where Route 53 would not have it, or somebody else's
 * content stays as it was.
 */
export function strangerSets(
  world: World,
  id: string,
  { name, type, setIdentifier }: RecordSetKey,
  content: RecordSetContent | null,
): boolean {
  const { route53, auditor } = world;
  const key = { name, type, setIdentifier };
  const here = route53.recordSets(id).filter((set) => set.name === name);
  const before = here.find((set) => recordSetId(set) === recordSetId(key));
  if (content === null ? before === undefined : textOf(before?.content) === textOf(content)) return false;
  if (content !== null) {
    const same = here.filter((set) => set.type === type);
    if (here.some((set) => set.type === 'CNAME') || besideProblem({ ...key, content }, same) !== null) return false;
    // An alias of a name of this hosted zone needs its target, as any other.
    if (content.kind === 'alias' && content.alias.dnsName.endsWith(`.${APEX}`)) return false;
  }
  route53.edit(id, key, content);
  auditor.strangerWrote(id, key, content);
  tell(world, () => `stranger: ${standingKey(id, key)} ${content === null ? 'deleted' : textOf(content)}`);
  sawThat(world, content === null ? 'a stranger deleted' : 'a stranger wrote beside routed record sets');
  return true;
}
