// Bundles a handler with the settings of the functions and runs it in a process of its own, as Lambda does.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { bundle } from './build-functions.ts';

// Inside the checkout, because Node looks for packages from there.
const folder = mkdtempSync(path.join(import.meta.dirname, '..', 'node_modules', '.zone53-build-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Bundles the source and returns what it prints, with the size of the bundle. */
async function run(name: string, source: string, environment: Readonly<Record<string, string>>) {
  const entry = path.join(folder, `${name}.ts`);
  writeFileSync(entry, source);
  const size = await bundle(entry, path.join(folder, name));
  const { stdout } = await promisify(execFile)(process.execPath, [path.join(folder, name, 'index.mjs')], {
    env: { PATH: process.env.PATH, AWS_REGION: 'eu-west-1', ...environment },
  });
  return { printed: JSON.parse(stdout) as unknown, size };
}

it('the clients of a function take the credentials that Lambda passes to it', async () => {
  const { printed } = await run(
    'credentials',
    `import { Route53Client } from '@aws-sdk/client-route-53';
     const { accessKeyId, sessionToken } = await new Route53Client().config.credentials();
     console.log(JSON.stringify([accessKeyId, sessionToken]));`,
    { AWS_ACCESS_KEY_ID: 'ASIA', AWS_SECRET_ACCESS_KEY: 'secret', AWS_SESSION_TOKEN: 'session' },
  );
  expect(printed).toEqual(['ASIA', 'session']);
  // The SDK's other ways to credentials, such as those of a container, are not in the bundle.
  const modules = readdirSync(path.join(folder, 'credentials')).filter((file) => file.endsWith('.mjs'));
  const texts = modules.map((file) => readFileSync(path.join(folder, 'credentials', file), 'utf8'));
  expect(texts.filter((text) => text.includes('AWS_CONTAINER_CREDENTIALS_RELATIVE_URI'))).toEqual([]);
});

it('what a function imports later is in files of its own, and is loaded when it is needed', async () => {
  const asked: string[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    asked.push(new URLSearchParams(body).get('Action') ?? '');
    response.end(`<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
      <AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>ASIA</AccessKeyId><SecretAccessKey>s</SecretAccessKey>
      <SessionToken>t</SessionToken><Expiration>2099-01-01T00:00:00Z</Expiration></Credentials>
      </AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const { printed, size } = await run(
    'later',
    `import { fromWebToken } from '@aws-sdk/credential-provider-web-identity';
     const roleArn = 'arn:aws:iam::123456789012:role/dns';
     const { accessKeyId } = await fromWebToken({ webIdentityToken: 'token', roleArn, roleSessionName: 'zone53' })();
     console.log(JSON.stringify(accessKeyId));`,
    { AWS_ENDPOINT_URL_STS: `http://127.0.0.1:${port}` },
  );
  server.close();
  expect([printed, asked]).toEqual(['ASIA', ['AssumeRoleWithWebIdentity']]);
  // The client of STS is the larger part.
  expect(size.start).toBeLessThan(size.all / 2);
});
