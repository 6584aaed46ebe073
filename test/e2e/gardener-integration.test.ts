// The integration cases of Gardener's own provider for Route 53, one to eight, on a real API server: first against
// moto, then against our own strict Route 53. All cases run with `takeover`, as Gardener's controller works; without
// it, those run that overwrite nothing of others.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWithEngine } from '../engines/engines.ts';
import { type AwsAccount, type AwsAccounts, startAccounts } from '../support/gardener/accounts.ts';
import { type At, FINALIZER, keysOf, OPERATION, type Seed, startSeed } from '../support/gardener/seed.ts';

const NAMESPACE = 'shoot--test--dns';
const SECRET = { namespace: NAMESPACE, name: 'dnsrecord' };
const TEST_MS = 120_000;

type World = { readonly accounts: AwsAccounts; readonly account: AwsAccount; readonly seed: Seed };

async function open(kind: 'moto' | 'strict', takeover: boolean): Promise<World> {
  const accounts = await startAccounts(kind);
  const account = await accounts.open();
  const seed = await startSeed(accounts, `{ takeover: ${takeover}, requestsPerSecond: 20 }`);
  await seed.namespace(NAMESPACE);
  await seed.secret(SECRET, keysOf(account));
  const cluster = {
    apiVersion: 'extensions.gardener.cloud/v1alpha1',
    kind: 'Cluster',
    metadata: { name: NAMESPACE },
    spec: { cloudProfile: {}, seed: {}, shoot: { apiVersion: 'core.gardener.cloud/v1beta1', kind: 'Shoot' } },
  };
  await seed.api.ask('POST', '/apis/extensions.gardener.cloud/v1alpha1/clusters', cluster);
  await seed.start();
  return { accounts, account, seed };
}

for (const kind of ['moto', 'strict'] as const) {
  for (const takeover of [true, false]) {
    const engines =
      kind === 'moto' ? (['kube-apiserver', 'etcd', 'moto'] as const) : (['kube-apiserver', 'etcd'] as const);
    describeWithEngine(engines, `Gardener's integration cases on ${kind}, takeover ${takeover}`, () => {
      let world: World;
      let zoneId: string;
      const zone = 'abcde.gardener.cloud';
      beforeAll(async () => {
        world = await open(kind, takeover);
        zoneId = await world.account.createZone(`${zone}.`);
      }, TEST_MS);
      afterAll(async () => {
        await world?.seed.end();
        await world?.accounts.close();
      });

      const specOf = (name: string, spec: object) => ({
        type: 'aws-route53',
        secretRef: SECRET,
        name: `dnsrecord-${name}.${zone}`,
        ...spec,
      });
      const standing = async (name: string) =>
        (await world.account.recordSets(zoneId))
          .filter((line) => line.startsWith(`dnsrecord-${name}.${zone}. `))
          .map((line) => line.slice(`dnsrecord-${name}.${zone}. `.length));
      const foreign = async (name: string) => {
        const set = { Name: `dnsrecord-${name}.${zone}.`, Type: 'A' as const, TTL: 120 };
        await world.account.change(zoneId, 'UPSERT', { ...set, ResourceRecords: [{ Value: '8.8.8.8' }] });
      };
      /** Creates a DNSRecord, waits until it is ready, and compares its status with the contract. */
      const created = async (at: At, spec: object, annotations: Record<string, string> = {}) => {
        await world.seed.create(at, specOf(at.name, spec), annotations);
        const object = await world.seed.ready(at);
        expect(object.status).toMatchObject({
          zone: zoneId,
          lastOperation: {
            type: 'Create',
            state: 'Succeeded',
            progress: 100,
            description: 'Successfully reconciled DNSRecord',
          },
          conditions: [
            {
              type: 'Created',
              status: 'True',
              reason: 'Success',
              message: 'Record was created successfully in infrastructure at least once',
            },
          ],
        });
        expect(object.status.lastError).toBeUndefined();
        expect(object.metadata.finalizers).toEqual([FINALIZER]);
      };
      const removed = async (at: At) => {
        await world.seed.remove(at);
        await world.seed.gone(at);
        expect(await standing(at.name)).toEqual([]);
      };

      const ALIAS = 'alias foo.elb.eu-west-1.amazonaws.com. Z2IFOLAFXWLO4F true';
      const LOAD_BALANCER = { recordType: 'CNAME', values: ['foo.elb.eu-west-1.amazonaws.com'] };
      const stack = (value: string) => ({ 'dns.gardener.cloud/ip-stack': value });
      test.each<[string, object, Record<string, string>, readonly string[]]>([
        ['1', { recordType: 'A', values: ['1.1.1.1', '2.2.2.2'], ttl: 300 }, {}, ['A 300 1.1.1.1 2.2.2.2']],
        [
          '2',
          { recordType: 'CNAME', values: ['foo.example.com'], ttl: 600, zone: '?' },
          {},
          ['CNAME 600 foo.example.com.'],
        ],
        ['3', LOAD_BALANCER, {}, [`A ${ALIAS}`]],
        ['4', LOAD_BALANCER, stack('ipv6'), [`AAAA ${ALIAS}`]],
        ['5', LOAD_BALANCER, stack('dual-stack'), [`A ${ALIAS}`, `AAAA ${ALIAS}`]],
        ['6', { recordType: 'TXT', values: ['foo', 'bar'], zone: '?' }, {}, ['TXT 120 "bar" "foo"']],
      ])('case %s', { timeout: TEST_MS }, async (number, spec, annotations, expected) => {
        const at = { namespace: NAMESPACE, name: `case${number}` };
        await created(at, 'zone' in spec ? { ...spec, zone: zoneId } : spec, annotations);
        expect(await standing(at.name)).toEqual(expected);
        await removed(at);
      });

      const TWO = { recordType: 'A', values: ['1.1.1.1', '2.2.2.2'], ttl: 300 };
      test.runIf(takeover)('case 7: somebody else writes before each step', { timeout: TEST_MS }, async () => {
        const at = { namespace: NAMESPACE, name: 'case7' };
        await foreign(at.name);
        await created(at, { ...TWO, zone: zoneId });
        expect(await standing(at.name)).toEqual(['A 300 1.1.1.1 2.2.2.2']);
        await foreign(at.name);
        await world.seed.patch(at, {
          metadata: { annotations: { [OPERATION]: 'reconcile', 'gardener.cloud/timestamp': new Date().toISOString() } },
          spec: { values: ['3.3.3.3', '1.1.1.1'] },
        });
        const { status } = await world.seed.ready(at);
        expect(status.lastOperation.type).toBe('Reconcile');
        expect(await standing(at.name)).toEqual(['A 300 1.1.1.1 3.3.3.3']);
        await foreign(at.name);
        await removed(at);
      });

      test.runIf(takeover)('case 8: somebody else deletes before we do', { timeout: TEST_MS }, async () => {
        const at = { namespace: NAMESPACE, name: 'case8' };
        await foreign(at.name);
        await created(at, TWO);
        expect(await standing(at.name)).toEqual(['A 300 1.1.1.1 2.2.2.2']);
        const set = { Name: `dnsrecord-case8.${zone}.`, Type: 'A' as const, TTL: 300 };
        const values = [{ Value: '1.1.1.1' }, { Value: '2.2.2.2' }];
        await world.account.change(zoneId, 'DELETE', { ...set, ResourceRecords: values });
        await removed(at);
      });

      test.runIf(!takeover && kind === 'strict')(
        'a record set of somebody else stays',
        { timeout: TEST_MS },
        async () => {
          const at = { namespace: NAMESPACE, name: 'stranger' };
          await foreign(at.name);
          await world.seed.create(at, specOf(at.name, TWO));
          const { status } = await world.seed.failed(at);
          expect(status.lastError.codes).toEqual(['ERR_CONFIGURATION_PROBLEM']);
          expect(status.lastError.description).toMatch(/^Error reconciling DNSRecord: /);
          expect(status.conditions).toMatchObject([{ type: 'Created', status: 'False', reason: 'Error' }]);
          expect(await standing(at.name)).toEqual(['A 120 8.8.8.8']);
          await world.seed.remove(at);
          await world.seed.gone(at);
          expect(await standing(at.name)).toEqual(['A 120 8.8.8.8']);
        },
      );

      test('no credential is in what it printed', () => {
        expect(world.seed.printed()).not.toContain(world.account.secretAccessKey);
        expect(world.seed.printed()).not.toContain(world.account.accessKeyId);
      });
    });
  }
}
