// Compares the plan that was reviewed with the plan as it is now. `plan --out FILE` writes a plan; `apply --plan` takes
// the file, or digests from it. Only what was reviewed is applied.
import { readFile, writeFile } from 'node:fs/promises';
import * as z from 'zod';
import { reasonOf } from '../../lib/adapters/manifests/read-file.ts';
import { jsonOf } from '../../lib/objects/plain.ts';
import type { PlanOutput } from '../print/output.ts';
import { jsonPlan } from '../print/print-plan.ts';
import { jsonPieces } from '../print/terminal-text.ts';
import { UsageError } from '../print/usage-error.ts';

/** What was reviewed: a whole plan, as the digest of each hosted zone, or some hosted zones by their digests. */
export type Reviewed =
  | { readonly kind: 'plan'; readonly digests: ReadonlyMap<string, string> }
  | { readonly kind: 'digests'; readonly digests: ReadonlySet<string> };

const DIGEST = /^[0-9a-f]{64}$/;

const schema = z.looseObject({
  hostedZones: z.array(
    z.looseObject({ name: z.string(), digest: z.string().regex(DIGEST), changes: z.array(z.unknown()) }),
  ),
});

/** Writes the JSON of `plan -o json`. Throws `UsageError` when the file cannot be written. */
export async function writePlanFile(file: string, plan: PlanOutput): Promise<void> {
  await writeFile(file, jsonPieces(jsonPlan(plan))).catch((error: unknown) => {
    throw new UsageError(`Cannot write plan "${file}": ${reasonOf(error)}`);
  });
}

/** Reads the values of `--plan`: one file, or digests. Throws `UsageError` for anything else. */
export async function readReviewed(values: readonly string[]): Promise<Reviewed> {
  if (values.every((value) => DIGEST.test(value))) return { kind: 'digests', digests: new Set(values) };
  const [file] = values;
  if (file === undefined || values.length > 1)
    throw new UsageError('--plan takes one file, or digests of 64 hex digits');
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new UsageError(
      `Cannot read plan "${file}": ${reasonOf(error)}; --plan takes a file that "plan --out" wrote, or a digest`,
    );
  });
  const parsed = schema.safeParse(jsonOf(text));
  if (!parsed.success) throw new UsageError(`Cannot read plan "${file}": it was not written by "plan --out"`);
  const changed = parsed.data.hostedZones.filter(({ changes }) => changes.length > 0);
  return { kind: 'plan', digests: new Map(changed.map(({ name, digest }) => [name, digest])) };
}

/**
 * The names of the hosted zones to publish, or the differences. A whole plan must match in all hosted zones. Each
 * digest must be that of one hosted zone; hosted zones without one are left alone.
 */
export function matchReviewed(
  reviewed: Reviewed,
  plan: PlanOutput,
):
  | { readonly ok: true; readonly names: ReadonlySet<string> }
  | { readonly ok: false; readonly problems: readonly string[] } {
  const now = new Map(
    plan.hostedZones.filter(({ changes }) => changes.length > 0).map(({ name, digest }) => [name, digest]),
  );
  const problems =
    reviewed.kind === 'plan' ? differences(reviewed.digests, now) : unknownDigests(reviewed.digests, plan);
  if (problems.length > 0) return { ok: false, problems };
  const named = [...now].filter(([, digest]) => reviewed.kind === 'plan' || reviewed.digests.has(digest));
  return { ok: true, names: new Set(named.map(([name]) => name)) };
}

function differences(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): readonly string[] {
  return [...new Set([...before.keys(), ...now.keys()])].toSorted().flatMap((name) => {
    if (before.get(name) === now.get(name)) return [];
    if (!before.has(name)) return [`${name} has changes now that were not in the plan`];
    return [now.has(name) ? `${name} has other changes now than in the plan` : `${name} has no changes any more`];
  });
}

function unknownDigests(digests: ReadonlySet<string>, plan: PlanOutput): readonly string[] {
  const now = new Set(plan.hostedZones.map(({ digest }) => digest));
  return [...digests]
    .filter((digest) => !now.has(digest))
    .map((digest) => `no hosted zone's plan has the digest ${digest} now`);
}
