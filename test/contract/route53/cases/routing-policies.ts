// The contract of routing policies: each is listed as it was written, which of them cannot exist together, and which
// values their fields may have.
import { randomUUID } from 'node:crypto';
import { CreateHealthCheckCommand, type ResourceRecordSet } from '@aws-sdk/client-route-53';
import { expect } from 'vitest';
import { type Account, type ContractCase, refusalOf, special } from '../route53-account.ts';

type Policy = Partial<ResourceRecordSet>;

const WWW = 'www.example.com.';

function routed(SetIdentifier: string, policy: Policy, more: Policy = {}): ResourceRecordSet {
  return {
    Name: WWW,
    Type: 'A',
    TTL: 300,
    ResourceRecords: [{ Value: '192.0.2.1' }],
    SetIdentifier,
    ...policy,
    ...more,
  };
}

async function healthCheck({ client }: Account): Promise<string> {
  const HealthCheckConfig = { Type: 'TCP' as const, IPAddress: '192.0.2.1', Port: 443 };
  const made = await client.send(new CreateHealthCheckCommand({ CallerReference: randomUUID(), HealthCheckConfig }));
  return made.HealthCheck?.Id ?? '';
}

const COORDINATES = { Latitude: '49.22', Longitude: '-2.10' };

/** One record set of each policy that needs nothing else in the account. */
const POLICIES: readonly (readonly [string, Policy])[] = [
  ['weight', { Weight: 10 }],
  ['weight of 0', { Weight: 0 }],
  ['region', { Region: 'eu-west-1' }],
  ['failover', { Failover: 'SECONDARY' }],
  ['continent', { GeoLocation: { ContinentCode: 'EU' } }],
  ['country', { GeoLocation: { CountryCode: 'DE' } }],
  ['state', { GeoLocation: { CountryCode: 'US', SubdivisionCode: 'CA' } }],
  ['default location', { GeoLocation: { CountryCode: '*' } }],
  ['multivalue answer', { MultiValueAnswer: true }],
  ['geoproximity by region', { GeoProximityLocation: { AWSRegion: 'us-east-1', Bias: -99 } }],
  ['geoproximity by local zone group', { GeoProximityLocation: { LocalZoneGroup: 'us-east-1-bue-1' } }],
  ['geoproximity by coordinates', { GeoProximityLocation: { Coordinates: COORDINATES, Bias: 99 } }],
];

/** Pairs of record sets that cannot exist together. */
const APART: readonly (readonly [string, Policy, Policy])[] = [
  ['a weight beside a region', { Weight: 1 }, { Region: 'eu-west-1' }],
  ['a geolocation beside a weight', { GeoLocation: { CountryCode: '*' } }, { Weight: 1 }],
  ['a multivalue answer beside a weight', { MultiValueAnswer: true }, { Weight: 1 }],
  ['two of one region', { Region: 'eu-west-1' }, { Region: 'eu-west-1' }],
  ['two of one geolocation', { GeoLocation: { CountryCode: 'DE' } }, { GeoLocation: { CountryCode: 'DE' } }],
  ['two secondaries', { Failover: 'SECONDARY' }, { Failover: 'SECONDARY' }],
  ['two weights with different TTLs', { Weight: 1 }, { Weight: 1, TTL: 60 }],
];

/** Values that the fields of a policy must not have. */
const INVALID: readonly (readonly [string, Policy])[] = [
  ['two policies', { Weight: 1, Region: 'eu-west-1' }],
  ['a weight of 256', { Weight: 256 }],
  ['an unknown region', { Region: 'eu-moon-1' as 'eu-west-1' }],
  ['a continent with a country', { GeoLocation: { ContinentCode: 'EU', CountryCode: 'DE' } }],
  ['an unknown continent', { GeoLocation: { ContinentCode: 'XX' } }],
  ['an unknown country', { GeoLocation: { CountryCode: 'XX' } }],
  ['a state of another country', { GeoLocation: { CountryCode: 'DE', SubdivisionCode: 'BY' } }],
  ['a state without a country', { GeoLocation: { SubdivisionCode: 'CA' } }],
  ['an unknown failover role', { Failover: 'TERTIARY' as 'PRIMARY' }],
  ['a bias of 100', { GeoProximityLocation: { AWSRegion: 'us-east-1', Bias: 100 } }],
  ['geoproximity with two places', { GeoProximityLocation: { AWSRegion: 'us-east-1', Coordinates: COORDINATES } }],
  ['geoproximity without a place', { GeoProximityLocation: { Bias: 1 } }],
  ['three decimals', { GeoProximityLocation: { Coordinates: { Latitude: '1.234', Longitude: '1' } } }],
  ['a latitude of 91', { GeoProximityLocation: { Coordinates: { Latitude: '91', Longitude: '1' } } }],
  ['a set identifier of 129 characters', { Weight: 1, SetIdentifier: 'x'.repeat(129) }],
];

export const routingPolicyCases: readonly ContractCase[] = [
  ...POLICIES.map(([called, policy]) => ({
    name: `routing comes back as it was given: ${called}`,
    run: async (account: Account) => {
      const { id } = await account.createZone();
      await account.change(id, special('CREATE', routed('a', policy)));
      const [found] = (await account.list(id)).filter(({ SetIdentifier }) => SetIdentifier === 'a');
      expect(found).toEqual(routed('a', policy));
      await account.change(id, special('DELETE', routed('a', policy)));
      expect(await account.keys(id)).toEqual([]);
    },
  })),
  ...APART.map(([called, first, second]) => ({
    name: `refused of one name and type: ${called}`,
    run: async (account: Account) => {
      const { id } = await account.createZone();
      await account.change(id, special('CREATE', routed('a', first)));
      expect(await account.refused(id, special('CREATE', routed('b', second)))).toContain(`DNS name ${WWW}`);
      expect(await account.keys(id)).toEqual([`${WWW} A`]);
    },
  })),
  ...INVALID.map(([called, policy]) => ({
    name: `routing is InvalidInput: ${called}`,
    run: async (account: Account) => {
      const { id } = await account.createZone();
      const refusal = await refusalOf(account.change(id, special('CREATE', routed('a', policy))));
      expect(refusal).toMatchObject({ code: 'InvalidInput', status: 400 });
    },
  })),
  {
    name: 'a primary that is not an alias needs a health check',
    run: async (account) => {
      const { id } = await account.createZone();
      const primary = routed('a', { Failover: 'PRIMARY' });
      expect(await account.refused(id, special('CREATE', primary))).toContain(
        'A non-alias primary ResourceRecordSet must have an associated health check.',
      );
      const checked = { ...primary, HealthCheckId: await healthCheck(account) };
      await account.change(id, special('CREATE', checked));
      const [found] = (await account.list(id)).filter(({ SetIdentifier }) => SetIdentifier === 'a');
      expect(found).toEqual(checked);
    },
  },
  {
    name: 'DELETE without the routing policy is InvalidInput',
    run: async (account) => {
      const { id } = await account.createZone();
      await account.change(id, special('CREATE', routed('a', { Weight: 1 })));
      const refusal = await refusalOf(account.change(id, special('DELETE', routed('a', {}))));
      expect(refusal).toMatchObject({ code: 'InvalidInput', status: 400 });
      expect(refusal.message).toContain('but found none in Change with [Action=DELETE');
    },
  },
  {
    name: 'DELETE with another weight, and without the health check, is refused',
    run: async (account) => {
      const { id } = await account.createZone();
      const set = routed('a', { Weight: 1 }, { HealthCheckId: await healthCheck(account) });
      await account.change(id, special('CREATE', set));
      const differs = 'but the values provided do not match the current values';
      expect(await account.refused(id, special('DELETE', { ...set, Weight: 2 }))).toContain(differs);
      expect(await account.refused(id, special('DELETE', routed('a', { Weight: 1 })))).toContain(differs);
      await account.change(id, special('DELETE', set));
    },
  },
  {
    name: 'from simple to weighted to latency in one batch each, deletes before creates',
    run: async (account) => {
      const { id } = await account.createZone();
      const { SetIdentifier: _, ...plain } = routed('a', {});
      const weights = ['a', 'b'].map((identifier) => routed(identifier, { Weight: 1 }));
      const regions = [routed('a', { Region: 'eu-west-1' }), routed('b', { Region: 'eu-west-2' })];
      const all = (action: 'CREATE' | 'DELETE', sets: readonly ResourceRecordSet[]) =>
        sets.map((set) => special(action, set));
      await account.change(id, special('CREATE', plain));
      await account.change(id, special('DELETE', plain), ...all('CREATE', weights));
      await account.change(id, ...all('DELETE', weights), ...all('CREATE', regions));
      expect(await account.keys(id)).toEqual([`${WWW} A`, `${WWW} A`]);
    },
  },
  {
    name: 'from simple to weighted with the CREATE first is refused',
    run: async (account) => {
      const { id } = await account.createZone();
      const { SetIdentifier: _, ...plain } = routed('a', {});
      await account.change(id, special('CREATE', plain));
      await account.refused(id, special('CREATE', routed('a', { Weight: 1 })), special('DELETE', plain));
    },
  },
  {
    name: 'CNAMEs of one policy stand beside each other',
    run: async (account) => {
      const { id } = await account.createZone();
      const cnames = ['a', 'b'].map((identifier) =>
        routed(identifier, { Weight: 1, Type: 'CNAME', ResourceRecords: [{ Value: `${identifier}.example.org.` }] }),
      );
      await account.change(id, ...cnames.map((set) => special('CREATE', set)));
      expect(await account.keys(id)).toEqual([`${WWW} CNAME`, `${WWW} CNAME`]);
    },
  },
];
