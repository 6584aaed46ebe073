// How many hints a second the ingest bundle makes of audit batches of 1 MiB, as CloudWatch Logs delivers them, and how
// much memory that takes. The bundle runs alone in a new process. Its queue is a server in this process, which accepts
// everything, and has the configuration as S3 has it.
import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { bundle, SAMPLE_ENVIRONMENT } from '../infra/build-functions.ts';
import { atLeast, atMost, type BenchResult } from './result.ts';

const BATCH_OCTETS = 1024 * 1024;
const BATCHES = 20;
/** A burst of writes in a large cluster makes tens of hints a second. */
const HINTS_A_SECOND_MIN = 500;
/** The function has 512 MB of memory. */
const PEAK_MIB_MAX = 384;

type Measured = { readonly hints: number; readonly ms: number; readonly idleMiB: number; readonly peakMiB: number };

/** Hints a second, and the memory at the peak against that of an idle function. */
export async function benchIngest({ octets = BATCH_OCTETS } = {}): Promise<BenchResult> {
  const folder = mkdtempSync(path.join(tmpdir(), 'zone53-ingest-'));
  const queue = await startQueue();
  try {
    await bundle(path.join(import.meta.dirname, '..', 'functions', 'ingest.ts'), folder);
    const batch = auditBatch(octets);
    const file = path.join(folder, 'batch.json');
    writeFileSync(file, JSON.stringify(batch.event));
    const measured = await runChild(path.join(folder, 'index.mjs'), file, queue.url);
    const aSecond = Math.round((measured.hints / measured.ms) * 1_000);
    const row = {
      batches: BATCHES,
      'KiB each': Math.round(batch.octets / 1024),
      'hints each': batch.events,
      'ms each': Math.round(measured.ms / BATCHES),
      'hints a second': aSecond,
      'MiB idle': Math.round(measured.idleMiB),
      'MiB at the peak': Math.round(measured.peakMiB),
    };
    if (queue.messages() < measured.hints) throw new Error(`only ${queue.messages()} of ${measured.hints} were queued`);
    return {
      name: `ingest: audit batches of 1 MiB, each event another object, ${BATCHES} one after the other`,
      rows: [row],
      limits: [
        atLeast('hints a second', aSecond, HINTS_A_SECOND_MIN),
        atMost('MiB of memory at the peak', measured.peakMiB, PEAK_MIB_MAX),
      ],
    };
  } finally {
    queue.close();
    rmSync(folder, { recursive: true });
  }
}

/** A CloudWatch Logs event of about `octetsMax` octets, unpacked. Each line is the audit event of another Record. */
function auditBatch(octetsMax: number): { readonly event: object; readonly events: number; readonly octets: number } {
  const logEvents: { id: string; timestamp: number; message: string }[] = [];
  let octets = 0;
  while (octets < octetsMax) {
    const message = JSON.stringify(auditEvent(`record-${logEvents.length}`));
    logEvents.push({ id: String(logEvents.length), timestamp: Date.now(), message });
    octets += message.length;
  }
  const batch = { messageType: 'DATA_MESSAGE', logGroup: '/aws/eks/prod/cluster', logStream: 'audit', logEvents };
  const data = gzipSync(JSON.stringify(batch)).toString('base64');
  return { event: { awslogs: { data } }, events: logEvents.length, octets };
}

/** An audit event as EKS writes it, at level Metadata. */
function auditEvent(name: string): object {
  const now = new Date().toISOString();
  return {
    ...{ kind: 'Event', apiVersion: 'audit.k8s.io/v1', level: 'Metadata', auditID: randomUUID() },
    ...{ stage: 'ResponseComplete', verb: 'update' },
    requestURI: `/apis/kubi.zone/v1alpha1/namespaces/team-a/records/${name}?fieldManager=kubectl-client-side-apply`,
    user: { username: 'arn:aws:sts::123456789012:assumed-role/Dev/alice', groups: ['team-a', 'system:authenticated'] },
    sourceIPs: ['203.0.113.7'],
    userAgent: 'kubectl/v1.36.1 (linux/amd64) kubernetes/abcdef0',
    objectRef: { resource: 'records', namespace: 'team-a', name, apiGroup: 'kubi.zone', apiVersion: 'v1alpha1' },
    responseStatus: { metadata: {}, code: 200 },
    ...{ requestReceivedTimestamp: now, stageTimestamp: now },
    annotations: { 'authorization.k8s.io/decision': 'allow', 'authorization.k8s.io/reason': 'RBAC: allowed' },
  };
}

const CONFIGURATION = JSON.stringify({
  roots: [],
  hostedZones: [{ zone: 'example.org', id: 'Z0123456789ABCDEFGHIJ' }],
  access: { eks: 'prod', endpoint: 'https://k8s.example.org', certificateAuthority: 'TFMw' },
});

/**
 * SQS with nothing but SendMessageBatch, which accepts everything at once, and S3 with nothing but the configuration.
 */
async function startQueue(): Promise<{ readonly url: string; messages(): number; close(): void }> {
  let messages = 0;
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') {
      response.writeHead(200, { etag: '"1"', 'x-amz-version-id': '1' }).end(CONFIGURATION);
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { Entries } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as {
      Entries: { Id: string; MessageBody: string }[];
    };
    messages += Entries.length;
    const Successful = Entries.map(({ Id, MessageBody }) => ({
      Id,
      MessageId: Id,
      MD5OfMessageBody: md5(MessageBody),
    }));
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify({ Successful }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    messages: () => messages,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The SDK checks it in every answer. */
function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}

/** The program of the child process: one batch to warm up, then all batches. Memory is the peak of the process. */
const CHILD = `
import { readFileSync } from 'node:fs';
const { handler } = await import(process.argv[1]);
const context = { getRemainingTimeInMillis: () => 10_000, awsRequestId: 'r', functionName: 'ingest', functionVersion: '1', memoryLimitInMB: '512', invokedFunctionArn: 'a' };
await handler({ hello: 1 }, context);
const idleMiB = process.memoryUsage().rss / 2 ** 20;
const read = () => JSON.parse(readFileSync(process.argv[2], 'utf8'));
await handler(read(), context);
const events = Array.from({ length: ${BATCHES} }, read);
const beganMs = performance.now();
for (const event of events) await handler(event, context);
const ms = performance.now() - beganMs;
process.stdout.write('\\n' + JSON.stringify({ ms, idleMiB, peakMiB: process.resourceUsage().maxRSS / 1024 }));
`;

async function runChild(ours: string, batch: string, queueUrl: string): Promise<Measured> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', CHILD, ours, batch], {
    env: {
      PATH: process.env.PATH ?? '',
      ...SAMPLE_ENVIRONMENT,
      ZONE53_HINTS_URL: `${queueUrl}/hints`,
      AWS_ENDPOINT_URL_SQS: queueUrl,
      AWS_ENDPOINT_URL_S3: queueUrl,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  const code = await new Promise((resolve) => child.once('close', resolve));
  const text = Buffer.concat(out).toString('utf8');
  if (code !== 0) throw new Error(`The ingest function ended with ${code}: ${Buffer.concat(err).toString('utf8')}`);
  const queued = [...text.matchAll(/"hints":(\d+)/g)].map(([, hints]) => Number(hints)).slice(1);
  const { ms, idleMiB, peakMiB } = JSON.parse(text.trim().split('\n').at(-1) ?? '');
  return { hints: queued.reduce((sum, hints) => sum + hints, 0), ms, idleMiB, peakMiB };
}
