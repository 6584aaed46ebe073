// Compares the plan that was reviewed with the plan as it is now. `plan --out FILE` writes a plan; `apply --plan` takes
// the file, or digests from it. Only what was reviewed is applied.
import { access, constants, lstat, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { reasonOf } from '../../lib/adapters/manifests/read-file.ts';
import { jsonOf } from '../../lib/objects/plain.ts';
import { withoutShare } from '../../lib/objects/share-id.ts';
import type { PlanOutput } from '../print/output.ts';
import { jsonPieces } from '../print/terminal-text.ts';
import { UsageError } from '../print/usage-error.ts';

/**
 * What was reviewed: a whole plan, as hosted zones and digests by name, with its DNSRecords, or some hosted zones by
 * their digests.
 */
export type Reviewed =
  | { readonly kind: 'plan'; readonly digests: ReadonlyMap<string, string> }
  | { readonly kind: 'digests'; readonly digests: ReadonlySet<string> };

const DIGEST = /^[0-9a-f]{64}$/;

const dnsRecord = z.looseObject({
  namespace: z.string(),
  name: z.string(),
  operation: z.string(),
  changes: z.array(
    z.looseObject({
      action: z.string(),
      name: z.string(),
      type: z.string(),
      hostedZone: z.string(),
      account: z.string(),
    }),
  ),
});

const schema = z.looseObject({
  dnsRecords: z.array(dnsRecord).optional(),
  hostedZones: z.array(
    z.looseObject({
      id: z.string().nullish(),
      name: z.string(),
      digest: z.string().regex(DIGEST),
      changes: z.array(z.unknown()),
    }),
  ),
});

/** Throws `UsageError` if `writePlanFile()` could not write this file. A long plan should not end with that. */
export async function requirePlanFile(file: string): Promise<void> {
  const found = await stat(file).catch(() => null);
  if (found?.isDirectory() === true) throw new UsageError(`Cannot write plan "${file}": it is a folder`);
  // The slash makes a file in place of the folder an error, too.
  await access(found === null ? `${path.dirname(file)}/` : file, constants.W_OK).catch(refuseWrite(file));
}

/** Writes a plan as JSON. Throws `UsageError` when the file cannot be written; then no part of it stays. */
export async function writePlanFile(file: string, json: object): Promise<void> {
  await writeFile(file, jsonPieces(json)).catch(async (error: unknown) => {
    const left = await lstat(file).catch(() => null);
    // Not a device, and not a link that somebody has set up.
    if (left?.isFile() === true) await rm(file).catch(() => {});
    refuseWrite(file)(error);
  });
}

function refuseWrite(file: string): (error: unknown) => never {
  return (error) => {
    throw new UsageError(`Cannot write plan "${file}": ${reasonOf(error)}`);
  };
}

/** Reads the values of `--plan`: one file, or digests. Throws `UsageError` for anything else. */
export async function readReviewed(values: readonly string[]): Promise<Reviewed> {
  if (values.every((value) => DIGEST.test(value))) return { kind: 'digests', digests: new Set(values) };
  const [file] = values;
  if (file === undefined || values.length > 1)
    throw new UsageError('--plan takes one file, or digests of 64 hex digits');
  const bytes = await readFile(file).catch((error: unknown) => {
    throw new UsageError(
      `Cannot read plan "${file}": ${reasonOf(error)}; --plan takes a file that "plan --out" wrote, or a digest`,
    );
  });
  // Without a byte order mark, which editors and PowerShell write.
  const parsed = schema.safeParse(jsonOf(new TextDecoder().decode(bytes)));
  if (!parsed.success) throw new UsageError(`Cannot read plan "${file}": it was not written by "plan --out"`);
  return { kind: 'plan', digests: digestsByName(parsed.data.hostedZones, parsed.data.dnsRecords ?? []) };
}

type Planned = {
  readonly id?: string | null | undefined;
  readonly name: string;
  readonly digest: string;
  readonly changes: readonly unknown[];
};

/**
 * The hosted zones with changes, by name: the id and the digest of each. A Zone that was given another hosted zone may
 * have changes in both. A digest says nothing of the hosted zone, and one that is still to be created has no id.
 */
function digestsByName(
  hostedZones: readonly Planned[],
  dnsRecords: readonly z.infer<typeof dnsRecord>[],
): ReadonlyMap<string, string> {
  const changed = hostedZones.filter(({ changes }) => changes.length > 0);
  const textOf = ({ id, digest }: Planned) => (id == null ? digest : `${withoutShare(id)} ${digest}`);
  const byName = Map.groupBy(changed, ({ name }) => name);
  const served = dnsRecords.filter(({ changes }) => changes.length > 0);
  return new Map([
    ...[...byName].map(([name, all]) => [name, all.map(textOf).toSorted().join(', ')] as const),
    ...served.map((one) => [`DNSRecord ${one.namespace}/${one.name}`, textOfDnsRecord(one)] as const),
  ]);
}

/** What serving a DNSRecord would do, and where: nothing that is only said about it. */
function textOfDnsRecord({ operation, changes }: z.infer<typeof dnsRecord>): string {
  const lines = changes.map(
    ({ action, name, type, setIdentifier = null, before, after, standing, hostedZone, account }) =>
      JSON.stringify([action, name, type, setIdentifier, before, after, standing, hostedZone, account]),
  );
  return [operation, ...lines.toSorted()].join(' ');
}

type Matched =
  /** `isChosen`: whether a hosted zone is to be published. */
  | { readonly ok: true; readonly isChosen: (hostedZone: { readonly id: string; readonly name: string }) => boolean }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * The hosted zones to publish, or the differences. A whole plan must match in all hosted zones. Each digest must be
 * that of one hosted zone; hosted zones without one are left alone.
 */
export function matchReviewed(reviewed: Reviewed, { hostedZones, dnsRecords = [] }: PlanOutput): Matched {
  if (reviewed.kind === 'plan') {
    const problems = differences(reviewed.digests, digestsByName(hostedZones, dnsRecordsOf(dnsRecords)));
    return problems.length > 0 ? { ok: false, problems } : { ok: true, isChosen: () => true };
  }
  const problems = unknownDigests(reviewed.digests, hostedZones);
  if (problems.length > 0) return { ok: false, problems };
  const known = new Map(hostedZones.map((one) => [one.id ?? one.name, one.digest]));
  // A hosted zone that is still to be created has no id in the plan.
  const isChosen = ({ id, name }: { readonly id: string; readonly name: string }) =>
    reviewed.digests.has(known.get(id) ?? known.get(name) ?? '');
  return { ok: true, isChosen };
}

/** DNSRecords as a file has them. */
function dnsRecordsOf(dnsRecords: NonNullable<PlanOutput['dnsRecords']>): readonly z.infer<typeof dnsRecord>[] {
  return z.array(dnsRecord).parse(JSON.parse(JSON.stringify(dnsRecords)));
}

function differences(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): readonly string[] {
  return [...new Set([...before.keys(), ...now.keys()])].toSorted().flatMap((name) => {
    if (before.get(name) === now.get(name)) return [];
    if (!before.has(name)) return [`${name} has changes now that were not in the plan`];
    if (!now.has(name)) return [`${name} has no changes any more`];
    return [`${name} has other changes now than in the plan, or Route 53 has something else at their names`];
  });
}

function unknownDigests(digests: ReadonlySet<string>, hostedZones: PlanOutput['hostedZones']): readonly string[] {
  const now = new Set(hostedZones.map(({ digest }) => digest));
  return [...digests]
    .filter((digest) => !now.has(digest))
    .map((digest) => `no hosted zone's plan has the digest ${digest} now`);
}
