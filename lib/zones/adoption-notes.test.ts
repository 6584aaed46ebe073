// Specs that are valid but probably not meant: Accepted stays True, with a note.
import { describe, expect, test } from 'vitest';
import { below, hostingsOf, recordOf, worldOf, zoneOf } from '../../test/support/declared.ts';

const ACME = zoneOf('a/acme', { domainName: 'acme.com.', ttl: 300 });
const A = { type: 'A', rdata: '192.0.2.1' };

/** The messages of the condition Accepted of these Records in Zone a/acme, after "adopted by …". */
function notesOf(...specs: readonly object[]): string[] {
  const records = specs.map((spec, index) => recordOf(`a/r${index}`, { ...below('a/acme'), ...spec }, { born: index }));
  const world = worldOf([ACME], records, hostingsOf('acme.com.'));
  return records.map(({ ref }) => {
    const [outcome] = world.objects.get(`Record a/${ref.name}`) ?? [];
    expect(outcome?.verdict.reason).toBe('Adopted');
    return (outcome?.verdict.message ?? '').replace('adopted by Zone a/acme (acme.com.)', '');
  });
}

describe('notesOf()', () => {
  test.each([
    [
      'a name that repeats its Zone',
      { domainName: 'a.acme.com', ...A },
      '; note: the name repeats its Zone, acme.com.: a.acme.com. may have been meant',
    ],
    [
      'the Zone itself, repeated',
      { domainName: 'acme.com', ...A },
      '; note: the name repeats its Zone, acme.com.: acme.com. may have been meant',
    ],
    ['a name that ends like its Zone by chance', { domainName: 'xacme.com', ...A }, ''],
    ['a part of the name repeated', { domainName: 'acme', ...A }, ''],
    [
      'a CNAME to a single label',
      { domainName: 'w', type: 'CNAME', rdata: 'www' },
      '; note: the target www. is a single label, and a target is absolute: www.acme.com. may have been meant',
    ],
    ['a CNAME to a name', { domainName: 'w', type: 'CNAME', rdata: 'www.acme.com' }, ''],
    ...(
      [
        ['MX', '10 mail', 'mail.'],
        ['NS', 'ns1', 'ns1.'],
        ['PTR', 'host', 'host.'],
        ['SRV', '0 0 5060 sip', 'sip.'],
        ['HTTPS', '1 svc alpn=h2', 'svc.'],
        ['SVCB', '1 svc', 'svc.'],
        ['NAPTR', '0 0 "" "" "" other', 'other.'],
      ] as const
    ).map(([type, rdata, target]): [string, object, string] => [
      `a single label in ${type}`,
      { domainName: 'w', type, rdata },
      `; note: the target ${target} is a single label, and a target is absolute: ${target}acme.com. may have been meant`,
    ]),
    ['an MX that says that there is no mail', { domainName: 'w', type: 'MX', rdata: '0 .' }, ''],
    ['an HTTPS at its own name', { domainName: 'w', type: 'HTTPS', rdata: '1 . alpn=h2' }, ''],
    [
      'a target that repeats its Zone',
      { domainName: 'w', type: 'MX', rdata: '10 mail.acme.com.acme.com.' },
      '; note: the target mail.acme.com.acme.com. repeats its Zone, acme.com.: mail.acme.com. may have been meant',
    ],
    [
      'a target that ends where its Zone begins',
      { domainName: 'w', type: 'CNAME', rdata: 'www.acme' },
      '; note: the target www.acme. is absolute, and not below its Zone: www.acme.com. may have been meant',
    ],
    [
      'a target that ends in the label that the name has below its Zone',
      { domainName: 'www.shop', type: 'CNAME', rdata: 'app.shop' },
      '; note: the target app.shop. is absolute, and not below its Zone: app.shop.acme.com. may have been meant',
    ],
    [
      'a target below no top-level domain',
      { domainName: 'w', type: 'SRV', rdata: '0 0 443 app.v2' },
      '; note: the target app.v2. is absolute, and no top-level domain is called v2: app.v2.acme.com. may have been meant',
    ],
    ['a target below a top-level domain in Punycode', { domainName: 'w', type: 'CNAME', rdata: 'a.xn--p1ai' }, ''],
    ['a target elsewhere', { domainName: 'dev', type: 'CNAME', rdata: 'shop.pages.dev' }, ''],
    [
      'a CNAME to itself',
      { domainName: 'w', type: 'CNAME', rdata: 'W.acme.com.' },
      '; note: the CNAME w.acme.com. leads to itself, so nobody answers',
    ],
    [
      'a key of DKIM with a space',
      { domainName: 's1._domainkey', type: 'TXT', rdata: 'v=DKIM1; k=rsa; p=MIGf MA0' },
      '; note: the key of DKIM (p=) has a space in it: a long key is several strings, each in quotes',
    ],
    ['a key of DKIM in two strings', { domainName: 's._domainkey', type: 'TXT', rdata: '"v=DKIM1; p=MIGf" "MA0"' }, ''],
    ['a key of DKIM that is revoked', { domainName: 's._domainkey', type: 'TXT', rdata: 'v=DKIM1; p= ' }, ''],
    [
      'two policies of SPF in one Record',
      { domainName: 'w', type: 'TXT', values: ['v=spf1 -all', 'v=spf1 mx -all'] },
      '; note: the name has 2 policies of SPF (v=spf1), and a receiver then uses none (RFC 7208 §3.2): write one',
    ],
    [
      'a line break in a TXT',
      { domainName: 't', type: 'TXT', rdata: 'v=spf1 -all\n' },
      '; note: the text has a control character, such as a line break',
    ],
    [
      'DEL in one of two strings',
      { domainName: 't', type: 'TXT', rdata: '"a" "b\\127"' },
      '; note: the text has a control character, such as a line break',
    ],
    ['a backslash before digits in a TXT', { domainName: 't', type: 'TXT', rdata: '"a\\\\010"' }, ''],
    ['UTF-8 in a TXT', { domainName: 't', type: 'TXT', rdata: 'grüße' }, ''],
  ])('%s', (_, spec, note) => {
    expect(notesOf(spec)).toEqual([note]);
  });

  test('notes policies of SPF at one name, on each Record that has one', () => {
    const spf = (rdata: string) => ({ domainName: 'w', type: 'TXT', rdata });
    const two =
      '; note: the name has 2 policies of SPF (v=spf1), and a receiver then uses none (RFC 7208 §3.2): write one';
    expect(notesOf(spf('v=spf1 -all'), spf('"v=spf1 " "mx -all"'), spf('v=spf10 x'))).toEqual([two, two, '']);
    expect(notesOf(spf('v=spf1 -all'), spf('v=spf1 -all'), { ...spf('v=spf1 mx'), domainName: 'x' })).toEqual([
      '',
      '',
      '',
    ]);
  });

  test('notes a TTL that the record set does not take, on the object that asks for it', () => {
    const w = { domainName: 'w', ...A };
    const other = 'its TTL, 300, is not used: other objects ask for w.acme.com. A too, and the lowest TTL counts, 60';
    expect(notesOf(w, { ...w, rdata: '192.0.2.2', ttl: 60 })).toEqual([`; note: ${other}`, '']);
    expect(notesOf({ ...w, ttl: 60 }, { ...w, ttl: 60, rdata: '192.0.2.2' })).toEqual(['', '']);
    expect(notesOf({ ...w, ttl: 60 }, { domainName: 'w', type: 'TXT', rdata: 'x' })).toEqual(['', '']);
  });
});
