// The secret of the console: random, or what a file has. It is compared in constant time, and the cookie does not have
// it in clear.
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { reasonOf } from '../../lib/adapters/manifests/read-file.ts';
import { UsageError } from '../print/usage-error.ts';

const RANDOM_OCTETS = 32;
/** 128 bits in base64. */
const CHARACTERS_MIN = 22;
const CHARACTERS_MAX = 4_096;

/** A new token. */
export function randomToken(): string {
  return randomBytes(RANDOM_OCTETS).toString('base64url');
}

/** The token of a file. @throws UsageError */
export function readToken(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`Cannot read the token file "${file}": ${reasonOf(error)}`);
  }
  const token = text.trim();
  const write = 'Write one with: openssl rand -hex 32';
  if (token === '') throw new UsageError(`The token file "${file}" is empty. ${write}`);
  if (!/^[\x21-\x7e]+$/.test(token) || token.length > CHARACTERS_MAX)
    throw new UsageError(
      `The token file "${file}" must have one line of at most ${CHARACTERS_MAX} letters, digits and signs. ${write}`,
    );
  if (token.length < CHARACTERS_MIN)
    throw new UsageError(
      `The token in "${file}" has ${token.length} characters: it needs ${CHARACTERS_MIN} or more, 128 bits. ${write}`,
    );
  return token;
}

/** The value of the cookie for which the token is exchanged: the same after a restart with the same token. */
export function cookieOf(token: string): string {
  return createHmac('sha256', token).update('the cookie of the console of zone53').digest('base64url');
}

/** Compares in a time that does not depend on where the texts differ. */
export function sameSecret(a: string, b: string): boolean {
  const [first, second] = [a, b].map((text) => createHash('sha256').update(text).digest()) as [Buffer, Buffer];
  return timingSafeEqual(first, second);
}
