// The first publish of 10,000 records: how many batches it takes, and how full they are. A batch is full at 1,000
// ResourceRecord elements or 32,000 characters, whichever comes first. The last batch holds what is left and the apex
// is sent alone, so neither of the two counts.
import type { RecordSetChange } from '../lib/dns/record-set.ts';
import type { HostedZones } from '../lib/ports/hosted-zones.ts';
import { publishWhole } from '../test/fakes/publish-whole.ts';
import { reconcileWorld, saveAll } from '../test/fakes/reconcile-world.ts';
import { atLeast, type BenchResult } from './result.ts';
import { rounded } from './statistics.ts';

const RECORDS = 10_000;
const ELEMENTS_MAX = 1_000;
const CHARACTERS_MAX = 32_000;
const FILL_MIN = 0.95;
const APEX = 'example.org.';

type Shape = { readonly name: string; readonly spec: (index: number) => object };

const SHAPES: readonly Shape[] = [
  { name: 'one A each', spec: (index) => ({ domainName: `r${index}.${APEX}`, type: 'A', rdata: '192.0.2.1' }) },
  {
    name: 'one to five A each',
    spec: (index) => ({ domainName: `r${sharedName(index)}.${APEX}`, type: 'A', rdata: `192.0.2.${index % 250}` }),
  },
  {
    name: 'long TXT each',
    spec: (index) => ({ domainName: `r${index}.${APEX}`, type: 'TXT', rdata: `"${'x'.repeat(20 + (index % 200))}"` }),
  },
];

/** 15 records share 5 names: 1, 2, 3, 4 and 5 of them. */
function sharedName(index: number): number {
  const within = [0, 1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 4][index % 15] ?? 0;
  return Math.floor(index / 15) * 5 + within;
}

/** Limit: batches are filled to 95 % on average. */
export async function benchFirstPublish(): Promise<BenchResult> {
  const rows = [];
  for (const { name, spec } of SHAPES) {
    const batches = await publishAll(spec);
    const fills = batches.map(fillOf);
    const whole = fills.slice(0, -1);
    rows.push({
      records: name,
      batches: batches.length,
      'mean fill': rounded(whole.reduce((sum, fill) => sum + fill, 0) / whole.length, 3),
      'least fill': rounded(Math.min(...whole), 3),
      last: rounded(fills.at(-1) ?? 0, 3),
    });
  }
  const limits = rows.map((row) => atLeast(`mean fill, ${row.records}`, row['mean fill'], FILL_MIN));
  return { name: `first-publish: ${RECORDS} records`, rows, limits };
}

async function publishAll(spec: (index: number) => object): Promise<(readonly RecordSetChange[])[]> {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: APEX }] });
  const delegations = [{ records: [{ pattern: '*' }] }];
  world.cluster.put({ kind: 'Zone', namespace: 'a', name: 'example-org' }, { domainName: APEX, delegations });
  for (let index = 0; index < RECORDS; index += 1) {
    world.cluster.put({ kind: 'Record', namespace: 'a', name: `r${index}` }, spec(index));
  }
  await saveAll(world);
  const batches: (readonly RecordSetChange[])[] = [];
  const hostedZones: HostedZones = {
    ...world.route53.port,
    change: async (id, changes, comment) => {
      if (changes.every(({ recordSet }) => recordSet.name !== APEX)) batches.push(changes);
      return world.route53.port.change(id, changes, comment);
    },
  };
  await publishWhole({ ...world.deps, hostedZones }, 'Z1');
  return batches;
}

function fillOf(changes: readonly RecordSetChange[]): number {
  let elements = 0;
  let characters = 0;
  for (const { action, recordSet } of changes) {
    const times = action === 'UPSERT' ? 2 : 1;
    const values = recordSet.content.kind === 'values' ? recordSet.content.values : [''];
    elements += times * values.length;
    characters += times * values.reduce((sum, value) => sum + value.length, 0);
  }
  return Math.max(elements / ELEMENTS_MAX, characters / CHARACTERS_MAX);
}
