// Strangers in the account: they write record sets of their own, edit and delete ours, and delete and recreate hosted
// zones. They use a TTL that nobody else uses, so that the auditor recognizes what they wrote.
import type { RecordSetContent, RecordSetKey } from '../../lib/dns/record-set.ts';
import { recordSetItemKey } from '../../lib/record-sets/record-set-item.ts';
import { besideProblem } from '../fakes/beside-rules.ts';
import { noteTakeable } from './audit-takeover.ts';
import { APEX, KEPT, SUB_ZONE, VALUES_OF_A } from './names.ts';
import { textOf } from './record-set-texts.ts';
import { sawThat, tell, type World } from './world.ts';

/** Seconds. */
const STRANGER_TTL = 61;
/** What a Record of namespace a may want. */
const LIKELY: RecordSetContent = { kind: 'values', ttlSeconds: 360, values: VALUES_OF_A.slice(0, 1) };
const NAMES = [`w.${APEX}`, `w.${SUB_ZONE}`, SUB_ZONE];

/** One thing that a stranger does to a record set. */
export function strangerActs(world: World): void {
  const { random, route53, auditor } = world;
  const id = random.pick(['Z1', 'Z1', 'Z2']);
  const standing = route53.recordSets(id);
  const apex = standing.find(({ type }) => type === 'SOA')?.name;
  const name = random.pick(NAMES);
  if (apex === undefined || name === apex || name === KEPT) return;
  const here = standing.filter((set) => set.name === name);
  const [first] = here;
  world.needsSweep ??= 'a stranger';
  if (first !== undefined && random.chance(0.4)) {
    route53.edit(id, first, null);
    auditor.strangerWrote(id, first, null);
    tell(world, () => `stranger: deletes ${name} ${first.type} in ${id}`);
    sawThat(world, 'a stranger deleted');
    return;
  }
  const isEqual = world.config.takeover.equal && random.chance(0.7);
  const type = isEqual ? 'A' : random.pick(['A', 'TXT']);
  if (here.some((set) => set.type === 'CNAME')) return;
  const values = [type === 'A' ? random.pick(['203.0.113.1', '203.0.113.2']) : '"theirs"'];
  const theirs: RecordSetContent = { kind: 'values', ttlSeconds: STRANGER_TTL, values };
  const content = isEqual ? (wantedAt(world, id, { name, type, setIdentifier: null }) ?? LIKELY) : theirs;
  const set = { name, type, setIdentifier: null, content };
  const same = here.filter((one) => one.type === type);
  if (besideProblem(set, same) !== null) return;
  route53.edit(id, set, content);
  auditor.strangerWrote(id, set, content);
  noteTakeable(world, id);
  tell(world, () => `stranger: sets ${name} ${type} ${textOf(content)} in ${id}`);
  sawThat(world, 'a stranger wrote');
}

/** What the ledger says is wanted there; null: nothing. */
function wantedAt({ auditor }: World, id: string, key: RecordSetKey): RecordSetContent | null {
  const { partition, sort } = recordSetItemKey(id, key);
  return (auditor.shadow.items.get(`${partition} ${sort}`)?.desired ?? null) as RecordSetContent | null;
}

/** Deletes a hosted zone by hand, and sometimes creates it again, empty, under another id. */
export async function hostedZoneVanishes(world: World): Promise<void> {
  const { random, route53 } = world;
  const all = (await route53.port.list()).filter(({ name }) => name === APEX || name === SUB_ZONE);
  const gone = all.length > 0 && random.chance(0.6) ? random.pick(all) : null;
  world.needsSweep ??= 'a hosted zone vanished';
  if (gone !== null) {
    route53.removeHostedZone(gone.id);
    tell(world, () => `stranger: deletes hosted zone ${gone.id} ${gone.name}`);
    sawThat(world, 'a hosted zone was deleted by hand');
  }
  const left = await route53.port.list();
  const missing = [APEX, SUB_ZONE].filter((name) => !left.some((one) => one.name === name));
  if (missing.length === 0 || random.chance(0.3)) return;
  const name = random.pick(missing);
  world.hostedZonesMade += 1;
  const made = await route53.port.create(name, `hand${world.hostedZonesMade}`);
  tell(world, () => `stranger: makes hosted zone ${made.id} ${name}`);
  sawThat(world, 'a hosted zone was created again by hand');
}
