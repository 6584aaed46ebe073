// DNS servers of other projects, for what external-dns writes: BIND's named, with one zone that accepts RFC 2136
// updates with TSIG, and an etcd as CoreDNS reads it.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { engine } from '../engines/engines.ts';
import { eventually } from '../engines/kubernetes/apply.ts';
import { freePort, type Guard } from '../engines/kubernetes/guard.ts';

const run = promisify(execFile);
export const TSIG = { name: 'zone53', secret: 'c2VjcmV0LW9mLXRzaWctZm9yLXRlc3Rz' };

export type Named = {
  readonly port: number;
  /** What dig prints in short, sorted. */
  dig(name: string, type: string): Promise<readonly string[]>;
};

/** Starts named with an empty zone, which only a client with the TSIG key may change and transfer. */
export async function startNamed(guard: Guard, zone: string): Promise<Named> {
  const port = await freePort();
  const file = (name: string) => path.join(guard.folder, name);
  writeFileSync(
    file('zone.db'),
    `$TTL 60\n@ IN SOA ns.${zone}. admin.${zone}. 1 3600 600 86400 60\n@ IN NS ns.${zone}.\nns IN A 127.0.0.1\n`,
  );
  const lines = [
    `key "${TSIG.name}" { algorithm hmac-sha256; secret "${TSIG.secret}"; };`,
    `options { directory "${guard.folder}"; pid-file none; session-keyfile none; recursion no; listen-on-v6 { none; };`,
    `  listen-on port ${port} { 127.0.0.1; }; };`,
    'controls { };',
    `zone "${zone}" { type primary; file "zone.db"; allow-update { key "${TSIG.name}"; };`,
    `  allow-transfer { key "${TSIG.name}"; }; };`,
  ];
  writeFileSync(file('named.conf'), `${lines.join('\n')}\n`);
  guard.start('named', engine('named') ?? '', ['-g', '-c', file('named.conf')]);
  const dig = async (name: string, type: string) => {
    const args = [
      '@127.0.0.1',
      '-p',
      String(port),
      '+short',
      '+norecurse',
      '+tries=1',
      '+time=2',
      '+nocookie',
      name,
      type,
    ];
    const { stdout } = await run('dig', args).catch(() => ({ stdout: '' }));
    return stdout.split('\n').filter(Boolean).toSorted();
  };
  await eventually(async () => (await dig(zone, 'NS')).length === 1);
  return { port, dig };
}

export type Etcd = {
  readonly url: string;
  /** The keys below a prefix, with their values. */
  below(prefix: string): Promise<ReadonlyMap<string, { readonly host?: string; readonly text?: string }>>;
};

/** Starts an etcd of its own. */
export async function startEtcd(guard: Guard): Promise<Etcd> {
  const [port, peer] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const peers = `http://127.0.0.1:${peer}`;
  const args = [
    ...['--data-dir', path.join(guard.folder, 'etcd'), '--listen-client-urls', url, '--advertise-client-urls', url],
    ...['--listen-peer-urls', peers, '--initial-advertise-peer-urls', peers, '--initial-cluster', `default=${peers}`],
  ];
  guard.start('etcd', engine('etcd') ?? '', args);
  const isReady = () =>
    fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  await eventually(isReady);
  const encode = (text: string) => Buffer.from(text, 'utf8').toString('base64');
  const decode = (text: string) => Buffer.from(text, 'base64').toString('utf8');
  return {
    url,
    below: async (prefix) => {
      const end = `${prefix.slice(0, -1)}${String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)}`;
      const body = JSON.stringify({ key: encode(prefix), range_end: encode(end) });
      const answer = await fetch(`${url}/v3/kv/range`, { method: 'POST', body });
      const { kvs = [] } = (await answer.json()) as { kvs?: { key: string; value: string }[] };
      return new Map(kvs.map(({ key, value }) => [decode(key), JSON.parse(decode(value))]));
    },
  };
}
