// `zone53 apply` killed with SIGKILL at random moments, at most a few times in a row, and started again: it ends with
// Route 53 as the rules say. Against moto, behind a proxy that loses requests and answers, with the ledger in DynamoDB
// Local; and against our own strict Route 53 with the embedded ledger.
//
//   ZONE53_KILLS=200      kills in each suite; default 6
//   ZONE53_KILL_SEED=7    the seed; default 1. Moments are real time, so a seed repeats the edits and not the kills.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateHostedZoneCommand, ListResourceRecordSetsCommand, Route53Client } from '@aws-sdk/client-route-53';
import { expect, it } from 'vitest';
import { exitOfApply } from '../../cli/print/exit-code.ts';
import { isInvalid } from '../../cli/print/print-render.ts';
import { startRoute53 } from '../../local/route53/api/server.ts';
import { createRoute53State } from '../../local/route53/model/state.ts';
import { describeWithEngine, startDynamodbLocal, startMoto } from '../engines/engines.ts';
import { agesInFolder } from '../support/ages-in-folder.ts';
import { expectedRecordSets, type HostedZoneName, showRecordSet } from '../support/expected-record-sets.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { editedManifests } from '../support/manifest-edits.ts';
import { type Random, seededRandom } from '../support/seeded-random.ts';
import { appliedOf, type CommandPlace, type Ran, startZone53, zone53 } from '../support/zone53-command.ts';

const KILLS = Number(process.env.ZONE53_KILLS ?? 6);
const SEED = Number(process.env.ZONE53_KILL_SEED ?? 1);
/** The clock moves this far between two edits. That is longer than a lease, because a killed run leaves its lease. */
const STEP_MS = 300_000;
const STARTED_MS = Date.parse('2026-11-21T10:00:00Z');
/** How long the process runs on an idle machine; kills fall anywhere in that time. */
const APPLY_MS = 2_500;
/** How many applies may be needed after a kill, while requests and answers may still be lost. */
const APPLIES_MAX = 8;
const TEST_MS = 120_000 + KILLS * 20_000;

type Stage = {
  readonly place: CommandPlace;
  readonly route53: Route53Client;
  readonly hostedZones: readonly (HostedZoneName & { readonly id: string })[];
  /** The flags that name the ledger. */
  readonly ledger: readonly string[];
  readonly folder: string;
  readonly proxy: FaultProxy;
  /** `told` is called at each moment of the proxy. */
  readonly moments: { told: (moment: string) => void };
  readonly close: () => Promise<void>;
};

it('apply, killed against our own Route 53 with the ledger in a folder, ends right every time', {
  timeout: TEST_MS,
}, async () => {
  const state = createRoute53State({ clock: { nowMs: Date.now }, random: Math.random, processingMs: 20 });
  const server = await startRoute53({ state });
  const stage = await openStage(server.url, [], {});
  try {
    await killAgainAndAgain(stage, { fresh: false });
  } finally {
    await stage.close();
    await server.close();
  }
});

describeWithEngine(['moto', 'dynamodb-local'], 'killed against moto, the ledger in DynamoDB Local', () => {
  it('ends right every time', { timeout: TEST_MS }, async () => {
    const moto = await startMoto();
    const dynamodb = await startDynamodbLocal();
    const stage = await openStage(moto.url, ['--table', 'zone53-kill', '--create-table'], { dynamodb: dynamodb.url });
    try {
      await killAgainAndAgain(stage, { fresh: true });
    } finally {
      await stage.close();
      await Promise.all([moto.close(), dynamodb.close()]);
    }
  });
});

async function openStage(
  target: string,
  ledger: readonly string[],
  place: Pick<CommandPlace, 'dynamodb'>,
): Promise<Stage> {
  const folder = mkdtempSync(path.join(tmpdir(), 'zone53-kill-'));
  writeFileSync(path.join(folder, 'zone53.yaml'), 'guard: { deletesMax: 1000, deletesShareMax: 1 }\n');
  const moments: Stage['moments'] = { told: () => {} };
  const proxy = await startFaultProxy({
    target,
    seed: SEED,
    rate: 0.15,
    // moto would apply a late request a second time; Route 53 would not.
    weights: { requestLate: 0 },
    onMoment: (moment, operation) => moments.told(`${moment} ${operation}`),
  });
  const route53 = new Route53Client({
    endpoint: target,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  const hostedZones = [];
  for (const fqdn of ['example.org.', 'shop.example.org.']) {
    const answer = await route53.send(new CreateHostedZoneCommand({ Name: fqdn, CallerReference: fqdn }));
    const nameServers = answer.DelegationSet?.NameServers ?? [];
    hostedZones.push({ fqdn, id: answer.HostedZone?.Id ?? '', nameServers });
  }
  const close = async () => {
    route53.destroy();
    await proxy.close();
    rmSync(folder, { recursive: true });
  };
  return {
    place: { folder, route53: proxy.url, ...place },
    route53,
    hostedZones,
    ledger,
    folder,
    proxy,
    moments,
    close,
  };
}

async function killAgainAndAgain(stage: Stage, options: { readonly fresh: boolean }): Promise<void> {
  const { place, proxy, hostedZones, ledger } = stage;
  const random = seededRandom(SEED);
  const manifests = editedManifests(stage.folder, random, options);
  let nowMs = STARTED_MS;
  const argv = () => {
    nowMs += STEP_MS;
    const now = new Date(nowMs).toISOString();
    return ['apply', '-f', manifests.folder, '--yes', '-o', 'json', '--now', now, ...ledger];
  };
  let kills = 0;
  let before: RecordSetsByZone = new Map();
  const peaks: Peak[] = [];
  for (let edit = 0; kills < KILLS; edit += 1) {
    const trace = [edit === 0 ? 'start' : manifests.edit().join('; ')];
    const from = proxy.calls.length;
    let killed = true;
    while (killed && kills < KILLS && random.next() < 0.85) {
      const ran = await killAtRandom(stage, random, argv());
      killed = ran.code === null;
      if (killed) kills += 1;
      trace.push(ran.trace);
    }
    let last: Ran | null = null;
    manifests.mend();
    // Who came first is known once the ledger has it; from then on the kills may not change it.
    const stoodBefore = before;
    const expectNow = async () => {
      // `fresh` uses no name twice, so with the ledger in a table nobody competes.
      if (ledger.length > 0) return expectedRecordSets(manifests.valid, hostedZones);
      const ages = await agesInFolder(path.join(stage.folder, '.zone53'), stoodBefore, nowMs);
      return expectedRecordSets(manifests.aged(ages), hostedZones);
    };
    let expected = await expectNow();
    const notePeaks = () => {
      for (const [fqdn, sets] of expected)
        peaks.push({ fqdn, atMs: nowMs, count: new Set([...sets.keys(), ...(before.get(fqdn)?.keys() ?? [])]).size });
    };
    // As soon as a run begins, what this edit creates may exist together with what it deletes.
    notePeaks();
    for (let count = 0; count < APPLIES_MAX && codeOf(last) !== 0; count += 1) {
      if (count === APPLIES_MAX / 2) proxy.setRate(0);
      const isRefused = proxy.calls.slice(from).some(({ fault }) => fault === 'refused');
      expected = await expectNow();
      const digests = heldBy(last, expected, peaks, { nowMs, isRefused, told: trace.join('\n') });
      last = await zone53(place, [...argv(), ...digests.flatMap((digest) => ['--acknowledge', digest])]);
      trace.push(`exit ${last.code} ${last.err}`, ...outcomes(last));
    }
    proxy.setRate(0.15);
    const told = `after ${kills} kills:\n${trace.join('\n')}\n`;
    expect(codeOf(last), told).toBe(0);
    manifests.seen();
    expected = await expectNow();
    notePeaks();
    before = expected;
    expect(await standing(stage), told).toEqual(plain(expected));
    if (edit % 10 === 9) console.log(`${kills} kills, ${edit + 1} edits, right so far`);
    if (random.next() < 0.2) {
      const before = proxy.count('ChangeResourceRecordSets');
      const again = await zone53(place, argv());
      if (codeOf(again) === 0) expect(proxy.count('ChangeResourceRecordSets'), told).toBe(before);
    }
  }
  console.log(`${kills} kills, ${proxy.calls.length} calls of Route 53, ended right every time`);
  expect(kills).toBeGreaterThanOrEqual(KILLS);
}

/** The guard's reason for half: the deletes, and the record sets that existed, all of them or at a time. */
const MORE_THAN_HALF =
  /(\d+) (?:of (\d+) record sets? would be deleted|record sets? would be deleted .*? where at most (\d+) existed) .*?limit is half\./;

/** The exit code as if no object were invalid: an invalid object makes it 1, whatever happened to the others. */
function codeOf(ran: Ran | null): number | null {
  if (ran === null) return null;
  const output = ran.code === 1 ? appliedOf(ran) : null;
  return output?.records.some(isInvalid) === true ? exitOfApply(output, 'any') : ran.code;
}

type RecordSetsByZone = Awaited<ReturnType<typeof expectedRecordSets>>;
/** The highest number of record sets that a hosted zone may have had since the last success. */
type Peak = { readonly fqdn: string; readonly atMs: number; readonly count: number };

/**
 * The digests of the held deletes. Fails if the guard had no right to hold them. It has that right in a hosted zone
 * that had at least three record sets within the hour, if all would go (nothing is wanted there, or the proxy refused
 * what is wanted), or if more than half of three to nine would go. What a run of this edit held stays held, even if
 * that run was killed and fewer were deleted within the hour by now: then that run must have printed why.
 */
function heldBy(
  last: Ran | null,
  expected: RecordSetsByZone,
  peaks: readonly Peak[],
  { nowMs, isRefused, told }: { readonly nowMs: number; readonly isRefused: boolean; readonly told: string },
): string[] {
  if (last === null || codeOf(last) !== 3) return [];
  return (appliedOf(last)?.hostedZones ?? []).flatMap(({ id, name, held, heldDigest, reasons }) => {
    if (!held) return [];
    const recent = peaks.filter(({ fqdn, atMs }) => fqdn === name && atMs > nowMs - 3_600_000 - STEP_MS);
    expect(Math.max(...recent.map(({ count }) => count)), `${name}\n${told}`).toBeGreaterThanOrEqual(3);
    const printed = told.split('\n').filter((line) => line.includes(`hostedZoneId=${id}`));
    const halves = [reasons[0] ?? '', ...printed]
      .map((text) => MORE_THAN_HALF.exec(text))
      .filter((one) => one !== null);
    for (const [, total, of, most] of halves) {
      const base = Number(of ?? most);
      expect(base, `${name}\n${told}`).toBeGreaterThanOrEqual(3);
      expect(base, `${name}\n${told}`).toBeLessThan(10);
      expect(Number(total), `${name}\n${told}`).toBeGreaterThan(base / 2);
    }
    if (halves.length === 0 && !isRefused) expect(expected.get(name)?.size, `${name}\n${told}`).toBe(0);
    return heldDigest ?? [];
  });
}

/** Starts an apply and kills it: after some time, at a moment of a call, or shortly after such a moment. */
async function killAtRandom(
  { place, moments }: Stage,
  random: Random,
  argv: readonly string[],
): Promise<{ readonly code: number | null; readonly trace: string }> {
  const running = startZone53(place, argv);
  const kill = () => running.child.kill('SIGKILL');
  const ended = new AbortController();
  let how: string;
  if (random.next() < 0.3) {
    const afterMs = Math.floor(random.next() * APPLY_MS);
    how = `after ${afterMs} ms`;
    sleep(afterMs, null, { signal: ended.signal }).then(kill, () => {});
  } else {
    const moment = `${random.pick(['arrived', 'applied', 'applied', 'answered'])} ChangeResourceRecordSets`;
    const afterMs = random.pick([0, 0, 5, 20, 60, 150]);
    let left = 1 + random.below(3);
    how = `${afterMs} ms after the ${left}th ${moment}`;
    moments.told = (told) => {
      if (told !== moment) return;
      left -= 1;
      if (left > 0) return;
      if (afterMs === 0) kill();
      else sleep(afterMs, null, { signal: ended.signal }).then(kill, () => {});
    };
  }
  const ran = await running.ended;
  ended.abort();
  moments.told = () => {};
  return {
    code: ran.code,
    trace: `${ran.code === null ? 'killed' : `exit ${ran.code}, not killed`} ${how}: ${ran.err}`,
  };
}

function outcomes(ran: Ran): string[] {
  const changes = appliedOf(ran)?.hostedZones.flatMap((zone) => zone.changes) ?? [];
  return changes.map(
    ({ action, type, name, outcome, message }) => `  ${action} ${type} ${name} ${outcome}: ${message}`,
  );
}

async function standing({ route53, hostedZones }: Stage): Promise<Record<string, Record<string, string>>> {
  const zones: Record<string, Record<string, string>> = {};
  for (const { fqdn, id } of hostedZones) {
    const answer = await route53.send(new ListResourceRecordSetsCommand({ HostedZoneId: id }));
    expect(answer.IsTruncated).toBe(false);
    const found = answer.ResourceRecordSets ?? [];
    const own = found.filter(({ Name, Type }) => Name !== fqdn || (Type !== 'SOA' && Type !== 'NS'));
    const lines = own.map(({ Name, Type, TTL, ResourceRecords = [] }): [string, string] => {
      const values = ResourceRecords.map(({ Value }) => Value ?? '');
      return [`${Name?.replace('\\052', '*')} ${Type}`, showRecordSet(TTL, values)];
    });
    zones[fqdn] = Object.fromEntries(lines.toSorted());
  }
  return zones;
}

function plain(zones: Awaited<ReturnType<typeof expectedRecordSets>>): Record<string, Record<string, string>> {
  return Object.fromEntries([...zones].map(([name, sets]) => [name, Object.fromEntries([...sets].toSorted())]));
}
