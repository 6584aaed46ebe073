// The report of `migrate` for people and as JSON, for what is replaced by a record set of another type.
import { expect, test } from 'vitest';
import { plainPaint } from '../print/terminal-text.ts';
import { jsonMigration, printMigration } from './print-migration.ts';

test('says of which type the record set is that replaces one of another type', () => {
  const values = (...all: string[]) => ({ kind: 'values' as const, ttlSeconds: 300, values: all });
  const key = { name: 'www.e.', type: 'A', setIdentifier: null, objects: ['Record p/www'] };
  const entry = { ...key, standing: values('192.0.2.1'), wanted: values('x.example.'), wantedType: 'CNAME' };
  const lists = { adopt: [], update: [entry], unwanted: [], foreign: [], whyKept: null };
  const report = { hostedZones: [{ id: 'Z1', name: 'e.', owner: 'prod', ...lists }], problems: [] };
  const printed = printMigration(report as never, { owner: 'prod', takeover: null }, plainPaint);
  expect(printed).toContain('~ www.e. A  ttl 300, 192.0.2.1 → CNAME ttl 300, x.example.');
  expect(JSON.stringify(jsonMigration(report as never))).toContain('"wantedType":"CNAME"');
});
