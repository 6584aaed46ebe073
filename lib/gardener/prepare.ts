// What it takes to call Route 53 for a DNSRecord: a spec that is right, a Secret that may be read, credentials in it.
import type { Seed } from '../ports/seed/seed.ts';
import { at } from '../sources/common/plain.ts';
import { parseCredentials } from '../sources/gardener/credentials.ts';
import { PROVIDER_TYPE } from '../sources/gardener/dns-record.ts';
import { invalid } from '../sources/gardener/field-errors.ts';
import {
  identityProblem,
  joinProblems,
  parseDnsRecord,
  type SecretRef,
  secretRefOf,
  secretRefProblem,
} from '../sources/gardener/spec.ts';
import { type DnsRecordDeps, misconfigured, type Outcome, type Ready, type Work } from './deps.ts';

const NO_CREDENTIALS = 'could not get AWS credentials';

export type Prepared = { readonly kind: 'ready'; readonly ready: Ready } | Extract<Outcome, { kind: 'failed' }>;

/** Secrets of one batch, each read once. What could not be read is said of every DNSRecord that names it. */
export type Secrets = (ref: SecretRef) => Promise<SecretRead>;
type SecretRead =
  | { readonly ok: true; readonly data: Readonly<Record<string, string>> | null }
  | { readonly ok: false; readonly message: string };

export function readsSecretsOnce(seed: Pick<Seed, 'readSecret'>): Secrets {
  const known = new Map<string, Promise<SecretRead>>();
  return ({ namespace, name }) => {
    const key = `${namespace}/${name}`;
    const read =
      known.get(key) ??
      seed.readSecret(namespace, name).then(
        (data): SecretRead => ({ ok: true, data }),
        (error: unknown): SecretRead => ({
          ok: false,
          message: error instanceof Error ? error.message : String(error),
        }),
      );
    known.set(key, read);
    return read;
  };
}

export async function prepare(deps: DnsRecordDeps, secrets: Secrets, work: Work): Promise<Prepared> {
  const { record, operation, item } = work;
  const { settings } = deps;
  const parsed = parseDnsRecord(record);
  // A deletion goes by what was published, whatever became of the spec.
  if (!parsed.ok && operation !== 'Delete') return misconfigured(joinProblems(parsed.problems));
  const type = at(record.spec, 'type');
  if (type !== PROVIDER_TYPE && operation !== 'Delete')
    return misconfigured(invalid('spec.type', type, 'field is immutable'));
  const edited = item.identity === null ? null : identityProblem(identityOf(item.identity), record);
  if (edited !== null && operation !== 'Delete') return misconfigured(edited);
  const secretRef = secretRefOf(record);
  if (secretRef === null) return misconfigured('spec.secretRef.name: Required value: field is required');
  const forbidden = secretRefProblem(secretRef, settings.secretNamespaces);
  if (forbidden !== null) return misconfigured(forbidden);
  const read = await secrets(secretRef);
  const which = `Secret ${secretRef.namespace}/${secretRef.name}`;
  if (!read.ok) return misconfigured(`${NO_CREDENTIALS}: ${read.message}`);
  if (read.data === null) return misconfigured(`${NO_CREDENTIALS}: ${which} not found`);
  const region = { spec: parsed.ok ? parsed.spec.region : null, fallback: settings.defaultRegion };
  const found = parseCredentials(read.data, region);
  if (!found.ok) return misconfigured(`${NO_CREDENTIALS}: ${which}: ${found.problem}`);
  const spec = parsed.ok && operation !== 'Delete' ? parsed.spec : null;
  return { kind: 'ready', ready: { work, spec, secretRef, credentials: found.credentials } };
}

/** What was published is what the spec said then. */
function identityOf({ name, recordType }: { readonly name: string; readonly recordType: string }) {
  return { name, recordType: recordType as 'A' | 'AAAA' | 'CNAME' | 'TXT' };
}
