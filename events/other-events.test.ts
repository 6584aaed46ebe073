// CloudEvents as their official SDK writes them, EventBridge and Scheduler events of events/samples/, and what is
// broken, foreign or forged. The CloudTrail sample has the fields of AWS's documentation; it was never delivered by
// AWS.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { CloudEvent, HTTP } from 'cloudevents';
import { describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '../lib/objects/source-settings.ts';
import { KINDS, kindsRead, sourcesOn } from '../lib/sources/source.ts';
import { parseCloudEvent, parseCloudEvents } from './cloud-event.ts';
import { isRoute53Call, parseBusEvent, parseRoute53Call } from './event-bridge.ts';
import { checkHints } from './object-hints.ts';
import { parseSchedule } from './schedule.ts';

// biome-ignore lint/suspicious/noExplicitAny: samples are changed at will
function sample(name: string): any {
  return JSON.parse(readFileSync(path.join(import.meta.dirname, 'samples', `${name}.json`), 'utf8'));
}

const www = { kind: 'Record', namespace: 'default', name: 'www' };
const at = (time: string) => ({ atMs: Date.parse(time) });
/** The id of a sample's event, under which it is followed. */
const idOf = (name: string, read = (event: { id: string; detail?: { id?: string } }) => event.id) => ({
  correlationId: read(sample(name)),
});

function lowerCase(headers: object): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([key, value]) => [key.toLowerCase(), String(value)]));
}

describe('the id under which an event is followed', () => {
  it.each(['1', 'with space and more', '<script>alert(1)</script>', 'x'.repeat(65), 'line\nbreak-line', ''])(
    '%j is not used as an id',
    (id) => {
      const { hints } = parseCloudEvent(KINDS, { ...sample('cloud-event.structured'), id: id || 'x' }, 7);
      expect(hints[0]).not.toHaveProperty('correlationId');
    },
  );
});

describe('parseCloudEvent()', () => {
  it.each([
    ['structured', { ...www, ...at('2026-11-21T00:15:51.525Z') }],
    ['reference', { ...www, ...at('2026-11-21T00:16:02Z') }],
    ['kubewatch', { ...www, ...at('2026-11-21T00:16:04Z') }],
  ])('%s', (name, hint) => {
    expect(parseCloudEvent(KINDS, sample(`cloud-event.${name}`), 7)).toEqual({
      hints: [{ ...hint, ...idOf(`cloud-event.${name}`) }],
      problems: [],
    });
  });

  it('uses the subject if there is no data, and the time of arrival if there is no time', () => {
    const { data: _, time: __, ...event } = sample('cloud-event.structured');
    expect(parseCloudEvent(KINDS, event, 7)).toEqual({
      hints: [{ ...www, atMs: 7, ...idOf('cloud-event.structured') }],
      problems: [],
    });
  });

  it.each([
    ['another group', { data: { apiVersion: 'v1', kind: 'Record', metadata: { name: 'x' } }, subject: null }],
    ['another kind', { data: { apiVersion: 'kubi.zone/v1alpha1', kind: 'Wish', metadata: {} }, subject: null }],
    ['a core object', { data: null, subject: '/apis/v1/namespaces/default/pods/www' }],
    ['plain text', { data: 'hello', subject: null }],
  ])('makes no hint for %s', (_title, change) => {
    expect(parseCloudEvent(KINDS, { ...sample('cloud-event.structured'), ...change }, 7)).toEqual({
      hints: [],
      problems: [],
    });
  });

  it.each([null, 5, [], {}, { specversion: '0.3', id: 'a', source: 'b', type: 'c' }])(
    'reports that %j is not a CloudEvent',
    (value) => {
      const { hints, problems } = parseCloudEvent(KINDS, value, 7);
      expect(hints).toEqual([]);
      expect(problems[0]).toContain('Cannot parse CloudEvent');
    },
  );
});

describe('parseCloudEvent() of the kinds that sources read', () => {
  const on = kindsRead(sourcesOn({ services: DEFAULT_SETTINGS, gatewayRoutes: DEFAULT_SETTINGS }));
  const node = { kind: 'Node', namespace: '', name: 'n1' };
  const service = { kind: 'Service', namespace: 'team', name: 'web' };

  it.each([
    ['a Node', { data: { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } } }, node],
    ['a reference to a Node', { data: { kind: 'Node', name: 'n1' } }, node],
    ['a Node by its path', { data: null, subject: '/api/v1/nodes/n1' }, node],
    [
      'a Namespace by its path',
      { data: null, subject: '/api/v1/namespaces/team' },
      { kind: 'Namespace', namespace: '', name: 'team' },
    ],
    ['a Service', { data: { obj: { apiVersion: 'v1', kind: 'Service', metadata: { ...service } } } }, service],
    ['a Service by its path', { data: null, subject: '/api/v1/namespaces/team/services/web' }, service],
    [
      'a Gateway by its path',
      { data: null, subject: '/apis/gateway.networking.k8s.io/v1/namespaces/infra/gateways/gw' },
      { kind: 'Gateway', namespace: 'infra', name: 'gw' },
    ],
  ])('%s gives a valid hint', (_, change, hint) => {
    const { hints, problems } = parseCloudEvent(
      on,
      { ...sample('cloud-event.structured'), subject: null, ...change },
      7,
    );
    expect(problems).toEqual([]);
    expect(hints).toMatchObject([hint]);
    expect(checkHints(hints).problems).toEqual([]);
  });

  it.each([
    ['/api/v1/services/web', ['an event about the Service "web" that names no namespace']],
    ['/api/v1/namespaces/team/pods', []],
  ])('%s names no object', (subject, problems) => {
    const { hints } = parseCloudEvent(on, { ...sample('cloud-event.structured'), data: null, subject }, 7);
    expect(checkHints(hints)).toEqual({ hints: [], problems });
  });
});

describe('parseCloudEvents() of what the official SDK sends', () => {
  const event = new CloudEvent({ ...sample('cloud-event.structured') });
  const hint = { ...www, ...at('2026-11-21T00:15:51.525Z'), ...idOf('cloud-event.structured') };

  it.each(['binary', 'structured'] as const)('%s mode', (mode) => {
    const { headers, body } = HTTP[mode](event);
    const message = { headers: lowerCase(headers), body: String(body) };
    expect(parseCloudEvents(KINDS, message, 7)).toEqual({ hints: [hint], problems: [] });
  });

  it('batched mode: a bad event affects only itself, and each object gets one hint', () => {
    const body = JSON.stringify([event.toJSON(), { specversion: '1.0', id: 'of-the-bad-one' }, event.toJSON()]);
    const message = { headers: { 'content-type': 'application/cloudevents-batch+json; charset=utf-8' }, body };
    const parsed = parseCloudEvents(KINDS, message, 7);
    expect(parsed.hints).toEqual([hint]);
    expect(parsed.problems).toEqual([expect.stringContaining('Cannot parse CloudEvent "of-the-bad-one": ')]);
  });

  const { data: _, ...attributes } = sample('cloud-event.structured');
  const asHeaders = (type: string) => ({
    ...Object.fromEntries(Object.entries(attributes).map(([name, value]) => [`ce-${name}`, String(value)])),
    'content-type': type,
  });
  const encoded = (datacontenttype: string, text: string) =>
    JSON.stringify({ ...attributes, datacontenttype, data_base64: Buffer.from(text).toString('base64') });

  it.each(['text/plain; charset=utf-8', 'application/xml', 'application/octet-stream'])(
    'data of type %s need not be JSON: the subject says which object it is',
    (type) => {
      const binary = { headers: asHeaders(type), body: 'Record www was changed' };
      expect(parseCloudEvents(KINDS, binary, 7)).toEqual({ hints: [hint], problems: [] });
      const structured = { headers: { 'content-type': 'application/cloudevents+json' }, body: encoded(type, 'x') };
      expect(parseCloudEvents(KINDS, structured, 7)).toEqual({ hints: [hint], problems: [] });
    },
  );

  it('data that is JSON is read, whatever its type says: curl sends another one by default', () => {
    const headers = { ...asHeaders('application/x-www-form-urlencoded'), 'ce-subject': undefined };
    const body = JSON.stringify(sample('cloud-event.structured').data);
    expect(parseCloudEvents(KINDS, { headers, body }, 7).hints).toEqual([hint]);
  });

  it.each(['application/json', 'application/vnd.x+json; charset=utf-8', ''])(
    'data of type %j that is cut off is refused',
    (type) => {
      expect(() => parseCloudEvents(KINDS, { headers: asHeaders(type), body: '{' }, 7)).toThrow('not JSON');
      const structured = { headers: { 'content-type': 'application/cloudevents+json' }, body: encoded(type, '{') };
      expect(parseCloudEvents(KINDS, structured, 7).problems[0]).toContain('its data_base64 is not JSON');
    },
  );

  it('an empty batch gives no hint', () => {
    const message = { headers: { 'content-type': 'application/cloudevents-batch+json' }, body: '[]' };
    expect(parseCloudEvents(KINDS, message, 7)).toEqual({ hints: [], problems: [] });
  });

  it('binary mode without a body, a header percent-encoded', () => {
    const headers = {
      'ce-specversion': '1.0',
      'ce-id': '1',
      'ce-source': '/a%20b',
      'ce-type': 't',
      'ce-subject': '/apis/kubi.zone/v1alpha1/namespaces/default/records/w%77w',
    };
    expect(parseCloudEvents(KINDS, { headers, body: '' }, 7).hints).toEqual([{ ...www, atMs: 7 }]);
  });

  it.each([
    ['no headers', { headers: {}, body: '{}' }, 'neither'],
    ['a body that is cut off', { headers: { 'content-type': 'application/cloudevents+json' }, body: '{' }, 'not JSON'],
    [
      'a batch of one object',
      { headers: { 'content-type': 'application/cloudevents-batch+json' }, body: '{}' },
      'array',
    ],
    ['invalid UTF-8', { headers: { 'ce-specversion': '1.0', 'ce-id': '%ff' }, body: '' }, 'UTF-8'],
  ])('refuses %s', (_title, message, words) => {
    expect(() => parseCloudEvents(KINDS, message, 7)).toThrow(words);
  });
});

describe('parseBusEvent()', () => {
  it.each([
    ['cloud-event', { ...www, ...at('2026-11-21T00:15:51.525Z') }],
    ['reference', { kind: 'Zone', namespace: 'default', name: 'example-org', ...at('2026-11-21T00:20:00Z') }],
  ])('%s', (name, hint) => {
    const id = idOf(`event-bridge.${name}`, (event) => event.detail?.id ?? event.id);
    expect(parseBusEvent(KINDS, sample(`event-bridge.${name}`), 7)).toEqual({
      hints: [{ ...hint, ...id }],
      problems: [],
    });
  });

  it('makes no hint for another detail, and refuses a value that is not an event', () => {
    const event = { ...sample('event-bridge.reference'), detail: { hello: 1 } };
    expect(parseBusEvent(KINDS, event, 7)).toEqual({ hints: [], problems: [] });
    expect(() => parseBusEvent(KINDS, { detail: {} }, 7)).toThrow('Cannot parse EventBridge event');
  });
});

describe('parseRoute53Call()', () => {
  const ours = 'arn:aws:iam::111122223333:role/Publisher';
  const call = () => sample('event-bridge.route53-call');

  it('reports drift of a hosted zone, with the caller', () => {
    expect(isRoute53Call(call())).toBe(true);
    expect(parseRoute53Call(call(), [ours], 7)).toEqual({
      hostedZoneId: 'Z1PA6795UKMFR9',
      ...at('2026-11-21T00:41:43Z'),
      by: 'arn:aws:sts::111122223333:assumed-role/Admin/alice',
      ...idOf('event-bridge.route53-call'),
    });
  });

  it('ignores a call of our own role', () => {
    const event = call();
    event.detail.userIdentity.sessionContext.sessionIssuer.arn = ours;
    expect(parseRoute53Call(event, [ours], 7)).toBeNull();
  });

  it("ignores a call of our own session of a role, and reports others' calls with a role that it may share", () => {
    const shared = 'arn:aws:iam::111122223333:role/Dns';
    const callIn = (session: string) => {
      const event = call();
      event.detail.userIdentity.arn = `arn:aws:sts::111122223333:assumed-role/Dns/${session}`;
      event.detail.userIdentity.sessionContext.sessionIssuer.arn = shared;
      return parseRoute53Call(event, [ours], 7, [shared]);
    };
    expect(callIn('zone53')).toBeNull();
    expect(callIn('alice')).toMatchObject({ hostedZoneId: 'Z1PA6795UKMFR9' });
  });

  it.each([
    ['failed', { errorCode: 'InvalidChangeBatch' }],
    ['only read', { eventName: 'ListResourceRecordSets' }],
  ])('ignores a call that %s', (_title, change) => {
    const event = call();
    Object.assign(event.detail, change);
    expect(parseRoute53Call(event, [], 7)).toBeNull();
  });

  it.each([true, 'true'])('reports drift of an unknown hosted zone if the parameters are left out (%j)', (omitted) => {
    const event = call();
    event.detail.requestParameters = { omitted, originalSize: 128_018, reason: 'requestParameters too large' };
    expect(parseRoute53Call(event, [ours], 7)).toMatchObject({ hostedZoneId: null, ...at('2026-11-21T00:41:43Z') });
    event.detail.userIdentity.sessionContext.sessionIssuer.arn = ours;
    expect(parseRoute53Call(event, [ours], 7)).toBeNull();
  });

  it('refuses an event that names no hosted zone', () => {
    const event = call();
    event.detail.requestParameters = null;
    expect(() => parseRoute53Call(event, [], 7)).toThrow('names no hosted zone');
    expect(() => parseRoute53Call({ source: 'aws.route53' }, [], 7)).toThrow('Cannot parse CloudTrail event');
  });
});

describe('parseSchedule()', () => {
  it.each([
    ['a whole sweep', sample('schedule.sweep'), { kind: 'sweep', hostedZoneId: null }],
    ['one hosted zone', { zone53: 'sweep', hostedZoneId: 'Z1' }, { kind: 'sweep', hostedZoneId: 'Z1' }],
    ['an alarm', sample('schedule.alarm'), { kind: 'sweep', hostedZoneId: null }],
    ['a measurement', sample('schedule.measure'), { kind: 'measure' }],
  ])('%s', (_title, value, due) => {
    expect(parseSchedule(value)).toEqual(due);
  });

  it.each([null, {}, { zone53: 'drop' }, { zone53: 'sweep', all: true }])('refuses %j', (value) => {
    expect(() => parseSchedule(value)).toThrow('Cannot parse scheduled event');
  });
});
