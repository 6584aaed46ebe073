import { describe, expect, it } from 'vitest';
import { parentLabel, showsParent } from './parent-label.ts';

describe('parentLabel()', () => {
  it.each([
    [null, null, null],
    ['team/zone', 'zone.team', null],
    [`${'n'.repeat(31)}/${'z'.repeat(31)}`, `${'z'.repeat(31)}.${'n'.repeat(31)}`, null],
    [
      `${'n'.repeat(32)}/${'z'.repeat(31)}`,
      `${'z'.repeat(31)}.${'n'.repeat(22)}-87645436`,
      `${'z'.repeat(31)}.${'n'.repeat(32)}`,
    ],
  ])('%s', (parent, label, annotation) => {
    expect(parentLabel(parent)).toEqual({ label, annotation });
    expect(label ?? '').toMatch(/^(|[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?)$/);
  });
});

describe('showsParent()', () => {
  const key = 'kubi.zone/parent-zone';
  const long = `${'n'.repeat(32)}/${'z'.repeat(31)}`;
  const { label, annotation } = parentLabel(long) as { label: string; annotation: string };

  it.each([
    ['no parent, no label', {}, {}, null, true],
    ['a label and no parent', { [key]: 'zone.team' }, {}, null, false],
    ['the parent', { [key]: 'zone.team', other: 'x' }, {}, 'team/zone', true],
    ['another parent', { [key]: 'bank.team' }, {}, 'team/zone', false],
    ['no label', {}, {}, 'team/zone', false],
    ['an annotation that is not needed', { [key]: 'zone.team' }, { [key]: 'bank.team' }, 'team/zone', false],
    ['a long parent, complete in the annotation', { [key]: label }, { [key]: annotation }, long, true],
    ['a long parent without its annotation', { [key]: label }, {}, long, false],
  ])('%s', (_title, labels, annotations, parent, expected) => {
    expect(showsParent({ labels, annotations }, parent)).toBe(expected);
  });
});
