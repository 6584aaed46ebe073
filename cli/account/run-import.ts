// `zone53 import` with the real Route 53, or of a zone file.
import { stat } from 'node:fs/promises';
import {
  readManifestBytes,
  readStandardInput,
  reasonOf,
  stateOf,
  tooLarge,
} from '../../lib/adapters/manifests/read-file.ts';
import { hostingOf, isMade } from '../../lib/hosting/create-hosted-zone.ts';
import { type Imported, importHostedZone } from '../../lib/import/import-hosted-zone.ts';
import { type ImportedFile, importZoneFile } from '../../lib/import/import-zone-file.ts';
import { UsageError } from '../print/usage-error.ts';
import { withHostedZones } from '../run/with-hosted-zones.ts';
import type { ImportFileRequest, ImportRequest } from './requests.ts';

/** Reads a hosted zone and describes it. Throws when Route 53 cannot be read. */
export function runImport(request: ImportRequest): Promise<Imported> {
  const { config, hostedZoneId, namespace, zoneName, takesOver, withWriters, progress } = request;
  return withHostedZones(config, (hostedZones) =>
    importHostedZone(hostedZones, hostedZoneId, {
      namespace,
      zoneName,
      takesOver,
      withWriters,
      affixes: config.takeover.externalDns,
      progress: (count) => progress(`${count} record sets read`),
      publishesSoa: (hostedZone) => hostingOf(config, { ...hostedZone, made: isMade(hostedZone) }).soa,
    }),
  );
}

/** Reads a zone file and describes it. Throws UsageError if it cannot be read. */
export async function runImportFile({ config, file, origin, ...options }: ImportFileRequest): Promise<ImportedFile> {
  const bytes = file === '-' ? await fromStandardInput() : await fromFile(file);
  const shown = file === '-' ? 'standard input' : file;
  return importZoneFile(shown, bytes, origin, { ...options, affixes: config.takeover.externalDns });
}

async function fromStandardInput(): Promise<Buffer> {
  const bytes = await readStandardInput();
  if (bytes === null) throw new UsageError(tooLarge('-', null).message);
  return bytes;
}

async function fromFile(file: string): Promise<Buffer> {
  const status = await stat(file, { bigint: true }).catch((error: unknown) => {
    throw new UsageError(`Cannot read "${file}": ${reasonOf(error)}`);
  });
  const read = await readManifestBytes(file, stateOf(status));
  if (!read.ok) throw new UsageError(read.message);
  return read.bytes;
}
