// guardPlan() over the names of a cluster's own DNS.
import { describe, expect, test } from 'vitest';
import { type GuardCase, guardInput } from '../../../test/fakes/guard-input.ts';
import { serviceName } from '../../dns/names/service-name.ts';
import type { Change } from '../../dns/plan-changes.ts';
import { guardPlan } from './guard.ts';
import type { ServicesView } from './guard-services.ts';

const LIMITS = { zone: 'k.', shareMax: 0.5, windowMs: 60_000 };

function gone(name: string): Change {
  const before = { kind: 'values' as const, ttlSeconds: 5, values: ['192.0.2.1'] };
  return { action: 'delete', name, type: 'A', setIdentifier: null, before, after: null, objects: [] };
}

function services(count: number, from = 0): readonly string[] {
  return Array.from({ length: count }, (_, index) => `s${index + from}.shop.svc.k.`);
}

function view(going: number, staying: number, lost = 0): ServicesView {
  return {
    limits: LIMITS,
    going: new Set(services(going)),
    gone: new Set(services(lost, 100)),
    staying,
    behind: ({ name }) => {
      const service = serviceName(name, 'k.');
      return service === null ? null : [service];
    },
  };
}

function judge(changes: readonly Change[], of: ServicesView | null, more: GuardCase = {}) {
  const limits = { deletesMax: 5, deletesShareMax: 0.3 };
  return guardPlan(guardInput({ zone: 'p/k', changes, limits, services: of, nowMs: 0, ...more }));
}

describe('guardPlan() of Services', () => {
  test.each([
    ['half of them go', 5, 5, 0, 0],
    ['more than half go', 6, 4, 0, 6],
    ['more than half go, with those that went within the window', 3, 4, 3, 3],
    ['there are fewer than ten', 9, 0, 0, 0],
    ['all ten go', 10, 0, 0, 10],
  ])('%s', (_, going, staying, lost, held) => {
    const verdict = judge(services(going).map(gone), view(going, staying, lost));
    expect(verdict.held).toHaveLength(held);
    expect(verdict.go).toHaveLength(going - held);
    const words = `${going + lost} of ${going + lost + staying} Services would lose all of their names within 60 seconds`;
    expect(verdict.reasons.some((reason) => reason.startsWith(words))).toBe(held > 0);
  });

  test('allows deletes of single endpoints, however many, and whatever else is held', () => {
    const endpoints = Array.from({ length: 200 }, (_, index) => gone(`10-0-0-${index}.stays.shop.svc.k.`));
    expect(judge(endpoints, view(0, 0)).held).toEqual([]);
    const others = Array.from({ length: 6 }, (_, index) => gone(`www${index}.k.`));
    expect(judge([...endpoints, ...others], view(0, 0)).held).toEqual(others);
    const going = services(6).map(gone);
    expect(judge([...endpoints, ...going], view(6, 0, 4)).held).toEqual(going);
  });

  test('does not count Services towards the limits of others', () => {
    const changes = [...services(5).map(gone), gone('www.k.')];
    expect(judge(changes, view(5, 95)).held).toEqual([]);
    expect(judge(changes, null).held).toHaveLength(6);
  });

  test('holds everything when no record set would be left, and not all deletes are of Services', () => {
    const changes = services(3).map(gone);
    expect(judge(changes, view(3, 0), { publishedCount: 3 }).held).toEqual([]);
    const all = [...changes, gone('dns-version.k.')];
    expect(judge(all, view(3, 0), { publishedCount: 4 }).held).toHaveLength(4);
  });

  test('keeps holding its held deletes until they are acknowledged', () => {
    const changes = services(6).map(gone);
    const held = judge(changes, view(6, 0), { wasHeld: () => true });
    expect(held.held).toHaveLength(6);
    expect(judge(changes, view(6, 0), { wasHeld: () => true, acknowledged: [held.digest ?? ''] }).go).toEqual(changes);
  });
});
