import { expect, test } from 'vitest';
import {
  accepted,
  bare,
  change,
  denied,
  error,
  hostedZone,
  programmed,
  record,
} from '../../test/support/output-samples.ts';
import { exitOfPlan, FAIL_WORDS } from './exit-code.ts';
import type { ChangeOutput, HostedZoneOutput, PlanOutput } from './output.ts';
import { sinceBase } from './since-base.ts';

const ROOTS = { branch: ['dns/'], base: ['../base/dns'] };
const planOf = (changes: readonly ChangeOutput[], parts: Partial<HostedZoneOutput<ChangeOutput>> = {}): PlanOutput => ({
  hostedZones: [{ ...hostedZone(changes), ...parts }],
  errors: [],
});
const at = (name: string, parts: Partial<ChangeOutput> = {}) => change('create', { name: `${name}.e.`, ...parts });
const gone = (name: string, held = false) => change('delete', { name: `${name}.e.`, held });
const since = (plan: PlanOutput, base: PlanOutput) => sinceBase(plan, base, ROOTS);
const namesOf = ({ hostedZones }: PlanOutput) => hostedZones.flatMap(({ changes }) => changes.map(({ name }) => name));
/** The exit code with all words of --fail-on. */
const exitOf = (plan: PlanOutput, base: PlanOutput) => exitOfPlan(since(plan, base).judged, true, 'valid', FAIL_WORDS);

test('sinceBase() shows the changes that the base does not make: other content, other names and types', () => {
  const base = planOf([at('a'), at('b'), at('c')]);
  const branch = planOf([
    ...[at('a'), at('b', { after: { ttl: 1, values: ['192.0.2.9'] } }), at('c', { type: 'AAAA' })],
    ...[at('c', { objects: ['Record other/c'] }), at('a', { setIdentifier: 'blue' }), gone('d')],
  ]);
  const { shown } = since(branch, base);
  expect(namesOf(shown)).toEqual(['b.e.', 'c.e.', 'a.e.', 'd.e.']);
  expect(shown.hostedZones[0]?.notes).toEqual([]);
});

test('sinceBase() shows nothing of a branch that changes nothing', () => {
  const base = planOf([at('a'), gone('b', true)], { held: true, reasons: ['r'], notes: ['n'], heldDigest: 'h' });
  expect(since(base, base).shown.hostedZones).toEqual([]);
  expect(exitOf(base, base)).toBe(0);
});

test('sinceBase() notes the changes of the base that the branch takes back', () => {
  const base = planOf([at('a'), gone('b')]);
  const note = '2 changes of the base, not made with this branch: create a.e. A, delete b.e. A.';
  expect(since(planOf([]), base).shown.hostedZones).toMatchObject([{ id: 'Z1', changes: [], notes: [note] }]);
  expect(since({ hostedZones: [], errors: [] }, base).shown.hostedZones).toMatchObject([{ id: 'Z1', notes: [note] }]);
});

test('sinceBase() judges what the guard holds by the deletes of the branch', () => {
  const held = { held: true, reasons: ['6 of 9'], heldDigest: 'h' };
  const base = planOf([gone('a', true), gone('b', true)], { ...held, reasons: ['5 of 9'] });
  const more = planOf([gone('a', true), gone('b', true), gone('c', true)], held);
  expect(since(more, base).shown.hostedZones).toMatchObject([
    { held: true, heldDigest: 'h', reasons: ['6 of 9'], changes: [{ name: 'c.e.' }] },
  ]);
  expect(exitOf(more, base)).toBe(4);
  const other = planOf([gone('a', true), gone('b', true), at('c')], held);
  const [shown] = since(other, base).shown.hostedZones;
  expect(shown).toMatchObject({ held: false, reasons: [], changes: [{ name: 'c.e.' }] });
  expect(shown).not.toHaveProperty('heldDigest');
  expect(exitOf(other, base)).toBe(2);
});

test('sinceBase() names no delete of the base that only the deletes of the branch make the guard hold', () => {
  const branch = planOf([gone('a', true), gone('b', true)], { held: true, reasons: ['r'] });
  expect(namesOf(since(branch, planOf([gone('a')])).shown)).toEqual(['b.e.']);
  expect(exitOf(branch, planOf([gone('a')]))).toBe(4);
});

test('sinceBase() judges what is foreign by name and type', () => {
  const foreign = { standing: 'foreign', message: 'It is there.' } as const;
  const base = planOf([at('a', foreign)]);
  const edited = planOf([at('a', { ...foreign, after: { ttl: 1, values: ['192.0.2.9'] } })]);
  expect(since(edited, base).shown.hostedZones).toMatchObject([{ changes: [foreign] }]);
  expect(exitOf(edited, base)).toBe(2);
  expect(exitOf(planOf([at('a', foreign), at('b', foreign)]), base)).toBe(4);
  expect(exitOf(planOf([at('a', foreign)]), planOf([at('a')]))).toBe(4);
  const refused = (ttl: number) => planOf([at('a', { outcome: 'foreign', after: { ttl, values: [] } })]);
  expect([exitOf(refused(1), planOf([])), exitOf(refused(1), refused(2))]).toEqual([4, 2]);
});

const withRecords = (...records: ReturnType<typeof record>[]): PlanOutput => ({
  hostedZones: [],
  errors: [],
  resolved: { ...bare, records },
});

test('sinceBase() leaves out an object that is refused for the same reason in the base, whatever its message says', () => {
  const base = withRecords(record(denied), record(accepted, programmed('HostedZoneNotFound')));
  const same = withRecords(
    record({ ...denied, message: 'at line 7' }),
    record(accepted, programmed('HostedZoneNotFound')),
  );
  expect(since(same, base).shown.resolved?.records).toEqual([]);
  expect(exitOf(same, base)).toBe(0);
  expect(exitOf(withRecords({ ...record(denied), name: 'other' }), base)).toBe(4);
  expect(exitOf(withRecords(record({ ...denied, reason: 'InvalidSpec' })), base)).toBe(4);
  expect(exitOf(withRecords({ ...record(accepted, programmed('HostedZoneNotFound')), name: 'c' }), base)).toBe(1);
});

test('sinceBase() keeps an object that asks for a change, so that its file and line are known', () => {
  const origin = { file: 'dns/a.yaml', line: 3 };
  const of = (changes: readonly ChangeOutput[]): PlanOutput => ({
    ...planOf(changes),
    resolved: { ...bare, records: [{ ...record(accepted), origin }] },
  });
  const { shown } = since(of([at('a', { objects: ['Record a/b'] })]), of([]));
  expect(shown.resolved?.records).toMatchObject([{ origin }]);
});

test('sinceBase() compares the endpoints of other objects one by one', () => {
  const endpoint = (fqdn: string, ...conditions: (typeof denied)[]) => ({
    ...{ fqdn, type: 'A', ttl: 60, values: ['192.0.2.1'], alias: null, setIdentifier: null, routing: null },
    ...{ parent: null, conditions },
  });
  const of = (problems: readonly string[], ...endpoints: ReturnType<typeof endpoint>[]): PlanOutput => {
    const sources = [{ kind: 'Ingress', namespace: 'a', name: 'b', endpoints, problems, notes: ['note'] }];
    return { hostedZones: [], errors: [], sources, resolved: { ...bare, sources } };
  };
  const base = of(['p'], endpoint('a.e.', denied), endpoint('b.e.', accepted));
  expect(since(base, base).shown).toMatchObject({ sources: [], resolved: { sources: [] } });
  expect(exitOf(base, base)).toBe(0);
  const more = of(['p'], endpoint('a.e.', denied), endpoint('b.e.', accepted), endpoint('c.e.', denied));
  expect(since(more, base).shown.sources).toMatchObject([{ endpoints: [{ fqdn: 'c.e.' }], problems: [], notes: [] }]);
  expect(exitOf(more, base)).toBe(4);
  expect(exitOf(of(['p', 'q']), base)).toBe(4);
});

test('sinceBase() keeps what cannot be read an error, and drops remarks that the base has, too', () => {
  const remark = (file: string) => ({ file, line: 1, message: `${file} has no Zone`, level: 'warning' as const });
  const base = { ...planOf([]), errors: [error, remark('../base/dns/x.yaml')] };
  const branch = { ...planOf([]), errors: [error, remark('dns/x.yaml'), remark('dns/new.yaml')] };
  expect(since(branch, base).shown.errors).toEqual([error, remark('dns/new.yaml')]);
  expect(exitOf(planOf([]), base)).toBe(0);
  expect(exitOf({ ...planOf([]), errors: [error] }, base)).toBe(1);
  const unread = planOf([], { isUnread: true, notes: ['no right'] });
  expect(exitOf(unread, unread)).toBe(1);
  expect(since(unread, unread).shown.hostedZones).toMatchObject([{ notes: ['no right'] }]);
});
