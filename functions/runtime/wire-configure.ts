// What the function configure needs: to write the configuration, and to answer CloudFormation.
import { writeS3Object } from '../../lib/adapters/aws/s3-object.ts';
import { sendHttp } from '../../lib/adapters/aws/send-http.ts';
import type { Environment } from './environment.ts';
import { configurationObject } from './wire-configuration.ts';

/** What to call with the text of the configuration. */
export function writeConfiguration(environment: Environment<'configure'>): (text: string) => Promise<void> {
  const object = configurationObject(environment);
  return (text) => writeS3Object(object, text);
}

/** Sends an answer to the URL that CloudFormation wants it at. */
export async function answerAt(url: string, body: string): Promise<void> {
  // The URL is signed for a request without a type.
  const headers = { 'content-type': '', 'content-length': String(Buffer.byteLength(body)) };
  const { status } = await sendHttp(new URL(url), { method: 'PUT', headers, body, octetsMax: 100_000, msMax: 10_000 });
  if (status >= 300) throw new Error(`Cannot answer CloudFormation: it answers ${status}`);
}
