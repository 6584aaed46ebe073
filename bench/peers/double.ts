// The account of one peer: a double of Route 53 behind the proxy, with its hosted zones already created. The double is
// moto where the zones are small, and our own strict Route 53, in a process of its own, where they are large: moto
// takes some 10 s for a full batch in a zone of 10,000, so the bench would measure moto.
import { fileURLToPath } from 'node:url';
import { ChangeResourceRecordSetsCommand, CreateHostedZoneCommand, Route53Client } from '@aws-sdk/client-route-53';
import { engine, startMoto } from '../../test/engines/engines.ts';
import { type Guarded, startGuarded } from './guarded.ts';
import { type AccountProxy, type ProxyOptions, startProxy } from './proxy.ts';

/** Names in the largest zone for which moto is used. */
const MOTO_NAMES_MAX = 1_000;

export type Account = {
  readonly proxy: AccountProxy;
  /** URL of the double itself, without the proxy. */
  readonly url: string;
  /** "moto" or "local". */
  readonly kind: string;
  /** The port of the double's DNS server on 127.0.0.1; null: it has none. */
  readonly dnsPort: number | null;
  /** Changes one A record as a stranger would: directly, without the proxy. */
  edit(zone: string, name: string, address: string): Promise<void>;
  close(): Promise<void>;
};

export type AccountOptions = Omit<ProxyOptions, 'target'> & {
  /** Default: chosen by the number of names. */
  readonly double?: 'moto' | 'local';
};

/** Opens an account with these hosted zones, empty. `names`: how many record sets the largest of them will have. */
export async function openAccount(
  zones: readonly string[],
  names: number,
  { double: asked, ...limits }: AccountOptions = {},
): Promise<Account> {
  const kind = asked ?? (names > MOTO_NAMES_MAX || engine('moto') === null ? 'local' : 'moto');
  const double = kind === 'moto' ? await startMoto() : await startLocal();
  const client = new Route53Client({
    endpoint: double.url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'stranger', secretAccessKey: 'stranger' },
  });
  const ids = new Map<string, string>();
  for (const name of zones) {
    const created = await client.send(new CreateHostedZoneCommand({ Name: name, CallerReference: name }));
    ids.set(name, created.HostedZone?.Id ?? '');
  }
  const proxy = await startProxy({ ...limits, target: double.url });
  return {
    proxy,
    url: double.url,
    kind,
    dnsPort: 'dnsPort' in double ? double.dnsPort : null,
    edit: async (zone, name, address) => {
      const ResourceRecordSet = { Name: name, Type: 'A' as const, TTL: 60, ResourceRecords: [{ Value: address }] };
      const ChangeBatch = { Changes: [{ Action: 'UPSERT' as const, ResourceRecordSet }] };
      proxy.standing.set(name, address);
      await client.send(new ChangeResourceRecordSetsCommand({ HostedZoneId: ids.get(zone), ChangeBatch }));
    },
    close: async () => {
      client.destroy();
      await proxy.close();
      await double.close();
    },
  };
}

async function startLocal(): Promise<{ readonly url: string; readonly dnsPort: number; close(): Promise<void> }> {
  const file = fileURLToPath(new URL('./local-double.ts', import.meta.url));
  const local: Guarded = startGuarded('local-route53', process.execPath, [file]);
  const url = await local.line(/^http:.*$/, 30_000);
  const dnsPort = Number((await local.line(/^dns /, 30_000)).slice('dns '.length));
  return { url, dnsPort, close: local.end };
}
