import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  auditTable,
  costTable,
  countExample,
  countTemplate,
  PRICES,
  pricesWith,
  priceTable,
} from './estimate-costs.ts';

const DOCS = readFileSync(path.join(import.meta.dirname, '..', 'docs', 'costs.md'), 'utf8');

describe('costTable()', () => {
  it('equals docs/costs.md, with the prices there', () => {
    expect(DOCS).toContain(costTable());
    expect(DOCS).toContain(auditTable());
    expect(DOCS).toContain(priceTable());
  });

  it('follows a price of your own', () => {
    expect(costTable(pricesWith(['secret=100.4']))).toContain('| Secrets, keys, schedules | 201');
    expect(costTable(pricesWith([]))).toBe(costTable());
  });

  it.each(['alarm', 'alarm=', 'alarm=x', 'alarm=-1', 'beer=3'])('refuses %s', (text) => {
    expect(() => pricesWith([text])).toThrow(`Cannot read price "${text}"`);
  });

  it('has the date of every price', () => {
    for (const { noted } of Object.values(PRICES)) expect(noted).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  });
});

it('lean costs at most 5 dollars a month for 100 records', () => {
  const [, lean = ''] = /\*\*all\*\* \| ([\d.]+)/.exec(costTable()) ?? [];
  expect(Number(lean)).toBeGreaterThan(1);
  expect(Number(lean)).toBeLessThanOrEqual(5);
});

it('50 clusters of 100 records each cost at most 30 dollars a month', () => {
  const [, , fleet = ''] = /\*\*all\*\* \| ([\d.]+) \| ([\d.]+)/.exec(costTable()) ?? [];
  expect(Number(fleet)).toBeGreaterThan(5);
  expect(Number(fleet)).toBeLessThanOrEqual(30);
});

it('counts what the template of the example has', () => {
  const alarms = { A: { Type: 'AWS::CloudWatch::Alarm', Properties: {} } };
  expect(countTemplate(alarms)).toMatchObject({ alarmMetrics: 1, dashboards: 0, secrets: 0 });
  expect(countExample('full')).toMatchObject({ dashboards: 1, secrets: 2 });
  // Three queues, four dead letter queues, and two figures.
  expect(countExample('lean')).toMatchObject({ alarmMetrics: 9, dashboards: 0, customMetrics: 2 });
});
