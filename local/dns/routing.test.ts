// Which record sets answer, by each routing policy, over whole questions.
import { describe, expect, test } from 'vitest';
import { alias, recordSet, routed } from '../../test/fakes/dns-zones.ts';
import { type Resolution, resolve } from './resolve.ts';
import { buildZoneIndex, type RecordSetView } from './zone-index.ts';

const WWW = 'www.example.org.';
const address = (last: number, ttl = 60) => recordSet(WWW, 'A', [`192.0.2.${last}`], ttl);
const weighted = (identifier: string, last: number, weight: number) =>
  routed(address(last), identifier, 'Weight', String(weight));

function answer(sets: readonly RecordSetView[], random = () => 0, name = WWW): Resolution {
  const index = buildZoneIndex([{ id: 'Z1', name: 'example.org.', recordSets: sets }]);
  return resolve(index, { name, type: 'A' }, random);
}

function addresses(sets: readonly RecordSetView[], random?: () => number): string[] {
  return answer(sets, random).answers.map(({ value }) => value);
}

/** Yields numbers spread evenly over [0, 1). */
function spread(count: number): () => number {
  let at = 0;
  return () => (at++ % count) / count;
}

describe('resolve() answers weighted record sets', () => {
  test('each in proportion to its weight', () => {
    const random = spread(100);
    const sets = [weighted('a', 1, 1), weighted('b', 2, 3)];
    const drawn = Array.from({ length: 100 }, () => addresses(sets, random)[0]);
    expect(drawn.filter((one) => one === '192.0.2.1')).toHaveLength(25);
    expect(drawn.filter((one) => one === '192.0.2.2')).toHaveLength(75);
  });

  test('never one of weight 0, while another has more', () => {
    const sets = [weighted('a', 1, 0), weighted('b', 2, 255), weighted('c', 3, 0)];
    for (const random of [0, 0.5, 0.999_999]) expect(addresses(sets, () => random)).toEqual(['192.0.2.2']);
  });

  test('each equally often if all have weight 0', () => {
    const sets = [weighted('a', 1, 0), weighted('b', 2, 0)];
    expect(addresses(sets, () => 0.49)).toEqual(['192.0.2.1']);
    expect(addresses(sets, () => 0.5)).toEqual(['192.0.2.2']);
  });

  test('with every value of the chosen one', () => {
    const set = routed(recordSet(WWW, 'A', ['192.0.2.1', '192.0.2.2']), 'a', 'Weight', '1');
    expect(addresses([set, weighted('b', 3, 0)])).toEqual(['192.0.2.1', '192.0.2.2']);
  });
});

describe('resolve() leaves out record sets whose health check fails', () => {
  const checked = (set: RecordSetView, healthCheckId: string): RecordSetView => ({ ...set, healthCheckId });
  const primary = checked(routed(address(1), 'p', 'Failover', 'PRIMARY'), 'h1');
  const secondary = checked(routed(address(2), 's', 'Failover', 'SECONDARY'), 'h2');
  const pool = ['h1', 'h2', 'h3'].map((id, at) => checked(routed(address(at + 1), id, 'MultiValueAnswer', 'true'), id));
  const toWww = routed(alias('app.example.org.', 'A', 'Z1', WWW, true), 'p', 'Failover', 'PRIMARY');
  const elsewhere = routed(recordSet('app.example.org.', 'A', ['192.0.2.9']), 's', 'Failover', 'SECONDARY');
  test.each<[string, readonly RecordSetView[], readonly string[], readonly string[], string]>([
    ['the secondary answers for a primary', [primary, secondary], ['h1'], ['192.0.2.2'], WWW],
    ['the primary answers if both fail', [primary, secondary], ['h1', 'h2'], ['192.0.2.1'], WWW],
    ['another health check changes nothing', [primary, secondary], ['h3'], ['192.0.2.1'], WWW],
    ['the rest of multivalue answers', pool, ['h2'], ['192.0.2.1', '192.0.2.3'], WWW],
    ['all multivalue answers if all fail', pool, ['h1', 'h2', 'h3'], ['192.0.2.1', '192.0.2.2', '192.0.2.3'], WWW],
    [
      'weight 0 answers if the others fail',
      [checked(weighted('a', 1, 9), 'h1'), weighted('b', 2, 0)],
      ['h1'],
      ['192.0.2.2'],
      WWW,
    ],
    [
      'an alias whose only target fails',
      [toWww, elsewhere, checked(weighted('a', 1, 1), 'h1')],
      ['h1'],
      ['192.0.2.9'],
      'app.example.org.',
    ],
    [
      'an alias of which one target is healthy',
      [toWww, elsewhere, ...pool],
      ['h1', 'h2'],
      ['192.0.2.3'],
      'app.example.org.',
    ],
    ['a simple record set answers anyway', [checked(address(1), 'h1')], ['h1'], ['192.0.2.1'], WWW],
  ])('%s', (_, recordSets, failing, expected, name) => {
    const index = buildZoneIndex([{ id: 'Z1', name: 'example.org.', recordSets }], new Set(failing));
    expect(resolve(index, { name, type: 'A' }, () => 0).answers.map(({ value }) => value)).toEqual(expected);
  });
});

describe('resolve() answers', () => {
  test.each<[string, readonly RecordSetView[], readonly string[]]>([
    [
      'the first region by set identifier',
      [routed(address(2), 'b', 'Region', 'us-east-1'), routed(address(1), 'a', 'Region', 'us-west-1')],
      ['192.0.2.1'],
    ],
    [
      'the first place of geoproximity by set identifier',
      [
        routed(address(2), 'b', 'GeoProximityLocation', { AWSRegion: 'us-east-1' }),
        routed(address(1), 'a', 'GeoProximityLocation', { AWSRegion: 'us-west-1' }),
      ],
      ['192.0.2.1'],
    ],
    [
      'the default geolocation',
      [
        routed(address(1), 'a', 'GeoLocation', { ContinentCode: 'EU' }),
        routed(address(2), 'b', 'GeoLocation', { CountryCode: '*' }),
      ],
      ['192.0.2.2'],
    ],
    ['nothing without a default geolocation', [routed(address(1), 'a', 'GeoLocation', { CountryCode: 'DE' })], []],
    [
      'the default location of a CIDR collection',
      [
        routed(address(1), 'a', 'CidrRoutingConfig', { CollectionId: 'c', LocationName: 'here' }),
        routed(address(2), 'b', 'CidrRoutingConfig', { CollectionId: 'c', LocationName: '*' }),
      ],
      ['192.0.2.2'],
    ],
    [
      'nothing without a default CIDR location',
      [routed(address(1), 'a', 'CidrRoutingConfig', { CollectionId: 'c', LocationName: 'here' })],
      [],
    ],
    [
      'the primary, whatever its identifier',
      [routed(address(1), 'a', 'Failover', 'SECONDARY'), routed(address(2), 'b', 'Failover', 'PRIMARY')],
      ['192.0.2.2'],
    ],
    ['a secondary without a primary', [routed(address(1), 'a', 'Failover', 'SECONDARY')], ['192.0.2.1']],
    [
      'the secondary if the primary has no answer',
      [
        routed(alias(WWW, 'A', 'Z1', 'gone.example.org.', true), 'a', 'Failover', 'PRIMARY'),
        routed(address(2), 'b', 'Failover', 'SECONDARY'),
      ],
      ['192.0.2.2'],
    ],
    [
      'nothing if the primary has no answer and does not evaluate health',
      [
        routed(alias(WWW, 'A', 'Z1', 'gone.example.org.'), 'a', 'Failover', 'PRIMARY'),
        routed(address(2), 'b', 'Failover', 'SECONDARY'),
      ],
      [],
    ],
    [
      'another weighted set if one leads in a ring',
      [
        routed(alias(WWW, 'A', 'Z1', 'ring.example.org.', true), 'a', 'Weight', '255'),
        routed(address(2), 'b', 'Weight', '1'),
        alias('ring.example.org.', 'A', 'Z1', 'ring.example.org.', true),
      ],
      ['192.0.2.2'],
    ],
    [
      'the target of a weighted alias, by its own routing',
      [
        routed(alias(WWW, 'A', 'Z1', 'eu.example.org.', true), 'a', 'Weight', '1'),
        routed(recordSet('eu.example.org.', 'A', ['192.0.2.7']), 'x', 'Failover', 'PRIMARY'),
        routed(recordSet('eu.example.org.', 'A', ['192.0.2.8']), 'y', 'Failover', 'SECONDARY'),
      ],
      ['192.0.2.7'],
    ],
  ])('%s', (_, sets, expected) => {
    expect(addresses(sets)).toEqual(expected);
  });

  test('all multivalue sets up to eight, at their lowest TTL', () => {
    const sets = [1, 2, 3].map((last) => routed(address(last, 60 + last), `m${last}`, 'MultiValueAnswer', 'true'));
    const { answers } = answer(sets);
    expect(answers.map(({ value, ttl }) => `${value} ${ttl}`)).toEqual([
      '192.0.2.1 61',
      '192.0.2.2 61',
      '192.0.2.3 61',
    ]);
  });

  test('eight of more multivalue sets, by chance', () => {
    const sets = Array.from({ length: 20 }, (_, at) =>
      routed(address(at), `m${String(at).padStart(2, '0')}`, 'MultiValueAnswer', 'true'),
    );
    const first = addresses(sets, () => 0);
    const last = addresses(sets, () => 0.999);
    expect([new Set(first).size, new Set(last).size]).toEqual([8, 8]);
    expect(first.filter((one) => last.includes(one))).toEqual([]);
  });

  test('NODATA with a note that names the target, for an alias of AWS', () => {
    const apex = alias('example.org.', 'A', 'Z32O12XQLNTSW2', 'lb-1.eu-west-1.elb.amazonaws.com.', true);
    const soa = recordSet('example.org.', 'SOA', ['ns.example.net. noc.example.net. 1 2 3 4 5']);
    expect(answer([apex, soa], undefined, 'example.org.')).toMatchObject({
      rcode: 'NOERROR',
      answers: [],
      authorities: [{ type: 'SOA' }],
      note: 'alias of lb-1.eu-west-1.elb.amazonaws.com. (A, hosted zone Z32O12XQLNTSW2), which this server cannot look up',
    });
  });

  test('no note if nothing is missing', () => {
    expect(answer([address(1)]).note).toBeNull();
  });
});

describe('resolve() in a private hosted zone', () => {
  const zone = (id: string, isPrivate: boolean, recordSets: readonly RecordSetView[]) => {
    return { id, name: 'corp.example.', isPrivate, recordSets };
  };
  const ask = (zones: readonly ReturnType<typeof zone>[], name: string, type = 'A') => {
    return resolve(buildZoneIndex(zones), { name, type }, () => 0);
  };

  test('an NS set is not a cut: names below it are answered, and so is the NS set itself', () => {
    const sets = [
      recordSet('lab.corp.example.', 'NS', ['ns.example.net.']),
      recordSet('www.lab.corp.example.', 'A', ['10.0.0.1']),
    ];
    expect(ask([zone('Z1', true, sets)], 'www.lab.corp.example.').answers).toMatchObject([{ value: '10.0.0.1' }]);
    expect(ask([zone('Z1', true, sets)], 'lab.corp.example.', 'NS').answers).toMatchObject([{ type: 'NS' }]);
    expect(ask([zone('Z1', true, sets)], 'no.lab.corp.example.').rcode).toBe('NXDOMAIN');
    expect(ask([zone('Z1', false, sets)], 'www.lab.corp.example.')).toMatchObject({ aa: false, answers: [] });
  });

  test.each([
    [true, false],
    [false, true],
  ])('the private one of two zones with one name answers (first private: %s)', (first, second) => {
    const zones = [first, second].map((isPrivate) => {
      const value = isPrivate ? '10.0.0.1' : '192.0.2.1';
      return zone(`Z${isPrivate}`, isPrivate, [recordSet('www.corp.example.', 'A', [value])]);
    });
    expect(ask(zones, 'www.corp.example.').answers).toMatchObject([{ value: '10.0.0.1' }]);
  });
});

test.each([1, 2])(
  'of two public zones with one name, the one answers to which the zone above delegates: %i',
  (used) => {
    const zone = (id: string, name: string, nameServer: string, ...sets: RecordSetView[]) => {
      return { id, name, recordSets: [recordSet(name, 'NS', [nameServer]), ...sets] };
    };
    const below = [1, 2].map((last) => zone(`Z${last}`, WWW, `ns-${last}.example.net.`, address(last)));
    const above = zone('Z3', 'example.org.', 'ns.example.net.', recordSet(WWW, 'NS', [`ns-${used}.example.net.`]));
    const { answers } = resolve(buildZoneIndex([...below, above]), { name: WWW, type: 'A' }, () => 0);
    expect(answers).toMatchObject([{ value: `192.0.2.${used}` }]);
  },
);
