// Decrypts the TXT records of external-dns: base64 of a nonce of 12 octets and AES-256-GCM over gzip
// (endpoint/crypto.go of external-dns 0.21; last verified 2026-11-22).
import { createDecipheriv } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import type { Decrypt } from '../../external-dns/ownership-text.ts';

const KEY_OCTETS = 32;
const NONCE_OCTETS = 12;
const TAG_OCTETS = 16;
/** The most octets after unpacking; the labels of a TXT record are never longer. */
const UNPACKED_OCTETS_MAX = 65_536;

/** Parses a key as `--txt-encrypt-aes-key` does: 32 octets of text, or their base64; null for anything else. */
export function parseAesKey(text: string): Uint8Array | null {
  const plain = Buffer.from(text, 'utf8');
  if (plain.length === KEY_OCTETS) return plain;
  const decoded = fromBase64(text);
  return decoded?.length === KEY_OCTETS ? decoded : null;
}

/** Decrypts texts with this key of 32 octets. */
export function decryptText(key: Uint8Array): Decrypt {
  return (text) => {
    const packed = fromBase64(text);
    if (packed === null || packed.length <= NONCE_OCTETS + TAG_OCTETS) return null;
    const end = packed.length - TAG_OCTETS;
    try {
      const cipher = createDecipheriv('aes-256-gcm', key, packed.subarray(0, NONCE_OCTETS));
      cipher.setAuthTag(packed.subarray(end));
      const open = Buffer.concat([cipher.update(packed.subarray(NONCE_OCTETS, end)), cipher.final()]);
      return gunzipSync(open, { maxOutputLength: UNPACKED_OCTETS_MAX }).toString('utf8');
    } catch {
      // The text was encrypted with another key, or not at all.
      return null;
    }
  };
}

function fromBase64(text: string): Buffer | null {
  if (text === '' || text.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return null;
  return Buffer.from(text, 'base64');
}
