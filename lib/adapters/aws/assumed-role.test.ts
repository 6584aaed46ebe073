import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { assumedRole } from './assumed-role.ts';
import { awsFailure } from './aws-failure.ts';

const ROLE = 'arn:aws:iam::123456789012:role/dns';
const CREDENTIALS = `<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>ASIA</AccessKeyId>
  <SecretAccessKey>s/+=</SecretAccessKey><SessionToken>t+/=</SessionToken>
  <Expiration>2026-11-23T04:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`;
const REFUSAL = `<ErrorResponse><Error><Type>Sender</Type><Code>AccessDenied</Code>
  <Message>User zone53 is not authorized</Message></Error></ErrorResponse>`;

async function answering(answer: string) {
  const asked: { readonly authorization: string; readonly body: string }[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    asked.push({ authorization: request.headers.authorization ?? '', body });
    response.end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const assume = assumedRole(ROLE, {
    region: async () => 'eu-west-1',
    credentials: async () => ({ accessKeyId: 'AKIA', secretAccessKey: 'own' }),
    clock: { nowMs: () => Date.UTC(2026, 10, 23) },
    endpoint,
  });
  return { assume, asked, close: () => server.close() };
}

test('assumedRole() asks STS for the role, signed with our own credentials', async () => {
  const { assume, asked, close } = await answering(CREDENTIALS);
  expect(await assume()).toEqual({
    accessKeyId: 'ASIA',
    secretAccessKey: 's/+=',
    sessionToken: 't+/=',
    expiration: new Date('2026-11-23T04:00:00Z'),
  });
  expect(asked[0]?.authorization).toContain('Credential=AKIA/20261123/eu-west-1/sts/aws4_request');
  expect(new URLSearchParams(asked[0]?.body).get('RoleArn')).toBe(ROLE);
  close();
});

test('assumedRole() names the role and quotes STS when STS refuses, and nothing was sent with that role', async () => {
  const { assume, close } = await answering(REFUSAL);
  const error = await assume().catch((thrown: unknown) => thrown);
  expect(String(error)).toContain(`Cannot assume role ${ROLE}: AccessDenied: User zone53 is not authorized`);
  expect(awsFailure(error).kind).toBe('unsent');
  close();
});
