// Gets the credentials of a role from STS with AssumeRole. The request is signed with our own credentials. The role's
// last an hour; the SDK asks again before they expire.
import { NOT_ASSUMED } from '../../objects/account-refusal.ts';
import type { Clock } from '../../ports/clock.ts';
import { ROLE_SESSION } from '../../ports/hosted-zones.ts';
import { type AwsCredentials, stsHost, stsSigner } from './sts.ts';

const VERSION = '2011-06-15';
/** The timeout of the request to STS, in milliseconds. */
const REQUEST_MS_MAX = 10_000;

export type RoleWorld = {
  readonly region: () => Promise<string>;
  /** Our own credentials, which sign the request. */
  readonly credentials: () => Promise<AwsCredentials>;
  readonly clock: Clock;
  /** The address of STS; default: that of the region. */
  readonly endpoint?: string;
  /** What the role asks for, so that nobody else has us assume it; null: nothing. */
  readonly externalId?: string | null;
};

export type RoleCredentials = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
  readonly expiration: Date;
};

/** STS gave no credentials. By this name the SDK knows that no request was sent. */
export class RoleNotAssumedError extends Error {
  override readonly name = 'CredentialsProviderError';
}

/** Returns credentials of the role. Throws an Error with the role and the answer of STS. */
export function assumedRole(role: string, { region, credentials, clock, endpoint, externalId = null }: RoleWorld) {
  return async (): Promise<RoleCredentials> => {
    const own = await credentials();
    const in_ = await region();
    const url = new URL(endpoint ?? `https://${stsHost(in_)}`);
    const body = new URLSearchParams({
      Action: 'AssumeRole',
      Version: VERSION,
      RoleArn: role,
      RoleSessionName: ROLE_SESSION,
      ...(externalId === null ? {} : { ExternalId: externalId }),
    });
    const signer = stsSigner(in_, own);
    const headers = { host: url.host, 'content-type': 'application/x-www-form-urlencoded' };
    const request = { method: 'POST', protocol: url.protocol, hostname: url.hostname, path: '/', headers };
    const signed = await signer.sign({ ...request, body: body.toString() }, { signingDate: new Date(clock.nowMs()) });
    return readAnswer(role, await post(role, url, signed.headers, body.toString()));
  };
}

async function post(role: string, url: URL, headers: Readonly<Record<string, string>>, body: string): Promise<string> {
  try {
    const signal = AbortSignal.timeout(REQUEST_MS_MAX);
    const { host: _, ...sent } = headers;
    return await (await fetch(new URL('/', url), { method: 'POST', headers: sent, body, signal })).text();
  } catch (cause) {
    throw new RoleNotAssumedError(`${NOT_ASSUMED}${role}: STS does not answer`, { cause });
  }
}

function readAnswer(role: string, text: string): RoleCredentials {
  const [accessKeyId, secretAccessKey, sessionToken, expiration] = [
    'AccessKeyId',
    'SecretAccessKey',
    'SessionToken',
    'Expiration',
  ].map((tag) => within(text, tag));
  if (accessKeyId && secretAccessKey && sessionToken && expiration)
    return { accessKeyId, secretAccessKey, sessionToken, expiration: new Date(expiration) };
  const said = `${within(text, 'Code') ?? 'no error code'}: ${within(text, 'Message') ?? 'the answer makes no sense'}`;
  throw new RoleNotAssumedError(`${NOT_ASSUMED}${role}: ${said}`);
}

/** The text in an XML element without child elements. */
function within(text: string, tag: string): string | undefined {
  return new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(text)?.[1]?.trim();
}
