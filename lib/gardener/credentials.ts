// Reads the credentials in the Secret that a DNSRecord names, when they are needed, and each Secret once per batch.
import { oncePerKey } from '../ports/once.ts';
import { ForbiddenError, type Seed } from '../ports/seed/seed.ts';
import { type Credentials, parseCredentials } from '../sources/gardener/credentials.ts';
import { type SecretRef, secretRefProblem } from '../sources/gardener/spec.ts';
import { misconfigured, type Outcome, type Server } from './deps.ts';

const NO_CREDENTIALS = 'could not get AWS credentials';

/**
 * Reads a Secret, each one once per batch. Without permission the result is a message for the status of the DNSRecords.
 * Other errors are thrown.
 */
export type Secrets = (ref: SecretRef) => Promise<SecretRead>;
type SecretRead =
  | { readonly ok: true; readonly data: Readonly<Record<string, string>> | null }
  | { readonly ok: false; readonly message: string };

export function readsSecretsOnce(seed: Pick<Seed, 'readSecret'>): Secrets {
  const read = ({ namespace, name }: SecretRef) =>
    seed.readSecret(namespace, name).then(
      (data): SecretRead => ({ ok: true, data }),
      (error: unknown): SecretRead => {
        if (error instanceof ForbiddenError) return { ok: false, message: error.message };
        throw error;
      },
    );
  return oncePerKey(({ namespace, name }) => `${namespace}/${name}`, read);
}

export type CredentialsRead =
  | { readonly kind: 'credentials'; readonly credentials: Credentials }
  | Extract<Outcome, { kind: 'failed' }>;

/** Reads the credentials, or returns the failure for the status. `region`: that of the spec; null: it has none. */
export async function readCredentials(
  { settings }: Pick<Server, 'settings'>,
  secrets: Secrets,
  secretRef: SecretRef,
  region: string | null,
): Promise<CredentialsRead> {
  const forbidden = secretRefProblem(secretRef, settings.secretNamespaces);
  if (forbidden !== null) return misconfigured(forbidden);
  const read = await secrets(secretRef);
  const which = `Secret ${secretRef.namespace}/${secretRef.name}`;
  if (!read.ok) return misconfigured(`${NO_CREDENTIALS}: ${read.message}`);
  if (read.data === null) return misconfigured(`${NO_CREDENTIALS}: ${which} not found`);
  const found = parseCredentials(read.data, { spec: region, fallback: settings.defaultRegion });
  if (!found.ok) return misconfigured(`${NO_CREDENTIALS}: ${which}: ${found.problem}`);
  return { kind: 'credentials', credentials: found.credentials };
}
