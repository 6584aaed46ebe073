// Checks what is needed to call Route 53 for a DNSRecord: a valid spec, a Secret that may be read, credentials in it.
import type { RecordSet } from '../dns/record-set.ts';
import { at } from '../objects/plain.ts';
import { sameJson } from '../objects/same-json.ts';
import { type DnsRecord, PROVIDER_TYPE } from '../sources/gardener/dns-record.ts';
import { invalid } from '../sources/gardener/field-errors.ts';
import { isEdited } from '../sources/gardener/lifecycle.ts';
import { hostedZoneId, identityProblem, joinProblems, parseDnsRecord, secretRefOf } from '../sources/gardener/spec.ts';
import { readCredentials, type Secrets } from './credentials.ts';
import { type DnsRecordDeps, misconfigured, type Outcome, type Ready, type Work } from './deps.ts';
import type { DnsRecordItem } from './items/dns-record-item.ts';
import { ownItems } from './items/own-record-sets.ts';

export type Prepared = { readonly kind: 'ready'; readonly ready: Ready } | Exclude<Outcome, { kind: 'done' }>;

export async function prepare(deps: DnsRecordDeps, secrets: Secrets, work: Work): Promise<Prepared> {
  const { record, operation, item } = work;
  if (work.kind === 'check' && (isEdited(record) || isRestacked(record, item)))
    return prepareServed(deps, secrets, work);
  const parsed = parseDnsRecord(record);
  // A deletion deletes what was published, even if the spec is invalid by now.
  if (!parsed.ok && operation !== 'Delete') return misconfigured(joinProblems(parsed.problems));
  const type = at(record.spec, 'type');
  if (type !== PROVIDER_TYPE && operation !== 'Delete')
    return misconfigured(invalid('spec.type', type, 'field is immutable'));
  const edited = item.identity === null ? null : identityProblem(item.identity, record);
  if (edited !== null && operation !== 'Delete') return misconfigured(edited);
  const secretRef = secretRefOf(record);
  if (secretRef === null) return misconfigured('spec.secretRef.name: Required value: field is required');
  const found = await readCredentials(deps.server, secrets, secretRef, parsed.ok ? parsed.spec.region : null);
  if (found.kind === 'failed') return found;
  const spec = parsed.ok && operation !== 'Delete' ? parsed.spec : null;
  return { kind: 'ready', ready: { work, spec, secretRef, credentials: found.credentials } };
}

/** True if it asks for other types than its last operation published: the annotation of its IP stack was edited. */
export function isRestacked(record: DnsRecord, { places }: DnsRecordItem): boolean {
  const parsed = parseDnsRecord(record);
  const place = places.at(-1);
  if (!parsed.ok || place === undefined) return false;
  const asked = parsed.spec.recordSets.map(({ type }) => type);
  return !sameJson(asked.toSorted(), place.types.toSorted());
}

/**
 * For the check of a DNSRecord that was edited since: the record sets that were served last, from the ledger. The
 * edited spec counts from the next operation on, so an error in it is not reported.
 */
async function prepareServed(deps: DnsRecordDeps, secrets: Secrets, work: Work): Promise<Prepared> {
  const { record, item, owner } = work;
  const { identity } = item;
  const zone = record.status.zone === null ? null : hostedZoneId(record.status.zone);
  const place = item.places.find(({ hostedZoneId: id, name }) => id === zone && name === identity?.name);
  if (identity === null || place === undefined) return { kind: 'later' };
  const { hostedZoneId: id, name } = place;
  const items = await ownItems(deps.ledger, id, { owner, name, types: place.types });
  const recordSets = items.flatMap(({ type, desired }): RecordSet[] =>
    desired === null ? [] : [{ name, type, setIdentifier: null, content: desired }],
  );
  const parsed = parseDnsRecord(record);
  const region = parsed.ok ? parsed.spec.region : null;
  for (const secretRef of [secretRefOf(record), place.secretRef]) {
    const found = secretRef === null ? null : await readCredentials(deps.server, secrets, secretRef, region);
    if (secretRef === null || found?.kind !== 'credentials' || recordSets.length === 0) continue;
    const spec = { ...identity, zone: id, region, secretRef, recordSets };
    return { kind: 'ready', ready: { work, spec, secretRef, credentials: found.credentials } };
  }
  return { kind: 'later' };
}
