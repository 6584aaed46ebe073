// What the validating webhook refuses, and what it allows.

import { expect, test } from 'vitest';
import { memoryCluster } from '../../test/fakes/memory-cluster.ts';
import { apply, reasonOf } from '../../test/fakes/reconcile-steps.ts';
import { deliverAll, reconcileWorld } from '../../test/fakes/reconcile-world.ts';
import { parseRootPattern } from '../dns/names/pattern.ts';
import { parseRef } from '../objects/object-ref.ts';
import { DEFAULT_CONFIG } from '../ports/config.ts';
import { SOURCES } from '../sources/source.ts';
import { judgeAdmission, judgeWrite } from './validate-admission.ts';

const PARENT = { domainName: 'e.', delegations: [{ namespace: 'team', records: [{ pattern: '*.app' }] }] };
const GOOD = { domainName: 'www.app.e.', type: 'A', rdata: '192.0.2.1' };
const DENIED = { ...GOOD, domainName: 'www.e.' };
const INVALID = { ...GOOD, rdata: '192.0.2.300' };
const CONFIG = {
  ...DEFAULT_CONFIG,
  roots: ['e.', 'f.'].map((text) => {
    const root = parseRootPattern(text);
    if (!root.ok) throw new Error(root.problems.join());
    return { pattern: root.pattern, namespaces: ['dns'] };
  }),
};
const RULES = { sources: SOURCES, config: CONFIG };

async function zones() {
  const cluster = memoryCluster();
  cluster.put(parseRef('Zone dns/e'), PARENT, {}, 1_000);
  return (await cluster.port.list()).objects;
}

test.each<[string, string, unknown, unknown, RegExp | null]>([
  ['a good Record', 'Record team/www', GOOD, undefined, null],
  ['an invalid Record', 'Record team/www', INVALID, undefined, /^InvalidSpec: .*192\.0\.2\.300/],
  [
    'a Record of several values',
    'Record team/www',
    { ...GOOD, rdata: null, values: ['192.0.2.1', '192.0.2.2'] },
    GOOD,
    null,
  ],
  [
    'one wrong value',
    'Record team/www',
    { ...GOOD, rdata: null, values: ['192.0.2.1', 'x'] },
    GOOD,
    /spec\.values\[1\]: /,
  ],
  ['an invalid spec that is stored already', 'Record team/www', INVALID, INVALID, null],
  ['an edit that stays invalid', 'Record team/www', INVALID, { ...INVALID, ttl: 1 }, /^InvalidSpec: /],
  ['a name that is not delegated', 'Record team/www', DENIED, undefined, /^DelegationDenied: .*www\.e\./],
  ['a parent that may be created next', 'Record team/www', { ...GOOD, domainName: 'www.other.' }, undefined, null],
  [
    'a zoneRef to a Zone that may be created next',
    'Record team/www',
    { ...GOOD, domainName: 'www', zoneRef: { name: 'z' } },
    undefined,
    null,
  ],
  ['a root that is not allowed', 'Zone team/bank', { domainName: 'bank.example.' }, undefined, /^RootNotAllowed: /],
  ['a sub-zone whose parent may be created next', 'Zone team/app', { domainName: 'app.other.f.' }, undefined, null],
  [
    'a sub-zone that its parent does not delegate',
    'Zone team/app',
    { domainName: 'app.e.' },
    undefined,
    /^DelegationDenied: /,
  ],
  ['a second Zone of one name: the first may be about to be deleted', 'Zone dns/second', PARENT, undefined, null],
  ['an edit of the Zone that has the name', 'Zone dns/e', { ...PARENT, delegations: [] }, PARENT, null],
])('%s', async (_title, ref, spec, oldSpec, message) => {
  const verdict = judgeAdmission({ ref: parseRef(ref), spec, oldSpec }, await zones(), RULES);
  if (message === null) expect(verdict).toEqual({ kind: 'pass' });
  else expect(verdict).toEqual({ kind: 'refuse', message: expect.stringMatching(message) });
});

test('judgeAdmission() judges only the spec when it does not have the Zones', () => {
  const judge = (spec: unknown) =>
    judgeAdmission({ ref: parseRef('Record team/www'), spec, oldSpec: undefined }, null, RULES);
  expect(judge(DENIED)).toEqual({ kind: 'pass' });
  expect(judge(INVALID)).toEqual({ kind: 'refuse', message: expect.stringMatching(/^InvalidSpec: /) });
});

test('judgeWrite() admits what a Zone allowed before it became invalid, because that is still in force', async () => {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }], config: CONFIG });
  const root = { domainName: 'e.', delegations: [{ namespaces: ['team'], zones: ['*'], records: [{ pattern: '*' }] }] };
  await apply(world, { 'Zone dns/e': root });
  await deliverAll(world);
  await apply(world, { 'Zone dns/e': { ...root, ttl: -1 } });
  const subjects = {
    'Zone team/app': { domainName: 'app.e.' },
    'Record team/www': { domainName: 'www.e.', type: 'A', rdata: '192.0.2.1' },
  };
  for (const [ref, spec] of Object.entries(subjects)) {
    const verdict = await judgeWrite(
      world.cluster.port,
      RULES,
      { ref: parseRef(ref), spec, oldSpec: undefined },
      () => false,
    );
    expect(verdict.kind, ref).not.toBe('refuse');
    await apply(world, { [ref]: spec });
    await deliverAll(world);
    expect(reasonOf(world, ref, 'Accepted')).toBe('Adopted');
  }
});

test('judgeWrite() judges writes that do not depend on an invalid Zone, and for others names that Zone', async () => {
  const cluster = memoryCluster();
  cluster.put(parseRef('Zone dns/e'), PARENT, {}, 1_000);
  cluster.put(parseRef('Zone team/bad'), { domainName: 'bad.e.', ttl: -1 }, {}, 1_000);
  const judge = (spec: unknown) =>
    judgeWrite(cluster.port, RULES, { ref: parseRef('Record team/www'), spec, oldSpec: undefined }, () => false);
  expect(await judge(INVALID)).toMatchObject({ kind: 'refuse' });
  expect(await judge(GOOD)).toEqual({ kind: 'pass' });
  expect(await judge(DENIED)).toEqual({
    kind: 'unjudged',
    reason: expect.stringMatching(/^Zone team\/bad is invalid/),
  });
});

test('judgeWrite() asks for no further page once it is late, and never takes a part of a list for the whole', async () => {
  let pages = 0;
  const subject = { ref: parseRef('Record team/www'), spec: DENIED, oldSpec: undefined };
  const endless = {
    listPage: async () => ({ objects: [], next: `page ${++pages}`, unreadable: new Set<never>() }),
  } as never;
  await expect(judgeWrite(endless, RULES, subject, () => pages >= 3)).rejects.toThrow('too long');
  expect(pages).toBe(3);
  await expect(judgeWrite({ listPage: async () => null }, RULES, subject, () => false)).rejects.toThrow('changed');
});

test('judgeAdmission() without roots refuses a Zone that takes names from an older one of another namespace', async () => {
  const open = { sources: SOURCES, config: { ...DEFAULT_CONFIG, roots: null } };
  const standing = await zones();
  const judge = (text: string, domainName: string) => {
    const subject = { ref: parseRef(text), spec: { domainName }, oldSpec: undefined };
    return judgeAdmission(subject, standing, open);
  };
  const refused = { kind: 'refuse', message: expect.stringMatching(/^DelegationDenied: .*dns\/e/) };
  expect(judge('Zone team/www', 'www.e.')).toMatchObject(refused);
  expect(judge('Zone dns/www', 'www.e.')).toEqual({ kind: 'pass' });
  expect(judge('Zone team/other', 'www.other.')).toEqual({ kind: 'pass' });
});

test('judgeAdmission() without roots admits an edit of what may be a root that was live before, and Records below it', async () => {
  const open = { sources: SOURCES, config: { ...DEFAULT_CONFIG, roots: null } };
  const cluster = memoryCluster();
  cluster.put(parseRef('Zone dns/e'), { domainName: 'e.', delegations: [] }, {}, 1_000);
  cluster.put(parseRef('Zone team/s'), { domainName: 's.e.', delegations: [] }, {}, 2_000);
  const stored = (await cluster.port.list()).objects;
  const judge = (text: string, spec: unknown, oldSpec?: unknown) =>
    judgeAdmission({ ref: parseRef(text), spec, oldSpec }, stored, open);
  const old = { domainName: 's.e.', delegations: [] };
  expect(judge('Zone team/s', { ...old, ttl: 60 }, old)).toEqual({ kind: 'pass' });
  expect(judge('Zone team/s', { ...old, domainName: 't.e.' }, old)).toMatchObject({ kind: 'refuse' });
  const www = { domainName: 'www.s.e.', type: 'A', rdata: '192.0.2.1' };
  expect(judge('Record team/www', www)).toEqual({
    kind: 'unjudged',
    reason: 'Zone team/s is covered by another Zone, and may be a root that was live before',
  });
  expect(judge('Record team/www', { ...www, domainName: 'www.e.' })).toMatchObject({ kind: 'refuse' });
});

test('judgeAdmission() passes what a Zone allows that may have asked for its name before an older object did', async () => {
  const cluster = memoryCluster();
  cluster.put(parseRef('Zone dns/e'), PARENT, {}, 2_000);
  const config = { ...CONFIG, roots: CONFIG.roots.map((root) => ({ ...root, namespaces: null })) };
  const judge = async () => {
    const { objects } = await cluster.port.list();
    return judgeAdmission({ ref: parseRef('Record team/www'), spec: GOOD, oldSpec: undefined }, objects, {
      ...RULES,
      config,
    });
  };
  // An older object that is edited to the name of dns/e does not get it, and its delegations do not count.
  cluster.put(parseRef('Zone evil/old'), { domainName: 'e.' }, {}, 1_000);
  expect(await judge()).toEqual({
    kind: 'unjudged',
    reason: 'Zone dns/e asks for the name of another Zone, and may have asked for it longer',
  });
  cluster.remove(parseRef('Zone dns/e'));
  expect(await judge()).toMatchObject({ kind: 'refuse', message: expect.stringContaining('DelegationDenied: ') });
});
