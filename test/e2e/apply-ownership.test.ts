// `zone53 apply` as a process, with moto: what the guard holds, who may replace which record set, and how ownership
// moves with Zones and Records. In moto, unlike in Route 53 (moto-looser.ts), a deleted record set cannot be created
// again with the same content.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { DeleteHostedZoneCommand } from '@aws-sdk/client-route-53';
import { expect, it } from 'vitest';
import { describeWithEngine } from '../engines/engines.ts';
import { applyWorld, outcomes, programmed, record, zone } from '../support/apply-world.ts';
import { appliedOf, plannedOf } from '../support/zone53-command.ts';

describeWithEngine('moto', 'zone53 apply against moto: held, replaced, moved', () => {
  const world = applyWorld();
  const { createZone, put, standing, write, apply, plan, changeCalls } = world;

  it('the guard holds deletes with exit 3, until their digest is acknowledged', async () => {
    const root = await createZone('example.org');
    const many = Array.from({ length: 12 }, (_, index) => record(`r${index}`, 'A', `192.0.2.${index}`));
    const files = (count: number, more = '') => ({
      'zone.yaml': zone('example.org.'),
      'many.yaml': [...many.slice(0, count), ...(more === '' ? [] : [more])].join('---\n'),
    });
    write(files(12));
    expect((await apply()).code).toBe(0);
    write(files(6, record('new', 'A', '192.0.2.99')));
    const planned = await plan();
    expect(planned.code).toBe(3);
    const [hostedZone] = plannedOf(planned).hostedZones;
    expect(hostedZone).toMatchObject({
      held: true,
      reasons: [expect.stringContaining('deletesShareMax'), expect.stringContaining('--acknowledge')],
    });
    const held = await apply();
    expect(held.code).toBe(3);
    expect(outcomes(held).filter((line) => line.endsWith(' held'))).toHaveLength(6);
    expect(outcomes(held)).toContain('create A new.example.org. published');
    expect(Object.keys(await standing(root))).toHaveLength(13);
    // A digest that matches no held deletes is an error, and nothing is written.
    expect(await apply('--acknowledge', 'f'.repeat(64))).toMatchObject({
      code: 1,
      err: expect.stringContaining('ffff'),
    });
    const digest = plannedOf(await plan()).hostedZones[0]?.digest ?? '';
    const calls = changeCalls();
    expect((await apply('--acknowledge', digest)).code).toBe(0);
    expect(changeCalls() - calls).toBe(1);
    expect(Object.keys(await standing(root))).toHaveLength(7);
  });

  it('an acknowledgement by annotation releases held deletes, and zone53.dev/takeover replaces a foreign record set', async () => {
    const root = await createZone('example.org');
    await put(root, 'CREATE', 'r0.example.org', 'A', '198.51.100.1');
    const all = ['r0', 'r1', 'r2', 'r3'].map((name, index) => record(name, 'A', `192.0.2.${index}`)).join('---\n');
    write({ 'zone.yaml': zone('example.org.'), 'all.yaml': all });
    expect((await apply()).code).toBe(1);
    write({ 'zone.yaml': zone('example.org.', 'zone', { 'zone53.dev/takeover': 'true' }), 'all.yaml': all });
    expect((await apply()).code).toBe(0);
    expect(await standing(root)).toMatchObject({ 'r0.example.org. A': '192.0.2.0' });
    // All four record sets would be deleted, so the guard holds them.
    write({ 'zone.yaml': zone('example.org.') });
    expect((await apply()).code).toBe(3);
    const digest = plannedOf(await plan()).hostedZones[0]?.digest ?? '';
    write({ 'zone.yaml': zone('example.org.', 'zone', { 'zone53.dev/acknowledge-plan': digest }) });
    expect((await apply()).code).toBe(0);
    expect(await standing(root)).toEqual({});
  });

  it('a hosted zone that cannot be read, or not be written, affects only itself', async () => {
    const [one, two] = [await createZone('one.example'), await createZone('two.example')];
    write({
      'one.yaml': `${zone('one.example.', 'one')}---\n${record('a', 'A', '192.0.2.1', 'one')}`,
      'two.yaml': `${zone('two.example.', 'two')}---\n${record('b', 'A', '192.0.2.2', 'two')}`,
    });
    // With this setting the SOA must be read before anything is written.
    writeFileSync(path.join(world.place.folder, 'zone53.yaml'), 'soa: always\n');
    const published = { 'b.two.example. A': '192.0.2.2' };
    const failedIn = (ran: Awaited<ReturnType<typeof apply>>) =>
      appliedOf(ran)?.hostedZones[0]?.changes.filter(({ outcome }) => outcome === 'failed');
    world.proxy.deny(new RegExp(`^POST .*${one}/rrset`));
    const unwritten = await apply();
    expect([unwritten.code, outcomes(unwritten)[0]]).toEqual([1, 'create A a.one.example. failed']);
    expect(failedIn(unwritten)?.[0]?.message).toContain('AccessDenied');
    expect([await standing(one), await standing(two)]).toEqual([{}, published]);
    // What is not there need not be read.
    world.proxy.deny(new RegExp(`^GET .*${one}/rrset`));
    const unread = await apply();
    expect([unread.code, failedIn(unread)]).toMatchObject([1, [{ name: 'one.example.', type: 'SOA' }]]);
    expect(failedIn(unread)?.[0]?.message).toContain('AccessDenied');
    expect([await standing(one), await standing(two)]).toEqual([{ 'a.one.example. A': '192.0.2.1' }, published]);
    world.proxy.deny(null);
    expect((await apply()).code).toBe(0);
    expect([await standing(one), await standing(two)]).toEqual([{ 'a.one.example. A': '192.0.2.1' }, published]);
  });

  it('a Record moves from one Zone to another, and a deleted one is published again when it is created again', async () => {
    const [one, two] = [await createZone('one.example'), await createZone('two.example')];
    const zones = `${zone('one.example.', 'one')}---\n${zone('two.example.', 'two')}`;
    const rest = ['one', 'two'].map((of, index) => record(`fixed-${of}`, 'TXT', `"${index}"`, of)).join('---\n');
    write({ 'zones.yaml': zones, 'rest.yaml': rest, 'r.yaml': record('r', 'A', '192.0.2.1', 'one') });
    expect((await apply()).code).toBe(0);
    expect(await standing(one)).toMatchObject({ 'r.one.example. A': '192.0.2.1' });
    write({ 'zones.yaml': zones, 'rest.yaml': rest, 'r.yaml': record('r', 'A', '192.0.2.1', 'two') });
    expect((await apply()).code).toBe(0);
    expect(Object.keys(await standing(one))).toEqual(['fixed-one.one.example. TXT']);
    expect(await standing(two)).toMatchObject({ 'r.two.example. A': '192.0.2.1' });
    write({ 'zones.yaml': zones, 'rest.yaml': rest });
    expect((await apply()).code).toBe(0);
    write({ 'zones.yaml': zones, 'rest.yaml': rest, 'r.yaml': record('r', 'A', '192.0.2.2', 'two') });
    expect((await apply()).code).toBe(0);
    expect(await standing(two)).toMatchObject({ 'r.two.example. A': '192.0.2.2' });
    // The same content under another object's name: no call is needed, and the record set exists all the time.
    const calls = changeCalls();
    const renamed = record('r', 'A', '192.0.2.2', 'two').replace('name: r,', 'name: other,');
    write({ 'zones.yaml': zones, 'rest.yaml': rest, 'other.yaml': renamed });
    const ran = await apply();
    expect([ran.code, changeCalls() - calls, programmed(ran, 'other')?.status]).toEqual([0, 0, 'True']);
  });

  it('a sub-zone gains a hosted zone of its own, and loses it again', async () => {
    const root = await createZone('example.org');
    const files = (value: string) => ({
      'zone.yaml': zone('example.org.'),
      'www.yaml': record('www', 'A', '192.0.2.9'),
      'sub.yaml': `${zone('sub.example.org.', 'sub')}---\n${record('x', 'A', value, 'sub')}`,
    });
    write(files('192.0.2.1'));
    expect((await apply()).code).toBe(0);
    expect(await standing(root)).toMatchObject({ 'x.sub.example.org. A': '192.0.2.1' });
    const sub = await createZone('sub.example.org');
    expect((await apply('--refresh')).code).toBe(0);
    expect(await standing(sub)).toEqual({ 'x.sub.example.org. A': '192.0.2.1' });
    expect(await standing(root)).toEqual({
      'www.example.org. A': '192.0.2.9',
      'sub.example.org. NS': expect.stringContaining('awsdns'),
    });
    const calls = changeCalls();
    expect((await apply()).code).toBe(0);
    expect(changeCalls()).toBe(calls);
    // Its owner empties and deletes the hosted zone: the parent's hosted zone gets the names back.
    await put(sub, 'DELETE', 'x.sub.example.org.', 'A', '192.0.2.1');
    await world.route53.send(new DeleteHostedZoneCommand({ Id: sub }));
    write(files('192.0.2.2'));
    const codes = [(await apply()).code, (await apply()).code, (await apply()).code];
    expect(codes.at(-1), `exit codes ${codes}`).toBe(0);
    expect(await standing(root)).toEqual({
      'www.example.org. A': '192.0.2.9',
      'x.sub.example.org. A': '192.0.2.2',
    });
  });
});
