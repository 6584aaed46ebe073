import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Hint } from '../lib/ports/queues.ts';
import type { AdmissionSubject } from '../lib/report/validate-admission.ts';
import { startWebhook, type Webhook } from './admission-webhook.ts';

const EXAMPLE = path.resolve(import.meta.dirname, '../crds/examples/admission-webhook.yaml');

type Configuration = { webhooks: { clientConfig: { url: string; caBundle: string } }[] };

describe('startWebhook()', () => {
  const hints: Hint[] = [];
  let webhook: Webhook;
  let verdict: (subject: AdmissionSubject) => Promise<string | null> = async () => null;
  const ca = () =>
    Buffer.from((parse(webhook.configuration) as Configuration).webhooks[0]?.clientConfig.caBundle ?? '', 'base64');
  const post = (body: string, url = webhook.url): Promise<{ status: number; body: unknown }> =>
    new Promise((resolve, reject) => {
      request(url, { method: 'POST', ca: ca(), agent: false }, async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk as Buffer);
        resolve({ status: response.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString('utf8')) });
      })
        .on('error', reject)
        .end(body);
    });
  const review = {
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    request: {
      uid: 'u1',
      resource: { group: 'kubi.zone', resource: 'records' },
      name: 'www',
      namespace: 'team',
      operation: 'UPDATE',
      object: { metadata: { name: 'www' }, spec: {} },
      oldObject: { metadata: { name: 'www', resourceVersion: '7' }, spec: {} },
    },
  };

  beforeEach(async () => {
    hints.length = 0;
    verdict = async () => null;
    webhook = await startWebhook({
      port: 0,
      host: '127.0.0.1',
      clock: { nowMs: Date.now },
      onHints: (more) => hints.push(...more),
      judge: (subject) => verdict(subject),
    });
  });
  afterEach(() => webhook.close());

  it('allows a write, over TLS with its own certificate, and sends a hint with the version before', async () => {
    const { status, body } = await post(JSON.stringify(review));
    expect(status).toBe(200);
    expect(body).toMatchObject({ response: { uid: 'u1', allowed: true } });
    expect(hints).toMatchObject([{ kind: 'Record', namespace: 'team', name: 'www', oldVersion: '7' }]);
  });

  it('refuses a write with the message of the judge, and sends no hint', async () => {
    verdict = async ({ ref }) => `InvalidSpec: ${ref.name} has no rdata`;
    const { status, body } = await post(JSON.stringify(review));
    expect(status).toBe(200);
    expect(body).toMatchObject({ response: { allowed: false, status: { message: 'InvalidSpec: www has no rdata' } } });
    expect(hints).toEqual([]);
  });

  it.each<[string, () => Promise<string | null>]>([
    ['fails', () => Promise.reject(new Error('the API server is away'))],
    ['never answers', () => new Promise(() => {})],
  ])('allows when the judge %s', async (_title, judge) => {
    verdict = judge;
    expect(await post(JSON.stringify(review))).toMatchObject({ body: { response: { allowed: true } } });
    expect(hints).toHaveLength(1);
  });

  it.each([
    ['a body that is not JSON', '{', 400],
    ['a body that is not an AdmissionReview', '{}', 400],
    ['a body larger than any object', `"${'x'.repeat(9_000_000)}"`, 413],
  ])('refuses %s without a hint, and continues', async (_title, body, status) => {
    expect(await post(body)).toMatchObject({ status });
    expect(hints).toEqual([]);
    expect((await post(JSON.stringify(review))).status).toBe(200);
  });

  it('answers 404 at another path', async () => {
    expect((await post('{}', webhook.url.replace('/admission', '/'))).status).toBe(404);
  });

  it('requires a secret from other machines, which is new at each start and only in the configuration', async () => {
    const start = () =>
      startWebhook({
        port: 0,
        host: '127.0.0.2',
        clock: { nowMs: Date.now },
        onHints: (more) => hints.push(...more),
        judge: null,
      });
    const other = await start();
    await webhook.close();
    webhook = await start();
    try {
      const [path, path2] = [webhook, other].map(({ url }) => new URL(url).pathname);
      expect(path).toMatch(/^\/admission\/[\w-]{32}$/);
      expect(path2).not.toBe(path);
      expect((parse(webhook.configuration) as Configuration).webhooks[0]?.clientConfig.url).toBe(webhook.url);
      const at = (path: string) => post(JSON.stringify(review), new URL(path, webhook.url).href);
      for (const wrong of ['/admission', '/admission/', `/admission/${'A'.repeat(32)}`, path2 ?? '']) {
        const { status, body } = await at(wrong);
        expect(status, wrong).toBe(404);
        expect(JSON.stringify(body)).not.toContain(path);
      }
      expect(hints).toEqual([]);
      expect((await at(path ?? '')).status).toBe(200);
      expect(hints).toHaveLength(1);
    } finally {
      await other.close();
    }
  });

  it('writes the configuration of the example, with its own address', () => {
    const example = parse(readFileSync(EXAMPLE, 'utf8')) as Configuration & { metadata: unknown };
    const printed = parse(webhook.configuration) as Configuration & { metadata: unknown };
    const bare = ({ webhooks, metadata: _, ...rest }: typeof example) => ({
      ...rest,
      webhooks: webhooks.map(({ clientConfig: __, ...one }) => one),
    });
    expect(bare(printed)).toEqual(bare(example));
  });
});
