// One HTTP request, over the modules of Node that the AWS SDK has loaded already: `fetch` would load Node's own undici.
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';

/** `text` null: the body is longer than was asked for. */
export type HttpAnswer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string | null;
};

export type HttpRequest = {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  /** The longest body that is read. */
  readonly octetsMax: number;
  /** How long it may take, in milliseconds. */
  readonly msMax: number;
};

/** Sends a request. Throws an Error if there is no answer in time. */
export function sendHttp(url: URL, { method, headers, body, octetsMax, msMax }: HttpRequest): Promise<HttpAnswer> {
  const make = url.protocol === 'http:' ? httpRequest : httpsRequest;
  return new Promise((resolve, reject) => {
    const sent = make(url, { method, headers, signal: AbortSignal.timeout(msMax) }, (answer) => {
      const { statusCode: status = 0, headers: answered } = answer;
      const parts: Buffer[] = [];
      let octets = 0;
      answer.on('error', reject);
      answer.on('data', (part: Buffer) => {
        octets += part.length;
        if (octets <= octetsMax) {
          parts.push(part);
          return;
        }
        resolve({ status, headers: answered, text: null });
        answer.destroy();
      });
      answer.on('end', () => resolve({ status, headers: answered, text: Buffer.concat(parts).toString('utf8') }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
