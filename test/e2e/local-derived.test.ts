// What a Zone derives beside addresses, from manifests to dig through `zone53 local`: HTTPS records of hosts that have
// TLS, and PTR records. They come and go with the addresses.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWithEngine } from '../engines/engines.ts';
import { type RunningLocal, startLocal } from '../support/running-local.ts';

const ZONES = `
apiVersion: kubi.zone/v1alpha1
kind: Zone
metadata: { name: example }
spec: { domainName: example.org., https: { alpn: [h2] }, ptr: true, delegations: [{ records: [{ pattern: "*" }] }] }
---
apiVersion: kubi.zone/v1alpha1
kind: Zone
metadata: { name: reverse }
spec: { domainName: 2.0.192.in-addr.arpa., delegations: [{ records: [{ pattern: "*", types: [PTR] }] }] }
`;

/** An Ingress of this host, which has TLS unless `tls` is false, and its load balancer's addresses. */
const ingress = (host: string, addresses: readonly string[], { tls = true, annotations = {} } = {}) =>
  JSON.stringify({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name: host.replaceAll('.', '-'), annotations },
    spec: { rules: [{ host }], ...(tls && { tls: [{ hosts: [host], secretName: 'tls' }] }) },
    status: { loadBalancer: { ingress: addresses.map((ip) => ({ ip })) } },
  });

describeWithEngine('dig', 'HTTPS and PTR records through zone53 local', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'zone53-derived-'));
  let local: RunningLocal;

  const write = (...ingresses: readonly string[]) =>
    writeFileSync(path.join(folder, 'ingresses.yaml'), ingresses.join('\n---\n'));
  const https = (name: string) => local.answers(name, 'HTTPS');
  const pointer = async (address: string) => (await local.dig('+short', '-x', address)).split('\n').filter(Boolean);

  beforeAll(async () => {
    writeFileSync(path.join(folder, 'zone53.yaml'), 'sources: { ingresses: {} }\n');
    writeFileSync(path.join(folder, 'zones.yaml'), ZONES);
    write(
      ingress('www.example.org', ['192.0.2.1', '2001:db8::1']),
      ingress('plain.example.org', ['192.0.2.2'], { tls: false }),
      ingress('none.example.org', ['192.0.2.3'], { annotations: { 'zone53.dev/https': 'none' } }),
      ingress('fast.example.org', ['192.0.2.4'], { tls: false, annotations: { 'zone53.dev/https': 'h3,h2' } }),
    );
    local = await startLocal(folder, '-f', 'zones.yaml', '-f', 'ingresses.yaml');
  });
  afterAll(async () => {
    const code = await local?.stop();
    rmSync(folder, { recursive: true, force: true });
    expect(code).toBe(0);
  });

  it('a host with TLS has an HTTPS record with its addresses as hints', async () => {
    expect(await https('www.example.org')).toEqual(['1 . alpn="h2" ipv4hint=192.0.2.1 ipv6hint=2001:db8::1']);
  });

  it.each([
    ['a host without TLS', 'plain.example.org', []],
    ['a host that is left out by annotation', 'none.example.org', []],
    ['a host that asks by annotation', 'fast.example.org', ['1 . alpn="h3,h2" ipv4hint=192.0.2.4']],
  ])('%s', async (_, name, expected) => {
    expect(await https(name)).toEqual(expected);
    expect(await local.answers(name)).toHaveLength(1);
  });

  it('each address has a PTR, if a reverse Zone delegates it', async () => {
    expect(await pointer('192.0.2.1')).toEqual(['www.example.org.']);
    expect(await pointer('192.0.2.2')).toEqual(['plain.example.org.']);
    expect(await pointer('2001:db8::1')).toEqual([]);
  });

  it('both follow the addresses, and go with them', async () => {
    write(
      ingress('www.example.org', ['192.0.2.7', '2001:db8::1']),
      ingress('plain.example.org', ['192.0.2.7'], { tls: false }),
      ingress('none.example.org', ['192.0.2.3'], { annotations: { 'zone53.dev/https': 'none' } }),
    );
    await local.until(async () => (await pointer('192.0.2.7')).length === 2);
    expect((await pointer('192.0.2.7')).toSorted()).toEqual(['plain.example.org.', 'www.example.org.']);
    const moved = '1 . alpn="h2" ipv4hint=192.0.2.7 ipv6hint=2001:db8::1';
    await local.until(async () => (await https('www.example.org'))[0] === moved);
    await local.until(async () => (await https('fast.example.org')).length === 0);
    for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.4'])
      await local.until(async () => (await pointer(address)).length === 0);
    expect(await pointer('192.0.2.3')).toEqual(['none.example.org.']);
  });

  it('an HTTPS record goes with the TLS of its host, and the address stays', async () => {
    write(
      ingress('www.example.org', ['192.0.2.7', '2001:db8::1'], { tls: false }),
      ingress('plain.example.org', ['192.0.2.7'], { tls: false }),
      ingress('none.example.org', ['192.0.2.3'], { annotations: { 'zone53.dev/https': 'none' } }),
    );
    await local.until(async () => (await https('www.example.org')).length === 0);
    expect(await local.answers('www.example.org')).toEqual(['192.0.2.7']);
  });
});
