// The token as the API server's authenticator takes it apart: the checks of aws-iam-authenticator's token.go, one by
// one.
import { describe, expect, it } from 'vitest';
import { bearerIdentity } from '../kubernetes/access/bearer-identity.ts';
import { eksToken, eksTokens } from './eks-token.ts';

const NOW_MS = Date.parse('2026-11-21T08:00:00Z');
const credentials = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  sessionToken: 'session+token/with=characters',
};
const options = { region: 'eu-west-1', clusterName: 'prod', credentials, nowMs: NOW_MS };

async function opened(change: Partial<typeof options> = {}): Promise<URL> {
  const token = await eksToken({ ...options, ...change });
  expect(token).toMatch(/^k8s-aws-v1\.[A-Za-z0-9_-]+$/);
  return new URL(Buffer.from(token.slice('k8s-aws-v1.'.length), 'base64url').toString('utf8'));
}

describe('eksToken()', () => {
  it('is a GetCallerIdentity at the regional endpoint, with the cluster among the signed headers', async () => {
    const url = await opened();
    expect(url.origin + url.pathname).toBe('https://sts.eu-west-1.amazonaws.com/');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      Action: 'GetCallerIdentity',
      Version: '2011-06-15',
      'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
      'X-Amz-Credential': 'AKIDEXAMPLE/20261121/eu-west-1/sts/aws4_request',
      'X-Amz-Date': '20261121T080000Z',
      'X-Amz-Expires': '60',
      'X-Amz-Security-Token': credentials.sessionToken,
      'X-Amz-SignedHeaders': 'host;x-k8s-aws-id',
      'X-Amz-Signature': expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it('gives different tokens for different clusters, and the same token for the same moment', async () => {
    const signature = async (change = {}) => (await opened(change)).searchParams.get('X-Amz-Signature');
    expect(await signature()).toBe(await signature());
    expect(await signature({ clusterName: 'test' })).not.toBe(await signature());
  });

  it('uses the endpoint of the partition of China', async () => {
    expect((await opened({ region: 'cn-north-1' })).host).toBe('sts.cn-north-1.amazonaws.com.cn');
  });

  it('refuses a session token that makes it too long', async () => {
    const long = { ...credentials, sessionToken: 'x'.repeat(4_000) };
    await expect(eksToken({ ...options, credentials: long })).rejects.toThrow('4096 at most');
  });
});

describe('eksTokens()', () => {
  it('keeps a token for ten minutes, then signs a new one with the credentials of that time', async () => {
    let nowMs = NOW_MS;
    let asked = 0;
    const tokens = eksTokens(
      { region: 'eu-west-1', clusterName: 'prod' },
      async () => {
        asked += 1;
        return credentials;
      },
      { nowMs: () => nowMs },
    );
    const first = await tokens();
    nowMs += 599_999;
    expect(await tokens()).toBe(first);
    nowMs += 1;
    expect(await tokens()).not.toBe(first);
    expect(asked).toBe(2);
  });
});

describe('bearerIdentity()', () => {
  it('sends the current token and trusts only the given authority', async () => {
    let count = 0;
    const access = bearerIdentity({
      server: 'https://k.example.org',
      certificateAuthority: 'PEM',
      token: async () => `t${++count}`,
    });
    const identity = await access();
    const sent: { headers?: Record<string, string>; ca?: unknown }[] = [{}, { headers: { Accept: 'x' } }];
    for (const one of sent) await identity.applyToHTTPSOptions(one);
    expect(sent).toEqual([
      { headers: { Authorization: 'Bearer t1' }, ca: 'PEM' },
      { headers: { Accept: 'x', Authorization: 'Bearer t2' }, ca: 'PEM' },
    ]);
    expect(identity.getCurrentCluster()?.server).toBe('https://k.example.org');
  });
});
