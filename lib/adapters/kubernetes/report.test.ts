import { describe, expect, it } from 'vitest';
import type { Entry } from '../../dns/entry.ts';
import type { Condition } from '../../objects/conditions.ts';
import type { ObjectStatus } from '../../ports/cluster.ts';
import { buildStatus, OBJECT_OCTETS_MAX, readExisting, saysAlready, strayConditions } from './apply-status.ts';
import { eventsOf, transitions } from './record-event.ts';

const NOW = '2026-11-21T10:00:00Z';
const BEFORE = '2026-11-20T10:00:00Z';
const ADOPTED: Condition = { type: 'Accepted', status: 'True', reason: 'Adopted', message: 'by it' };
const PENDING: Condition = { type: 'Programmed', status: 'False', reason: 'Pending', message: '' };

describe('buildStatus()', () => {
  const record: ObjectStatus = { fqdn: 'www.example.org.', parent: null, conditions: [ADOPTED, PENDING] };
  const standing = (status: object, padding = '') => readExisting({ metadata: { name: padding }, status });

  it('keeps the time of a condition whose status did not change, and gives any other the current time', () => {
    const conditions = [
      { ...ADOPTED, message: 'other words', lastTransitionTime: BEFORE },
      { ...PENDING, status: 'True', lastTransitionTime: BEFORE },
    ];
    const built = buildStatus(record, standing({ conditions }), NOW);
    expect(built.conditions).toEqual([
      { ...ADOPTED, lastTransitionTime: BEFORE },
      { ...PENDING, lastTransitionTime: NOW },
    ]);
  });

  it.each([['no date'], [5], [undefined]])('treats the forged time %s as missing', (lastTransitionTime) => {
    const built = buildStatus(record, standing({ conditions: [{ ...ADOPTED, lastTransitionTime }] }), NOW);
    expect(built.conditions).toContainEqual({ ...ADOPTED, lastTransitionTime: NOW });
  });

  const entries = Array.from({ length: 20_000 }, (_, index): Entry => {
    return { fqdn: `ü${index}.example.org.`, type: 'A', class: 'IN', ttl: 1, rdata: '192.0.2.1' };
  });
  const zone = (count: number): ObjectStatus => ({
    ...record,
    zone: { entries: entries.slice(0, count), hash: 'h', serial: 1, entriesOmitted: 0 },
  });

  it('lists all entries of a small Zone, and says nothing about omitted ones', () => {
    expect(buildStatus(zone(3), standing({}), NOW)).not.toHaveProperty('entriesOmitted');
    expect(buildStatus(zone(3), standing({ entriesOmitted: 7 }), NOW)).toMatchObject({ entriesOmitted: 0 });
  });

  it.each([0, 500_000, 1_400_000])('keeps an object with %i octets of its own below 1 MiB, if it can', (padding) => {
    const before = standing({}, 'x'.repeat(padding));
    const built = buildStatus(zone(20_000), before, NOW);
    const kept = (built.entries as Entry[]).length;
    expect(kept + (built.entriesOmitted as number)).toBe(20_000);
    const octets = before.octets + Buffer.byteLength(JSON.stringify(built));
    if (padding < OBJECT_OCTETS_MAX) expect(octets).toBeLessThanOrEqual(OBJECT_OCTETS_MAX);
    else expect(kept).toBe(0);
    if (padding < OBJECT_OCTETS_MAX) expect(octets).toBeGreaterThan(OBJECT_OCTETS_MAX - 300);
  });
});

describe('saysAlready()', () => {
  const wanted = { fqdn: 'a.', hash: null, conditions: [{ ...ADOPTED, lastTransitionTime: NOW }] };
  it.each([
    ['the same in another order', { conditions: [{ lastTransitionTime: NOW, ...ADOPTED }], fqdn: 'a.' }, true],
    ['an absent field for null', { fqdn: 'a.', conditions: wanted.conditions }, true],
    ["somebody's own condition beside", { ...wanted, conditions: [{ type: 'Theirs' }, ...wanted.conditions] }, true],
    ['another fqdn', { ...wanted, fqdn: 'b.' }, false],
    ['a hash where there is none', { ...wanted, hash: 'x' }, false],
    ['a message of other words', { ...wanted, conditions: [{ ...wanted.conditions[0], message: 'x' }] }, false],
    ['a condition of ours that we do not state', { ...wanted, conditions: [...wanted.conditions, PENDING] }, false],
    ['the data of an alias, which it is not', { ...wanted, data: 'ALIAS x.' }, false],
    ['nothing', {}, false],
  ])('%s', (_title, standing, expected) => {
    expect(saysAlready(standing, wanted)).toBe(expected);
  });

  it('strayConditions() finds the conditions of our types that we do not state', () => {
    expect(strayConditions({ conditions: [{ type: 'Theirs' }, PENDING, ADOPTED] }, wanted)).toEqual([1]);
  });
});

describe('transitions()', () => {
  it.each([
    ['a first report', [], [ADOPTED, PENDING], ['Accepted', 'Programmed']],
    ['other words', [ADOPTED], [{ ...ADOPTED, message: 'x' }], []],
    ['another reason', [ADOPTED], [{ ...ADOPTED, reason: 'Root' as const }], ['Accepted']],
    ['another status', [PENDING], [{ ...PENDING, status: 'Unknown' as const }], ['Programmed']],
    ['one that is no more', [ADOPTED, PENDING], [ADOPTED], []],
  ])('%s', (_title, before, after, expected) => {
    expect(transitions(before, after).map(({ type }) => type)).toEqual(expected);
  });
});

describe('eventsOf()', () => {
  const published: Condition = { type: 'Programmed', status: 'True', reason: 'Published', message: 'in Z1' };
  const rejected: Condition = { type: 'Programmed', status: 'False', reason: 'Rejected', message: 'by Route 53' };
  it.each([
    ['what it came to', [ADOPTED, published], 'Published', 'in Z1; Adopted: by it'],
    ['what went wrong', [ADOPTED, rejected], 'Rejected', 'by Route 53; Adopted: by it'],
    ['and not that it waits', [ADOPTED, PENDING], 'Adopted', 'by it; Pending: '],
    ['one alone as it is', [ADOPTED], 'Adopted', 'by it'],
  ])('makes one Event for an object without an earlier report: %s', (_title, after, reason, message) => {
    expect(eventsOf([], after)).toMatchObject([{ reason, message }]);
  });

  it('reports each later transition with its own Event', () => {
    const before = [{ ...ADOPTED, status: 'False', reason: 'InvalidSpec' } as const];
    expect(eventsOf(before, [ADOPTED, published]).map(({ reason }) => reason)).toEqual(['Adopted', 'Published']);
    expect(eventsOf([ADOPTED, published], [ADOPTED, published])).toEqual([]);
  });
});
