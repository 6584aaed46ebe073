import { describe, expect, it } from 'vitest';
import { findEntries } from '../../lib/history/find-entries.ts';
import type { Cluster } from '../../lib/ports/cluster.ts';
import { changeHostedZone } from '../../lib/record-sets/lease.ts';
import { noteSweep } from '../../lib/sweep/last-swept.ts';
import { INVOCATION, sample, watching, worldOfOne } from '../../test/fakes/handler-world.ts';
import { deliverAll, deliverHints } from '../../test/fakes/reconcile-world.ts';
import { handleSweep } from './handle-sweep.ts';

describe('sweep', () => {
  async function swept() {
    const world = worldOfOne();
    const watch = watching();
    const context = { ...world.context, log: watch.deps.log };
    const handle = handleSweep({ ...watch.deps, context, ownRoles: ['arn:aws:iam::1:role/Publisher'] });
    await handle(sample('schedule.sweep'), INVOCATION);
    await deliverHints(world);
    return { world, handle, ...watch };
  }
  // biome-ignore lint/suspicious/noExplicitAny: the sample is changed at will
  function driftOf(hostedZoneId: string, eventTime: string): any {
    // biome-ignore lint/suspicious/noExplicitAny: the sample is changed at will
    const event = sample('event-bridge.route53-call') as any;
    Object.assign(event.detail, { eventTime });
    event.detail.requestParameters.hostedZoneId = hostedZoneId;
    return event;
  }
  const sweeps = (lines: readonly string[]) => lines.filter((line) => line.includes('swept a hosted zone')).length;

  it('compares everything, and measures its age and the backlog', async () => {
    const { world, handle, counted, lines } = await swept();
    expect([...world.queued.publish]).toEqual(['Z1']);
    expect(sweeps(lines)).toBe(1);
    world.clock.ms += 90_000;
    await handle(sample('schedule.measure'), INVOCATION);
    expect(Object.fromEntries(counted)).toMatchObject({ DirtyNames: 2, OldestDirty: 90, SweepAge: 90, HeldDeletes: 0 });
  });

  describe('unsettled objects', () => {
    const www = { kind: 'Record', namespace: 'a', name: 'www' } as const;
    const edit = ({ world }: Awaited<ReturnType<typeof swept>>, rdata: string) =>
      world.cluster.put(www, { domainName: 'www.e.', type: 'A', rdata });
    /** The figure after one more sweep, 15 minutes after the last. */
    async function next({ world, handle, counted }: Awaited<ReturnType<typeof swept>>) {
      world.clock.ms += 900_000;
      await handle(sample('schedule.sweep'), INVOCATION);
      world.clock.ms += 60_000;
      counted.clear();
      await handle(sample('schedule.measure'), INVOCATION);
      world.clock.ms -= 60_000;
      return counted.get('OldestUnsettled');
    }

    it('are noticed if nobody consumes their hints, until they are settled', async () => {
      const all = await swept();
      expect(await next(all)).toBe(0);
      edit(all, '192.0.2.2');
      expect([await next(all), await next(all), await next(all)]).toEqual([0, 900, 1_800]);
      const warnings = all.lines.filter((line) => line.startsWith('warn: sweeps in a row'));
      expect(warnings).toHaveLength(2);
      expect(warnings[1]).toContain('"seconds":1800,"objects":["Record a/www"]');
      await deliverHints(all.world);
      expect([await next(all), await next(all)]).toEqual([0, 0]);
    });

    it('are noticed if they are new, or gone', async () => {
      const world = worldOfOne();
      const watch = watching();
      const handle = handleSweep({ ...watch.deps, context: { ...world.context, log: watch.deps.log }, ownRoles: [] });
      const all = { world, handle, ...watch };
      expect([await next(all), await next(all)]).toEqual([0, 900]);
      await deliverHints(world);
      world.cluster.remove(www);
      expect([await next(all), await next(all)]).toEqual([0, 900]);
    });

    it('are not noticed if each sweep finds another change of the same object', async () => {
      const all = await swept();
      for (const last of [2, 3, 4]) {
        edit(all, `192.0.2.${last}`);
        expect(await next(all)).toBe(0);
        await deliverHints(all.world);
      }
    });
  });

  it('continues a sweep that did not fit into one invocation at each call of the schedule', async () => {
    const { world, handle, counted, lines } = await swept();
    world.clock.ms += 90_000;
    const short = { getRemainingTimeInMillis: () => 60_000 };
    await handle(sample('schedule.sweep'), short);
    const left = () => lines.filter((line) => line.includes('the sweep continues later')).length;
    let pieces = 1;
    for (; left() === pieces && pieces < 20; pieces += 1) await handle(sample('schedule.measure'), short);
    expect(pieces).toBeGreaterThan(3);
    // Every measurement until then saw the sweep of 90 seconds ago, and the one after it this sweep.
    expect(counted.get('SweepAge')).toBe((pieces - 1) * 90);
    await handle(sample('schedule.measure'), short);
    expect(counted.get('SweepAge')).toBe((pieces - 1) * 90);
    expect(sweeps(lines)).toBe(2);
  });

  it('begins the first sweep of a cluster and of a configuration with a measurement if that comes first', async () => {
    const world = worldOfOne();
    const watch = watching();
    const deps = { ...watch.deps, context: { ...world.context, log: watch.deps.log }, ownRoles: [] };
    const swept: number[] = [];
    for (const configuration of ['1', '1', '2', '2']) {
      await handleSweep({ ...deps, configuration })(sample('schedule.measure'), INVOCATION);
      swept.push(watch.lines.filter((line) => line.includes('the sweep is complete')).length);
      world.clock.ms += 300_000;
    }
    expect(swept).toEqual([1, 1, 2, 2]);
    expect(world.queued.hints).not.toEqual([]);
  });

  it('sweeps once more if the alarm on lost hints comes during a sweep', async () => {
    const { world, handle, lines } = await swept();
    world.clock.ms += 90_000;
    const short = { getRemainingTimeInMillis: () => 60_000 };
    // The sweep has compared the Zones and the Records when the hint of a new one is lost.
    for (let piece = 0; piece < 3; piece += 1) await handle(sample('schedule.sweep'), short);
    const late = { kind: 'Record', namespace: 'a', name: 'late' } as const;
    world.cluster.put(late, { domainName: 'late.e.', type: 'A', rdata: '192.0.2.9' });
    await handle(sample('schedule.alarm'), INVOCATION);
    expect(lines.filter((line) => line.includes('the sweep is complete'))).toHaveLength(2);
    expect(world.queued.hints).toEqual([]);
    world.clock.ms += 300_000;
    await handle(sample('schedule.measure'), INVOCATION);
    expect(lines.filter((line) => line.includes('the sweep is complete'))).toHaveLength(3);
    expect(world.queued.hints).toMatchObject([late]);
    // That one is the last.
    await handle(sample('schedule.measure'), INVOCATION);
    expect(lines.filter((line) => line.includes('the sweep is complete'))).toHaveLength(3);
  });

  it('compares the hosted zone that somebody changed, once for all waiting hints', async () => {
    const { world, handle, lines } = await swept();
    const after = new Date(world.clock.ms + 1_000).toISOString();
    world.clock.ms += 5_000;
    await handle(driftOf('Z1', after), INVOCATION);
    expect(sweeps(lines)).toBe(2);
    await handle(driftOf('Z1', after), INVOCATION);
    expect(sweeps(lines)).toBe(2);
  });

  it('counts a record set that somebody changed by hand as newly refused, once, and one that was deleted not', async () => {
    const { world, handle, counted } = await swept();
    world.cluster.put(
      { kind: 'Record', namespace: 'a', name: 'b' },
      { domainName: 'b.e.', type: 'A', rdata: '192.0.2.2' },
    );
    await handle(sample('schedule.sweep'), INVOCATION);
    await deliverHints(world);
    await deliverAll(world);
    const edited = { kind: 'values', ttlSeconds: 60, values: ['192.0.2.9'] } as const;
    world.route53.edit('Z1', { name: 'www.e.', type: 'A', setIdentifier: null }, edited);
    world.route53.edit('Z1', { name: 'b.e.', type: 'A', setIdentifier: null }, null);
    await handle(sample('schedule.sweep'), INVOCATION);
    expect([counted.get('Drifted'), counted.get('Refusals')]).toEqual([2, 1]);
    await deliverAll(world);
    await handle(sample('schedule.sweep'), INVOCATION);
    expect([counted.get('Drifted'), counted.get('Refusals')]).toEqual([2, 1]);
  });

  it('names in the history who changed record sets by hand, but not as who restored them', async () => {
    const { world, handle } = await swept();
    const record = (name: string) =>
      world.cluster.put(
        { kind: 'Record', namespace: 'a', name },
        { domainName: `${name}.e.`, type: 'A', rdata: '192.0.2.2' },
      );
    for (const name of ['b', 'c']) record(name);
    await handle(sample('schedule.sweep'), INVOCATION);
    await deliverHints(world);
    await deliverAll(world);
    const keyOf = (name: string) => ({ name, type: 'A', setIdentifier: null });
    world.route53.edit('Z1', keyOf('b.e.'), { kind: 'values', ttlSeconds: 60, values: ['192.0.2.9'] });
    world.route53.edit('Z1', keyOf('c.e.'), null);
    world.clock.ms += 10_000;
    const atMs = world.clock.ms - 1_000;
    for (let again = 0; again < 2; again += 1) {
      await handle(driftOf('Z1', new Date(atMs).toISOString()), INVOCATION);
      await deliverAll(world);
      world.clock.ms += 10_000;
    }
    const hostedZones = [{ id: 'Z1', name: 'e.' }];
    const { entries } = await findEntries(world.ledger, { hostedZones, sinceMs: atMs, untilMs: 9e12, limit: 9 });
    const user = 'arn:aws:sts::111122223333:assumed-role/Admin/alice';
    const seen = entries.map(({ name, action, cause }) => ({ name, action, ...cause }));
    const cause = { kind: 'audit', atMs, user, digest: null };
    expect(seen.toSorted((x, y) => (x.name + x.action < y.name + y.action ? -1 : 1))).toEqual([
      { name: 'b.e.', action: 'drift', ...cause },
      { name: 'c.e.', action: 'drift', ...cause },
      { name: 'c.e.', action: 'restore', ...cause, user: null },
    ]);
    expect(entries.find(({ name }) => name === 'b.e.')).toMatchObject({
      before: { values: ['192.0.2.2'] },
      after: { values: ['192.0.2.9'] },
    });
  });

  it('compares the hosted zone again if it was changed in the second in which the last comparison began', async () => {
    const { world, handle, lines } = await swept();
    world.clock.ms = Math.ceil(world.clock.ms / 1_000) * 1_000 + 5_400;
    await handle({ zone53: 'sweep', hostedZoneId: 'Z1' }, INVOCATION);
    world.clock.ms += 60_000;
    // CloudTrail gives whole seconds: the change may have been 500 milliseconds after the beginning.
    await handle(driftOf('Z1', new Date(world.clock.ms - 60_400).toISOString()), INVOCATION);
    expect(sweeps(lines)).toBe(3);
  });

  it('compares each hosted zone if a call was so large that CloudTrail does not say which was changed', async () => {
    const { world, handle, lines, counted } = await swept();
    const event = driftOf('', new Date(world.clock.ms + 1_000).toISOString());
    event.detail.requestParameters = { omitted: true, originalSize: 128_018, reason: 'requestParameters too large' };
    world.clock.ms += 5_000;
    await handle(event, { getRemainingTimeInMillis: () => 59_999 });
    expect(sweeps(lines)).toBe(1);
    expect(lines.join()).toContain('the sweep of all hosted zones compares the others');
    await handle(event, INVOCATION);
    expect(sweeps(lines)).toBe(2);
    await handle(event, INVOCATION);
    expect(sweeps(lines)).toBe(2);
    expect(counted.get('EventsRefused')).toBeUndefined();
  });

  it('leaves a hosted zone that is too large for one invocation to the full sweep', async () => {
    const { world, handle, lines } = await swept();
    for (let index = 0; index < 400; index += 1) {
      const content = { kind: 'values', ttlSeconds: 60, values: ['192.0.2.9'] } as const;
      world.route53.edit('Z1', { name: `r${index}.e.`, type: 'A', setIdentifier: null }, content);
    }
    const after = new Date(world.clock.ms + 1_000).toISOString();
    world.clock.ms += 5_000;
    const short = { getRemainingTimeInMillis: () => 60_000 };
    await handle(driftOf('Z1', after), short);
    expect(lines.join()).toContain('too large for one invocation: the sweep of all hosted zones compares it');
    for (let more = 0; more < 20; more += 1) await handle(sample('schedule.measure'), short);
    expect(lines.filter((line) => line.includes('the sweep is complete'))).toHaveLength(2);
  });

  it('does not begin to read a hosted zone that is known to be too large, at each change of it again', async () => {
    const { world, handle, lines } = await swept();
    await changeHostedZone(world.ledger, 'Z1', (item) => item && { ...item, publishedCount: 1_000_000 });
    for (let change = 0; change < 3; change += 1) {
      world.clock.ms += 5_000;
      await handle(driftOf('Z1', new Date(world.clock.ms).toISOString()), INVOCATION);
    }
    expect(lines.filter((line) => line.includes('too large for one invocation'))).toHaveLength(3);
    expect(sweeps(lines)).toBe(1);
    await handle(sample('schedule.measure'), INVOCATION);
    expect(lines.filter((line) => line.includes('the sweep is complete'))).toHaveLength(2);
  });

  it('sweeps once more if such a hosted zone was changed behind a sweep that is under way', async () => {
    const { world, handle, lines } = await swept();
    for (let index = 0; index < 400; index += 1) {
      const content = { kind: 'values', ttlSeconds: 60, values: ['192.0.2.9'] } as const;
      world.route53.edit('Z1', { name: `r${index}.e.`, type: 'A', setIdentifier: null }, content);
    }
    world.clock.ms += 90_000;
    const short = { getRemainingTimeInMillis: () => 60_000 };
    const done = () => lines.filter((line) => line.includes('the sweep is complete')).length;
    // This sweep has compared Z1, and is not complete yet.
    for (let piece = 0; piece < 20 && sweeps(lines) < 2; piece += 1) await handle(sample('schedule.sweep'), short);
    expect([sweeps(lines), done()]).toEqual([2, 1]);
    world.clock.ms += 5_000;
    await handle(driftOf('Z1', new Date(world.clock.ms).toISOString()), short);
    for (let piece = 0; piece < 20; piece += 1) await handle(sample('schedule.measure'), short);
    // That of the drift, which is not whole, and that of the next sweep.
    expect(sweeps(lines)).toBe(4);
  });

  it('does not compare a hosted zone of others, nor one after our own changes', async () => {
    const { world, handle, lines } = await swept();
    const after = new Date(world.clock.ms + 1_000).toISOString();
    await handle(driftOf('Z404', after), INVOCATION);
    const own = driftOf('Z1', after);
    own.detail.userIdentity.sessionContext.sessionIssuer.arn = 'arn:aws:iam::1:role/Publisher';
    await handle(own, INVOCATION);
    expect(sweeps(lines)).toBe(1);
  });

  it('measures nothing of a hosted zone that was deleted, which no sweep compares any more', async () => {
    const { world, handle, counted } = await swept();
    world.route53.removeHostedZone('Z1');
    await handle(sample('schedule.sweep'), INVOCATION);
    world.clock.ms += 86_400_000;
    await handle(sample('schedule.sweep'), INVOCATION);
    await handle(sample('schedule.measure'), INVOCATION);
    expect(counted.get('SweepAge')).toBeUndefined();
    expect(Object.fromEntries(counted)).toMatchObject({ DirtyNames: 0, OldestDirty: 0, HeldDeletes: 0 });
  });

  it('leaves out a hosted zone that the configuration no longer lists, and says so', async () => {
    const { world, deps, lines, counted } = await swept();
    // The publisher and the sweep have no right to it any more.
    const denied = () => Promise.reject(new Error('AccessDenied'));
    const hostedZones = { ...world.context.account.hostedZones, readPage: denied };
    const account = { hostedZones, onlyHostedZones: new Set(['Z2']) };
    const handle = handleSweep({ ...deps, context: { ...world.context, account, log: deps.log }, ownRoles: [] });
    world.clock.ms += 3_600_000;
    await handle(sample('schedule.sweep'), INVOCATION);
    await handle(driftOf('Z1', new Date(world.clock.ms).toISOString()), INVOCATION);
    await handle(sample('schedule.measure'), INVOCATION);
    expect(lines.filter((line) => line.includes('the sweep is complete'))).toHaveLength(2);
    expect(lines.join()).toContain('hosted zones that the configuration does not list are left out');
    expect(counted.get('SweepAge')).toBeUndefined();
    expect(Object.fromEntries(counted)).toMatchObject({ DirtyNames: 0, OldestDirty: 0 });
  });

  it('counts and drops an unknown event, and throws if the sweep failed', async () => {
    const { world, handle, counted } = await swept();
    await handle({ hello: 1 }, INVOCATION);
    expect(counted.get('EventsRefused')).toBe(1);
    const { deps } = watching();
    const listPage: Cluster['listPage'] = () => Promise.reject(new Error('no list'));
    const context = { ...world.context, cluster: { ...world.context.cluster, listPage } };
    const sick = handleSweep({ ...deps, context, ownRoles: [] });
    await expect(sick(sample('schedule.sweep'), INVOCATION)).rejects.toThrow('no list');
  });

  it('the note of an earlier comparison does not replace that of a later one', async () => {
    const { world, handle, counted } = await swept();
    const note = { hostedZoneId: 'Z1', beganMs: world.clock.ms - 60_000, whole: true };
    await noteSweep(world.ledger, 'default', note);
    await handle(sample('schedule.measure'), INVOCATION);
    expect(counted.get('SweepAge')).toBe(0);
  });
});
