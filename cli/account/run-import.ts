// `zone53 import` with the real Route 53.
import { hostingOf, isMade } from '../../lib/hosting/create-hosted-zone.ts';
import { type Imported, importHostedZone } from '../../lib/import/import-hosted-zone.ts';
import { withHostedZones } from '../run/with-hosted-zones.ts';
import type { ImportRequest } from './requests.ts';

/** Reads a hosted zone and describes it. Throws when Route 53 cannot be read. */
export function runImport({ config, hostedZoneId, namespace, zoneName, progress }: ImportRequest): Promise<Imported> {
  return withHostedZones(config, (hostedZones) =>
    importHostedZone(hostedZones, hostedZoneId, {
      namespace,
      zoneName,
      progress: (count) => progress(`${count} record sets read`),
      publishesSoa: (hostedZone) => hostingOf(config, { ...hostedZone, made: isMade(hostedZone) }).soa,
    }),
  );
}
