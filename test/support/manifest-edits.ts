// A folder of manifests that a seed edits, and a second folder with every object's last valid spec: what is published
// of the first must equal what `render` makes of the second. There is a root Zone, one with a hosted zone of its own,
// and one without. Names and values are few, so that old ones return; for moto, which fails when they return, none is
// used twice. A spec becomes invalid, or a file broken, only after an apply has seen the valid one.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Random } from './seeded-random.ts';

const VALUES: Readonly<Record<string, readonly string[]>> = {
  A: ['192.0.2.1', '192.0.2.2', '192.0.2.3'],
  AAAA: ['2001:db8::1', '2001:db8::2'],
  CNAME: ['one.example.net.', 'two.example.net.'],
  TXT: ['"x"', '"y"'],
};
const NAMES = ['www', 'api', '*.wild', 'a.b', 'new', 'old', 'x.lab', 'y.lab', 'x.shop', 'y.shop', 'shop', 'lab'];
/** Names where strangers have a record set of type A, and a CNAME. */
const TAKEN = ['taken'];
const OBJECTS_MAX = 14;

type Spec = { readonly name: string; readonly type: string; readonly rdata: string; readonly ttl: number | null };
type Item = {
  readonly file: string;
  readonly name: string;
  readonly namespace: string;
  spec: Spec;
  state: 'valid' | 'invalid' | 'broken';
  /** An apply has seen and noted its valid spec. */
  seen: boolean;
};

export type Manifests = {
  /** Makes one to three edits, and writes them. Returns them in words. */
  edit(): readonly string[];
  /** Repairs every file that does not parse. */
  mend(): void;
  /** Call this after an apply has noted the latest edit. */
  seen(): void;
  /** Writes every object by its last valid spec, as if it had been created then, and returns the folder. */
  aged(createdAt: (asking: Asking) => Date | null): string;
  readonly folder: string;
  /** Every object by its last valid spec. */
  readonly valid: string;
};

/** What an object asks for, and in which namespace. */
export type Asking = Pick<Spec, 'type' | 'rdata'> & { readonly namespace: string; readonly fqdn: string };

type World = {
  readonly root: string;
  readonly random: Random;
  readonly items: Item[];
  readonly fresh: boolean;
  /** The names to choose from. With `fresh`, no name is used twice. */
  readonly names: readonly string[];
  zoneTtl: number;
  teamB: boolean;
  made: number;
};

/**
 * Manifests below `root`. The Zones and three Records exist from the start. `taken`: also uses names where strangers
 * have record sets.
 */
export function editedManifests(
  root: string,
  random: Random,
  options: { readonly taken?: boolean; readonly fresh?: boolean } = {},
): Manifests {
  const names = options.taken === true ? [...NAMES, ...TAKEN] : NAMES;
  const world: World = {
    root,
    random,
    names,
    fresh: options.fresh === true,
    items: [],
    zoneTtl: 300,
    teamB: true,
    made: 0,
  };
  for (let count = 0; count < 3; count += 1) create(world);
  write(world);
  return {
    folder: path.join(root, 'manifests'),
    valid: path.join(root, 'valid'),
    edit: () => {
      const told = Array.from({ length: 1 + random.below(3) }, () => editOnce(world));
      write(world);
      return told;
    },
    mend: () => {
      for (const item of world.items) if (item.state === 'broken') item.state = 'valid';
      write(world);
    },
    aged: (createdAt) => {
      const target = path.join(root, 'aged');
      writeValid(world, target, ({ namespace, spec: { name, type, rdata } }) =>
        createdAt({ namespace, fqdn: `${name}.example.org.`, type, rdata }),
      );
      return target;
    },
    seen: () => {
      for (const item of world.items) if (item.state === 'valid') item.seen = true;
    },
  };
}

function anySpec(world: World): Spec {
  const { random, names, fresh } = world;
  world.made += 1;
  const name = fresh ? `n${world.made}${random.pick(['', '.lab', '.shop'])}` : random.pick(names);
  const types = TAKEN.includes(name) ? ['A', 'TXT'] : ['A', 'A', 'AAAA', 'CNAME', 'TXT'];
  // At the apex of a Zone a CNAME always conflicts, so none is drawn there.
  const type = random.pick(['shop', 'lab'].includes(name) ? ['A', 'TXT'] : types);
  return { name, type, rdata: anyRdata(world, type), ttl: random.pick([null, 60, 120]) };
}

function anyRdata(world: World, type: string): string {
  if (!world.fresh) return world.random.pick(VALUES[type] ?? []);
  world.made += 1;
  const octets = `${Math.floor(world.made / 250)}.${(world.made % 250) + 1}`;
  const values: Readonly<Record<string, string>> = {
    A: `10.0.${octets}`,
    AAAA: `2001:db8::1:${world.made}`,
    CNAME: `v${world.made}.example.net.`,
    TXT: `"${world.made}"`,
  };
  return values[type] ?? '';
}

function create(world: World): string {
  const { random, items } = world;
  world.made += 1;
  const number = String(random.below(90) + 10);
  const name = `r${world.made}`;
  const file = `${number}-${name}.yaml`;
  const namespace = random.pick(['team-a', 'team-b']);
  const spec = anySpec(world);
  items.push({ file, name, namespace, spec, state: 'valid', seen: false });
  return `create ${name} ${showSpec(spec)}`;
}

type Edit = (world: World) => string | null;

const EDITS: readonly Edit[] = [
  (world) => (world.items.length < OBJECTS_MAX ? create(world) : null),
  (world) => (world.items.length < OBJECTS_MAX ? create(world) : null),
  (world) => {
    const item = anyValid(world);
    if (item === null || world.items.length < 3) return null;
    world.items.splice(world.items.indexOf(item), 1);
    return `delete ${item.name} ${showSpec(item.spec)}`;
  },
  (world) => change(world, ({ type, ...spec }) => ({ ...spec, type, rdata: anyRdata(world, type) })),
  (world) => change(world, (spec) => ({ ...spec, ttl: world.random.pick([null, 60, 120, 180]) })),
  (world) => change(world, () => anySpec(world)),
  (world) =>
    change(world, (spec) => {
      if (['shop', 'lab', ...TAKEN].includes(spec.name)) return spec;
      const type = spec.type === 'CNAME' ? 'A' : 'CNAME';
      return { ...spec, type, rdata: anyRdata(world, type) };
    }),
  swap,
  swap,
  (world) => {
    const item = anyValid(world);
    if (item === null) return null;
    world.made += 1;
    const again = {
      ...item,
      name: `r${world.made}`,
      file: `${item.file.slice(0, 2)}-r${world.made}.yaml`,
      seen: false,
    };
    world.items.splice(world.items.indexOf(item), 1, again);
    return `delete ${item.name} and create ${again.name} with the same spec`;
  },
  (world) => {
    const item = anyValid(world);
    if (item?.seen !== true) return null;
    item.state = world.random.pick(['invalid', 'broken']);
    return `${item.state} ${item.name}`;
  },
  (world) => {
    const item = world.items.find(({ state }) => state !== 'valid');
    if (item === undefined) return null;
    item.state = 'valid';
    return `valid again ${item.name}`;
  },
  (world) => {
    world.zoneTtl = world.fresh ? world.zoneTtl + 1 : world.random.pick([240, 300, 360]);
    return `Zone ttl ${world.zoneTtl}`;
  },
  (world) => {
    if (world.fresh) return null;
    world.teamB = !world.teamB;
    return `team-b ${world.teamB ? 'may' : 'may not'}`;
  },
];

function editOnce(world: World): string {
  for (;;) {
    const told = world.random.pick(EDITS)(world);
    if (told !== null) return told;
  }
}

function anyValid({ items, random }: World): Item | null {
  const valid = items.filter(({ state }) => state === 'valid');
  return valid.length === 0 ? null : random.pick(valid);
}

function change(world: World, how: (spec: Spec) => Spec): string | null {
  const item = anyValid(world);
  if (item === null) return null;
  const before = item.spec;
  const after = how(before);
  item.spec = world.fresh ? { ...after, rdata: anyRdata(world, after.type) } : after;
  item.seen = false;
  return `change ${item.name} ${showSpec(before)} to ${showSpec(item.spec)}`;
}

function swap(world: World): string | null {
  const [one, other] = [anyValid(world), anyValid(world)];
  if (one === null || other === null || one.spec.name === other.spec.name) return null;
  if ([one, other].some(({ spec }) => ['shop', 'lab', ...TAKEN].includes(spec.name))) return null;
  [one.spec, other.spec] = [
    { ...one.spec, name: other.spec.name },
    { ...other.spec, name: one.spec.name },
  ];
  if (world.fresh)
    for (const item of [one, other]) item.spec = { ...item.spec, rdata: anyRdata(world, item.spec.type) };
  one.seen = false;
  other.seen = false;
  return `swap the names of ${one.name} and ${other.name}, now ${showSpec(one.spec)} and ${showSpec(other.spec)}`;
}

function showSpec({ name, type, rdata, ttl }: Spec): string {
  return `${name} ${ttl ?? 'default'} ${type} ${rdata}`;
}

function write(world: World): void {
  writeFolder(world, path.join(world.root, 'manifests'), recordOf);
  writeValid(world, path.join(world.root, 'valid'), () => null);
}

function writeValid(world: World, target: string, createdAt: (item: Item) => Date | null): void {
  writeFolder(world, target, (item) => {
    const created = createdAt(item);
    const text = recordOf({ ...item, state: 'valid' });
    return created === null ? text : text.replace(' }', `, creationTimestamp: "${created.toISOString()}" }`);
  });
}

function writeFolder(world: World, target: string, textOf: (item: Item) => string): void {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  writeFileSync(path.join(target, '00-zones.yaml'), zonesOf(world));
  for (const item of world.items) writeFileSync(path.join(target, item.file), textOf(item));
}

function zonesOf({ zoneTtl, teamB }: World): string {
  const namespaces = JSON.stringify(teamB ? ['platform', 'team-a', 'team-b'] : ['platform', 'team-a']);
  const rule = `[{ namespaces: ${namespaces}, zones: ["*"], records: [{ pattern: "*" }, { pattern: "@" }] }]`;
  const zone = (name: string, domain: string) => `apiVersion: kubi.zone/v1alpha1
kind: Zone
metadata: { name: ${name}, namespace: platform }
spec: { domainName: ${domain}, ttl: ${zoneTtl}, delegations: ${rule} }
`;
  const fixed = `apiVersion: kubi.zone/v1alpha1
kind: Record
metadata: { name: fixed, namespace: platform }
spec: { domainName: fixed.example.org., type: A, rdata: 192.0.2.99 }
`;
  return [zone('root', 'example.org.'), zone('shop', 'shop.example.org.'), zone('lab', 'lab.example.org.'), fixed].join(
    '---\n',
  );
}

function recordOf({ name, namespace, spec, state }: Item): string {
  if (state === 'broken') return 'kind: Record\nmetadata: { name: [\n';
  const rdata = state === 'invalid' ? 'not what it should be.' : spec.rdata;
  const type = state === 'invalid' ? 'A' : spec.type;
  return `apiVersion: kubi.zone/v1alpha1
kind: Record
metadata: { name: ${name}, namespace: ${namespace} }
spec:
  domainName: "${spec.name}.example.org."
  type: ${type}
  rdata: ${JSON.stringify(rdata)}
${spec.ttl === null ? '' : `  ttl: ${spec.ttl}\n`}`;
}
