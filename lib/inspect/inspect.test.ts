// explain and migrate over a pipeline in memory: what they say, and that they write nothing.
import { describe, expect, test } from 'vitest';
import { deliverAll, type ReconcileWorld, reconcileWorld } from '../../test/fakes/reconcile-world.ts';
import { stand, values } from '../../test/fakes/takeover-world.ts';
import { planReading } from '../apply/plan-cluster.ts';
import { parseRef } from '../objects/object-ref.ts';
import type { Source } from '../objects/source.ts';
import { readCluster, readRemembered } from '../observe/read-cluster.ts';
import { reconcile } from '../resolve/reconcile-hints.ts';
import { DNS_ENDPOINT } from '../sources/external-dns/dns-endpoint.ts';
import { INGRESS } from '../sources/external-dns/ingress.ts';
import { SOURCES } from '../sources/source.ts';
import { explainName } from './explain-name.ts';
import { reportMigration } from './migration-report.ts';

const REGISTRY = {
  ownerId: 'prod',
  txtPrefix: '',
  txtSuffix: '',
  wildcardReplacement: '',
  decrypt: null,
  deleteUnwanted: false,
};
const text = (world: ReconcileWorld, name: string, owner = 'prod') =>
  stand(world, name, 'TXT', values(`"heritage=external-dns,external-dns/owner=${owner}"`));

function world(sources: readonly Source[] = SOURCES): ReconcileWorld {
  const made = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }], config: { soa: 'never' }, sources });
  const delegations = [{ namespaces: ['p'], records: [{ pattern: '*' }] }];
  made.cluster.put(parseRef('Zone p/e'), { domainName: 'e.', ttl: 300, delegations });
  return made;
}
const want = ({ cluster }: ReconcileWorld, ref: string, spec: object) => cluster.put(parseRef(`Record ${ref}`), spec);
const A = (name: string, rdata = '192.0.2.1') => ({ domainName: name, type: 'A', rdata });

async function publishAll(of: ReconcileWorld, refs: readonly string[]) {
  await reconcile(of.context, ['Zone p/e', ...refs.map((ref) => `Record ${ref}`)].map(parseRef));
  await deliverAll(of);
}

async function explain({ context }: ReconcileWorld, name: string, type: string | null = null) {
  const withOwners = { ...context, account: { ...context.account, externalDns: [REGISTRY] } };
  return explainName(withOwners, await readCluster(context), name, type);
}

describe('explainName()', () => {
  test('says of a published name who asks for it, who owns it, and that there is nothing to do', async () => {
    const of = world();
    want(of, 'p/www', A('www.e.'));
    await publishAll(of, ['p/www']);
    const said = await explain(of, 'www.e.', 'A');
    expect(said).toMatchObject({
      zone: 'p/e',
      hostedZone: { id: 'Z1', name: 'e.' },
      objects: [{ object: 'Record p/www', accepted: { reason: 'Adopted' }, programmed: { reason: 'Published' } }],
      route53: [{ type: 'A', setIdentifier: null, owner: 'zone53' }],
      published: [{ type: 'A', setIdentifier: null, content: { values: ['192.0.2.1'] } }],
      pending: [],
      held: [],
      advice: 'Nothing to do: Route 53 has what is desired.',
    });
    expect(said.published[0]?.atMs).toBeLessThanOrEqual(of.clock.ms);
    const remembered = await explainName(of.context, await readRemembered(of.context), 'www.e.', null);
    expect(remembered.objects).toEqual(said.objects);
  });

  test('says in which file and line an object is, if it comes from a file', async () => {
    const of = world();
    want(of, 'p/www', A('www.e.'));
    const reading = await readCluster(of.context);
    const origin = { file: 'dns/www.yaml', line: 7 };
    const objects = reading.listing.objects.map((object) => ({ ...object, origin }));
    const listing = { ...reading.listing, objects };
    const said = await explainName(of.context, { ...reading, listing }, 'www.e.', null);
    expect(said.objects).toMatchObject([{ object: 'Record p/www', origin }]);
  });

  test('says what is wrong with an object whose name was left out, also with what the ledger remembers', async () => {
    const of = world([...SOURCES.filter(({ key }) => key === null), INGRESS, DNS_ENDPOINT]);
    const prefix = 'external-dns.kubernetes.io/';
    const ingress = (ref: string, host: string, annotations = {}, ip: string | null = '192.0.2.7') =>
      of.cluster.put(
        parseRef(`Ingress ${ref}`),
        { rules: [{ host }] },
        annotations,
        0,
        {},
        {
          loadBalancer: ip === null ? {} : { ingress: [{ ip }] },
        },
      );
    ingress('p/web', 'web.e', { [`${prefix}aws-weight`]: 'ten' });
    ingress('p/none', 'none.e', { [`${prefix}controller`]: 'other' });
    ingress('p/soon', 'soon.e', {}, null);
    ingress('q/web', 'web.e');
    const endpoints = [{ dnsName: 'set.e', recordType: 'A', targets: ['192.0.2.999'] }];
    of.cluster.put(parseRef('DNSEndpoint p/sets'), { endpoints });
    const weight = `annotation ${prefix}aws-weight: "ten" is not a whole number`;
    const web = await explain(of, 'web.e.');
    expect(web.objects.map(({ object, accepted }) => [object, accepted.reason])).toEqual([
      ['Ingress p/web', 'InvalidSpec'],
      ['Ingress q/web', 'DelegationDenied'],
    ]);
    expect(web.objects[0]?.accepted.message).toBe(weight);
    expect(web.advice).toBe(`Ingress p/web is not accepted (InvalidSpec): ${weight}.`);
    const set = await explain(of, 'set.e.', 'A');
    expect(set.objects).toMatchObject([{ object: 'DNSEndpoint p/sets', accepted: { reason: 'InvalidSpec' } }]);
    expect((await explain(of, 'set.e.', 'TXT')).objects).toEqual([]);
    const { objects: texts } = await explain(of, 'web.e.', 'TXT');
    expect(texts.map(({ accepted }) => accepted.reason)).toEqual(['InvalidSpec']);
    const none = await explain(of, 'none.e.');
    expect(none.objects).toMatchObject([{ object: 'Ingress p/none', accepted: { reason: 'NotSelected' } }]);
    expect(none.advice).toContain('Ingress p/none is not accepted (NotSelected): the name is in its spec');
    const soon = await explain(of, 'soon.e.');
    const address = 'its load balancer has no address yet (status.loadBalancer.ingress)';
    expect(soon.objects).toMatchObject([
      { object: 'Ingress p/soon', accepted: { reason: 'Waiting', message: address }, programmed: null },
    ]);
    expect(soon.advice).toBe(`Ingress p/soon asks for it, but waits: ${address}.`);
    await reconcile(of.context, ['Zone p/e', 'Ingress p/web', 'DNSEndpoint p/sets'].map(parseRef));
    const remembered = await explainName(of.context, await readRemembered(of.context), 'web.e.', 'A');
    expect(remembered.objects).toEqual([web.objects[0]]);
  });

  test('names every object, adopted or not, and by which rule', async () => {
    const of = world();
    want(of, 'other/www', A('www.e.'));
    want(of, 'p/bad', { domainName: 'www.e.', type: 'A', rdata: 'no address' });
    want(of, 'p/gone', { domainName: 'www', zoneRef: { name: 'nowhere' }, type: 'A', rdata: '192.0.2.1' });
    const said = await explain(of, 'www.e.');
    expect(said.objects.map(({ object, accepted }) => `${object} ${accepted.reason}`)).toEqual([
      'Record other/www DelegationDenied',
      'Record p/bad InvalidSpec',
    ]);
    expect(said.advice).toContain('Record other/www is not accepted (DelegationDenied)');
    expect((await explain(of, 'www.e.', 'TXT')).objects).toEqual([]);
    expect((await explain(of, 'e.', 'SOA')).objects).toMatchObject([{ object: 'Zone p/e' }]);
  });

  test('says what is wrong with an invalid edit, and that the last valid spec is published', async () => {
    const of = world();
    want(of, 'p/www', A('www.e.'));
    await publishAll(of, ['p/www']);
    want(of, 'p/www', A('www.e.', 'no address'));
    await publishAll(of, ['p/www']);
    const said = await explain(of, 'www.e.');
    expect(said.pending).toEqual([]);
    expect(said.advice).toMatch(
      /^Record p\/www is not accepted \(InvalidSpec\): .*its last valid spec stays in force\.$/,
    );
  });

  test('names the foreign record set, and says how to take it over', async () => {
    const of = world();
    want(of, 'p/www', A('www.e.'));
    stand(of, 'www.e.', 'A', values('192.0.2.9'));
    const foreign = await explain(of, 'www.e.');
    expect(foreign).toMatchObject({
      route53: [{ owner: 'foreign' }],
      pending: [{ action: 'create', standing: 'foreign' }],
    });
    expect(foreign.advice).toContain('annotate Zone p/e with zone53.dev/takeover');
    text(of, 'a-www.e.', 'other');
    const theirs = await explain(of, 'www.e.');
    expect(theirs).toMatchObject({ route53: [{ owner: 'external-dns' }], pending: [{ standing: 'foreign' }] });
    expect(theirs.advice).toContain('the owner "other"');
  });

  test('says what the guard holds, and how to release it', async () => {
    const of = world();
    const deps = { ...of.deps, config: { ...of.deps.config, guard: { deletesMax: 0, deletesShareMax: 1 } } };
    const guarded = {
      ...of,
      deps,
      context: { ...of.context, config: { ...of.context.config, guard: deps.config.guard } },
    };
    want(of, 'p/www', A('www.e.'));
    await publishAll(of, ['p/www']);
    of.cluster.remove(parseRef('Record p/www'));
    const said = await explain(guarded, 'www.e.');
    expect(said).toMatchObject({ pending: [], held: [{ action: 'delete', name: 'www.e.' }], objects: [] });
    expect(said.advice).toMatch(/The guard holds its delete.*acknowledge/);
  });

  test('says what to do when nobody asks for the name', async () => {
    const of = world();
    expect((await explain(of, 'x.example.')).advice).toContain('no live Zone covers it');
    expect((await explain(of, 'x.e.')).advice).toContain('create a Record with domainName: x.e.');
    expect((await explain(of, '*.e.')).advice).toContain('create a Record with domainName: "*.e." in');
    expect((await explain(of, 'a\\100b.e.')).advice).toContain('No object can ask for a\\100b.e.: it has characters');
    want(of, 'p/wild', A('*.e.'));
    expect((await explain(of, 'x.e.')).advice).toContain('*.e. answers for it');
  });

  test('writes nothing', async () => {
    const of = world();
    want(of, 'p/www', A('www.e.'));
    const before = JSON.stringify(await of.ledger.query('objects#default#Record'));
    await explain(of, 'www.e.');
    expect(JSON.stringify(await of.ledger.query('objects#default#Record'))).toBe(before);
    expect(of.route53.calls.every(({ method }) => method !== 'change')).toBe(true);
  });
});

describe('reportMigration()', () => {
  test('sorts what external-dns owns and what is wanted', async () => {
    const of = world();
    for (const name of ['adopt', 'update', 'unwanted']) {
      stand(of, `${name}.e.`, 'A', values('192.0.2.1'));
      text(of, `a-${name}.e.`);
    }
    stand(of, 'other.e.', 'A', values('192.0.2.1'));
    text(of, 'a-other.e.', 'other');
    stand(of, 'byhand.e.', 'A', values('192.0.2.1'));
    stand(of, 'unknown.e.', 'A', values('192.0.2.1'));
    for (const name of ['adopt', 'other', 'byhand', 'absent']) want(of, `p/${name}`, A(`${name}.e.`));
    want(of, 'p/update', A('update.e.', '192.0.2.2'));
    const { hostedZones, problems } = await reportMigration(
      of.context,
      await readCluster(of.context),
      REGISTRY,
      () => {},
    );
    const [found] = hostedZones;
    const names = (entries: readonly { readonly name: string }[] = []) => entries.map(({ name }) => name);
    expect(names(found?.adopt)).toEqual(['adopt.e.']);
    expect(names(found?.update)).toEqual(['update.e.']);
    expect(names(found?.unwanted)).toEqual(['unwanted.e.']);
    expect(names(found?.foreign)).toEqual(['byhand.e.', 'other.e.']);
    expect(found?.update[0]).toMatchObject({
      standing: values('192.0.2.1'),
      wanted: values('192.0.2.2'),
      objects: ['Record p/update'],
    });
    expect(problems).toEqual([]);
    expect(of.route53.calls.every(({ method }) => method !== 'change')).toBe(true);
  });

  describe('what no object asks for', () => {
    const DELETING = { ...REGISTRY, deleteUnwanted: true };
    const report = async (of: ReconcileWorld, registries = [DELETING]) => {
      const context = { ...of.context, account: { ...of.context.account, externalDns: registries } };
      return (await reportMigration(context, await readCluster(context), REGISTRY, () => {})).hostedZones;
    };
    const unwanted = (of: ReconcileWorld) => {
      stand(of, 'unwanted.e.', 'A', values('192.0.2.1'));
      text(of, 'a-unwanted.e.');
      want(of, 'p/www', A('www.e.'));
    };

    test('is deleted by apply if the configuration says so, and the report knows it', async () => {
      const of = world();
      unwanted(of);
      expect((await report(of))[0]).toMatchObject({ whyKept: null, unwanted: [{ isDeleted: true }] });
      const kept = (await report(of, [REGISTRY]))[0];
      expect(kept?.unwanted[0]?.isDeleted).toBe(undefined);
    });

    test('stays if no Zone publishes into its hosted zone: none ever did, or its Zone is gone', async () => {
      const of = world();
      unwanted(of);
      of.cluster.remove(parseRef('Zone p/e'));
      expect((await report(of))[0]).toMatchObject({ whyKept: 'no Zone publishes into it' });
      of.cluster.put(parseRef('Zone p/e'), { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] });
      await publishAll(of, ['p/www']);
      of.cluster.remove(parseRef('Zone p/e'));
      const [found] = await report(of);
      expect(found).toMatchObject({ whyKept: 'no Zone publishes into it', unwanted: [{ name: 'unwanted.e.' }] });
      expect(found?.unwanted[0]?.isDeleted).toBe(undefined);
      const context = { ...of.context, account: { ...of.context.account, externalDns: [DELETING] } };
      const { hostedZones } = await planReading(context, await readCluster(context), { reads: true });
      expect(hostedZones.flatMap(({ plan }) => plan.changes.map(({ name }) => name))).toEqual(['www.e.']);
    });

    test('stays if not every object could be read', async () => {
      const of = world();
      unwanted(of);
      const reading = await readCluster(of.context);
      const listing = { ...reading.listing, unreadable: new Map([['Record', 'timed out']]) as never };
      const context = { ...of.context, account: { ...of.context.account, externalDns: [DELETING] } };
      const { hostedZones } = await reportMigration(context, { ...reading, listing }, REGISTRY, () => {});
      expect(hostedZones[0]).toMatchObject({ whyKept: 'not every object could be read' });
      expect(hostedZones[0]?.unwanted[0]?.isDeleted).toBe(undefined);
    });

    test('is not a TXT record in which external-dns notes an owner, but a TXT that is wanted there is an update', async () => {
      const of = world();
      for (const name of ['www', 'stays']) {
        stand(of, `${name}.e.`, 'A', values('192.0.2.1'));
        text(of, `${name}.e.`);
        want(of, `p/txt-${name}`, { domainName: `${name}.e.`, type: 'TXT', rdata: 'v=spf1 -all' });
      }
      want(of, 'p/www', A('www.e.'));
      const [found] = await report(of, [REGISTRY]);
      expect(found?.update.map(({ name, type }) => `${name} ${type}`)).toEqual(['www.e. TXT']);
      expect(found?.foreign).toMatchObject([
        { name: 'stays.e.', type: 'TXT', note: expect.stringContaining('notes that it owns A stays.e.') },
      ]);
    });
  });

  test('names what is deleted for a CNAME, and what is in its way', async () => {
    const of = world();
    for (const name of ['goes', 'blocked']) {
      stand(of, `${name}.e.`, 'A', values('192.0.2.1'));
      text(of, `${name}.e.`);
    }
    stand(of, 'blocked.e.', 'AAAA', values('2001:db8::1'));
    stand(of, 'byhand.e.', 'A', values('192.0.2.1'));
    for (const name of ['goes', 'blocked', 'byhand'])
      want(of, `p/${name}`, { domainName: `${name}.e.`, type: 'CNAME', rdata: 'x.example.' });
    const { hostedZones } = await reportMigration(of.context, await readCluster(of.context), REGISTRY, () => {});
    const [found] = hostedZones;
    const cname = { kind: 'values', ttlSeconds: 300, values: ['x.example.'] };
    const entry = (name: string, type: string) => ({ name, type, wanted: cname, objects: [expect.any(String)] });
    expect(found?.update).toMatchObject([entry('goes.e.', 'A')]);
    expect(found?.unwanted).toMatchObject([{ name: 'blocked.e.', type: 'A', wanted: null }]);
    expect(found?.foreign).toMatchObject([entry('blocked.e.', 'AAAA'), entry('byhand.e.', 'A')]);
    for (const one of [...(found?.update ?? []), ...(found?.foreign ?? [])]) expect(one.wantedType).toBe('CNAME');
  });

  test.each([
    ['may not be read', async () => Promise.reject(new Error('AccessDenied: not allowed')), 'AccessDenied'],
    ['vanishes in the middle', async () => null, 'it does not exist'],
  ])('reports the others in full when one of several hosted zones %s', async (_, fail, why) => {
    const of = reconcileWorld({
      hostedZones: ['e', 'f'].map((name, at) => ({ id: `Z${at + 1}`, name: `${name}.` })),
      config: { soa: 'never' },
      sources: SOURCES,
    });
    for (const name of ['e', 'f'])
      of.cluster.put(parseRef(`Zone p/${name}`), {
        domainName: `${name}.`,
        ttl: 300,
        delegations: [{ namespaces: ['p'], records: [{ pattern: '*' }] }],
      });
    stand(of, 'www.e.', 'A', values('192.0.2.1'));
    text(of, 'a-www.e.');
    for (const name of ['e', 'f']) want(of, `p/www.${name}`, A(`www.${name}.`));
    const { port } = of.route53;
    const hostedZones: typeof port = {
      ...port,
      readName: (id, name) => (id === 'Z2' ? fail() : port.readName(id, name)),
      readPage: (id, from) => (id === 'Z2' ? fail() : port.readPage(id, from)),
    };
    const context = { ...of.context, account: { hostedZones } };
    const report = await reportMigration(context, await readCluster(context), REGISTRY, () => {});
    expect(report.hostedZones.map(({ id, adopt }) => [id, adopt.map(({ name }) => name)])).toEqual([
      ['Z1', ['www.e.']],
    ]);
    expect(report.problems).toEqual([expect.stringContaining('Cannot report on hosted zone Z2 (f.)')]);
    expect(report.problems[0]).toContain(why);
  });

  test('continues when a hosted zone vanishes', async () => {
    const of = world();
    const { hostedZones, problems } = await reportMigration(
      {
        ...of.context,
        account: { hostedZones: { ...of.route53.port, readPage: async () => null } },
      },
      await readCluster(of.context),
      REGISTRY,
      () => {},
    );
    expect(hostedZones).toEqual([]);
    expect(problems).toEqual([expect.stringContaining('Cannot report on hosted zone Z1 (e.): it does not exist')]);
  });
});

test.each([
  ['the PTR of an address', '1.2.0.192.in-addr.arpa.', { ptr: true }, 'Z2'],
  ['an ACME challenge', '_acme-challenge.www.e.', { acme: { delegateTo: 'acme.net.' } }, 'Z1'],
])('explainName() sees what %s follows from', async (_, name, more, id) => {
  const hostedZones = [
    { id: 'Z1', name: 'e.' },
    { id: 'Z2', name: '2.0.192.in-addr.arpa.' },
  ];
  const of = reconcileWorld({ hostedZones, config: { soa: 'never' } });
  const delegations = [{ records: [{ pattern: '*' }] }];
  of.cluster.put(parseRef('Zone p/e'), { domainName: 'e.', delegations, ...more });
  of.cluster.put(parseRef('Zone p/r'), { domainName: '2.0.192.in-addr.arpa.', delegations });
  want(of, 'p/www', A('www.e.'));
  await reconcile(of.context, ['Zone p/e', 'Zone p/r', 'Record p/www'].map(parseRef));
  await deliverAll(of);
  expect(await explain(of, name)).toMatchObject({ hostedZone: { id }, published: [{}], pending: [] });
});
