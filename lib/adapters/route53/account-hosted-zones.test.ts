import { hash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AccountError } from '../../ports/seed/accounts.ts';
import { accountLimits, route53Accounts } from './account-hosted-zones.ts';
import { BudgetExhaustedError, callBudget } from './call-budget.ts';

const KEY_ID = 'AKIASECRETIVEACCOUNT';
const SECRET = 'do/not+show=this+to/anybody/0123456789ab';
const TOKEN = 'eyJhbGciOiJSUzI1NiJ9.do-not-show.this';
const CREDENTIALS = { kind: 'key', accessKeyId: KEY_ID, secretAccessKey: SECRET, region: 'eu-west-1' } as const;

let url = '';
let answer: { status: number; code: string; message: string };
let asked: string[] = [];
const server = createServer((request, response) => {
  asked.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`);
  response.writeHead(answer.status, { 'content-type': 'text/xml' });
  response.end(
    `<ErrorResponse><Error><Type>Sender</Type><Code>${answer.code}</Code><Message>${answer.message}</Message></Error></ErrorResponse>`,
  );
});

beforeEach(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  asked = [];
  answer = { status: 403, code: 'SignatureDoesNotMatch', message: `${KEY_ID} signed with ${SECRET} and ${TOKEN}` };
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const clock = { nowMs: () => Date.now() };
const open = () => route53Accounts({ clock, sleep: async () => {}, requestsPerSecond: 100, endpoint: url });

describe('route53Accounts()', () => {
  it('quotes no part of the credentials, whatever AWS quotes', async () => {
    const accounts = open();
    const { hostedZones } = accounts.open(CREDENTIALS);
    const set = { name: 'a.example.org.', type: 'A', setIdentifier: null } as const;
    const content = { kind: 'values', ttlSeconds: 60, values: ['192.0.2.1'] } as const;
    const outcome = await hostedZones.change('Z1', [{ action: 'CREATE', recordSet: { ...set, content } }], 'comment');
    const error = await hostedZones.list().catch((thrown: unknown) => thrown);
    accounts.destroy();
    expect(outcome).toEqual({
      kind: 'denied',
      message: `SignatureDoesNotMatch: (hidden) signed with (hidden) and ${TOKEN}`,
    });
    expect(error).toBeInstanceOf(AccountError);
    expect(error).toMatchObject({ kind: 'refused', code: 'SignatureDoesNotMatch' });
    expect(Object.values(error as object).join() + (error as Error).message + (error as Error).stack).not.toContain(
      KEY_ID,
    );
    expect((error as Error).cause).toBeUndefined();
  });

  it('exchanges the token of a workload at STS, in its region, and quotes STS without the token', async () => {
    answer = { status: 400, code: 'InvalidIdentityToken', message: `The token ${TOKEN} is not known` };
    const before = process.env.AWS_ENDPOINT_URL_STS;
    process.env.AWS_ENDPOINT_URL_STS = url;
    const accounts = open();
    const roleArn = 'arn:aws:iam::123456789012:role/dns';
    const { id, hostedZones } = accounts.open({ kind: 'webIdentity', token: TOKEN, roleArn, region: 'eu-west-1' });
    const error = (await hostedZones.list().catch((thrown: unknown) => thrown)) as AccountError;
    accounts.destroy();
    if (before === undefined) delete process.env.AWS_ENDPOINT_URL_STS;
    else process.env.AWS_ENDPOINT_URL_STS = before;
    expect(error).toMatchObject({ kind: 'refused' });
    expect(error.message).toMatch(/^InvalidIdentityToken.*: The token \(hidden\) is not known$/);
    expect(asked.every((line) => line.startsWith('POST / '))).toBe(true);
    expect(id).toMatch(/^[0-9a-f]{64}$/);
  });

  it('quotes no part of the credentials that STS gave for the token', async () => {
    const given = {
      AccessKeyId: 'ASIATEMPORARYACCOUNT',
      SecretAccessKey: 'temporary/secret',
      SessionToken: 'IQoJb/x+==',
    };
    const fields = Object.entries(given).map(([name, value]) => `<${name}>${value}</${name}>`);
    const body = `<Credentials>${fields.join('')}<Expiration>2099-01-01T00:00:00Z</Expiration></Credentials>`;
    const sts = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/xml' });
      const result = `<AssumeRoleWithWebIdentityResult>${body}</AssumeRoleWithWebIdentityResult>`;
      response.end(`<AssumeRoleWithWebIdentityResponse>${result}</AssumeRoleWithWebIdentityResponse>`);
    });
    await new Promise<void>((resolve) => sts.listen(0, '127.0.0.1', resolve));
    vi.stubEnv('AWS_ENDPOINT_URL_STS', `http://127.0.0.1:${(sts.address() as AddressInfo).port}`);
    answer = { ...answer, message: `x-amz-security-token:${Object.values(given).join(' ')} ${TOKEN}` };
    const accounts = open();
    const roleArn = 'arn:aws:iam::123456789012:role/dns';
    const { hostedZones } = accounts.open({ kind: 'webIdentity', token: TOKEN, roleArn, region: 'eu-west-1' });
    const error = (await hostedZones.list().catch((thrown: unknown) => thrown)) as AccountError;
    accounts.destroy();
    vi.unstubAllEnvs();
    sts.closeAllConnections();
    await new Promise((resolve) => sts.close(resolve));
    const hidden = Array.from({ length: 4 }, () => '(hidden)').join(' ');
    expect(error.message).toBe(`SignatureDoesNotMatch: x-amz-security-token:${hidden}`);
  });

  it('distinguishes a call that came too soon from one without an answer', async () => {
    const accounts = open();
    answer = { status: 400, code: 'Throttling', message: 'Rate exceeded' };
    const throttled = await accounts
      .open(CREDENTIALS)
      .hostedZones.list()
      .catch((thrown: unknown) => thrown);
    answer = { status: 503, code: 'ServiceUnavailable', message: 'later' };
    const unanswered = await accounts
      .open(CREDENTIALS)
      .hostedZones.list()
      .catch((thrown: unknown) => thrown);
    accounts.destroy();
    expect([throttled, unanswered]).toMatchObject([{ kind: 'throttled' }, { kind: 'unanswered' }]);
  });

  it('keeps a client for a minute at most, and makes a new one for other credentials with the same key id', () => {
    const now = { ms: 0 };
    const accounts = route53Accounts({ clock: { nowMs: () => now.ms }, sleep: async () => {}, requestsPerSecond: 1 });
    const first = accounts.open(CREDENTIALS);
    now.ms = 59_000;
    expect(accounts.open(CREDENTIALS).hostedZones).toBe(first.hostedZones);
    const rotated = accounts.open({ ...CREDENTIALS, secretAccessKey: 'other' });
    expect(rotated.hostedZones).not.toBe(first.hostedZones);
    expect(rotated.id).toBe(first.id);
    expect(first.id).toBe(hash('sha256', CREDENTIALS.accessKeyId, 'hex'));
    now.ms = 60_001;
    expect(accounts.open(CREDENTIALS).hostedZones).not.toBe(first.hostedZones);
    accounts.destroy();
  });
});

describe('the budget of an account', () => {
  it('lets five calls begin together after a pause, and then one a second', async () => {
    const now = { ms: 10_000 };
    const waits: number[] = [];
    const sleep = async (ms: number) => void waits.push(ms);
    const limits = accountLimits({ requestsPerSecond: 1 });
    const bucket = callBudget({ clock: { nowMs: () => now.ms }, sleep, ...limits });
    for (let call = 0; call < 7; call += 1) await bucket.take();
    expect(waits).toEqual([1_000, 2_000]);
    await expect(bucket.take(500)).rejects.toBeInstanceOf(BudgetExhaustedError);
    now.ms += 60_000;
    await bucket.take(0);
    expect(waits).toHaveLength(2);
  });
});
