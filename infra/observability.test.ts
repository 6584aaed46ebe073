// Alarms and dashboard of a stack: which there are, whom they tell, and from which number on.
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { emptyBundles } from '../test/support/empty-bundles.ts';
import { NAMES } from '../test/support/example-template.ts';
import { Zone53, type Zone53Props } from './zone53.ts';

const bundles = emptyBundles(NAMES);
const told = (arn: string) => [{ bind: () => ({ alarmActionArn: arn }) }];

function stackOf(props: Partial<Zone53Props>): Template {
  const scope = new Stack(new App(), 'Stack');
  new Zone53(scope, 'Zone53', {
    roots: [{ zone: 'example.org' }],
    hostedZones: [{ zone: 'example.org', id: 'Z1' }],
    access: { kind: 'eks', clusterName: 'prod', endpoint: 'https://k8s.example.org', certificateAuthority: 'TFMw' },
    bundles,
    ...props,
  });
  return Template.fromStack(scope);
}

type Alarm = { readonly Properties: Readonly<Record<string, unknown>> };

function alarmsOf(template: Template): ReadonlyMap<string, Alarm['Properties']> {
  const found = Object.entries(template.findResources('AWS::CloudWatch::Alarm') as Record<string, Alarm>);
  return new Map(
    found.map(([id, { Properties }]) => [/Observability(\w+)[0-9A-F]{8}$/.exec(id)?.[1] ?? id, Properties]),
  );
}

describe('full', () => {
  const template = stackOf({ alarms: { page: told('pager'), notify: told('mail') } });
  const alarms = alarmsOf(template);

  it.each(['SweepAge', 'OldestDirty', 'OldestUnsettled', 'HeldDeletes', 'Refusals'])(
    'the dashboard shows what the alarm %s watches',
    (id) => {
      const { MetricName } = alarms.get(id) ?? {};
      const [dashboard] = Object.values(template.findResources('AWS::CloudWatch::Dashboard'));
      expect(MetricName).toBe(id);
      expect(JSON.stringify(dashboard)).toContain(`\\"${id}\\"`);
    },
  );

  it.each(['hints', 'publish', 'reports'])('tells when nobody takes the messages of %s', (queue) => {
    expect(alarms.get(`OldestMessage${queue}`)).toMatchObject({
      MetricName: 'ApproximateAgeOfOldestMessage',
      Threshold: 1_200,
      AlarmActions: ['pager'],
    });
  });

  it.each(['ingest', 'reconcile', 'publish', 'report', 'sweep'])('tells when Lambda throttles %s', (name) => {
    expect(alarms.get(`Throttles${name}`)).toMatchObject({ MetricName: 'Throttles', AlarmActions: ['mail'] });
  });

  it('missing data is an alarm, but not before the first measurement', () => {
    expect(alarms.get('SweepAge')).toMatchObject({
      TreatMissingData: 'missing',
      Threshold: 2_700,
      AlarmActions: ['pager'],
      InsufficientDataActions: ['pager'],
    });
  });

  it.each([
    ['SweepAge', 'pager'],
    ['DeadLettersHints', 'pager'],
    ['Unreadable', 'pager'],
    ['OldestUnsettled', 'pager'],
    ['Refusals', 'mail'],
    ['HeldDeletes', 'mail'],
  ])('%s tells %s, also when it is over', (id, whom) => {
    expect(alarms.get(id)).toMatchObject({ AlarmActions: [whom], OKActions: [whom] });
  });
});

describe('lean', () => {
  const template = stackOf({ observability: 'lean', alarms: { notify: told('mail') } });
  const alarms = alarmsOf(template);

  it('has four alarms, and no dashboard', () => {
    expect([...alarms.keys()].toSorted()).toEqual(['DeadLetters', 'OldestMessage', 'SweepAge', 'Unreadable']);
    template.resourceCountIs('AWS::CloudWatch::Dashboard', 0);
    for (const [id, { AlarmActions }] of alarms) expect(AlarmActions, id).toEqual(['mail']);
  });

  it('watches every queue', () => {
    const metrics = (id: string) =>
      ((alarms.get(id)?.Metrics ?? []) as { MetricStat?: object }[]).filter((one) => one.MetricStat !== undefined);
    expect(metrics('OldestMessage')).toHaveLength(3);
    expect(metrics('DeadLetters')).toHaveLength(4);
    expect(JSON.stringify(alarms.get('DeadLetters'))).toContain('MAX([hints, publish, reports, events])');
  });

  it('has the functions record only what its alarms need', () => {
    const functions = Object.values(template.findResources('AWS::Lambda::Function'));
    expect(functions).toHaveLength(7);
    for (const { Properties } of functions) expect(Properties.Environment.Variables.ZONE53_METRICS).toBe('lean');
  });
});

it('thresholds are settable, an alarm can be left out, and the runbook may be elsewhere', () => {
  const runbook = 'https://wiki.example.org/dns';
  const alarms = alarmsOf(stackOf({ alarms: { runbook, thresholds: { Refusals: 20, SweepAge: 60, Errors: false } } }));
  expect(alarms.get('Refusals')).toMatchObject({ Threshold: 20 });
  expect(alarms.get('Refusals')?.AlarmDescription).toMatch(/https:\/\/wiki\.example\.org\/dns#refusals$/);
  expect(alarms.get('SweepAge')).toMatchObject({ Threshold: 60 });
  expect([...alarms.keys()].filter((id) => id.startsWith('Errors'))).toEqual([]);
});

it('alarms name the runbook of this version', () => {
  const description = alarmsOf(stackOf({})).get('SweepAge')?.AlarmDescription;
  expect(description).toMatch(/https:\/\/unpkg\.com\/zone53@\d+\.\d+\.\d+\S*\/docs\/runbook\.md#sweep-age$/);
});
