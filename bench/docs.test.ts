import { expect, test } from 'vitest';
import { replaceSection, section } from './docs.ts';
import { drawPlot } from './plot.ts';
import { atMost } from './result.ts';

const PLOT = {
  file: 'growth',
  title: 'Cost',
  x: 'records',
  y: 'calls',
  categories: [100, 1_000],
  series: [{ name: 'zone53', values: [1, null] }],
};
const MEASURED = { machine: { cores: '2' }, at: '2026-11-21T13:00Z', seconds: 12.4 };

test('a section is replaced between its marks, and nothing else', () => {
  const text = 'before\n<!-- bench:a -->\nold\n<!-- /bench:a -->\nafter\n<!-- bench:b --><!-- /bench:b -->';
  expect(replaceSection(text, 'a', 'new')).toBe(
    'before\n<!-- bench:a -->\nnew\n<!-- /bench:a -->\nafter\n<!-- bench:b --><!-- /bench:b -->',
  );
  expect(() => replaceSection(text, 'c', 'new')).toThrow('<!-- bench:c -->');
});

test('a bench as Markdown has its table, plot, limits, notes and machine', () => {
  const result = {
    name: 'growth: cost',
    rows: [{ records: 100, 'by kind': 'a|b' }],
    limits: [atMost('calls', 1, 1)],
    notes: ['synthetic'],
    plots: [PLOT],
  };
  expect(section('growth', result, MEASURED).split('\n')).toEqual([
    '`npm run bench -- growth`: growth: cost',
    '',
    '| records | by kind |',
    '| --: | --- |',
    '| 100 | a\\|b |',
    '',
    '![Cost](benchmarks/growth.svg)',
    '',
    '- kept: calls 1, limit 1',
    '',
    '- note: synthetic',
    '',
    'Measured 2026-11-21T13:00Z in 12 s; cores 2.',
  ]);
});

test('a plot is SVG with its title and the names of its lines', () => {
  const svg = drawPlot(PLOT);
  expect(svg).toMatch(/^<svg /);
  expect(svg).toContain('Cost');
  expect(svg).toContain('zone53');
});
