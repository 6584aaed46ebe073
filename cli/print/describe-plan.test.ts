// The text of a plan names what it leaves out as plainly as what it does.
import { expect, test } from 'vitest';
import { applyCluster } from '../../lib/apply/apply-cluster.ts';
import { parseRef } from '../../lib/objects/object-ref.ts';
import { publish } from '../../lib/publish/run/publish-hosted-zone.ts';
import { planCluster } from '../../test/fakes/plan-cluster.ts';
import { reconcileWorld, saveAll } from '../../test/fakes/reconcile-world.ts';
import { describeApplied, describePlan } from './describe-plan.ts';
import { exitOfApply, exitOfPlan } from './exit-code.ts';
import { unknownLedger } from './ledger-unknown.ts';
import type { PlanOutput } from './output.ts';
import { applyPieces, jsonApply } from './print-apply.ts';
import { jsonPlan, printPlan } from './print-plan.ts';
import { formatJson, plainPaint } from './terminal-text.ts';

const record = (domainName: string) => ({ domainName, type: 'A', rdata: '192.0.2.1' });
/** A plan as `-o json` prints it: its lists are made as they are written. */
const printed = (plan: PlanOutput): unknown => JSON.parse(formatJson(jsonPlan(plan)));

test('printPlan() names each object that no change will publish, and why', async () => {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }] });
  const delegations = [{ records: [{ pattern: 'www' }] }];
  world.cluster.put(parseRef('Zone a/hosted'), { domainName: 'e.', delegations });
  world.cluster.put(parseRef('Zone a/nowhere'), { domainName: 'f.', delegations });
  for (const name of ['www.e.', 'www.f.', 'denied.e.'])
    world.cluster.put(parseRef(`Record a/${name.slice(0, -1)}`), record(name));
  const plan = describePlan(await planCluster(world.context, { reads: true }));
  const text = printPlan(plan, plainPaint);
  expect(text.split('\n').filter((line) => /^[✗!]/.test(line))).toEqual([
    '✗ Record a/denied.e (denied.e.): Accepted=False, DelegationDenied',
    '! Zone a/nowhere (f.): Programmed=False, HostedZoneNotFound: 1 Record waits for a hosted zone',
  ]);
  expect(text).toContain('1 to update, 0 to delete, in 1 hosted zone.');
  expect(exitOfPlan(plan, false, 'any')).toBe(1);
  expect(Object.keys(jsonPlan(plan))).toEqual(['hostedZones', 'problems', 'errors', 'sources', 'missingHostedZones']);
});

test('plan says what apply will not send, as apply does', async () => {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }], config: { soa: 'never' } });
  world.cluster.put(parseRef('Zone a/e'), { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] });
  world.cluster.put(parseRef('Record a/www'), record('www.e.'));
  for (const half of [1, 2]) {
    const values = Array.from({ length: 201 }, (_, index) => `10.0.${half}.${index}`);
    world.cluster.put(parseRef(`Record a/${half}`), { domainName: 'many.e.', type: 'A', values });
  }
  const rejected = {
    ...{ name: 'many.e.', standing: 'none', outcome: 'rejected' },
    message: 'Route 53 allows at most 400 values in a record set, and this one has 402: nothing was sent.',
  };
  const plan = describePlan(await planCluster(world.context));
  expect(printed(plan)).toMatchObject({ hostedZones: [{ changes: [rejected, { name: 'www.e.' }] }] });
  expect(plan.hostedZones[0]?.changes[1]).not.toHaveProperty('outcome');
  const text = printPlan(plan, plainPaint);
  expect(text).toContain(`\n      rejected: ${rejected.message}\n+ www.e. A`);
  expect(text).toMatch(/\n2 to create, 0 to update, 0 to delete, in 1 hosted zone\. 1 of them will not be sent\.\n$/);

  const progress: string[] = [];
  const options = { acknowledged: [], only: () => true, progress: (line: string) => progress.push(line) };
  const apply = async () => applyCluster(world.context, world.deps, await planCluster(world.context), options);
  const applied = describeApplied(await apply());
  expect(progress).toContain('publishing 2 changes into e.');
  expect(applied.hostedZones[0]?.changes.map(({ outcome }) => outcome).toSorted()).toEqual(['published', 'rejected']);
  const again = describePlan(await planCluster(world.context));
  expect(printed(again)).toMatchObject({ hostedZones: [{ changes: [rejected] }] });
  await apply();
  expect(progress).toContain('publishing 1 change into e.');
});

test('plan and apply report a missing hosted zone once, with all that waits for it, and exit 1', async () => {
  const world = reconcileWorld({ hostedZones: [] });
  const delegations = [{ records: [{ pattern: '*' }], zones: ['*'] }];
  world.cluster.put(parseRef('Zone a/sub'), { domainName: 's.e.', delegations });
  world.cluster.put(parseRef('Zone a/root'), { domainName: 'e.', delegations });
  world.cluster.put(parseRef('Zone a/other'), { domainName: 'f.', delegations });
  for (const name of ['a.e.', 'b.e.', 'c.s.e.'])
    world.cluster.put(parseRef(`Record a/${name.slice(0, -1)}`), record(name));
  const planned = await planCluster(world.context);
  const plan = describePlan(planned);
  const options = { acknowledged: [], only: () => true, progress: () => {} };
  const applied = describeApplied(await applyCluster(world.context, world.deps, planned, options));
  for (const text of [printPlan(plan, plainPaint), [...applyPieces(applied, plainPaint)].join('')]) {
    expect(text.split('\n').filter((line) => line.startsWith('!'))).toEqual([
      '! Zone a/other (f.): Programmed=False, HostedZoneNotFound: 0 Records wait for a hosted zone',
      '! Zone a/root (e.): Programmed=False, HostedZoneNotFound: 1 Zone and 3 Records wait for a hosted zone',
    ]);
    expect(text).toMatch(/\nNo changes\. 2 hosted zones missing, for which 3 Records wait\.\n$/);
    expect(text.match(/the account has no public hosted zone/g)).toHaveLength(2);
  }
  expect([exitOfPlan(plan, true, 'any'), exitOfApply(applied, 'any')]).toEqual([1, 1]);
  const message = expect.stringContaining('the account has no public hosted zone');
  expect(printed(plan)).toMatchObject({
    missingHostedZones: [
      { zone: 'a/other', name: 'f.', zones: 0, records: 0, message },
      { zone: 'a/root', name: 'e.', zones: 1, records: 3, message },
    ],
  });
});

test('the JSON of plan and apply has the digest of the held deletes, which releases them', async () => {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }], config: { soa: 'never' } });
  world.cluster.put(parseRef('Zone a/e'), { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] });
  const put = (name: string) => world.cluster.put(parseRef(`Record a/${name}`), record(`${name}.e.`));
  const options = { acknowledged: [] as string[], only: () => true, progress: () => {} };
  const apply = async (acknowledged: string[]) => {
    const plan = await planCluster(world.context, { acknowledged });
    const [planned] = describePlan(plan).hostedZones;
    const done = await applyCluster(world.context, world.deps, plan, { ...options, acknowledged });
    return { planned, applied: describeApplied(done).hostedZones[0] };
  };
  for (const name of ['w', 'x', 'y', 'z']) put(name);
  await apply([]);
  for (const name of ['w', 'x', 'y']) world.cluster.remove(parseRef(`Record a/${name}`));
  put('new');
  const { planned, applied } = await apply([]);
  expect(planned?.held).toBe(true);
  expect(planned?.heldDigest).not.toBe(planned?.digest);
  expect([applied?.held, applied?.heldDigest]).toEqual([true, planned?.heldDigest]);
  const { applied: released } = await apply([String(applied?.heldDigest)]);
  expect([released?.held, released?.heldDigest]).toEqual([false, undefined]);
  expect(released?.changes.map(({ outcome }) => outcome)).toEqual(['published', 'published', 'published']);
});

test('each change says whether it is held, as apply holds it', async () => {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }], config: { soa: 'never' } });
  world.cluster.put(parseRef('Zone a/e'), { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] });
  const put = (name: string, spec: object) => world.cluster.put(parseRef(`Record a/${name}`), spec);
  const weighted = (setIdentifier: string) => ({ ...record('api.e.'), routing: { setIdentifier, weight: 1 } });
  for (const name of ['g', 'h', 'i', 'j', 'k', 't']) put(name, record(`${name}.e.`));
  for (const one of ['blue', 'green']) put(one, weighted(one));
  const options = { acknowledged: [], only: () => true, progress: () => {} };
  await applyCluster(world.context, world.deps, await planCluster(world.context), options);
  for (const name of ['g', 'h', 'i', 'j', 'blue', 'green']) world.cluster.remove(parseRef(`Record a/${name}`));
  put('api', record('api.e.'));
  put('t', { domainName: 't.e.', type: 'CNAME', rdata: 'k.e.' });
  const plan = await planCluster(world.context);
  const heldOf = ({
    hostedZones: [first],
  }: {
    readonly hostedZones: readonly { readonly changes: readonly object[] }[];
  }) =>
    first?.changes.map((one) => {
      const { action, name, setIdentifier, held } = one as PlanOutput['hostedZones'][number]['changes'][number];
      return [action, name, setIdentifier, held];
    });
  const marked = heldOf(describePlan(plan));
  expect(marked).toEqual([
    ['delete', 'api.e.', 'blue', false],
    ['delete', 'api.e.', 'green', false],
    ['create', 'api.e.', null, false],
    ...['g', 'h', 'i', 'j'].map((name) => ['delete', `${name}.e.`, null, true]),
    ['delete', 't.e.', null, true],
    ['create', 't.e.', null, true],
  ]);
  expect(heldOf(describeApplied(await applyCluster(world.context, world.deps, plan, options)))).toEqual(marked);
});

test('a hosted zone that cannot be read is reported in text and JSON, with exit code 1', async () => {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }], config: { soa: 'never' } });
  world.cluster.put(parseRef('Zone p/e'), { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] });
  world.cluster.put(parseRef('Record p/www'), record('www.e.'));
  const denied = () => Promise.reject(new Error('Cannot read record sets of hosted zone "Z1": AccessDenied'));
  const { account } = world.context;
  const hostedZones = { ...account.hostedZones, readName: denied, readPage: denied };
  const context = { ...world.context, account: { ...account, hostedZones } };
  const plan = describePlan(await planCluster(context, { reads: true }));
  const said = 'Cannot read record sets of hosted zone "Z1": AccessDenied';
  expect(printPlan(plan, plainPaint)).toContain(
    `! ${said}. Existing record sets at the names of creates are not shown.`,
  );
  expect(printed(plan)).toMatchObject({
    hostedZones: [
      {
        reasons: [expect.stringContaining(said)],
        changes: [{ action: 'create', standing: 'none', message: `Route 53 could not be read here: ${said}.` }],
      },
    ],
  });
  expect(exitOfPlan(plan, true, 'valid')).toBe(1);
  const unasked = describePlan(await planCluster(context));
  expect(exitOfPlan(unasked, true, 'valid')).toBe(2);
  expect(unasked.hostedZones).toMatchObject([{ hidesWhatStands: true }]);
  expect(printed(unasked)).toMatchObject({
    hostedZones: [
      {
        reasons: [],
        changes: [{ standing: 'none', message: 'Route 53 was not read here.' }],
      },
    ],
  });
});

test('acknowledged deletes that are not done yet are shown, because they need no new acknowledgement', async () => {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }] });
  const refs = ['a', 'b', 'c'].map((name) => parseRef(`Record p/${name}`));
  world.cluster.put(parseRef('Zone p/e'), { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] });
  for (const ref of refs) world.cluster.put(ref, record(`${ref.name}.e.`));
  await saveAll(world);
  await publish(world.deps, 'Z1');
  for (const ref of refs) world.cluster.remove(ref);
  await saveAll(world);
  const result = await publish(world.deps, 'Z1');
  const digest = (result.kind === 'done' && result.held?.digest) || '';
  const deny = async () => ({ kind: 'denied', message: 'AccessDenied' }) as const;
  const denied = { ...world.deps, hostedZones: { ...world.deps.hostedZones, change: deny } };
  await publish(denied, 'Z1', { acknowledged: [digest] });
  const [hostedZone] = describePlan(await planCluster(world.context)).hostedZones;
  expect(hostedZone).toMatchObject({
    held: false,
    reasons: ['3 deletes were acknowledged before and will be sent. To keep a record set, declare it again.'],
  });
});

test('a create with takeover says that it may replace a record set that the plan has not read', async () => {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }] });
  const spec = { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] };
  const key = { name: 'a.e.', type: 'A', setIdentifier: null };
  world.route53.edit('Z1', key, { kind: 'values', ttlSeconds: 300, values: ['203.0.113.7'] });
  world.cluster.put(parseRef('Record p/a'), record('a.e.'));
  world.cluster.put(parseRef('Zone p/e'), spec);
  const mayReplace = 'may replace an existing record set, not read';
  expect(printPlan(describePlan(await planCluster(world.context)), plainPaint)).not.toContain(mayReplace);
  world.cluster.put(parseRef('Zone p/e'), spec, { 'zone53.dev/takeover': 'true' });
  const plan = describePlan(await planCluster(world.context));
  const text = printPlan(plan, plainPaint);
  expect(text).toContain(`+ a.e. A  (takeover: ${mayReplace})  # Record p/a\n`);
  const reason =
    'zone53.dev/takeover: 1 create may replace an existing record set, which the plan does not read or show.';
  expect(text).toContain(`! ${reason}\n`);
  expect(jsonPlan(plan)).toMatchObject({ hostedZones: [{ held: false, reasons: [reason] }] });
  expect(JSON.stringify(jsonPlan(plan))).not.toContain('mayReplace');
  expect(exitOfPlan(plan, false, 'any')).toBe(0);
});

test('what was changed by hand in a view, and a ledger that knows nothing there, have the view in words', async () => {
  const hostedZones = [{ id: 'ZI', name: 'e.', isPrivate: true, view: 'internal' }];
  const world = reconcileWorld({ hostedZones, config: { soa: 'never' } });
  const delegations = [{ records: [{ pattern: '*' }] }];
  world.cluster.put(parseRef('Zone a/e'), { domainName: 'e.', view: 'internal', delegations });
  world.cluster.put(parseRef('Record a/www'), { ...record('www.e.'), views: ['internal'] });
  const options = { acknowledged: [], only: () => true, progress: () => {}, refresh: () => {} };
  const refreshed = async () => planCluster(world.context, { refresh: () => {}, reads: true });
  const apply = async () => describeApplied(await applyCluster(world.context, world.deps, await refreshed(), options));
  await apply();
  const www = { name: 'www.e.', type: 'A', setIdentifier: null };
  world.route53.edit('ZI', www, null);
  expect(printed(describePlan(await refreshed()))).toMatchObject({
    hostedZones: [{ drifts: [{ name: 'www.e.', message: expect.stringMatching(/deleted by hand/) }] }],
  });
  expect((await apply()).hostedZones[0]?.notes).toEqual([
    'www.e. in view internal A was deleted by hand: it will be created again.',
  ]);
  const lost = reconcileWorld({ hostedZones, config: { soa: 'never' } });
  for (const { ref, spec } of world.cluster.objects()) lost.cluster.put(ref, spec as object);
  lost.route53.edit('ZI', { ...www, name: 'www.e.' }, { kind: 'values', ttlSeconds: 360, values: ['192.0.2.1'] });
  const says = unknownLedger(await planCluster(lost.context, { reads: true }), 'in folder S')?.says;
  expect(says).toMatch(/published nothing in e\. in view internal yet/);
});

test('apply says what a view does not inherit, as plan does', async () => {
  const world = reconcileWorld({
    hostedZones: [
      { id: 'ZP', name: 'e.' },
      { id: 'ZD', name: 'deep.e.', isPrivate: true, view: 'internal' },
    ],
    config: { soa: 'never', extendedViews: { internal: 'public' } },
  });
  const delegations = [{ records: [{ pattern: '*' }] }];
  world.cluster.put(parseRef('Zone a/e'), { domainName: 'e.', delegations });
  world.cluster.put(parseRef('Zone a/deep'), { domainName: 'deep.e.', view: 'internal', delegations });
  world.cluster.put(parseRef('Record a/deep'), { domainName: 'deep.e.', type: 'CNAME', rdata: 'x.example.net.' });
  const options = { acknowledged: [], only: () => true, progress: () => {} };
  const planned = await planCluster(world.context);
  const applied = describeApplied(await applyCluster(world.context, world.deps, planned, options));
  const says = 'CNAME deep.e. is not inherited: a CNAME cannot be at the apex of a hosted zone';
  expect(printPlan(describePlan(planned), plainPaint)).toContain(says);
  expect([...applyPieces(applied, plainPaint)].join('')).toContain(says);
  expect(formatJson(jsonApply(applied))).toContain(says);
});
