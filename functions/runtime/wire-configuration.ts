// The configuration of a function: the object in S3 that its environment names.
import { fromEnv } from '@aws-sdk/credential-provider-env';
import { readS3Object, type S3Object } from '../../lib/adapters/aws/s3-object.ts';
import { checkFormat } from '../../lib/ledger/format.ts';
import type { Ledger } from '../../lib/ports/ledger.ts';
import { CONFIGURATION_OCTETS_MAX, type Configuration, followConfiguration } from './configuration.ts';
import type { Environment } from './environment.ts';
import { noteLastValid, readLastValid } from './last-valid.ts';
import { clock, log, meter } from './wire.ts';

type Place = Pick<Environment<'ingest'>, 'ZONE53_CONFIG_BUCKET' | 'ZONE53_CONFIG_KEY'>;

/** The object in S3. */
export function configurationObject({ ZONE53_CONFIG_BUCKET: bucket, ZONE53_CONFIG_KEY: key }: Place): S3Object {
  // Lambda sets its region and its credentials.
  const { AWS_REGION: region = '', AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL } = process.env;
  const endpoint = AWS_ENDPOINT_URL_S3 ?? AWS_ENDPOINT_URL;
  return { bucket, key, region, endpoint, credentials: fromEnv(), clock };
}

/**
 * What to call for the configuration in force. `ledger`: where valid versions are noted; null for functions that may
 * only read the note. They load the client of DynamoDB when they need it.
 */
export function openConfiguration(
  environment: Place & Pick<Environment<'ingest'>, 'ZONE53_TABLE'>,
  ledger: Ledger | null,
): () => Promise<Configuration> {
  const object = configurationObject(environment);
  const openLater = async () => (await import('./wire-ledger.ts')).openLedger(environment.ZONE53_TABLE);
  return followConfiguration({
    read: (wanted) => readS3Object(object, wanted, CONFIGURATION_OCTETS_MAX),
    lastValid: {
      read: async () => readLastValid(ledger ?? (await openLater()), object),
      ...(ledger !== null && { note: (valid) => noteLastValid(ledger, object, valid) }),
    },
    ...(ledger !== null && { checkLedger: () => checkFormat(ledger) }),
    ...{ clock, meter, log },
  });
}
