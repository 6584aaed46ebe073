// What the synthesized patterns let through: every sample event that our parsers make something of, and no event that
// they do not need. A pattern that would drop an event, or pass all, fails here.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { App } from 'aws-cdk-lib';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseAuditEvents } from '../events/audit-event-list.ts';
import { isRoute53Call, parseBusEvent, parseRoute53Call } from '../events/event-bridge.ts';
import { FUNCTION_ENVIRONMENT, type FunctionName } from '../functions/runtime/environment.ts';
import { KINDS } from '../lib/sources/source.ts';
import { emptyBundles } from '../test/support/empty-bundles.ts';
import { resolved } from '../test/support/example-template.ts';
import { matchEventPattern } from '../test/support/match-event-pattern.ts';
import { matchFilterPattern } from '../test/support/match-filter-pattern.ts';
import { addStacks } from './stacks.ts';

const ROOT = path.join(import.meta.dirname, '..');
/** The example, with the hosted zone of the sample of CloudTrail. */
const SOURCE = readFileSync(path.join(ROOT, 'examples', 'aws', 'zone53.yaml'), 'utf8').replace(
  'Z0123456789ABCDEFGHIJ',
  'Z1PA6795UKMFR9',
);
// biome-ignore lint/suspicious/noExplicitAny: samples are changed at will
type Json = any;
const sample = (name: string): Json =>
  JSON.parse(readFileSync(path.join(ROOT, 'events', 'samples', `${name}.json`), 'utf8'));

type Resources = Record<string, { readonly Type: string; readonly Properties: Record<string, unknown> }>;
let filter: string;
/** Event patterns of the rules: of our own bus, of the default bus, and of the stack in us-east-1. */
let bus: unknown;
let drift: unknown;
let forwarded: unknown;

beforeAll(() => {
  const app = new App();
  addStacks(app, SOURCE, 'zone53.yaml', emptyBundles(Object.keys(FUNCTION_ENVIRONMENT) as FunctionName[]));
  const assembly = app.synth();
  const all = assembly.stacks.map(({ template }) => template.Resources as Resources);
  const of = (type: string) =>
    all
      .map((resources) => Object.values(resources).filter(({ Type }) => Type === type))
      .filter((some) => some.length > 0);
  const [filters] = of('AWS::Logs::SubscriptionFilter');
  expect(filters).toHaveLength(1);
  filter = filters?.[0]?.Properties.FilterPattern as string;
  const rules = of('AWS::Events::Rule');
  const home = rules.find((some) => some.length === 2) ?? [];
  const onBus = home.find(({ Properties }) => Properties.EventBusName !== undefined);
  bus = onBus?.Properties.EventPattern;
  drift = resolved(home.find((one) => one !== onBus)?.Properties.EventPattern);
  forwarded = rules.find((some) => some.length === 1)?.[0]?.Properties.EventPattern;
}, 120_000);

describe('the filter of the audit log', () => {
  /** The audit events of the sample, as CloudWatch Logs stores them. */
  const messages = (): string[] => {
    const { awslogs } = sample('cloudwatch-logs');
    const { logEvents } = JSON.parse(gunzipSync(Buffer.from(awslogs.data, 'base64')).toString('utf8'));
    return logEvents.map((event: { message: string }) => event.message);
  };
  const hints = (message: string) => parseAuditEvents(KINDS, [JSON.parse(message)]).hints.length;

  it('passes every event of which ingest makes a hint, and of the others dry runs only', () => {
    const all = messages();
    expect(all.filter((message) => hints(message) > 0)).toHaveLength(5);
    for (const message of all) {
      const isDryRun = message.includes('dryRun=All');
      const needed = hints(message) > 0;
      expect(matchFilterPattern(filter, message), message).toBe(needed || isDryRun);
    }
  });

  it.each(['create', 'update', 'patch', 'delete', 'deletecollection'])('passes %s of a Zone', (verb) => {
    const event = { ...JSON.parse(messages()[1] ?? ''), verb };
    event.objectRef = { ...event.objectRef, resource: 'zones' };
    expect(hints(JSON.stringify(event))).toBe(1);
    expect(matchFilterPattern(filter, JSON.stringify(event))).toBe(true);
  });

  it.each<[string, (event: Json) => void]>([
    ['a read', (event) => Object.assign(event, { verb: 'list' })],
    ['a watch', (event) => Object.assign(event, { verb: 'watch' })],
    ['an earlier stage', (event) => Object.assign(event, { stage: 'RequestReceived' })],
    ['a refused request', (event) => Object.assign(event.responseStatus, { code: 403 })],
    ['a write of the status', (event) => Object.assign(event.objectRef, { subresource: 'status' })],
    ['another group', (event) => Object.assign(event.objectRef, { apiGroup: 'example.org' })],
    ['the core group', (event) => delete event.objectRef.apiGroup],
    ['a request without an object', (event) => delete event.objectRef],
  ])('drops %s, as ingest would', (_, change) => {
    const event = JSON.parse(messages()[1] ?? '');
    expect(matchFilterPattern(filter, JSON.stringify(event))).toBe(true);
    change(event);
    expect(hints(JSON.stringify(event))).toBe(0);
    expect(matchFilterPattern(filter, JSON.stringify(event))).toBe(false);
  });

  it('drops what is not JSON', () => {
    expect(matchFilterPattern(filter, 'I1121 00:41:43 kubi.zone ResponseComplete create')).toBe(false);
  });
});

describe('the rule of our own bus', () => {
  it.each(['event-bridge.cloud-event', 'event-bridge.reference'])('passes %s, of which ingest makes a hint', (name) => {
    expect(parseBusEvent(KINDS, sample(name), 0).hints.length).toBeGreaterThan(0);
    expect(matchEventPattern(bus, sample(name))).toBe(true);
  });

  it.each(['aws.route53', 'com.example', 'zone53', 'not-zone53.x'])('drops events of source %s', (source) => {
    expect(matchEventPattern(bus, { ...sample('event-bridge.reference'), source })).toBe(false);
  });
});

describe('the rules for drift', () => {
  const both = (event: Json) => [matchEventPattern(drift, event), matchEventPattern(forwarded, event)];
  const call = () => sample('event-bridge.route53-call');

  it.each(['ChangeResourceRecordSets', 'DeleteHostedZone'])('pass %s, which is drift, in both regions', (eventName) => {
    const event = call();
    event.detail.eventName = eventName;
    expect(isRoute53Call(event)).toBe(true);
    expect(parseRoute53Call(event, [], 0)).not.toBe(null);
    expect(both(event)).toEqual([true, true]);
  });

  it('drop changes of hosted zones of others where zone53 runs, and pass calls that do not name theirs', () => {
    const event = call();
    event.detail.requestParameters.hostedZoneId = 'ZSOMEBODYELSES';
    expect(both(event)).toEqual([false, true]);
    event.detail.requestParameters.hostedZoneId = 'Z1PA6795UKMFR9';
    expect(both(event)).toEqual([true, true]);
    event.detail.requestParameters = { omitted: true, originalSize: 128_018, reason: 'requestParameters too large' };
    expect(both(event)).toEqual([true, true]);
  });

  it('pass a call of an IAM user, who has no session', () => {
    const event = call();
    event.detail.userIdentity = { type: 'IAMUser', arn: 'arn:aws:iam::111122223333:user/alice' };
    expect(both(event)).toEqual([true, true]);
  });

  it("drop the publisher's own calls where zone53 runs, which would wake the sweep with every batch", () => {
    const own = /"(arn:Zone53PublishRole[0-9A-F]+)"/.exec(JSON.stringify(drift))?.[1] ?? '';
    const event = call();
    event.detail.userIdentity.sessionContext.sessionIssuer.arn = own;
    expect(parseRoute53Call(event, [own], 0)).toBe(null);
    expect(both(event)).toEqual([false, true]);
  });

  it.each<[string, (event: Json) => void]>([
    ['a read', (event) => Object.assign(event.detail, { eventName: 'ListResourceRecordSets' })],
    ['another service', (event) => Object.assign(event.detail, { eventSource: 'route53domains.amazonaws.com' })],
    ['another source', (event) => Object.assign(event, { source: 'aws.ec2' })],
    ['another kind', (event) => Object.assign(event, { 'detail-type': 'AWS Service Event via CloudTrail' })],
  ])('drop %s', (_, change) => {
    const event = call();
    change(event);
    expect(both(event)).toEqual([false, false]);
  });
});
