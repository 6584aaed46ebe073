// `Propagated` against Route 53 whose name servers are late, asked by dig. A status that says Resolved must be true for
// the unluckiest resolver: one that asked right before the name servers had a change, and kept the old answer for its
// TTL. So the DNS server here answers with what Route 53 had so long ago. The clock is the test's own.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { localRoute53Client } from '../../lib/adapters/route53/route53-client.ts';
import { route53HostedZones } from '../../lib/adapters/route53/route53-hosted-zones.ts';
import { publish } from '../../lib/publish/run/publish-hosted-zone.ts';
import { followChange } from '../../lib/record-sets/follow-change.ts';
import { startDns } from '../../local/dns/server.ts';
import { startRoute53 } from '../../local/route53/api/server.ts';
import { createRoute53State } from '../../local/route53/model/state.ts';
import { describeWithEngine } from '../engines/engines.ts';
import { a, apply, zone } from '../fakes/reconcile-steps.ts';
import { deliverReports, type ReconcileWorld, reconcileWorld } from '../fakes/reconcile-world.ts';
import { fixedRandom } from '../fakes/route53-account.ts';

const run = promisify(execFile);
const RECORDS = 20;
/** Edits of all records together, for each delay: 1,000 changes of record sets in all. */
const CHANGES = 250;
const TTL_SECONDS = 60;
const NAMES = Array.from({ length: RECORDS }, (_, at) => `r${at}.e.`);

/** A world over our own Route 53, whose name servers have each change after `delayMs`. */
async function lateWorld(delayMs: number) {
  const world = reconcileWorld({ config: { soa: 'never' } });
  const { clock } = world;
  const nowMs = () => clock.ms;
  const state = createRoute53State({ clock: { nowMs }, random: fixedRandom(), insyncDelayMs: delayMs });
  const { zone: made } = state.createHostedZone({ name: 'e.', callerReference: 'e', comment: null, vpc: null });
  const had = [{ atMs: clock.ms, zones: state.zones() }];
  state.onChange(() => had.push({ atMs: clock.ms, zones: state.zones() }));
  const lateMs = delayMs + TTL_SECONDS * 1_000;
  const dns = await startDns({
    zones: () => (had.findLast(({ atMs }) => atMs + lateMs <= clock.ms) ?? had[0])?.zones ?? [],
  });
  const route53 = await startRoute53({ state, limits: null });
  const client = localRoute53Client(route53.url);
  onTestFinished(async () => {
    client.destroy();
    await Promise.all([dns.close(), route53.close()]);
  });
  const hostedZones = route53HostedZones(client, { take: async () => {} });
  /** What a resolver may answer now, by name. */
  const answers = async (names: readonly string[]): Promise<ReadonlyMap<string, string>> => {
    dns.reload();
    const options = ['@127.0.0.1', '-p', String(dns.port), '+norecurse', '+noall', '+answer'];
    const { stdout } = await run('dig', [...options, ...names]);
    const lines = stdout.split('\n').filter((line) => line !== '' && !line.startsWith(';'));
    return new Map(
      lines.map((line) => line.split(/\s+/)).map(([name = '', , , , address = '']) => [name, address] as const),
    );
  };
  const over: ReconcileWorld = {
    ...world,
    context: { ...world.context, account: { hostedZones } },
    deps: { ...world.deps, hostedZones },
  };
  return { ...over, hostedZoneId: made.id, answers };
}

describeWithEngine('dig', 'Propagated while the name servers are late', () => {
  it.each([0, 3_000, 47_000, 400_000])('is never True too early, if they take %i ms', async (delayMs) => {
    const world = await lateWorld(delayMs);
    const { cluster, clock, queued, context, hostedZoneId } = world;
    const random = fixedRandom(delayMs + 1);
    const wanted = new Map(NAMES.map((name, at) => [name, `192.0.2.${at}`]));
    const messages: { dueMs: number; change: (typeof queued.follows)[number]['change'] }[] = [];
    let [early, old, right, changes] = [0, 0, 0, 0];

    const settle = async () => {
      while (queued.publish.delete(hostedZoneId)) await publish(world.deps, hostedZoneId);
      await deliverReports(world);
      for (const { change, delaySeconds } of queued.follows.splice(0))
        messages.push({ change, dueMs: clock.ms + delaySeconds * 1_000 });
      messages.sort((one, other) => one.dueMs - other.dueMs);
    };
    const edit = async (names: readonly string[]) => {
      const spec = (name: string) => a(name, { rdata: wanted.get(name) ?? '', ttl: TTL_SECONDS });
      await apply(world, Object.fromEntries(names.map((name) => [`Record a/${name.slice(0, -3)}`, spec(name)])));
      await settle();
    };
    const deliver = async () => {
      const [next] = messages.splice(0, 1);
      if (next === undefined) return;
      clock.ms = Math.max(clock.ms, next.dueMs);
      await followChange(context, next.change);
      await settle();
    };
    /** Asks for every name, and compares the answers with what its status says. */
    const look = async () => {
      const answered = await world.answers(NAMES);
      for (const name of NAMES) {
        const { generation } =
          cluster.objects().find(({ spec }) => Reflect.get(Object(spec), 'domainName') === name) ?? {};
        const said = cluster.statuses
          .get(`Record a/${name.slice(0, -3)}`)
          ?.conditions.find(({ type }) => type === 'Propagated');
        const isNew = answered.get(name) === wanted.get(name);
        const isTrue = said?.status === 'True' && said.observedGeneration === generation;
        if (isTrue && isNew) right += 1;
        if (isTrue && !isNew) early += 1;
        if (!isTrue && !isNew) old += 1;
      }
    };

    await apply(world, { 'Zone a/e': zone('e.') });
    await edit(NAMES);
    while (messages.length > 0) await deliver();
    clock.ms += 86_400_000;
    while (changes < CHANGES) {
      const edited = NAMES.filter(() => random() < 0.6);
      for (const name of edited) wanted.set(name, `198.51.100.${++changes % 256}`);
      await edit(edited);
      await look();
      for (let left = Math.floor(random() * 4); left > 0; left -= 1) {
        await deliver();
        await look();
      }
      clock.ms += Math.floor(random() * 90_000);
    }
    while (messages.length > 0) await deliver();
    await look();
    expect(early).toBe(0);
    expect(right).toBeGreaterThanOrEqual(RECORDS);
    // Otherwise nobody could have answered anything old, and the test would show nothing.
    expect(old).toBeGreaterThan(CHANGES / 2);
  });
});
