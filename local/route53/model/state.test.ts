import { describe, expect, it } from 'vitest';
import {
  change,
  createZone,
  fixedRandom,
  refusalOf,
  testAccount,
  toAlias,
  weight,
} from '../../../test/fakes/route53-account.ts';
import type { ZoneChange } from './account.ts';
import { createRoute53State } from './state.ts';

const WWW = 'www.example.com.';
const ONE = ['192.0.2.1'];

describe('changeResourceRecordSets() applies a batch in order, as a whole or not at all', () => {
  it('judges each change by the result of the changes before it', () => {
    const account = testAccount();
    const cname = ['c.example.com', 'CNAME', ['a.example.com.']] as const;
    account.apply(change('CREATE', ...cname), change('DELETE', ...cname), change('CREATE', 'c.example.com', 'A', ONE));
    expect(account.keys()).toEqual(['c.example.com. A']);
  });

  it('collects the messages of all changes, and writes nothing', () => {
    const account = testAccount();
    const batch = [
      change('CREATE', WWW, 'A', ONE),
      change('CREATE', 'c.example.com', 'TXT', ['abc', '"ok"', 'def']),
      change('DELETE', 'no.example.com', 'A', ONE),
    ];
    const refusal = refusalOf(() => account.state.changeResourceRecordSets(account.zoneId, null, batch));
    expect(refusal).toMatchObject({ code: 'InvalidChangeBatch', status: 400 });
    expect(refusal.messages).toHaveLength(3);
    expect(refusal.message).toBe(`[${refusal.messages?.join(', ')}]`);
    expect(account.keys()).toEqual([]);
  });

  it('compares values as they were sent, not what they mean', () => {
    const account = testAccount();
    account.apply(change('CREATE', WWW, 'AAAA', ['2001:db8::1']));
    expect(account.refused(change('DELETE', WWW, 'AAAA', ['2001:0db8::1']))).toHaveLength(1);
    account.apply(change('DELETE', WWW, 'AAAA', ['2001:db8::1']));
  });

  it('deletes a routed record set by its routing and its health check, with the rest', () => {
    const account = testAccount({ takesUnknownIds: true });
    const set = { ...weight('a', '5'), healthCheckId: 'h1' };
    account.apply(change('CREATE', WWW, 'A', ONE, set));
    const differs = `Tried to delete resource record set [name='${WWW}', type='A', set-identifier='a'] but the values provided do not match the current values`;
    for (const other of [{ routing: null }, weight('a', '6'), { healthCheckId: 'h2' }, { healthCheckId: null }]) {
      expect(account.refused(change('DELETE', WWW, 'A', ONE, { ...set, ...other }))).toEqual([differs]);
    }
    account.apply(change('DELETE', WWW, 'A', ONE, set));
    expect(account.keys()).toEqual([]);
  });

  it('counts 1000 elements, UPSERT twice, an alias as one', () => {
    const account = testAccount();
    const many = (count: number) =>
      Array.from({ length: count }, (_, at) => change('CREATE', `r${at}.example.com`, 'A', ONE));
    const alias = change('CREATE', 'x.example.com', 'A', [], toAlias('d.cloudfront.net', 'Z2FDTNDATAQYW2'));
    expect(account.refused(...many(1000), alias)).toEqual(['Number of records limit of 1000 exceeded.']);
    expect(account.refused(...many(999), change('UPSERT', WWW, 'A', ONE))).toHaveLength(1);
    account.apply(...many(999), alias);
  });

  it('counts 32000 characters, UPSERT twice', () => {
    const account = testAccount();
    const text = `"${'x'.repeat(98)}"`;
    const many = (count: number) =>
      Array.from({ length: count }, (_, at) => change('CREATE', `t${at}.example.com`, 'TXT', [text]));
    const small = change('CREATE', 's.example.com', 'TXT', ['""']);
    const expected = ['Number of characters limit of 32000 exceeded.'];
    expect(account.refused(...many(320), small)).toEqual(expected);
    expect(account.refused(...many(319), change('UPSERT', WWW, 'TXT', [text]))).toEqual(expected);
    account.apply(...many(320));
  });
});

describe('createRoute53State()', () => {
  it('keeps a change PENDING for insyncDelayMs', () => {
    const { state, zoneId, pass } = testAccount({ insyncDelayMs: 1000 });
    const { id, status } = state.changeResourceRecordSets(zoneId, 'plan', [change('CREATE', WWW, 'A', ONE)]);
    expect(status).toBe('PENDING');
    pass(999);
    expect(state.getChange(id)).toMatchObject({ status: 'PENDING', comment: 'plan' });
    pass(1);
    expect(state.getChange(id).status).toBe('INSYNC');
    expect(refusalOf(() => state.getChange('CNONE'))).toMatchObject({ code: 'NoSuchChange', status: 404 });
  });

  it('refuses a change of a zone while one is pending, and allows changes of other zones', () => {
    const { state, zoneId, pass, apply, keys } = testAccount({ processingMs: 50 });
    const other = createZone(state, 'example.org', 'second');
    apply(change('CREATE', WWW, 'A', ONE));
    const next = () => apply(change('CREATE', 'b.example.com', 'A', ONE));
    expect(refusalOf(next)).toMatchObject({
      code: 'PriorRequestNotComplete',
      status: 400,
      message: 'The request was rejected because Route 53 was still processing a prior request.',
    });
    state.changeResourceRecordSets(other, null, [change('CREATE', 'a.example.org', 'A', ONE)]);
    pass(50);
    next();
    expect(keys()).toEqual(['b.example.com. A', `${WWW} A`]);
    expect(state.getHostedZone(zoneId).recordSetCount).toBe(4);
  });

  it('refuses a caller reference that was ever used, and allows several zones of one name', () => {
    const { state, zoneId } = testAccount();
    const second = createZone(state, 'example.com', 'second');
    expect(second).not.toBe(zoneId);
    state.deleteHostedZone(zoneId);
    expect(refusalOf(() => createZone(state, 'example.com', 'first'))).toMatchObject({
      code: 'HostedZoneAlreadyExists',
      status: 409,
    });
  });

  it.each(['*.example.com', '.'])('refuses a zone named %s', (name) => {
    const { state } = testAccount();
    expect(refusalOf(() => createZone(state, name, 'x')).code).toBe('InvalidInput');
  });

  it('tells listeners what was written, and nothing about a refused batch', () => {
    const account = testAccount();
    const heard: ZoneChange[] = [];
    const stop = account.state.onChange((one) => heard.push(one));
    account.apply(change('CREATE', WWW, 'A', ONE));
    account.refused(change('CREATE', WWW, 'A', ONE));
    account.apply(change('DELETE', WWW, 'A', ONE));
    account.state.changeTags(account.zoneId, { add: [{ key: 'a', value: 'b' }], removeKeys: [] });
    account.state.deleteHostedZone(account.zoneId);
    stop();
    createZone(account.state, 'example.net', 'third');
    const { zoneId } = account;
    expect(heard).toEqual([
      { zoneId, names: [WWW], gone: false },
      { zoneId, names: [WWW], gone: false },
      { zoneId, names: [], gone: false },
      { zoneId, names: ['example.com.'], gone: true },
    ]);
  });

  it('serves the same array of record sets until the zone changes', () => {
    const account = testAccount();
    const served = () => account.state.zones()[0]?.recordSets;
    const before = served();
    expect(served()).toBe(before);
    account.apply(change('CREATE', '*.example.com', 'A', ONE));
    expect(served()?.map(({ name, type }) => `${name} ${type}`)).toEqual([
      'example.com. NS',
      'example.com. SOA',
      '\\052.example.com. A',
    ]);
    expect(account.state.recordSetsAt(account.zoneId, '\\052.example.com.')).toMatchObject([{ values: ONE, ttl: 300 }]);
  });

  it('continues from a snapshot as if it had never stopped', () => {
    const first = testAccount();
    first.apply(change('CREATE', WWW, 'A', ONE, weight('a')), change('CREATE', '*.example.com', 'TXT', ['"a"']));
    first.state.changeTags(first.zoneId, { add: [{ key: 'a', value: 'b' }], removeKeys: [] });
    const snapshot = JSON.parse(JSON.stringify(first.state.snapshot()));
    const second = createRoute53State({ clock: { nowMs: () => 0 }, random: fixedRandom(2), snapshot });
    expect(second.snapshot()).toEqual(first.state.snapshot());
    expect(second.zones()).toEqual(first.state.zones());
    expect(second.listTags(first.zoneId)).toEqual({ a: 'b' });
    expect(refusalOf(() => createZone(second, 'example.com', 'first')).code).toBe('HostedZoneAlreadyExists');
    second.changeResourceRecordSets(first.zoneId, null, [change('DELETE', WWW, 'A', ONE, weight('a'))]);
  });

  it('changes one name of 100,000 without reading the others', () => {
    const { state } = testAccount({ recordSetsMax: Infinity });
    const zoneId = createZone(state, 'big.example', 'big');
    const names = Array.from({ length: 100_000 }, (_, at) => change('CREATE', `r${at}.big.example`, 'A', ONE));
    for (let at = 0; at < names.length; at += 1000)
      state.changeResourceRecordSets(zoneId, null, names.slice(at, at + 1000));
    const startMs = performance.now();
    for (let at = 0; at < 1000; at += 1) {
      state.changeResourceRecordSets(zoneId, null, [change('UPSERT', `r${at}.big.example`, 'A', ['192.0.2.2'])]);
    }
    expect(performance.now() - startMs).toBeLessThan(2000);
    expect(state.getHostedZone(zoneId).recordSetCount).toBe(100_002);
  });
});

describe('tags', () => {
  it.each([
    ['no change', [], []],
    ['a key of 129 characters', [{ key: 'k'.repeat(129), value: '' }], []],
    ['a value of 257 characters', [{ key: 'k', value: 'v'.repeat(257) }], []],
    ['a key both added and removed', [{ key: 'k', value: 'v' }], ['k']],
    ['eleven at once', Array.from({ length: 11 }, (_, at) => ({ key: `k${at}`, value: '' })), []],
  ])('%s is InvalidInput', (_, add, removeKeys) => {
    const { state, zoneId } = testAccount();
    expect(refusalOf(() => state.changeTags(zoneId, { add, removeKeys })).code).toBe('InvalidInput');
    expect(state.listTags(zoneId)).toEqual({});
  });

  it('at most 50', () => {
    const { state, zoneId } = testAccount();
    const add = (from: number, count: number) =>
      Array.from({ length: count }, (_, at) => ({ key: `k${from + at}`, value: '' }));
    for (let from = 0; from < 50; from += 10) state.changeTags(zoneId, { add: add(from, 10), removeKeys: [] });
    expect(refusalOf(() => state.changeTags(zoneId, { add: add(50, 1), removeKeys: [] })).code).toBe('InvalidInput');
    state.changeTags(zoneId, { add: add(50, 1), removeKeys: ['k0'] });
    expect(Object.keys(state.listTags(zoneId))).toHaveLength(50);
  });
});
