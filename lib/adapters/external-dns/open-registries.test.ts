import { expect, test } from 'vitest';
import type { ExternalDnsTakeover } from '../../ports/config.ts';
import { openRegistries } from './open-registries.ts';

const KEY = '12345678901234567890123456789012';
const ENCRYPTED =
  'YWJjZGVmZ2hpamtsgBZ1FhloCmaNgGKrmlL0pRV2zr3Kr3pux58a01Hzrk8h2fX+9O5fpeh32KQMpmyVx+fy1A8GI2Iif8UA9JlPhvtkGOrRJAbTBfneVuxVKHinO6WL8zbU1tEvENEvv04fLPtkMYfd6GQBEDM=';
const takeover = (aesKeySecret: string | null): ExternalDnsTakeover => ({
  ownerId: 'prod',
  txtPrefix: '',
  txtSuffix: '',
  wildcardReplacement: '',
  aesKeySecret,
  deleteUnwanted: false,
});
const open = (aesKeySecret: string | null, environment = {}) =>
  openRegistries([takeover(aesKeySecret)], {
    environment,
    readSecret: async (id) => (id === 'dns/key' ? `${KEY}\n` : id),
  });

test('openRegistries() reads the key of a secret, of the environment, or none', async () => {
  const plain = 'heritage=external-dns,external-dns/owner=prod,external-dns/resource=ingress/team-a/www';
  expect((await open('dns/key'))[0]?.decrypt?.(ENCRYPTED)).toBe(plain);
  expect((await open('env:KEY', { KEY }))[0]?.decrypt?.(ENCRYPTED)).toBe(plain);
  expect((await open(null))[0]?.decrypt).toBe(null);
});

test('openRegistries() names a missing key, and one that is not a key', async () => {
  await expect(open('env:KEY')).rejects.toThrow('environment variable KEY');
  await expect(open('env:KEY', { KEY: 'short' })).rejects.toThrow(
    'takeover.externalDns[0].aesKeySecret: "env:KEY" has no AES key',
  );
});
