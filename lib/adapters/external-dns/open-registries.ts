// Opens the external-dns of the configuration, each with the key that decrypts its TXT records. A key that cannot be
// read is an error: without it, the record sets of that external-dns would look foreign, and nobody would see why.
import type { ExternalDnsRegistry } from '../../external-dns/ownership.ts';
import type { ExternalDnsTakeover } from '../../ports/config.ts';
import { decryptText, parseAesKey } from './decrypt-text.ts';

const ENVIRONMENT = 'env:';

export type KeySources = {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Reads the current text of a secret, by ARN or name. */
  readonly readSecret: (id: string) => Promise<string>;
};

/** Opens all of them. Throws an Error with the configuration's key if a secret cannot be read or is not an AES key. */
export function openRegistries(
  takeovers: readonly ExternalDnsTakeover[],
  sources: KeySources,
): Promise<readonly ExternalDnsRegistry[]> {
  return Promise.all(
    takeovers.map(async ({ aesKeySecret, ...registry }, index) => {
      if (aesKeySecret === null) return { ...registry, decrypt: null };
      const key = parseAesKey((await readAesKey(aesKeySecret, sources)).trim());
      if (key === null) {
        throw new Error(
          `takeover.externalDns[${index}].aesKeySecret: "${aesKeySecret}" has no AES key: it must be 32 octets, or the base64 of 32 octets, as --txt-encrypt-aes-key of external-dns`,
        );
      }
      return { ...registry, decrypt: decryptText(key) };
    }),
  );
}

async function readAesKey(from: string, { environment, readSecret }: KeySources): Promise<string> {
  if (!from.startsWith(ENVIRONMENT)) return readSecret(from);
  const name = from.slice(ENVIRONMENT.length);
  const value = environment[name];
  if (value === undefined || value === '')
    throw new Error(`The environment variable ${name}, which aesKeySecret names, is not set`);
  return value;
}
