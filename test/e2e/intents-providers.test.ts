// Records that external-dns 0.21.0 really writes, run as the Deployment says that intents make: against BIND's named
// under TSIG, into the etcd that CoreDNS reads, into moto's Cloud Map, and into a double of Azure. There is no kubelet,
// so the test starts the container's program with its arguments.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWithEngine, engine, startMoto } from '../engines/engines.ts';
import { eventually } from '../engines/kubernetes/apply.ts';
import { freePort, type Guard, openGuard } from '../engines/kubernetes/guard.ts';
import { startAzure } from '../support/azure-double.ts';
import { type Etcd, type Named, startEtcd, startNamed, TSIG } from '../support/dns-providers.ts';
import { appIn, setUp } from '../support/intent-set-up.ts';
import { type IntentWorld, startIntentWorld } from '../support/intent-world.ts';

const ZONE = 'prov.example.org';
const CLOUDS = 'clouds.example.org';
/** moto does not check the signature. */
const SIGNED = 'AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/servicediscovery/aws4_request, Signature=x';

describeWithEngine(
  ['kube-apiserver', 'etcd', 'external-dns', 'named', 'dig', 'moto'],
  'what external-dns writes',
  () => {
    let world: IntentWorld;
    let guard: Guard;
    let named: Named;
    let etcd: Etcd;
    let at: string;

    beforeAll(async () => {
      world = await startIntentWorld();
      guard = openGuard('zone53-providers-');
      named = await startNamed(guard, ZONE);
      etcd = await startEtcd(guard);
      const common = async () => ({
        interval: '1s',
        'domain-filter': ZONE,
        'metrics-address': `127.0.0.1:${await freePort()}`,
      });
      const dyn = {
        ...(await common()),
        'rfc2136-host': '127.0.0.1',
        'rfc2136-port': named.port,
        'rfc2136-zone': ZONE,
        'rfc2136-tsig-keyname': TSIG.name,
        'rfc2136-tsig-secret': TSIG.secret,
        'rfc2136-tsig-axfr': 'axfr',
      };
      const core = { ...(await common()), 'coredns-prefix': 'skydns' };
      at = await setUp(world, 'prov', { dyn: ['rfc2136', dyn] }, { core: ['coredns', core] });
    });
    afterAll(async () => {
      await guard?.end();
      await world?.end();
    });

    /** Starts the program of a record's Deployment, with the environment that a kubelet would give to it. */
    async function startExternalDns(
      record: string,
      extra: Readonly<Record<string, string>>,
      project = 'prov',
    ): Promise<void> {
      const objects = await world.objects(project);
      const [container] = objects.get(`Deployment/external-dns-${record}`).spec.template.spec.containers;
      const secrets = (container.env ?? []).map(
        ({ name, valueFrom }: { name: string; valueFrom: { secretKeyRef: { name: string; key: string } } }) => {
          const { data } = objects.get(`Secret/${valueFrom.secretKeyRef.name}`);
          return [name, Buffer.from(data[valueFrom.secretKeyRef.key], 'base64').toString('utf8')];
        },
      );
      const env = { PATH: process.env.PATH ?? '', ...Object.fromEntries(secrets), ...extra };
      const args = [...container.args, `--kubeconfig=${world.engine.kubeconfig}`];
      guard.start(`external-dns-${record}`, engine('external-dns') ?? '', args, { env });
    }

    const www = (...publicAddresses: readonly string[]) =>
      appIn('prov', { www: { publicAddresses, clusterAddresses: ['10.0.0.7'] } });
    const states = async () =>
      (await world.ask('GET', `${at}/apps/web/status`)).body.map(
        ({ record, state }: { record: string; state: string }) => `${record} ${state}`,
      );

    test('publishes names to named and to etcd, follows the app, and then says Published', {
      timeout: 180_000,
    }, async () => {
      const told = await world.ask('POST', `${at}/apps/web/instantiate`, www('192.0.2.1', '2001:db8::1'));
      expect(told.status).toBe(202);
      for (const record of ['dyn', 'core']) {
        const wanted = [`DNSEndpoint/www-${record}`, `Deployment/external-dns-${record}`];
        await eventually(async () => {
          const objects = await world.objects('prov');
          return wanted.every((one) => objects.has(one));
        });
      }
      expect(await states()).toEqual(['core Pending', 'dyn Pending']);
      await startExternalDns('dyn', {});
      await startExternalDns('core', { ETCD_URLS: etcd.url });

      await eventually(async () => (await named.dig(`www.${ZONE}`, 'A')).join() === '192.0.2.1');
      await eventually(async () => (await named.dig(`www.${ZONE}`, 'AAAA')).join() === '2001:db8::1');
      const hosts = async () =>
        [...(await etcd.below('/skydns/org/example/prov/www'))].flatMap(([, { host }]) => host ?? []);
      await eventually(async () => (await hosts()).join() === '10.0.0.7');
      await eventually(async () => (await states()).join() === 'core Published,dyn Published');
      const owner = (await named.dig(`a-www.${ZONE}`, 'TXT')).join();
      expect(owner).toContain('external-dns/owner=prov/dyn,external-dns/resource=crd/prov/www-dyn');

      await world.ask('POST', `${at}/apps/web/instantiate`, www('192.0.2.2'));
      await eventually(async () => (await named.dig(`www.${ZONE}`, 'A')).join() === '192.0.2.2');
      await eventually(async () => (await named.dig(`www.${ZONE}`, 'AAAA')).length === 0);
    });

    test('publishes names to Cloud Map and to Azure, public and private, and follows the app', {
      timeout: 240_000,
    }, async () => {
      const moto = await startMoto();
      const azure = await startAzure(guard.folder, CLOUDS);
      // biome-ignore lint/suspicious/noExplicitAny: answers that are looked into
      const cloudMap = async (action: string, body: object): Promise<any> => {
        const target = `Route53AutoNaming_v20170314.${action}`;
        const headers = { authorization: SIGNED, 'x-amz-target': target, 'content-type': 'application/x-amz-json-1.1' };
        return (await fetch(moto.url, { method: 'POST', headers, body: JSON.stringify(body) })).json();
      };
      try {
        await cloudMap('CreatePublicDnsNamespace', { Name: CLOUDS });
        const common = async () => ({
          interval: '1s',
          'domain-filter': CLOUDS,
          'metrics-address': `127.0.0.1:${await freePort()}`,
        });
        const publicly = {
          sd: ['aws-sd', await common()] as const,
          az: ['azure', { ...(await common()), ...azure.parameters }] as const,
        };
        const inside = { azp: ['azure-private-dns', { ...(await common()), ...azure.parameters }] as const };
        const project = await setUp(world, 'clouds', publicly, inside);
        const instantiate = (address: string) =>
          world.ask(
            'POST',
            `${project}/apps/web/instantiate`,
            appIn('clouds', { www: { publicAddresses: [address], clusterAddresses: ['10.0.0.8'] } }),
          );
        expect((await instantiate('192.0.2.8')).status).toBe(202);
        const records = ['sd', 'az', 'azp'];
        await eventually(async () => {
          const objects = await world.objects('clouds');
          return records.every((one) => objects.has(`Deployment/external-dns-${one}`));
        });
        const pod = (await world.objects('clouds')).get('Deployment/external-dns-az').spec.template.spec;
        expect(pod.volumes[0].secret).toMatchObject({ secretName: 'external-dns-az-azure', optional: true });
        expect(pod.containers[0].volumeMounts).toMatchObject([{ name: 'azure', mountPath: guard.folder }]);
        // external-dns asks Cloud Map at the host `data-` and its own name, which is reachable here only through a
        // proxy.
        const aws = {
          HTTP_PROXY: moto.url,
          AWS_ENDPOINT_URL: 'http://aws.test',
          AWS_ACCESS_KEY_ID: 'test',
          AWS_SECRET_ACCESS_KEY: 'test',
        };
        await startExternalDns('sd', { ...aws, AWS_REGION: 'us-east-1' }, 'clouds');
        await startExternalDns('az', azure.env, 'clouds');
        await startExternalDns('azp', azure.env, 'clouds');

        const instances = async () => {
          const { Services } = await cloudMap('ListServices', {});
          const [service] = Services as readonly { readonly Id: string; readonly Name: string }[];
          if (service === undefined) return '';
          const { Instances } = await cloudMap('ListInstances', { ServiceId: service.Id });
          const addresses = Instances.map(
            ({ Attributes }: { Attributes: Record<string, string> }) => Attributes.AWS_INSTANCE_IPV4,
          );
          return `${service.Name} ${addresses}`;
        };
        await eventually(async () => (await instances()) === 'www 192.0.2.8');
        await eventually(() => azure.recordSets('dnsZones').join() === 'A www 192.0.2.8');
        await eventually(() => azure.recordSets('privateDnsZones').join() === 'A www 10.0.0.8');
        await instantiate('192.0.2.9');
        await eventually(async () => (await instances()) === 'www 192.0.2.9');
        await eventually(() => azure.recordSets('dnsZones').join() === 'A www 192.0.2.9');
      } finally {
        for (const one of ['sd', 'az', 'azp']) await guard.kill(`external-dns-${one}`);
        azure.close();
        await moto.close();
      }
    });
  },
);
