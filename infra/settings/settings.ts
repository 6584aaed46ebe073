// Reads the whole `zone53.yaml` for a deployment. All problems are reported at once, each with the line and the path of
// its key and what to write.
import * as z from 'zod';
import { findSettingsProblems, type GuardProps, type SettingsProblem } from '../../functions/runtime/environment.ts';
import { type AwsSettings, awsProblems, awsSchema } from './aws-settings.ts';
import { readSettingsFile } from './settings-file.ts';

/** An external-dns, by the flags with which it writes its TXT records. */
export interface ExternalDnsProps {
  /** Its `--txt-owner-id`. */
  readonly ownerId: string;
  /** @default '' */
  readonly txtPrefix?: string;
  /** @default '' */
  readonly txtSuffix?: string;
  /** @default '' */
  readonly wildcardReplacement?: string;
  /**
   * ARN or name of the secret with its `--txt-encrypt-aes-key`; the publisher may read it.
   *
   * @default - it does not encrypt
   */
  readonly aesKeySecret?: string;
  /**
   * Only `zone53 apply` uses it; a deployment does not.
   *
   * @default false
   */
  readonly deleteUnwanted?: boolean;
}

/** The keys of `zone53.yaml` that are also props of the construct; functions/runtime/environment.ts validates them. */
export type PipelineSettings = {
  readonly clusterId?: string;
  readonly roots: readonly { readonly zone: string; readonly namespaces?: readonly string[] }[];
  readonly hostedZones: readonly {
    readonly zone: string;
    readonly id: string;
    readonly visibility?: 'public' | 'private';
  }[];
  readonly soa?: 'created' | 'always' | 'never';
  readonly guard?: GuardProps;
  readonly budget?: { readonly callsPerSecond?: number; readonly reservedForOthers?: number };
  readonly takeover?: {
    readonly namespaces?: readonly string[];
    readonly externalDns?: readonly ExternalDnsProps[];
  };
  readonly intents?: { readonly assumeRoles?: readonly string[] };
};

/** A `zone53.yaml` that is missing or invalid. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

/** Parses a whole `zone53.yaml`. Throws a ConfigurationError that lists every problem with its line and its key. */
export function parseDeployment(source: string, file: string): { pipeline: PipelineSettings; aws: AwsSettings } {
  const { value, errors, describe } = readSettingsFile(source);
  const { aws: written, ...pipeline } = value;
  const aws = withoutNulls(written, 1);
  const problems =
    errors.length > 0
      ? errors
      : [...findSettingsProblems(value), ...keyProblems(value), ...awsProblems(aws)].map(describe);
  if (problems.length > 0) {
    throw new ConfigurationError(`Cannot deploy ${file}:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
  return { pipeline: withoutNulls(pipeline, 0) as PipelineSettings, aws: awsSchema.parse(aws) };
}

const withKeys = z.object({
  takeover: z.object({ externalDns: z.array(z.object({ aesKeySecret: z.string().nullish() })) }),
});

/** A key of external-dns in a variable of the environment is for commands: the functions have no such variable. */
function keyProblems(value: unknown): readonly SettingsProblem[] {
  const keys = withKeys.safeParse(value).data?.takeover.externalDns ?? [];
  return keys.flatMap(({ aesKeySecret }, index) =>
    aesKeySecret?.startsWith('env:') === true
      ? [
          {
            path: ['takeover', 'externalDns', index, 'aesKeySecret'],
            message: `the functions have no variable ${aesKeySecret.slice('env:'.length)}: write the ARN or name of a secret`,
          },
        ]
      : [],
  );
}

/** `key:` without a value means the same as no key, also in mappings to this depth. */
function withoutNulls(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const kept = Object.entries(value).filter(([, of]) => of !== null);
  return Object.fromEntries(kept.map(([key, of]) => [key, depth > 0 ? withoutNulls(of, depth - 1) : of]));
}
