import { describe, expect, it } from 'vitest';
import { answeringRoute53, NAMESPACE, refusal, zone } from '../../../test/fakes/answering-route53.ts';
import { HostedZoneRefusedError, type HostedZones, HostedZonesDeniedError } from '../../ports/hosted-zones.ts';
import { OutcomeUnknownError } from '../../ports/outcome-unknown-error.ts';

const route53 = answeringRoute53();
const START = { name: 'www.example.', type: 'A', setIdentifier: null };

describe('changeStatus()', () => {
  const answer = (status: string) => ({
    status: 200,
    body: `<GetChangeResponse ${NAMESPACE}><ChangeInfo><Id>/change/C1</Id><Status>${status}</Status><SubmittedAt>2026-01-01T00:00:00Z</SubmittedAt></ChangeInfo></GetChangeResponse>`,
  });

  it.each([
    ['INSYNC', answer('INSYNC'), { kind: 'insync' }],
    ['PENDING', answer('PENDING'), { kind: 'pending' }],
    ['too many calls', refusal(400, 'Throttling', 'Rate exceeded'), { kind: 'unsaid', message: null }],
    ['a denial', refusal(403, 'AccessDenied', 'no'), { kind: 'unsaid', message: 'AccessDenied: no' }],
    ['another id', refusal(404, 'NoSuchChange', 'none'), { kind: 'unsaid', message: 'NoSuchChange: none' }],
  ])('asks once, also after %s', async (_, said, expected) => {
    route53.answers = [said];
    expect(await route53.zonesAt(route53.url).changeStatus('Z1', 'C1')).toEqual(expected);
    expect(route53.requests).toBe(1);
  });
});

describe('reads', () => {
  it('get() gives canonical names and repeats what may succeed later; each try takes a call of the budget', async () => {
    route53.answers = [refusal(400, 'Throttling'), { status: 503, body: '' }, { status: 0, body: '' }, zone];
    expect(await route53.zonesAt(route53.url).get('Z1')).toEqual({
      id: 'Z1',
      name: 'a*b.example.',
      nameServers: ['ns-1.awsdns-1.net.', 'ns-2.awsdns-1.net.'],
      callerReference: 'r',
    });
    expect([route53.requests, route53.taken]).toEqual([4, 4]);
  });

  it('get() gives up after six attempts, and quotes Route 53', async () => {
    route53.answers = [refusal(400, 'Throttling', 'Rate exceeded')];
    await expect(route53.zonesAt(route53.url).get('Z1')).rejects.toThrow(
      'Cannot read hosted zone "Z1": Throttling: Rate exceeded',
    );
    expect(route53.requests).toBe(6);
  });

  it('get() does not repeat a refusal, and says that a hosted zone may not be read', async () => {
    route53.answers = [refusal(403, 'AccessDenied', 'no')];
    expect(await route53.zonesAt(route53.url).get('Z1')).toEqual({ unreadable: 'AccessDenied: no' });
    route53.answers = [refusal(403, 'SignatureDoesNotMatch', 'no')];
    await expect(route53.zonesAt(route53.url).get('Z1')).rejects.toThrow(
      'Cannot read hosted zone "Z1": SignatureDoesNotMatch: no',
    );
    // Each of the two was asked once.
    expect(route53.requests).toBe(2);
  });

  it('list() says that the hosted zones may not be listed', async () => {
    route53.answers = [refusal(403, 'AccessDenied', 'no')];
    const denied = route53.zonesAt(route53.url).list();
    await expect(denied).rejects.toThrow(HostedZonesDeniedError);
    await expect(denied).rejects.toThrow('Cannot list hosted zones: AccessDenied: no');
    route53.answers = [refusal(400, 'Throttling', 'Rate exceeded')];
    await expect(route53.zonesAt(route53.url).list()).rejects.not.toThrow(HostedZonesDeniedError);
  });

  it.each([
    ['readName()', (zones: HostedZones) => zones.readName('Z1', 'www.example.')],
    ['readPage()', (zones: HostedZones) => zones.readPage('Z1', null)],
  ])('%s says that the record sets may not be read', async (_, read) => {
    route53.answers = [refusal(403, 'AccessDenied', 'no')];
    const denied = read(route53.zonesAt(route53.url));
    await expect(denied).rejects.toThrow(HostedZonesDeniedError);
    await expect(denied).rejects.toThrow('Cannot read record sets of hosted zone "Z1": AccessDenied: no');
  });

  it('protections() says that they may not be listed, or that nobody here knows any', async () => {
    for (const [status, code] of [
      [403, 'AccessDenied'],
      [404, 'UnknownOperationException'],
    ] as const) {
      route53.answers = [refusal(status, code, 'no')];
      const denied = route53.zonesAt(route53.url).protections('Z1', null);
      await expect(denied).rejects.toThrow(HostedZonesDeniedError);
      await expect(denied).rejects.toThrow(`Cannot list protections of hosted zone "Z1": ${code}: no`);
    }
    route53.answers = [refusal(404, 'NoSuchHostedZone')];
    expect(await route53.zonesAt(route53.url).protections('Z1', null)).toBeNull();
    route53.answers = [refusal(400, 'Throttling', 'Rate exceeded')];
    await expect(route53.zonesAt(route53.url).protections('Z1', null)).rejects.not.toThrow(HostedZonesDeniedError);
  });

  it('readName() does not take an invalid answer for absence', async () => {
    route53.answers = [refusal(404, 'NoSuchHostedZone')];
    expect(await route53.zonesAt(route53.url).readName('Z1', 'www.example.')).toBeNull();
    route53.answers = [{ status: 404, body: '' }];
    await expect(route53.zonesAt(route53.url).readName('Z1', 'www.example.')).rejects.toThrow(
      'Cannot read record sets',
    );
  });

  it.each([
    '<ResourceRecordSets/>',
    '<ResourceRecordSets></ResourceRecordSets>',
    '<ResourceRecordSets>\n</ResourceRecordSets>',
  ])('reads an empty list: %j', async (list) => {
    const body = `<ListResourceRecordSetsResponse ${NAMESPACE}>${list}<IsTruncated>false</IsTruncated><MaxItems>300</MaxItems></ListResourceRecordSetsResponse>`;
    route53.answers = [{ status: 200, body }];
    expect(await route53.zonesAt(route53.url).readName('Z1', 'www.example.')).toEqual([]);
  });

  it.each([
    ['record sets', 'ListResourceRecordSets', (zones: HostedZones) => zones.readName('Z1', 'www.example.')],
    ['hosted zones', 'ListHostedZones', (zones: HostedZones) => zones.list()],
  ])('throws for an answer without its list of %s', async (_title, operation, call) => {
    const body = `<${operation}Response ${NAMESPACE}><IsTruncated>false</IsTruncated><MaxItems>300</MaxItems></${operation}Response>`;
    route53.answers = [{ status: 200, body }];
    await expect(call(route53.zonesAt(route53.url))).rejects.toThrow('lacks what Route 53 always says');
  });

  it.each([
    ['a name', 'www.example.', 'A', (zones: HostedZones) => zones.readName('Z1', 'www.example.')],
    ['a page', 'www.example.', 'A', (zones: HostedZones) => zones.readPage('Z1', START)],
    ['hosted zones', '', '', (zones: HostedZones) => zones.list()],
    ['hosted zones of a name', '', '', (zones: HostedZones) => zones.create('a.example.', 'r')],
  ])('throws for %s whose next page begins where this one did (%s %s)', async (what, name, type, call) => {
    const nextMarker = '<IsTruncated>true</IsTruncated><NextMarker>Z1</NextMarker><MaxItems>100</MaxItems>';
    const byName = `<HostedZones><HostedZone><Id>/hostedzone/Z1</Id><Name>a.example.</Name><CallerReference>x</CallerReference></HostedZone></HostedZones><IsTruncated>true</IsTruncated><NextDNSName>a.example.</NextDNSName><NextHostedZoneId>Z1</NextHostedZoneId><MaxItems>100</MaxItems>`;
    const bodies: Readonly<Record<string, string>> = {
      'hosted zones': `<ListHostedZonesResponse ${NAMESPACE}><HostedZones></HostedZones>${nextMarker}</ListHostedZonesResponse>`,
      'hosted zones of a name': `<ListHostedZonesByNameResponse ${NAMESPACE}>${byName}</ListHostedZonesByNameResponse>`,
    };
    const next = `<NextRecordName>${name}</NextRecordName><NextRecordType>${type}</NextRecordType>`;
    const page = `<ListResourceRecordSetsResponse ${NAMESPACE}><ResourceRecordSets></ResourceRecordSets><IsTruncated>true</IsTruncated>${next}<MaxItems>300</MaxItems></ListResourceRecordSetsResponse>`;
    const body = { status: 200, body: bodies[what] ?? page };
    route53.answers = what === 'hosted zones of a name' ? [refusal(409, 'HostedZoneAlreadyExists'), body] : [body];
    await expect(call(route53.zonesAt(route53.url))).rejects.toThrow('lacks what Route 53 always says');
  });

  it.each(['', '<html><body>portal</body></html>', '{}', `<ListResourceRecordSetsResponse ${NAMESPACE}/>`])(
    'does not take an empty answer of 200 for absence: %j',
    async (body) => {
      route53.answers = [{ status: 200, body }];
      const zones = route53.zonesAt(route53.url);
      const calls = [
        () => zones.readName('Z1', 'www.example.'),
        () => zones.readPage('Z1', null),
        () => zones.list(),
        () => zones.get('Z1'),
        () => zones.create('a.example.', 'r'),
      ];
      for (const call of calls) {
        route53.requests = 0;
        await expect(call()).rejects.toThrow(/lacks what Route 53 always says|outcome|XML parse error/i);
        expect(route53.requests).toBe(6);
      }
      route53.answers = [{ status: 200, body }, zone];
      expect(await zones.get('Z1')).toMatchObject({ id: 'Z1' });
    },
  );

  it('throws for a hosted zone whose answer lacks its name servers', async () => {
    route53.answers = [{ status: 200, body: zone.body.replace(/<DelegationSet>.*<\/DelegationSet>/, '') }, zone];
    expect(await route53.zonesAt(route53.url).get('Z1')).toMatchObject({
      nameServers: [expect.any(String), expect.any(String)],
    });
  });

  it('get() has the VPCs of a private hosted zone', async () => {
    const vpcs = '<VPCs><VPC><VPCRegion>eu-west-1</VPCRegion><VPCId>vpc-1</VPCId></VPC></VPCs>';
    const body = zone.body.replace(/<DelegationSet>.*<\/DelegationSet>/, vpcs).replace('>false<', '>true<');
    route53.answers = [{ status: 200, body }];
    expect(await route53.zonesAt(route53.url).get('Z1')).toMatchObject({
      isPrivate: true,
      vpcs: [{ id: 'vpc-1', region: 'eu-west-1' }],
    });
  });

  it('create() without an answer has an unknown outcome', async () => {
    route53.answers = [{ status: 500, body: '' }];
    await expect(route53.zonesAt(route53.url).create('a.example.', 'r')).rejects.toThrow(OutcomeUnknownError);
  });

  it('create() that is refused says so by the type of its error', async () => {
    route53.answers = [refusal(400, 'TooManyHostedZones', 'limit')];
    const refused = route53.zonesAt(route53.url).create('a.example.', 'r');
    await expect(refused).rejects.toThrow(HostedZoneRefusedError);
    await expect(refused).rejects.toThrow('TooManyHostedZones: limit');
  });
});
