// Reads a hosted zone with our own credentials; if we may not, or it is not there, with the first role that may. The
// role is remembered.
import { HostedZonesDeniedError, type UnreadableHostedZone } from '../../ports/hosted-zones.ts';
import { denial, isNotSignedIn } from './call-outcome.ts';

type Ask<Caller, T> = (caller: Caller) => Promise<T | null>;

/**
 * Null if nobody sees the hosted zone. If no role sees it, throws our own error; or the error about a role that cannot
 * be assumed, because that one might see it.
 */
export function readAsWhoMay<Caller>(own: Caller, others: readonly Caller[]) {
  const known = new Map<string, Caller>();
  return async <T>(id: string, ask: Ask<Caller, T>): Promise<T | null> => {
    const found = known.get(id);
    if (found !== undefined || others.length === 0) return ask(found ?? own);
    const first = await attempt(ask, own);
    if (first.ok && first.answer !== null) return first.answer;
    let notAssumed: unknown = null;
    for (const other of others) {
      const tried = await attempt(ask, other);
      if (!tried.ok && isNotSignedIn(tried.error)) notAssumed ??= tried.error;
      if (!tried.ok || tried.answer === null) continue;
      known.set(id, other);
      return tried.answer;
    }
    if (notAssumed !== null) throw notAssumed;
    if (!first.ok) throw first.error;
    return null;
  };
}

type Attempt<T> = { readonly ok: true; readonly answer: T | null } | { readonly ok: false; readonly error: unknown };

async function attempt<Caller, T>(ask: Ask<Caller, T>, caller: Caller): Promise<Attempt<T>> {
  try {
    return { ok: true, answer: await ask(caller) };
  } catch (error) {
    return { ok: false, error };
  }
}

/** The answer, or the denial if neither we nor the role may read it. Throws any other error. */
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
