import { expect, test } from 'vitest';
import { claimIn, claimSettings } from './claim-settings.ts';

test.each<[Record<string, string>, object]>([
  [{}, {}],
  [{ standby: ' true ' }, { standby: true }],
  [{ standby: 'false' }, {}],
  [
    { sharing: 'weighted', weight: '0' },
    { sharing: 'weighted', weight: 0 },
  ],
  [
    { sharing: 'exclusive', weight: '255' },
    { sharing: 'exclusive', weight: 255 },
  ],
])('claimSettings() reads %j', (said, claim) => {
  const annotations = Object.fromEntries(Object.entries(said).map(([key, value]) => [`zone53.dev/${key}`, value]));
  expect(claimSettings({ annotations })).toEqual({ claim, problems: [] });
});

test.each([
  ['standby', 'yes', 'expected "true" or "false", got "yes"'],
  ['standby', '', 'expected "true" or "false", got ""'],
  ['sharing', 'Weighted', 'got "Weighted"'],
  ['weight', '256', 'expected a whole number from 0 to 255, got "256"'],
  ['weight', '1.5', 'got "1.5"'],
])('claimSettings() refuses %s %j', (key, value, problem) => {
  const { claim, problems } = claimSettings({ annotations: { [`zone53.dev/${key}`]: value } });
  expect([claim, problems]).toEqual([{}, [expect.stringContaining(problem)]]);
});

test('claimSettings() refuses what is no text', () => {
  const { problems } = claimSettings({ annotations: {}, oddAnnotations: { 'zone53.dev/weight': 'a number' } });
  expect(problems).toEqual([expect.stringContaining('got a number')]);
});

test('claimIn() has what the object says before what its Zone says, and standby of either', () => {
  const zone = { standby: true, sharing: 'weighted', weight: 3 } as const;
  expect(claimIn(zone, { sharing: 'exclusive' })).toEqual({ ...zone, sharing: 'exclusive' });
  expect(claimIn(undefined, { weight: 1 })).toEqual({ weight: 1 });
  expect(claimIn(zone, undefined)).toEqual(zone);
});
