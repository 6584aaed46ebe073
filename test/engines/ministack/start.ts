// Starts MiniStack at an HTTPS URL of this machine. launch.py mends its deviations from AWS: IAM is enforced, and the
// functions that it runs are given a Route 53 and no other part of this process's environment.
import { writeFileSync } from 'node:fs';
import { request as https } from 'node:https';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Sha256 } from '@aws-crypto/sha256-js';
import { SignatureV4 } from '@smithy/signature-v4';
import { selfSigned } from '../../../local/self-signed-certificate.ts';
import { engine } from '../engines.ts';
import { freePort, openGuard } from '../kubernetes/guard.ts';

export const ACCOUNT = '111122223333';
export const REGION = 'eu-west-1';
/** The root user's credentials: MiniStack accepts an account's number as its access key. */
const CREDENTIALS = { accessKeyId: ACCOUNT, secretAccessKey: 'test' };

export type MiniStack = {
  /** `https://127.0.0.1:PORT`, with no slash at its end. */
  readonly url: string;
  /** A file with the PEM of its certificate, which is self-signed. */
  readonly caFile: string;
  /** The variables with which a command uses it in place of AWS. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * A kubeconfig for `--authentication-token-webhook-config-file`: the API server asks MiniStack for the user of a
   * token.
   */
  tokenWebhook(clusterName: string): string;
  /** Calls an API of AWS by its JSON protocol, as root. Throws an Error with the answer unless that is 200. */
  call(request: AwsCall): Promise<Record<string, unknown>>;
  /** The last lines of its log. */
  logTail(): string;
  close(): Promise<void>;
};

type AwsCall = {
  /** The service as the signature names it, such as `logs`. */
  readonly service: string;
  /** The header `X-Amz-Target`, for services that need it. */
  readonly target?: string;
  readonly method?: 'GET' | 'POST' | 'PUT';
  readonly path?: string;
  /** A JSON body. */
  readonly body?: unknown;
  /** The parameters of a service with the query protocol. The field `xml` of the answer is its text. */
  readonly form?: Readonly<Record<string, string>>;
  /** The body as it is; the answer is ignored. */
  readonly text?: string | Uint8Array;
};

const READY_MS_MAX = 60_000;

/** Starts it. `route53` is the Route 53 URL that the functions get. */
export async function startMiniStack({ route53 }: { readonly route53: string }): Promise<MiniStack> {
  const python = engine('ministack');
  if (python === null) throw new Error('Cannot start ministack: it is not installed (npm run engines)');
  const port = await freePort();
  const guard = openGuard('zone53-ministack-');
  const file = (name: string, text: string) => {
    writeFileSync(path.join(guard.folder, name), text, { mode: 0o600 });
    return path.join(guard.folder, name);
  };
  const { cert, key } = selfSigned('127.0.0.1', Date.now());
  const caFile = file('ca.pem', cert);
  const url = `https://127.0.0.1:${port}`;
  const token = 'token-of-the-test-cluster-webhook';
  const child = guard.start('ministack', python, [path.join(import.meta.dirname, 'launch.py')], {
    env: {
      // The functions run under this process's Node, and without its variables that would affect them.
      PATH: `${path.dirname(process.execPath)}${path.delimiter}${process.env.PATH}`,
      HOME: guard.folder,
      TMPDIR: guard.folder,
      AUTH: 'true',
      BIND_HOST: '127.0.0.1',
      MINISTACK_HOST: '127.0.0.1',
      GATEWAY_PORT: String(port),
      MINISTACK_REGION: REGION,
      MINISTACK_ACCOUNT_ID: ACCOUNT,
      LAMBDA_STRICT: '0',
      S3_DATA_DIR: path.join(guard.folder, 's3'),
      USE_SSL: '1',
      MINISTACK_SSL_CERT: caFile,
      MINISTACK_SSL_KEY: file('key.pem', key),
      EKS_AUTH_TOKEN: token,
      AWS_ENDPOINT_URL_ROUTE_53: route53,
      ...(process.env.MINISTACK_UNMENDED === undefined ? {} : { MINISTACK_UNMENDED: process.env.MINISTACK_UNMENDED }),
    },
  });
  const env = {
    AWS_ENDPOINT_URL: url,
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    AWS_REGION: REGION,
    NODE_EXTRA_CA_CERTS: caFile,
  };
  const stack: MiniStack = {
    url,
    caFile,
    env,
    tokenWebhook: (clusterName) =>
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [
          {
            name: 'ministack',
            cluster: {
              server: `${url}/_ministack/eks-auth/${ACCOUNT}/${REGION}/${clusterName}/${token}`,
              'certificate-authority': caFile,
            },
          },
        ],
        users: [{ name: 'apiserver', user: {} }],
        contexts: [{ name: 'ministack', context: { cluster: 'ministack', user: 'apiserver' } }],
        'current-context': 'ministack',
      }),
    call: (request) => call(url, cert, request),
    logTail: () => guard.logTail('ministack'),
    close: guard.end,
  };
  const deadline = Date.now() + READY_MS_MAX;
  for (;;) {
    const answered = await stack.call({ service: 'sqs', target: 'AmazonSQS.ListQueues', body: {} }).catch(() => null);
    if (answered !== null) return stack;
    if (child.exitCode !== null || Date.now() > deadline) {
      const log = guard.logTail('ministack');
      await guard.end();
      throw new Error(`Cannot start ministack at ${url}: it does not answer\n${log}`);
    }
    await sleep(100);
  }
}

/** Sends a signed request, for services whose client is not a dependency. */
async function call(url: string, ca: string, request: AwsCall): Promise<Record<string, unknown>> {
  const { service, target, method = 'POST', path: at = '/', body, form, text: given } = request;
  const { host, hostname, port } = new URL(url);
  const signer = new SignatureV4({ service, region: REGION, credentials: CREDENTIALS, sha256: Sha256 });
  const written = method === 'GET' ? '' : JSON.stringify(body ?? {});
  const text = given ?? (form === undefined ? written : new URLSearchParams(form).toString());
  const json = target === undefined ? 'application/json' : 'application/x-amz-json-1.1';
  const signed = await signer.sign({
    ...{ method, protocol: 'https:', hostname, path: at, body: text },
    headers: {
      host,
      'content-type': form === undefined ? json : 'application/x-www-form-urlencoded',
      ...(target === undefined ? {} : { 'x-amz-target': target }),
    },
  });
  const answer = await new Promise<{ status: number; text: string }>((resolve, reject) => {
    const sent = https(
      { host: hostname, port, path: at, method, headers: signed.headers, ca, agent: false },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(text);
  });
  if (answer.status !== 200) throw new Error(`${service} ${target ?? at}: ${answer.status} ${answer.text}`);
  if (form !== undefined) return { xml: answer.text };
  return answer.text === '' || answer.text === 'null' || given !== undefined
    ? {}
    : (JSON.parse(answer.text) as Record<string, unknown>);
}
