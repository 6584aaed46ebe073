import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { exampleTemplate } from '../test/support/example-template.ts';
import { ALARMS, costTable, PRICES, pricesWith, priceTable } from './estimate-costs.ts';

const example = exampleTemplate();
const DOCS = readFileSync(path.join(import.meta.dirname, '..', 'docs', 'costs.md'), 'utf8');

describe('costTable()', () => {
  it('equals docs/costs.md, with the prices there', () => {
    expect(DOCS).toContain(costTable());
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

it('counts every alarm of the example, with its verdicts and without the intent API', () => {
  const ofIntents = /Intents/i;
  const alarms = example.ofType('AWS::CloudWatch::Alarm').filter(([id]) => !ofIntents.test(id));
  expect(ALARMS).toBe(alarms.length);
});
