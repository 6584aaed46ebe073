// `zone53 plan` and `apply` as processes, with moto: the acceptance criteria of issue 1, and what the flags do. In
// moto, unlike in Route 53 (moto-looser.ts), a deleted record set cannot be created again with the same content, so no
// test here does that.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { ListHostedZonesCommand } from '@aws-sdk/client-route-53';
import { expect, it } from 'vitest';
import { describeWithEngine } from '../engines/engines.ts';
import { applyWorld, outcomes, programmed, record, zone } from '../support/apply-world.ts';
import { appliedOf, plannedOf, zone53 } from '../support/zone53-command.ts';

const TEAMS = path.resolve(import.meta.dirname, '../../examples/teams');

describeWithEngine('moto', 'zone53 plan and apply against moto', () => {
  const world = applyWorld();
  const { createZone, put, standing, write, run, apply, plan, changeCalls } = world;

  it('apply publishes examples/teams, then has nothing to do, and leaves foreign record sets unchanged', async () => {
    const [root, shop] = [await createZone('example.org'), await createZone('shop.example.org')];
    await put(root, 'CREATE', 'www.example.org', 'A', '198.51.100.1');
    await put(root, 'CREATE', 'theirs.example.org', 'TXT', '"theirs"');
    // Issue 1 asks for one endpoint for all of AWS.
    const place = { ...world.place, route53: '', env: { AWS_ENDPOINT_URL: world.proxy.url } };
    const run = (...argv: string[]) => zone53(place, argv);
    const first = await run('apply', '-f', TEAMS, '--yes', '-o', 'json');
    expect(first.code).toBe(1);
    expect(outcomes(first).filter((line) => !line.endsWith(' published'))).toEqual([
      'create A www.example.org. foreign',
    ]);
    expect(programmed(first, 'www')).toMatchObject({ status: 'False', reason: 'ForeignRecord' });
    expect(programmed(first, 'www')?.message).toContain('198.51.100.1');
    expect(await standing(root)).toMatchObject({
      'www.example.org. A': '198.51.100.1',
      'theirs.example.org. TXT': '"theirs"',
      'build.lab.example.org. A': '203.0.113.7',
      'ns1.partner.example.org. A': '203.0.113.53',
      'shop.example.org. NS': expect.stringContaining('awsdns'),
      'status.example.org. CNAME': 'status.example.net.',
    });
    expect(await standing(shop)).toEqual({
      'shop.example.org. A': '198.51.100.20',
      '*.shop.example.org. CNAME': 'shop.example.org.',
    });

    const before = changeCalls();
    expect((await run('apply', '-f', TEAMS, '--yes')).code).toBe(1);
    expect(changeCalls()).toBe(before);

    await put(root, 'DELETE', 'www.example.org', 'A', '198.51.100.1');
    const second = await run('apply', '-f', TEAMS, '--yes', '-o', 'json');
    expect([second.code, outcomes(second)]).toEqual([0, ['create A www.example.org. published']]);
    const done = changeCalls();
    const third = await run('apply', '-f', TEAMS, '--yes');
    expect([third.code, third.out]).toEqual([0, expect.stringContaining('Nothing to do.')]);
    expect(changeCalls()).toBe(done);
  });

  it('apply --plan applies the plan that was written with --out, or nothing', async () => {
    const root = await createZone('example.org');
    write({ 'zone.yaml': zone('example.org.'), 'www.yaml': record('www', 'A', '192.0.2.1') });
    expect((await plan('--out', 'plan.json')).code).toBe(0);
    write({ 'zone.yaml': zone('example.org.'), 'www.yaml': record('www', 'A', '192.0.2.2') });
    const stale = await run('apply', '-f', 'dns', '--plan', 'plan.json');
    expect([stale.code, stale.out]).toEqual([1, '']);
    expect(stale.err).toContain('example.org. has other changes now than in the plan');
    expect(changeCalls()).toBe(0);
    write({ 'zone.yaml': zone('example.org.'), 'www.yaml': record('www', 'A', '192.0.2.1') });
    // Nothing was written, so the plan is still valid.
    expect((await run('apply', '-f', 'dns', '--plan', 'plan.json')).code).toBe(0);
    expect(await standing(root)).toEqual({ 'www.example.org. A': '192.0.2.1' });
    // Now it is applied, so this plan is no longer valid.
    expect((await run('apply', '-f', 'dns', '--plan', 'plan.json')).code).toBe(1);
  });

  it('apply --plan DIGEST applies the hosted zone of that digest, and no other', async () => {
    const [one, two] = [await createZone('one.example'), await createZone('two.example')];
    write({
      'one.yaml': `${zone('one.example.', 'one')}---\n${record('a', 'A', '192.0.2.1', 'one')}`,
      'two.yaml': `${zone('two.example.', 'two')}---\n${record('b', 'A', '192.0.2.2', 'two')}`,
    });
    const planned = plannedOf(await plan());
    const digest = planned.hostedZones.find(({ name }) => name === 'two.example.')?.digest ?? '';
    expect((await run('apply', '-f', 'dns', '--plan', '0'.repeat(64))).code).toBe(1);
    expect(changeCalls()).toBe(0);
    const ran = await run('apply', '-f', 'dns', '-o', 'json', '--plan', digest);
    expect(outcomes(ran)).toEqual(['create A b.two.example. published']);
    expect([await standing(one), await standing(two)]).toEqual([{}, { 'b.two.example. A': '192.0.2.2' }]);
    // Exit code 1: something is wanted and not published.
    expect(ran.code).toBe(1);
    expect((await apply()).code).toBe(0);
    expect(await standing(one)).toEqual({ 'a.one.example. A': '192.0.2.1' });
  });

  it('--detailed-exitcode gives 2 while there are changes, and 1 for errors, which affect only their own objects', async () => {
    await createZone('example.org');
    write({ 'zone.yaml': zone('example.org.'), 'www.yaml': record('www', 'A', '192.0.2.1') });
    expect((await plan()).code).toBe(0);
    expect((await plan('--detailed-exitcode')).code).toBe(2);
    expect((await apply()).code).toBe(0);
    expect((await plan('--detailed-exitcode')).code).toBe(0);
    write({ 'zone.yaml': zone('example.org.'), 'www.yaml': 'a: [', 'api.yaml': record('api', 'A', '192.0.2.3') });
    const ran = await apply();
    expect([ran.code, outcomes(ran)]).toEqual([1, ['create A api.example.org. published']]);
    expect(appliedOf(ran)?.errors).toMatchObject([{ file: expect.stringContaining('www.yaml'), line: 1 }]);
    expect((await run('apply', '-f', 'nowhere', '--yes')).code).toBe(1);
    expect((await run('apply', '-f', 'dns')).code, 'nobody can be asked').toBe(1);
  });

  it('apply reads standard input, takes configured hosted zones, and creates missing ones with createHostedZones: all', async () => {
    const [wrong, right] = [await createZone('example.org'), await createZone('example.org')];
    const text = `${zone('example.org.')}---\n${record('www', 'A', '192.0.2.1')}`;
    const ambiguous = await zone53(world.place, ['apply', '-f', '-', '--yes', '-o', 'json'], text);
    expect(ambiguous.code).toBe(1);
    expect(programmed(ambiguous, 'zone')).toMatchObject({ reason: 'HostedZoneNotFound' });
    expect(programmed(ambiguous, 'zone')?.message).toContain(right);
    writeFileSync(
      path.join(world.place.folder, 'zone53.yaml'),
      `hostedZones: [{ zone: example.org, id: ${right} }]\ncreateHostedZones: all\n`,
    );
    const sub = zone('sub.example.org.', 'sub');
    const ran = await zone53(
      world.place,
      ['apply', '-f', '-', '--yes', '-o', 'json'],
      [text, sub, record('x', 'A', '192.0.2.3', 'sub')].join('---\n'),
    );
    expect(ran.code).toBe(0);
    expect(await standing(wrong)).toEqual({});
    expect(await standing(right)).toMatchObject({
      'www.example.org. A': '192.0.2.1',
      'sub.example.org. NS': expect.stringContaining('awsdns'),
    });
    const { HostedZones = [] } = await world.route53.send(new ListHostedZonesCommand({}));
    const made = HostedZones.find(({ Name }) => Name === 'sub.example.org.')?.Id ?? '';
    expect(await standing(made)).toEqual({ 'x.sub.example.org. A': '192.0.2.3' });
  });
});
