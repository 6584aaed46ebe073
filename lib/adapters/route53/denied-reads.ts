// What a read returns or throws when it is denied: to us, or because the role of the account cannot be assumed.
import { HostedZonesDeniedError, type UnreadableHostedZone } from '../../ports/hosted-zones.ts';
import { denial } from './call-outcome.ts';

/** The answer, or the denial. Throws any other error. */
export async function unreadableWhenDenied<T>(answer: Promise<T>): Promise<T | UnreadableHostedZone> {
  try {
    return await answer;
  } catch (error) {
    const unreadable = denial(error);
    if (unreadable === null) throw error;
    return { unreadable };
  }
}

/** A list. Throws a HostedZonesDeniedError if we may not read it. */
export async function listedUnlessDenied<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (denial(error) === null || !(error instanceof Error)) throw error;
    throw new HostedZonesDeniedError(error.message, { cause: error.cause });
  }
}
