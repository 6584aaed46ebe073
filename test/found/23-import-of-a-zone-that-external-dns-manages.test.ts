// From outside: what others write was imported as if it were the zone's own (kubernetes-sigs/external-dns#3028,
// cert-manager/cert-manager#5388), and the Zone took everything over.
import path from 'node:path';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { foundAccount } from '../support/found-account.ts';

const FOLDER = path.join(import.meta.dirname, '23-import-of-a-zone-that-external-dns-manages');
const account = foundAccount(FOLDER);

type Manifest = {
  readonly kind: string;
  readonly metadata: object;
  readonly spec: { readonly domainName: string; readonly type?: string };
};

async function imported(id: string, ...flags: readonly string[]) {
  const { code, out, err } = await account.import(id, ...flags);
  const all = parseAllDocuments(out).map((document) => document.toJS() as Manifest);
  const names = all.slice(1).map(({ spec }) => `${spec.domainName} ${spec.type}`);
  return { code, err, zone: all[0]?.metadata, names };
}

test('import leaves out the registry TXT and ACME challenges, wildcards too, and says so', async () => {
  const id = await account.hostedZone('mig2.test.', 'route53.json');
  const { code, err, zone, names } = await imported(id);
  expect(code).toBe(0);
  expect(zone).toEqual({ name: 'mig2.test', namespace: 'default' });
  expect(names.filter((name) => name.includes('TXT'))).toEqual(['both.mig2.test. TXT']);
  expect(names).toContain('_acme-challenge.api.mig2.test. CNAME');
  expect(err).toContain('with the owner "prod": 5 left out (--with registry imports them)');
  expect(err).toContain('1 left out (--with acme imports them)');
});

test('import takes them with --with, and the Zone takes over with --takeover', async () => {
  const id = await account.hostedZone('mig2.test.', 'route53.json');
  const { code, err, zone, names } = await imported(id, '--with', 'registry,acme', '--takeover');
  expect(zone).toMatchObject({ annotations: { 'zone53.dev/takeover': 'true' } });
  expect(names).toContain('www.mig2.test. TXT');
  expect(names).toContain('_acme-challenge.mig2.test. TXT');
  // A Record cannot have that name.
  expect([code, err]).toEqual([1, expect.stringContaining('Cannot import TXT a-*.mig2.test.')]);
});
