import { describe, expect, it } from 'vitest';
import { FUNCTION_ENVIRONMENT, type FunctionName, parseEnvironment } from './environment.ts';

const ALL = {
  ZONE53_TABLE: 'table',
  ZONE53_HINTS_URL: 'https://sqs.eu-west-1.amazonaws.com/1/hints',
  ZONE53_PUBLISH_URL: 'https://sqs.eu-west-1.amazonaws.com/1/publish.fifo',
  ZONE53_REPORTS_URL: 'https://sqs.eu-west-1.amazonaws.com/1/reports',
  ZONE53_SENDER_SECRET: 'arn:aws:secretsmanager:eu-west-1:1:secret:s',
  ZONE53_CONFIG_BUCKET: 'bucket',
  ZONE53_CONFIG_KEY: 'zone53.json',
  ZONE53_OWN_ROLES: '["arn:aws:iam::1:role/publisher"]',
  ZONE53_METRICS: 'lean',
};

describe('parseEnvironment()', () => {
  it.each(Object.keys(FUNCTION_ENVIRONMENT) as FunctionName[])('%s has what it needs, parsed', (name) => {
    const parsed = parseEnvironment(name, ALL);
    expect(Object.keys(parsed).toSorted()).toEqual([...FUNCTION_ENVIRONMENT[name]].toSorted());
  });

  it('names all that is missing or wrong at once, and never quotes a secret', () => {
    const wrong = { ...ALL, ZONE53_TABLE: '', ZONE53_HINTS_URL: 'hints', ZONE53_CONFIG_KEY: '' };
    expect(() => parseEnvironment('reconcile', wrong)).toThrow(
      'Cannot start reconcile: ZONE53_TABLE is not set; ZONE53_CONFIG_KEY is not set; ZONE53_HINTS_URL: is not a URL',
    );
  });

  it('allows missing variables of a feature that is not deployed', () => {
    const { ZONE53_SENDER_SECRET: _, ...rest } = ALL;
    expect(parseEnvironment('ingest', rest).ZONE53_SENDER_SECRET).toBeNull();
  });
});
