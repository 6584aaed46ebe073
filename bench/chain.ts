// What each hop of the deployed chain takes, from the admission request to the status in the object: single edits, one after the
// other, through the bundles under Lambda's runtime client (test/deployed/world.ts). moto, DynamoDB Local and our Route 53 stand
// in for AWS, on one machine, so these are times of our own code and of polling, not of AWS's network.

import { request } from 'node:https';
import {
  addressRecord,
  type DeployedWorld,
  logLines,
  stands,
  startDeployedWorld,
  ZONE,
} from '../test/deployed/world.ts';
import { apply } from '../test/engines/kubernetes/apply.ts';
import { atMost, type BenchResult } from './result.ts';
import { median } from './statistics.ts';

const EDITS = 30;
const EDITS_QUICK = 5;
const ROUTE53_MS_MAX = 300;
const STATUS_MS_MAX = 1_000;

const HOPS = [
  ['event → hints queued', 'hints queued'],
  ['→ reconciled', 'reconciled'],
  ['→ accepted by Route 53', 'a record set'],
  ['→ status reported', 'reported'],
] as const;

/** Half of the edits accepted by Route 53 within 300 ms of the request, and reported within a second, all engines on one machine. */
export async function benchChain({ quick }: { readonly quick: boolean }): Promise<BenchResult> {
  const world = await startDeployedWorld();
  try {
    world.url.open.add('admission');
    await apply(world.engine, [ZONE, addressRecord('www', '192.0.2.1')]);
    await stands(world, 'www', '192.0.2.1');
    const edits: Edit[] = [];
    for (let index = 0; index < (quick ? EDITS_QUICK : EDITS); index += 1) edits.push(await edit(world, index));
    const columns = HOPS.map(([, message]) => edits.flatMap((one) => one.atMs.get(message)?.toSorted()[0] ?? []));
    const rows = HOPS.map(([hop], at) => {
      const since = edits.flatMap(({ atMs, requestMs }) => {
        const done = atMs.get(HOPS[at]?.[1] ?? '')?.toSorted((a, b) => a - b)[0];
        return done === undefined ? [] : [done - requestMs];
      });
      return {
        hop,
        edits: since.length,
        'median ms since the request': Math.round(median(since)),
        'slowest ms': Math.round(Math.max(...since)),
      };
    });
    if (columns.some((times) => times.length === 0)) throw new Error('a hop has no line in the log');
    const [accepted, reported] = [rows[2], rows[3]].map((row) => Number(row?.['median ms since the request']));
    return {
      name: 'chain: each hop of one edit, as deployed, all on one machine',
      rows,
      limits: [
        atMost('median milliseconds from the request to Route 53', Number(accepted), ROUTE53_MS_MAX),
        atMost('median milliseconds from the request to the status', Number(reported), STATUS_MS_MAX),
      ],
    };
  } finally {
    await world.close();
  }
}

type Edit = { readonly requestMs: number; readonly atMs: ReadonlyMap<string, readonly number[]> };

/** The request itself, without the start of a kubectl. */
function patch({ engine }: DeployedWorld, rdata: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const { ca } = engine;
    const headers = { authorization: 'Bearer admin-token', 'content-type': 'application/merge-patch+json' };
    const path = '/apis/kubi.zone/v1alpha1/namespaces/default/records/www';
    const sent = request(new URL(path, engine.url), { method: 'PATCH', ca, headers, agent: false }, (response) => {
      response.resume();
      response.on('end', () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`Cannot edit the Record: the API server answers ${response.statusCode}`));
      });
    });
    sent.on('error', reject);
    sent.end(JSON.stringify({ spec: { rdata } }));
  });
}

/** Edits the Record and waits for its report; times by the log lines that carry the request's id. */
async function edit(world: DeployedWorld, index: number): Promise<Edit> {
  const value = `192.0.2.${(index % 250) + 2}`;
  const before = world.url.bodies.admission.length;
  const requestMs = Date.now();
  await patch(world, value);
  await stands(world, 'www', value);
  const uids = world.url.bodies.admission.slice(before).map((body) => JSON.parse(body).request.uid as string);
  const deadline = Date.now() + 30_000;
  for (;;) {
    const lines = logLines(world).filter((line) => uids.some((uid) => JSON.stringify(line).includes(uid)));
    const atMs = Map.groupBy(lines, ({ message }) => String(message));
    if (atMs.has('reported') || Date.now() > deadline) {
      const times = [...atMs].map(
        ([message, of]) => [message, of.map(({ timestamp }) => Date.parse(String(timestamp)))] as const,
      );
      return { requestMs, atMs: new Map(times) };
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
