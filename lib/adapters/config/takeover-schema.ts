// The key `takeover` of `zone53.yaml`: the namespaces whose Zones may replace record sets that zone53 did not create,
// whether it takes equal content without being asked, and the external-dns whose record sets it takes over.
import * as z from 'zod';
import type { Config, ExternalDnsTakeover } from '../../ports/config.ts';
import { flag, namespaces, text } from './value-schemas.ts';

const affix = z.string('write a text');

const externalDnsSchema = z.strictObject(
  {
    ownerId: text('the --txt-owner-id of external-dns, such as prod').describe(
      'The `--txt-owner-id` of external-dns. Record sets whose TXT records name this owner may be taken over.',
    ),
    txtPrefix: affix.nullish().describe('Its `--txt-prefix`. It may have `%{record_type}`.'),
    txtSuffix: affix
      .nullish()
      .describe('Its `--txt-suffix`. It may have `%{record_type}`. Prefix or suffix, not both.'),
    wildcardReplacement: affix.nullish().describe('Its `--txt-wildcard-replacement`.'),
    aesKeySecret: text('the ARN or name of a secret, or env:NAME')
      .regex(/^(?!env:$)/, 'write the name of an environment variable after env:')
      .nullish()
      .describe(
        'Where its `--txt-encrypt-aes-key` is: the ARN or name of a secret, or, for commands, `env:NAME` for an environment variable.',
      ),
    deleteUnwanted: flag
      .nullish()
      .describe(
        'Whether `zone53 apply` deletes the record sets that it owns and no object asks for. The guard counts these deletes.',
      ),
  },
  'write a mapping, such as { ownerId: prod }',
);

export const takeoverSchema = z
  .strictObject(
    {
      namespaces: namespaces
        .nullish()
        .describe(
          'The namespaces whose Zones may have the annotation zone53.dev/takeover. An empty list: none. Left out: none if the file has `access` (a deployment), else all.',
        ),
      equal: flag
        .nullish()
        .describe(
          'Whether a record set that already is as objects of these namespaces want it becomes theirs, without a change in Route 53 and without an annotation. One that differs is left alone.',
        ),
      externalDns: z
        .array(externalDnsSchema, 'write a list, such as [{ ownerId: prod }]')
        .nullish()
        .describe('The external-dns whose record sets may be taken over, each by its owner id.'),
    },
    'write a mapping, such as { namespaces: [platform], externalDns: [{ ownerId: prod }] }',
  )
  .describe(
    'Which record sets that zone53 did not create may be taken over: those at the names of annotated Zones, those that already are as wanted, and those of external-dns.',
  );

/** The settings of the key; missing ones are the defaults. */
export function buildTakeover(
  written: z.output<typeof takeoverSchema> | null | undefined,
  defaults: Config['takeover'],
): Config['takeover'] {
  return {
    namespaces: written?.namespaces ?? defaults.namespaces,
    equal: written?.equal ?? defaults.equal,
    externalDns: written?.externalDns?.map(buildExternalDns) ?? defaults.externalDns,
  };
}

function buildExternalDns(written: z.output<typeof externalDnsSchema>): ExternalDnsTakeover {
  return {
    ownerId: written.ownerId,
    txtPrefix: written.txtPrefix ?? '',
    txtSuffix: written.txtSuffix ?? '',
    wildcardReplacement: written.wildcardReplacement ?? '',
    aesKeySecret: written.aesKeySecret ?? null,
    deleteUnwanted: written.deleteUnwanted ?? false,
  };
}
