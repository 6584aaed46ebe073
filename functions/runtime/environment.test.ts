import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { testFolder } from '../../test/support/test-folder.ts';
import {
  FUNCTION_ENVIRONMENT,
  type FunctionName,
  iamRecordName,
  parseEnvironment,
  settingsProblems,
} from './environment.ts';

const CONFIG = { roots: [{ zone: 'example.org' }], hostedZones: [{ zone: 'example.org', id: 'Z1' }] };
const ALL = {
  ZONE53_TABLE: 'table',
  ZONE53_HINTS_URL: 'https://sqs.eu-west-1.amazonaws.com/1/hints',
  ZONE53_PUBLISH_URL: 'https://sqs.eu-west-1.amazonaws.com/1/publish.fifo',
  ZONE53_REPORTS_URL: 'https://sqs.eu-west-1.amazonaws.com/1/reports',
  ZONE53_SENDER_SECRET: 'arn:aws:secretsmanager:eu-west-1:1:secret:s',
  ZONE53_CONFIG: JSON.stringify(CONFIG),
  ZONE53_KUBERNETES: JSON.stringify({
    kind: 'eks',
    clusterName: 'prod',
    region: 'eu-west-1',
    endpoint: 'https://x.eks.amazonaws.com',
    certificateAuthority: 'TFMw',
  }),
  ZONE53_OWN_ROLES: '["arn:aws:iam::1:role/publisher"]',
};

describe('parseEnvironment()', () => {
  it.each(Object.keys(FUNCTION_ENVIRONMENT) as FunctionName[])('%s has what it needs, parsed', (name) => {
    const parsed = parseEnvironment(name, ALL);
    expect(Object.keys(parsed).toSorted()).toEqual([...FUNCTION_ENVIRONMENT[name]].toSorted());
  });

  it('names all that is missing or wrong at once, and never quotes a secret', () => {
    const wrong = { ...ALL, ZONE53_TABLE: '', ZONE53_HINTS_URL: 'hints', ZONE53_KUBERNETES: '{"kind":"eks"}' };
    expect(() => parseEnvironment('reconcile', wrong)).toThrow(
      /^Cannot start reconcile: ZONE53_TABLE is not set; ZONE53_HINTS_URL: is not a URL; ZONE53_KUBERNETES: /,
    );
    expect(() => parseEnvironment('publish', { ...ALL, ZONE53_CONFIG: '{' })).toThrow('ZONE53_CONFIG: ');
  });

  it('reads a long value from a file beside the bundle, where there is no limit', () => {
    const folder = testFolder();
    const hostedZones = Array.from({ length: 500 }, (_, index) => ({ zone: `z${index}.example.org`, id: `Z${index}` }));
    writeFileSync(path.join(folder, 'config.json'), JSON.stringify({ ...CONFIG, hostedZones }));
    writeFileSync(path.join(folder, 'kubernetes.json'), ALL.ZONE53_KUBERNETES);
    const files = { ZONE53_CONFIG: 'config.json', ZONE53_KUBERNETES: 'kubernetes.json', LAMBDA_TASK_ROOT: folder };
    const parsed = parseEnvironment('reconcile', { ...ALL, ...files });
    expect(parsed.ZONE53_CONFIG.hostedZones).toHaveLength(500);
    expect(parsed.ZONE53_KUBERNETES).toEqual(parseEnvironment('reconcile', ALL).ZONE53_KUBERNETES);
    const elsewhere = { ...ALL, ...files, LAMBDA_TASK_ROOT: path.join(folder, 'gone') };
    expect(() => parseEnvironment('reconcile', elsewhere)).toThrow(/^Cannot start reconcile: ZONE53_CONFIG: ENOENT/);
  });

  it('allows missing variables of a feature that is not deployed', () => {
    const { ZONE53_SENDER_SECRET: _, ...rest } = ALL;
    expect(parseEnvironment('ingest', rest).ZONE53_SENDER_SECRET).toBeNull();
  });
});

describe('settingsProblems()', () => {
  it.each([
    ['a complete one', {}, []],
    ['no roots', { roots: undefined }, ['roots: missing']],
    ['no hosted zones', { hostedZones: [] }, ['hostedZones: missing']],
    ['no hosted zones, for DNSRecords alone', { hostedZones: [], roots: [], sources: { dnsRecords: {} } }, []],
    ['hosted zones to be created', { createHostedZones: 'all' }, ['createHostedZones: all needs']],
    ['a misspelt key', { rots: [] }, ['rots: unknown key']],
    ['a wrong type', { guard: { deletesMax: 'many' } }, ['guard.deletesMax: write a whole number']],
    ['a budget of nothing', { budget: { callsPerSecond: 2, reservedForOthers: 2 } }, ['budget.reservedForOthers: 2']],
  ])('%s', (_title, change, starts) => {
    const problems = settingsProblems({ ...CONFIG, ...change });
    expect(problems.map((problem, index) => problem.slice(0, starts[index]?.length))).toEqual(starts);
  });
});

describe('iamRecordName()', () => {
  it.each([
    ['example.org.', 'example.org'],
    ['0/25.2.0.192.in-addr.arpa.', '0\\05725.2.0.192.in-addr.arpa'],
  ])('%s', (name, expected) => {
    expect(iamRecordName(name)).toBe(expected);
  });
});
