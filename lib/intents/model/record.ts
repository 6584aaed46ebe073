// A DNS Update Record: which DNS provider is to be updated, and how. Its schema, and the checks of fields against each
// other.
import * as z from 'zod';
import { type Metadata, metadata, oneSpelling } from './names.ts';
import { BLOCK_OF, type Parameters, type Provider, recordSpec, SECRETS } from './parameters.ts';
import type { Problem } from './problem.ts';

export const recordBody = z.strictObject(
  {
    metadata,
    spec: recordSpec,
    ignored: z.unknown().optional().meta({ readOnly: true }).describe('Of answers; not read.'),
  },
  'write a mapping with metadata and spec',
);

/** A record as it is stored. `secrets` are never part of an answer. */
export type DnsUpdateRecord = {
  readonly metadata: Metadata;
  readonly provider: Provider;
  /** As written, without secrets. */
  readonly parameters: Parameters;
  readonly secrets: Readonly<Record<string, string>>;
};

export type RecordLimits = { readonly assumeRoles: readonly string[] };

/** The record that a body describes. It keeps the secrets of the record before that it does not name. */
export function buildRecord(body: z.output<typeof recordBody>, before: DnsUpdateRecord | null): DnsUpdateRecord {
  const written: Parameters = body.spec['external-dns-parameters'] ?? {};
  const { provider } = body.spec;
  const kept = before !== null && BLOCK_OF[before.provider] === BLOCK_OF[provider] ? before.secrets : {};
  const given = SECRETS.flatMap((name) => (typeof written[name] === 'string' ? [[name, written[name]] as const] : []));
  const secret: readonly string[] = SECRETS;
  return {
    metadata: oneSpelling(body.metadata),
    provider,
    parameters: Object.fromEntries(Object.entries(written).filter(([name]) => !secret.includes(name))),
    secrets: { ...kept, ...Object.fromEntries(given) },
  };
}

/** Problems between fields that are valid one by one. */
export function recordProblems(record: DnsUpdateRecord, { assumeRoles }: RecordLimits): readonly Problem[] {
  const { provider, parameters, secrets } = record;
  const problems: Problem[] = [];
  const at = (name: string, detail: string) => {
    problems.push({ path: ['spec', 'external-dns-parameters', name], detail });
  };
  const role = parameters['aws-assume-role'];
  if (typeof role === 'string' && !assumeRoles.includes(role)) {
    at('aws-assume-role', 'this role is not that of an account with intents: true in the configuration');
  }
  if (parameters.registry === 'aws-sd' && provider !== 'aws-sd') {
    at(
      'registry',
      `aws-sd keeps ownership in AWS Cloud Map, which provider ${provider} does not use: write txt or noop`,
    );
  }
  if (parameters['ignore-hostname-annotation'] === true && parameters['fqdn-template'] === undefined) {
    at('ignore-hostname-annotation', 'external-dns refuses it without fqdn-template: write both or neither');
  }
  if (provider === 'rfc2136' && parameters['rfc2136-insecure'] !== true) {
    const without = 'TSIG needs it: write it, or rfc2136-insecure: true';
    if (parameters['rfc2136-tsig-keyname'] === undefined) at('rfc2136-tsig-keyname', without);
    if (secrets['rfc2136-tsig-secret'] === undefined) at('rfc2136-tsig-secret', without);
  }
  return problems;
}

/** The external-dns owner of the names that a record publishes. */
export function ownerOf(project: string, { metadata: { name }, parameters }: DnsUpdateRecord): string {
  const written = parameters['txt-owner-id'];
  return typeof written === 'string' ? written : `${project}/${name}`;
}
