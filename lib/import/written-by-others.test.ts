import { expect, test } from 'vitest';
import { type RecordSet, recordSetId } from '../dns/record-set.ts';
import { writtenByOthers } from './written-by-others.ts';

const set = (name: string, type: string, ...values: string[]): RecordSet => ({
  name,
  type,
  setIdentifier: null,
  content: { kind: 'values', ttlSeconds: 300, values },
});
const OWNER = '"heritage=external-dns,external-dns/owner=prod,external-dns/resource=service/t/w"';
const ENCRYPTED = `"${'YWJjZGVm'.repeat(10)}"`;
const TOKEN = `"${'x'.repeat(43)}"`;

function found(sets: readonly RecordSet[], affixes: Parameters<typeof writtenByOthers>[1] = []) {
  const { writers } = writtenByOthers(sets, affixes);
  return sets.flatMap((one) => {
    const writer = writers.get(recordSetId(one));
    return writer === undefined ? [] : [`${one.name} ${one.type} ${writer}`];
  });
}

test('the registry of external-dns is known by what it says, at any name', () => {
  const damaged = set('txt.d.e.', 'TXT', '"heritage=external-dns"');
  const sets = ['e.', 'www.e.', 'a-*.e.', 'txt.a-www.e.'].map((name) => set(name, 'TXT', OWNER));
  expect(found([...sets, damaged])).toEqual([
    'e. TXT registry',
    'www.e. TXT registry',
    'a-*.e. TXT registry',
    'txt.a-www.e. TXT registry',
    'txt.d.e. TXT registry',
  ]);
  expect(writtenByOthers(sets, []).owners).toEqual(['prod']);
});

test('a TXT record set with values of others is not left out, but named', () => {
  const sets = [set('both.e.', 'TXT', OWNER, '"v=spf1 -all"'), set('spf.e.', 'TXT', '"v=spf1 -all"')];
  expect(writtenByOthers(sets, [])).toEqual({ writers: new Map(), owners: ['prod'], mixed: ['both.e.'] });
});

test('a text that may be encrypted is of the registry only where external-dns would note another record set', () => {
  const sets = [
    set('www.e.', 'A', '192.0.2.1'),
    set('www.e.', 'TXT', ENCRYPTED),
    set('a-www.e.', 'TXT', ENCRYPTED),
    set('x-a-www.e.', 'TXT', ENCRYPTED),
    set('token.e.', 'TXT', ENCRYPTED),
  ];
  expect(found(sets)).toEqual(['a-www.e. TXT registry']);
  const affixes = [{ txtPrefix: 'x-', txtSuffix: '', wildcardReplacement: '' }];
  expect(found(sets, affixes)).toEqual(['a-www.e. TXT registry', 'x-a-www.e. TXT registry']);
});

test('tokens of ACME challenges are known by their name, and where a CNAME leads from there', () => {
  const sets = [
    set('_acme-challenge.e.', 'TXT', TOKEN, TOKEN),
    set('_acme-challenge.www.e.', 'TXT', '"anything"'),
    set('_ujmmovf2vn55tgye._acme-challenge.e.', 'TXT', TOKEN),
    set('_acme-challenge.api.e.', 'CNAME', 'one.e.'),
    set('one.e.', 'CNAME', 'two.e.'),
    set('two.e.', 'TXT', TOKEN),
    set('_acme-challenge.shop.e.', 'CNAME', 'spf.e.'),
    set('spf.e.', 'TXT', '"v=spf1 -all"'),
    set('_acme-challenge.sub.e.', 'NS', 'ns1.example.net.'),
    set('www._acme-challenge-not.e.', 'TXT', TOKEN),
    set('other.e.', 'TXT', TOKEN),
  ];
  expect(found(sets)).toEqual([
    '_acme-challenge.e. TXT acme',
    '_acme-challenge.www.e. TXT acme',
    '_ujmmovf2vn55tgye._acme-challenge.e. TXT acme',
    'two.e. TXT acme',
  ]);
});
