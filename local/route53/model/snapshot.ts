// The state of the local Route 53 as plain JSON, and its file. A save writes a second file and renames it, so that a
// crash leaves the old state or the new one, never a part.
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { LocalRecordSet } from '../records/record-set.ts';

export type Vpc = { readonly id: string; readonly region: string };

export type HostedZone = {
  /** Without the `/hostedzone/` prefix. */
  readonly id: string;
  readonly name: string;
  readonly callerReference: string;
  readonly comment: string | null;
  /** The VPCs of a private zone; null for a public one. */
  readonly vpcs: readonly Vpc[] | null;
  /** Four for a public zone, without the trailing dot. */
  readonly nameServers: readonly string[];
};

/** No batch may change the record sets of this name and type. `comment` null: it has none. */
export type Protection = { readonly name: string; readonly type: string; readonly comment: string | null };

export type HostedZoneSnapshot = HostedZone & {
  readonly tags: Readonly<Record<string, string>>;
  readonly recordSets: readonly LocalRecordSet[];
  /** Absent in older files: none. */
  readonly protections?: readonly Protection[];
};

/** The content of an element of a health check's configuration. */
export type ConfigValue = string | readonly ConfigValue[] | { readonly [element: string]: ConfigValue };

export type HealthCheckSnapshot = {
  readonly id: string;
  readonly callerReference: string;
  readonly version: number;
  /** The elements of its HealthCheckConfig, as they were sent. */
  readonly config: ConfigValue;
  /** Absent: none. */
  readonly tags?: Readonly<Record<string, string>>;
};

export type CidrCollectionSnapshot = {
  readonly id: string;
  readonly name: string;
  readonly callerReference: string;
  readonly version: number;
  /** CIDR blocks by location. */
  readonly locations: Readonly<Record<string, readonly string[]>>;
};

export type ChangeSnapshot = {
  readonly id: string;
  readonly submittedAtMs: number;
  readonly comment: string | null;
};

export type Route53Snapshot = {
  readonly version: 1;
  readonly hostedZones: readonly HostedZoneSnapshot[];
  /** Every caller reference ever used. None may be used again, even after its zone was deleted. */
  readonly callerReferences: readonly string[];
  readonly changes: readonly ChangeSnapshot[];
  readonly healthChecks: readonly HealthCheckSnapshot[];
  /** Every caller reference of a health check ever used. Absent in older files: those of the present ones. */
  readonly healthCheckReferences?: readonly string[];
  /** The ids of the health checks that fail. Absent in older files: none. */
  readonly failing?: readonly string[];
  readonly cidrCollections: readonly CidrCollectionSnapshot[];
};

const ADVICE = 'Restore a copy of its folder, or start in another folder';

/** Reads a snapshot; null where there is no file yet. Throws when the file is not a snapshot of a known version. */
export async function loadSnapshot(file: string): Promise<Route53Snapshot | null> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return null;
  const parsed = parseSnapshot(text, file);
  if (parsed?.version !== 1)
    throw new Error(`Cannot load "${file}": it is not a Route 53 snapshot of version 1. ${ADVICE}`);
  return parsed;
}

function parseSnapshot(text: string, file: string): Route53Snapshot | null {
  try {
    return JSON.parse(text) as Route53Snapshot | null;
  } catch (cause) {
    throw new Error(`Cannot load "${file}": it is not JSON. ${ADVICE}`, { cause });
  }
}

/** Record sets in one piece of the JSON. */
const PIECE_RECORD_SETS = 1_000;

/** The JSON of a snapshot, in pieces, because 100,000 record sets have 20 MB and every batch writes them. */
function* textOf({ hostedZones, ...rest }: Route53Snapshot): Generator<string> {
  yield '{"hostedZones":[';
  for (const [index, { recordSets, ...zone }] of hostedZones.entries()) {
    yield `${index === 0 ? '' : ','}{"recordSets":[`;
    for (let from = 0; from < recordSets.length; from += PIECE_RECORD_SETS) {
      const some = recordSets.slice(from, from + PIECE_RECORD_SETS).map((one) => JSON.stringify(one));
      yield `${from === 0 ? '' : ','}${some.join(',')}`;
    }
    yield `],${JSON.stringify(zone).slice(1)}`;
  }
  yield `],${JSON.stringify(rest).slice(1)}\n`;
}

/** Writes a snapshot by rename. Creates the folder if it is missing. */
export async function saveSnapshot(file: string, snapshot: Route53Snapshot): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const draft = `${file}.${randomUUID()}.tmp`;
  try {
    await writeFile(draft, textOf(snapshot), { flush: true });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
