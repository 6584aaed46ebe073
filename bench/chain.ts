// How long each hop of the deployed chain takes, from the admission request to the status of the object. Edits are made
// one after the other, through the bundles under Lambda's runtime client (test/deployed/world.ts). moto, DynamoDB Local
// and our Route 53 replace AWS on one machine, so the times are those of our code and of polling, not of AWS's
// network.

import { request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  addressRecord,
  type DeployedWorld,
  logLines,
  published,
  standing,
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
const WAIT_MS_MAX = 60_000;
/** Between two edits. */
const QUIET_MS = 3_000;

/** Each hop begins where the hop before it ends. */
const HOPS = [
  'event at ingest',
  '→ hint at reconcile',
  '→ hosted zone at publish',
  '→ accepted by Route 53',
  '→ status reported',
] as const;
type Hop = (typeof HOPS)[number];
/** Milliseconds from the request to each hop. */
type Edit = Readonly<Record<Hop, number>>;

/**
 * Limits: the median edit is accepted by Route 53 within 300 ms of the request and reported within a second, with all
 * engines on one machine.
 */
export async function benchChain({ quick }: { readonly quick: boolean }): Promise<BenchResult> {
  const world = await startDeployedWorld();
  try {
    world.url.open.add('admission');
    await apply(world.engine, [ZONE, addressRecord('www', '192.0.2.1')]);
    await stands(world, 'www', '192.0.2.1');
    await published(world, 'record/www');
    const edits: Edit[] = [];
    for (let index = 0; index < (quick ? EDITS_QUICK : EDITS); index += 1) edits.push(await edit(world, index));
    const medianOf = (hop: Hop) => median(edits.map((one) => one[hop]));
    return {
      name: 'chain: each hop of one edit, as deployed, all on one machine',
      rows: HOPS.map((hop) => ({
        hop,
        edits: edits.length,
        'median ms since the request': Math.round(medianOf(hop)),
        'slowest ms': Math.round(Math.max(...edits.map((one) => one[hop]))),
      })),
      limits: [
        atMost('median milliseconds from the request to Route 53', medianOf('→ accepted by Route 53'), ROUTE53_MS_MAX),
        atMost('median milliseconds from the request to the status', medianOf('→ status reported'), STATUS_MS_MAX),
      ],
    };
  } finally {
    await world.close();
  }
}

/** Sends the request directly, so that the start of a kubectl is not measured. */
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

/**
 * Edits the Record, and waits until Route 53 has the change and the status is reported. The content of Route 53 is read
 * from the double's memory every millisecond.
 */
async function edit(world: DeployedWorld, index: number): Promise<Edit> {
  const { ingest, reconcile, publish } = world.deployment.functions;
  const value = `192.0.2.${(index % 250) + 2}`;
  const before = world.url.bodies.admission.length;
  const requestMs = Date.now();
  const sent = patch(world, value);
  await until(() => standing(world, 'www') === value, 1);
  const acceptedMs = Date.now();
  await sent;
  const uids = world.url.bodies.admission.slice(before).map((body) => JSON.parse(body).request.uid as string);
  const reportedMs = () =>
    logLines(world)
      .filter(({ message }) => message === 'reported')
      .filter((line) => uids.some((uid) => JSON.stringify(line).includes(uid)))
      .map(({ timestamp }) => Date.parse(String(timestamp)))
      .find((atMs) => atMs >= acceptedMs);
  await until(() => reportedMs() !== undefined, 50);
  const sinceRequest = (atMs: number | undefined) => (atMs ?? Number.NaN) - requestMs;
  const firstSince = ({ begunMs }: { readonly begunMs: readonly number[] }) => begunMs.find((ms) => ms >= requestMs);
  // Without this pause, reports that are delayed by two seconds would fall into the time of the next edit.
  await sleep(QUIET_MS);
  return {
    'event at ingest': sinceRequest(firstSince(ingest)),
    '→ hint at reconcile': sinceRequest(firstSince(reconcile)),
    '→ hosted zone at publish': sinceRequest(firstSince(publish)),
    '→ accepted by Route 53': sinceRequest(acceptedMs),
    '→ status reported': sinceRequest(reportedMs()),
  };
}

async function until(isTrue: () => boolean, pauseMs: number): Promise<void> {
  const deadline = Date.now() + WAIT_MS_MAX;
  while (!isTrue()) {
    if (Date.now() > deadline)
      throw new Error(`An edit was not published and reported within ${WAIT_MS_MAX / 1_000} s`);
    await sleep(pauseMs);
  }
}
