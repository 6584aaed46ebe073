// Checks what is needed to call Route 53 for a DNSRecord: a valid spec, a Secret that may be read, credentials in it.
import { at } from '../objects/plain.ts';
import { PROVIDER_TYPE } from '../sources/gardener/dns-record.ts';
import { invalid } from '../sources/gardener/field-errors.ts';
import { identityProblem, joinProblems, parseDnsRecord, secretRefOf } from '../sources/gardener/spec.ts';
import { readCredentials, type Secrets } from './credentials.ts';
import { type DnsRecordDeps, misconfigured, type Outcome, type Ready, type Work } from './deps.ts';

export type Prepared = { readonly kind: 'ready'; readonly ready: Ready } | Extract<Outcome, { kind: 'failed' }>;

export async function prepare(deps: DnsRecordDeps, secrets: Secrets, work: Work): Promise<Prepared> {
  const { record, operation, item } = work;
  const parsed = parseDnsRecord(record);
  // A deletion deletes what was published, even if the spec is invalid by now.
  if (!parsed.ok && operation !== 'Delete') return misconfigured(joinProblems(parsed.problems));
  const type = at(record.spec, 'type');
  if (type !== PROVIDER_TYPE && operation !== 'Delete')
    return misconfigured(invalid('spec.type', type, 'field is immutable'));
  const edited = item.identity === null ? null : identityProblem(identityOf(item.identity), record);
  if (edited !== null && operation !== 'Delete') return misconfigured(edited);
  const secretRef = secretRefOf(record);
  if (secretRef === null) return misconfigured('spec.secretRef.name: Required value: field is required');
  const found = await readCredentials(deps.server, secrets, secretRef, parsed.ok ? parsed.spec.region : null);
  if (found.kind === 'failed') return found;
  const spec = parsed.ok && operation !== 'Delete' ? parsed.spec : null;
  return { kind: 'ready', ready: { work, spec, secretRef, credentials: found.credentials } };
}

/** Only a valid spec was published, so its type is one of these. */
function identityOf({ name, recordType }: { readonly name: string; readonly recordType: string }) {
  return { name, recordType: recordType as 'A' | 'AAAA' | 'CNAME' | 'TXT' };
}
