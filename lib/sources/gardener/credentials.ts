// Reads the credentials in the Secret of a DNSRecord: an access key, or a workload identity if the access key is empty.
// Each key has several spellings; one that is present but empty hides the next. No message contains a value.
import { parseDocument } from 'yaml';
import { textAt } from '../../objects/plain.ts';
import { isRegion } from './spec.ts';

export type Credentials = { readonly region: string } & (
  | { readonly kind: 'key'; readonly accessKeyId: string; readonly secretAccessKey: string }
  /** Exchanged at STS (AssumeRoleWithWebIdentity). */
  | { readonly kind: 'webIdentity'; readonly token: string; readonly roleArn: string }
);

/** Why there are no credentials; the message contains no value. Ends in ERR_CONFIGURATION_PROBLEM. */
type Refusal = { readonly ok: false; readonly problem: string };

export type CredentialsResult = { readonly ok: true; readonly credentials: Credentials } | Refusal;

/** The spellings of each key of a Secret; the first that is present counts. */
const ACCESS_KEY_ID = ['accessKeyID', 'accessKeyId', 'AWS_ACCESS_KEY_ID'];
const SECRET_ACCESS_KEY = ['secretAccessKey', 'AWS_SECRET_ACCESS_KEY'];
const REGION = ['region', 'AWS_REGION'];

const ROLE_ARN = /^arn:aws[a-z0-9-]*:iam::\d{12}:role(?:\/[\w+=,.@-]+)+$/;
const NO_ROLE = 'failed to retrieve role ARN from secret';

/** The values of the Secret, decoded from base64. */
type Data = Readonly<Record<string, string>>;

type Found = { readonly key: string; readonly value: string };

/** Reads a Secret. `region`: that of the spec, and the fallback if neither spec nor Secret has one. */
export function parseCredentials(
  data: Data,
  region: { readonly spec: string | null; readonly fallback: string },
): CredentialsResult {
  if (Object.keys(data).length === 0) return refused('secret does not contain any data');
  const chosen = region.spec ?? (lookUp(data, REGION)?.value || region.fallback);
  if (!isRegion(chosen)) return refused('the region in secret is not a region of AWS; write one such as eu-west-1');
  const id = lookUp(data, ACCESS_KEY_ID);
  return id === null || id.value === '' ? readIdentity(data, chosen) : readKey(data, id, chosen);
}

function readKey(data: Data, id: Found, region: string): CredentialsResult {
  const secret = lookUp(data, SECRET_ACCESS_KEY);
  if (secret === null) return refused('missing "secretAccessKey" (or "AWS_SECRET_ACCESS_KEY") field in secret');
  const wrong = [id, secret].find(({ value }) => !/^[\x21-\x7e]+$/.test(value));
  if (wrong !== undefined) return refused(`${flawOf(wrong)} field in secret`);
  return { ok: true, credentials: { kind: 'key', accessKeyId: id.value, secretAccessKey: secret.value, region } };
}

function readIdentity(data: Data, region: string): CredentialsResult {
  const token = lookUp(data, ['token']);
  if (token === null) return refused('missing "token" field in secret');
  const text = token.value.trim();
  if (!/^[\x21-\x7e]+$/.test(text)) return refused(`${flawOf({ key: 'token', value: text })} field in secret`);
  const role = roleArnOf(data);
  return role.ok ? { ok: true, credentials: { kind: 'webIdentity', token: text, roleArn: role.arn, region } } : role;
}

/** The problem of a value that cannot be sent. */
function flawOf({ key, value }: Found): string {
  return value === '' ? `empty "${key}"` : `a space, a line break or a character beyond ASCII in the "${key}"`;
}

function roleArnOf(data: Data): { readonly ok: true; readonly arn: string } | Refusal {
  const given = lookUp(data, ['roleARN']);
  if (given !== null) {
    return ROLE_ARN.test(given.value)
      ? { ok: true, arn: given.value }
      : refused(`${NO_ROLE}: "roleARN" field is not the ARN of an IAM role`);
  }
  const config = lookUp(data, ['config']);
  if (config === null) return refused(`${NO_ROLE}: missing "config" field in secret`);
  const arn = configuredRole(config.value);
  if (arn === null) return refused(`${NO_ROLE}: failed to parse WorkloadIdentityConfig`);
  if (arn === '') return refused(`${NO_ROLE}: workloadIdentityConfig.roleARN is empty`);
  return ROLE_ARN.test(arn)
    ? { ok: true, arn }
    : refused(`${NO_ROLE}: workloadIdentityConfig.roleARN is not the ARN of an IAM role`);
}

/** The role of a WorkloadIdentityConfig; empty if it has none, null for any other text. */
function configuredRole(text: string): string | null {
  const document = parseDocument(text, { logLevel: 'silent' });
  if (document.errors.length > 0 || /(?:^|[\s[{,:-])[&*]/.test(text)) return null;
  const config: unknown = document.toJS();
  if (textAt(config, 'kind') !== 'WorkloadIdentityConfig') return null;
  if (textAt(config, 'apiVersion')?.startsWith('aws.provider.extensions.gardener.cloud/') !== true) return null;
  return textAt(config, 'roleARN') ?? '';
}

function lookUp(data: Data, keys: readonly string[]): Found | null {
  const key = keys.find((one) => Object.hasOwn(data, one));
  return key === undefined ? null : { key, value: data[key] as string };
}

function refused(problem: string): Refusal {
  return { ok: false, problem };
}
