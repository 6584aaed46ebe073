// One object in S3, read and written by signed requests. The SDK's client of S3 would be the largest part of the
// functions that load it, for two requests.
import { Sha256 } from '@aws-crypto/sha256-js';
import { SignatureV4 } from '@smithy/signature-v4';
import type { Clock } from '../../ports/clock.ts';
import { type HttpAnswer, sendHttp } from './send-http.ts';
import type { AwsCredentials } from './sts.ts';

/** How long one request may take. S3 answers within tens of milliseconds. */
const REQUEST_MS_MAX = 1_500;
const TRIES_MAX = 2;

export type S3Object = {
  readonly bucket: string;
  readonly key: string;
  readonly region: string;
  /** The address of S3. Default: that of the region. */
  readonly endpoint?: string | undefined;
  readonly credentials: () => Promise<AwsCredentials>;
  readonly clock: Clock;
};

export type ObjectReading =
  | {
      readonly kind: 'found';
      readonly text: string;
      readonly etag: string;
      /** Null: the bucket keeps no versions. */
      readonly version: string | null;
      /** When it was written, in milliseconds since the epoch; S3 knows whole seconds. */
      readonly modifiedMs: number;
    }
  | { readonly kind: 'unchanged' }
  /** S3 answered, but with no text that could be used. */
  | { readonly kind: 'refused'; readonly reason: string };

/** What to read: a version, or the newest one unless it is the one with this ETag. */
export type Wanted = { readonly version: string } | { readonly unlessEtag: string | null };

/** Reads the object. Throws an Error if S3 does not answer. */
export async function readS3Object(object: S3Object, wanted: Wanted, octetsMax: number): Promise<ObjectReading> {
  const version = 'version' in wanted ? wanted.version : null;
  const etag = 'unlessEtag' in wanted ? wanted.unlessEtag : null;
  const query = version === null ? {} : { versionId: version };
  const answer = await send(object, 'GET', {
    query,
    headers: etag === null ? {} : { 'if-none-match': etag },
    octetsMax,
  });
  if (answer.status === 304) return { kind: 'unchanged' };
  if (answer.status !== 200) return { kind: 'refused', reason: refusalOf(object, answer) };
  if (answer.text === null) return { kind: 'refused', reason: `it has more than ${octetsMax} octets` };
  const { headers } = answer;
  return {
    kind: 'found',
    text: answer.text,
    etag: String(headers.etag ?? ''),
    version: versionOf(headers['x-amz-version-id']),
    modifiedMs: Date.parse(String(headers['last-modified'])) || 0,
  };
}

/** S3 writes `null` for an object that was written while the bucket kept no versions. */
function versionOf(header: string | string[] | undefined): string | null {
  return typeof header === 'string' && header !== 'null' ? header : null;
}

/** Writes the object. Throws an Error with the answer of S3 if it refuses. */
export async function writeS3Object(object: S3Object, text: string): Promise<void> {
  const headers = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) };
  const answer = await send(object, 'PUT', { query: {}, headers, body: text, octetsMax: 100_000 });
  if (answer.status === 200) return;
  throw new Error(`Cannot write s3://${object.bucket}/${object.key}: ${refusalOf(object, answer)}`);
}

/** S3 answers 403 for an object that is missing, too, to those who may not list the bucket. */
function refusalOf({ bucket }: S3Object, { status, text }: HttpAnswer): string {
  const code = /<Code>(\w+)<\/Code>/.exec(text ?? '')?.[1];
  if (code === 'NoSuchBucket') return `there is no bucket ${bucket}`;
  if (status === 404) return 'there is no such object, or no such version of it';
  if (status === 403)
    return 'S3 answers 403: there is no such object, or this role may not read or write it, or use its key';
  if (status === 301 || status === 307) return `bucket ${bucket} is in another region`;
  return `S3 answers ${status}${code === undefined ? '' : `, ${code}`}`;
}

type Request = {
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly octetsMax: number;
};

/** Sends a request, again when there is no answer or only that of an overloaded server. */
async function send(object: S3Object, method: 'GET' | 'PUT', asked: Request): Promise<HttpAnswer> {
  for (let tries = 1; ; tries += 1) {
    try {
      const answer = await sendOnce(object, method, asked);
      if (answer.status < 500 || tries === TRIES_MAX) return answer;
    } catch (cause) {
      if (tries < TRIES_MAX) continue;
      throw new Error(`Cannot reach s3://${object.bucket}/${object.key}`, { cause });
    }
  }
}

async function sendOnce(object: S3Object, method: 'GET' | 'PUT', { query, headers, body, octetsMax }: Request) {
  const { url, path } = addressOf(object);
  const signer = new SignatureV4({
    ...{ service: 's3', region: object.region, sha256: Sha256, uriEscapePath: false, applyChecksum: true },
    credentials: (await object.credentials()) as ConstructorParameters<typeof SignatureV4>[0]['credentials'],
  });
  const signed = await signer.sign(
    {
      ...{ method, protocol: url.protocol, hostname: url.hostname, path, query },
      headers: { ...headers, host: url.host },
      ...(body === undefined ? {} : { body }),
    },
    { signingDate: new Date(object.clock.nowMs()) },
  );
  const search = new URLSearchParams(query).toString();
  const target = new URL(search === '' ? path : `${path}?${search}`, url);
  return sendHttp(target, { method, headers: signed.headers, body, octetsMax, msMax: REQUEST_MS_MAX });
}

/** The path is escaped once, as it is sent and signed. */
function addressOf({ bucket, key, region, endpoint }: S3Object): { readonly url: URL; readonly path: string } {
  const escaped = key.split('/').map(encodeURIComponent).join('/');
  const host = `s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
  if (endpoint !== undefined) return { url: new URL(endpoint), path: `/${bucket}/${escaped}` };
  // The certificate of S3 has no names with more dots.
  if (bucket.includes('.')) return { url: new URL(`https://${host}`), path: `/${bucket}/${escaped}` };
  return { url: new URL(`https://${bucket}.${host}`), path: `/${escaped}` };
}
