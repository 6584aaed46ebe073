// The contract of the HostedZones port on our own Route 53, and cases that need a strict Route 53.
import { randomUUID } from 'node:crypto';
import { ChangeResourceRecordSetsCommand } from '@aws-sdk/client-route-53';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callBudget } from '../../../lib/adapters/route53/call-budget.ts';
import { route53HostedZones } from '../../../lib/adapters/route53/route53-hosted-zones.ts';
import { DEFAULT_BUDGET } from '../../../lib/ports/budget-limits.ts';
import type { HostedZones } from '../../../lib/ports/hosted-zones.ts';
import { type Route53Server, startRoute53 } from '../../../local/route53/api/server.ts';
import { createRoute53State } from '../../../local/route53/model/state.ts';
import type { Route53Limits } from '../../../local/route53/model/token-bucket.ts';
import { clientAt, hostedZonesContract, UNLIMITED, values } from './hosted-zones-contract.ts';

type Shape = 'ErrorResponse' | 'InvalidChangeBatch';

function start(shape: Shape, limits: Route53Limits | null = null): Promise<Route53Server> {
  const state = createRoute53State({ clock: { nowMs: Date.now }, random: Math.random });
  return startRoute53({ state, limits, invalidChangeBatchShape: shape });
}

hostedZonesContract('local/route53', () => start('ErrorResponse'));
hostedZonesContract('local/route53, errors in the other shape', () => start('InvalidChangeBatch'));

describe.each<Shape>(['ErrorResponse', 'InvalidChangeBatch'])('route53HostedZones() with errors as %s', (shape) => {
  let server: Route53Server;
  let zones: HostedZones;
  beforeAll(async () => {
    server = await start(shape);
    zones = route53HostedZones(clientAt(server.url), UNLIMITED);
  });
  afterAll(() => server.close());

  it('change() assigns each message of a batch to its change', async () => {
    const { id } = await zones.create('example.com.', randomUUID());
    const one = values('a.example.com.', 'A', ['192.0.2.1']);
    const two = values('b.example.com.', 'TXT', ['"text, Tried to mislead"']);
    await zones.change(id, [{ action: 'CREATE', recordSet: one }], '');
    const outcome = await zones.change(
      id,
      [
        { action: 'CREATE', recordSet: one },
        { action: 'DELETE', recordSet: two },
      ],
      '',
    );
    expect(outcome).toEqual({
      kind: 'refused',
      messages: [
        "Tried to create resource record set [name='a.example.com.', type='A'] but it already exists",
        "Tried to delete resource record set [name='b.example.com.', type='TXT'] but it was not found",
      ],
    });
  });

  it('change() is refused when a DELETE differs from the record set in Route 53', async () => {
    const { id } = await zones.create('example.com.', randomUUID());
    await zones.change(id, [{ action: 'CREATE', recordSet: values('a.example.com.', 'A', ['192.0.2.1']) }], '');
    const other = values('a.example.com.', 'A', ['192.0.2.9']);
    const outcome = await zones.change(id, [{ action: 'DELETE', recordSet: other }], '');
    expect(outcome).toMatchObject({ kind: 'refused', messages: [expect.stringContaining('do not match')] });
  });

  it.each([
    ['CNAME', 'foo.net', 'foo.net.'],
    ['CNAME', 'FOO.net.', 'foo.net.'],
    ['AAAA', '2001:DB8:0:0::1', '2001:db8::1'],
    ['MX', '10 Mail.Example.NET', '10 mail.example.net.'],
    ['SRV', '1 2 3 S.example.net', '1 2 3 s.example.net.'],
    ['CAA', '0 ISSUE "x.net"', '0 issue "x.net"'],
    ['TXT', '"a"   "b"', '"a" "b"'],
    ['SVCB', '1 . alpn=h2', '1 . alpn="h2"'],
    ['SSHFP', `1 1 ${'AB'.repeat(20)}`, `1 1 ${'ab'.repeat(20)}`],
  ])('change() deletes a %s that somebody spelled %s, once it was read', async (type, spelled, canonical) => {
    const { id } = await zones.create('example.com.', randomUUID());
    const route53 = clientAt(server.url);
    const theirs = { Name: 'a.example.com', Type: type as 'A', TTL: 300, ResourceRecords: [{ Value: spelled }] };
    const Changes = [{ Action: 'CREATE' as const, ResourceRecordSet: theirs }];
    await route53.send(new ChangeResourceRecordSetsCommand({ HostedZoneId: id, ChangeBatch: { Changes } }));
    const recordSet = values('a.example.com.', type, [canonical]);
    const outcome = () => zones.change(id, [{ action: 'DELETE', recordSet }], '');
    expect(await outcome()).toMatchObject({ kind: 'refused' });
    expect(await zones.readName(id, 'a.example.com.')).toEqual([recordSet]);
    expect(await outcome()).toMatchObject({ kind: 'accepted' });
    await zones.change(id, [{ action: 'CREATE', recordSet }], '');
    expect(await zones.readName(id, 'a.example.com.')).toEqual([recordSet]);
    expect(await outcome()).toMatchObject({ kind: 'accepted' });
  });

  it('protections() reads all pages, or one name, and change() is refused in words that have the comment', async () => {
    const { id } = await zones.create('example.com.', randomUUID());
    expect(await zones.protections(id, null)).toEqual([]);
    const names = Array.from({ length: 310 }, (_, index) => `r${index}.example.com`);
    for (const from of [0, 100, 200, 300])
      server.state.createProtections(
        id,
        names.slice(from, from + 100).map((name) => ({ name, type: 'A', comment: null })),
      );
    server.state.createProtections(id, [{ name: '*.example.com', type: 'A', comment: 'frozen' }]);
    expect(await zones.protections(id, null)).toHaveLength(311);
    const wildcard = { name: '*.example.com.', type: 'A', comment: 'frozen' };
    expect(await zones.protections(id, '*.example.com.')).toEqual([wildcard]);
    expect(await zones.protections(id, 'a.example.com.')).toEqual([]);
    expect(await zones.protections('ZGONE', null)).toBeNull();
    const recordSet = values('*.example.com.', 'A', ['192.0.2.1']);
    const outcome = await zones.change(id, [{ action: 'CREATE', recordSet }], '');
    expect(outcome).toMatchObject({ kind: 'refused', messages: [expect.stringContaining('frozen')] });
  });

  it('create() with a used reference gives the hosted zone that was created with it', async () => {
    const reference = randomUUID();
    await zones.create('twice.example.', randomUUID());
    const first = await zones.create('twice.example.', reference);
    expect(await zones.create('twice.example.', reference)).toEqual(first);
    expect((await zones.list()).filter(({ name }) => name === 'twice.example.')).toHaveLength(2);
  });
});

describe('route53HostedZones() and the account', () => {
  it('list() reads all pages, and leaves out private hosted zones', async () => {
    const server = await start('ErrorResponse');
    for (let index = 0; index < 230; index += 1) {
      const vpc = index < 5 ? { id: 'vpc-1', region: 'eu-central-1' } : null;
      const input = { name: `z${index}.example`, callerReference: randomUUID(), comment: null, vpc };
      server.state.createHostedZone(input as Parameters<typeof server.state.createHostedZone>[0]);
    }
    const found = await route53HostedZones(clientAt(server.url), UNLIMITED).list();
    expect(found).toHaveLength(225);
    expect(found.map(({ name }) => name)).not.toContain('z0.example.');
    await server.close();
  });

  it('is never throttled by an account that has the limits of the budget', async () => {
    const server = await start('ErrorResponse', { requests: { perSecond: 10, size: 50 }, changes: null });
    const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
    const budget = callBudget({ ...DEFAULT_BUDGET, clock: { nowMs: Date.now }, sleep });
    const zones = route53HostedZones(clientAt(server.url), budget);
    const { id } = await zones.create('example.com.', randomUUID());
    const outcomes = await Promise.all(
      Array.from({ length: 45 }, (_, index) =>
        zones.change(id, [{ action: 'CREATE', recordSet: values(`h${index}.example.com.`, 'A', ['192.0.2.1']) }], ''),
      ),
    );
    expect(outcomes.map(({ kind }) => kind)).toEqual(Array(45).fill('accepted'));
    expect(server.requests.Throttling).toBeUndefined();
    await server.close();
  });

  it('get() is repeated when it is throttled; change() is not, and gives throttled', async () => {
    const server = await start('ErrorResponse', { requests: { perSecond: 5, size: 5 }, changes: null });
    const zones = route53HostedZones(clientAt(server.url), UNLIMITED);
    const { id } = await zones.create('example.com.', randomUUID());
    const reads = await Promise.all(Array.from({ length: 8 }, () => zones.get(id)));
    expect(reads.every((zone) => zone !== null && 'id' in zone && zone.id === id)).toBe(true);
    const change = () =>
      zones.change(id, [{ action: 'UPSERT', recordSet: values('a.example.com.', 'A', ['192.0.2.1']) }], '');
    const outcomes = await Promise.all(Array.from({ length: 12 }, change));
    expect(outcomes).toContainEqual({ kind: 'throttled', message: 'Throttling: Rate exceeded', isOfAccount: true });
    await server.close();
  });
});
