// The key `sources.dnsRecords`: how the DNSRecords of a Gardener seed are served.
import * as z from 'zod';
import { flag, namespaces, texts } from './value-schemas.ts';

const WRITE_RATE = 'write calls a second, more than 0';

export const dnsRecordsSchema = z.strictObject(
  {
    classes: texts('classes, such as [shoot, seed]')
      .min(1, 'write a list of classes, such as [shoot, seed]')
      .nullish()
      .describe(
        'The classes of DNSRecords that are served. A DNSRecord without a class has the class shoot. Left out: [shoot].',
      ),
    takeover: flag
      .nullish()
      .describe(
        "True: record sets of others at the name of a DNSRecord are overwritten and deleted, as by Gardener's own controller. Left out: false.",
      ),
    secretNamespaces: namespaces.nullish().describe('The namespaces whose Secrets are read. Left out: all.'),
    defaultRegion: z
      .string('write a region, such as us-west-2')
      .regex(/^[a-z-]+-\d+$/, 'write a region, such as us-west-2')
      .nullish()
      .describe('The region if neither the DNSRecord nor its Secret names one. Left out: us-west-2.'),
    ignoreOperationAnnotation: flag
      .nullish()
      .describe('Every new generation is reconciled, with or without the annotation. Left out: false.'),
    requestsPerSecond: z
      .number(WRITE_RATE)
      .positive(WRITE_RATE)
      .nullish()
      .describe('Calls of Route 53 a second, for each account. Left out: 1.'),
  },
  'write a mapping; {} is enough',
);
