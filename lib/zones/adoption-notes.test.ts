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
    ['an MX to a single label', { domainName: 'w', type: 'MX', rdata: '10 mail' }, ''],
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

  test('notes a TTL that the record set does not take, on the object that asks for it', () => {
    const w = { domainName: 'w', ...A };
    const other = 'its TTL, 300, is not used: other objects ask for w.acme.com. A too, and the lowest TTL counts, 60';
    expect(notesOf(w, { ...w, rdata: '192.0.2.2', ttl: 60 })).toEqual([`; note: ${other}`, '']);
    expect(notesOf({ ...w, ttl: 60 }, { ...w, ttl: 60, rdata: '192.0.2.2' })).toEqual(['', '']);
    expect(notesOf({ ...w, ttl: 60 }, { domainName: 'w', type: 'TXT', rdata: 'x' })).toEqual(['', '']);
  });
});
