// AWS accounts behind one URL, which are told apart by the access key that signed a request, as in AWS. Behind the URL
// are our own strict Route 53s, one for each account, or moto with as many accounts. Each account can be throttled,
// denied, closed or silent. Every call is counted.
import { createServer, type IncomingMessage, type ServerResponse, request as sendRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  ChangeResourceRecordSetsCommand,
  CreateHostedZoneCommand,
  DeleteHostedZoneCommand,
  ListResourceRecordSetsCommand,
  type ResourceRecordSet,
  Route53Client,
} from '@aws-sdk/client-route-53';
import { startRoute53 } from '../../../local/route53/api/server.ts';
import { createRoute53State } from '../../../local/route53/model/state.ts';

/** How an account answers its requests; `fine`: Route 53 answers. */
type Mood = 'fine' | 'throttled' | 'denied' | 'closed' | 'silent';

type AwsCall = { readonly atMs: number; readonly operation: string; readonly mood: Mood };

export type AwsAccount = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** A stranger's client in the same account. Its calls are not counted, and moods do not apply to it. */
  readonly route53: Route53Client;
  mood: Mood;
  /** The calls with its access keys, in order. */
  readonly calls: AwsCall[];
  /** How many calls were over the account's budget; our own Route 53 counts them. */
  throttled(): number;
  /** Another key of the same account. */
  addKey(accessKeyId: string): void;
  /** The role that a workload identity of this account takes, by STS. */
  readonly roleArn: string;
  /** From now on this access key is answered as an unknown one. */
  removeKey(accessKeyId: string): void;
  /** Creates a public hosted zone; gives its id, without `/hostedzone/`. */
  createZone(name: string): Promise<string>;
  deleteZone(id: string): Promise<void>;
  /** `name type ttl values` of each record set that is not of the apex, sorted. */
  recordSets(id: string): Promise<readonly string[]>;
  change(id: string, action: 'CREATE' | 'UPSERT' | 'DELETE', recordSet: ResourceRecordSet): Promise<void>;
};

export type AwsAccounts = {
  readonly url: string;
  /** Opens a new account. */
  open(): Promise<AwsAccount>;
  close(): Promise<void>;
};

const OTHERS_KEY_SUFFIX = 'STRANGER';

/** Starts the URL. The accounts are moto's, or our own with so many requests a second (null: no limit). */
export async function startAccounts(
  kind: 'moto' | 'strict',
  requestsPerSecond: number | null = null,
): Promise<AwsAccounts> {
  const byKey = new Map<string, { account: AwsAccount; target: string; key: string }>();
  // Imported here only, because the engines need Vitest and a bench runs without it.
  const moto = kind === 'moto' ? await (await import('../../engines/engines.ts')).startMoto() : null;
  const closing: (() => Promise<void>)[] = moto === null ? [] : [() => moto.close()];
  const byRole = new Map<string, AwsAccount>();
  /** The session of moto's STS: its access key belongs to the role's account in moto. */
  const session = async (account: AwsAccount, body: string): Promise<string> => {
    const [key, text] = moto === null ? sessionOf(account) : await motoSession(moto.url, body);
    byKey.set(key, { account, target: moto?.url ?? byKey.get(account.accessKeyId)?.target ?? '', key });
    return text;
  };
  const server = createServer((request, response) => {
    if (request.headers.authorization === undefined) return void assumeRole({ byRole, session }, request, response);
    const key = /Credential=([^/]+)\//.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const isStranger = key.endsWith(OTHERS_KEY_SUFFIX);
    const known = byKey.get(isStranger ? key.slice(0, -OTHERS_KEY_SUFFIX.length) : key);
    const mood = known === undefined ? 'closed' : isStranger ? 'fine' : known.account.mood;
    if (!isStranger) known?.account.calls.push({ atMs: Date.now(), operation: operationOf(request), mood });
    if (mood === 'silent') return void request.socket.destroy();
    const refusal = REFUSALS[mood];
    if (refusal !== undefined || known === undefined) {
      response.writeHead((refusal ?? REFUSALS.closed)?.status ?? 403, { 'content-type': 'text/xml' });
      return void response.end((refusal ?? REFUSALS.closed)?.body);
    }
    forward(request, `${known.target}${request.url ?? ''}`, key, known.key, (answer, error) => {
      if (answer === null) return void response.destroy(error ?? undefined);
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let opened = 0;
  const open = async (): Promise<AwsAccount> => {
    opened += 1;
    const number = String(opened).padStart(12, '0');
    const behind = moto === null ? await openStrict(closing, requestsPerSecond) : await openMoto(moto.url, number);
    const accessKeyId = `AKIAACCOUNT${number.slice(-9)}`;
    const secretAccessKey = `very/secret+key=of/account+${number}0`;
    const stranger = { accessKeyId: `${accessKeyId}${OTHERS_KEY_SUFFIX}`, secretAccessKey: 'x' };
    const route53 = new Route53Client({ endpoint: url, region: 'us-east-1', credentials: stranger });
    closing.push(async () => route53.destroy());
    const account: AwsAccount = {
      accessKeyId,
      secretAccessKey,
      route53,
      mood: 'fine',
      calls: [],
      throttled: behind.throttled,
      addKey: (key) => void byKey.set(key, { account, ...behind }),
      roleArn: `arn:aws:iam::${number}:role/dns`,
      removeKey: (key) => void byKey.delete(key),
      ...operations(route53),
    };
    account.addKey(accessKeyId);
    byRole.set(account.roleArn, account);
    return account;
  };
  const close = async () => {
    server.closeAllConnections();
    server.close();
    for (const end of closing) await end();
  };
  return { url, open, close };
}

type Sts = {
  readonly byRole: ReadonlyMap<string, AwsAccount>;
  /** The answer to an accepted request. */
  readonly session: (account: AwsAccount, body: string) => Promise<string>;
};

/** AssumeRoleWithWebIdentity of STS, the only call without a signature. moto does not check the token. */
async function assumeRole(sts: Sts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString('utf8');
  const asked = new URLSearchParams(body);
  const account = sts.byRole.get(asked.get('RoleArn') ?? '');
  const isGood = account !== undefined && asked.get('WebIdentityToken') === tokenOf(account);
  const answer = isGood
    ? await sts.session(account, body)
    : account === undefined
      ? stsRefusal('AccessDenied', 'Not authorized to perform this')
      : stsRefusal('InvalidIdentityToken', 'The token could not be verified');
  response.writeHead(account === undefined ? 403 : isGood ? 200 : 400, { 'content-type': 'text/xml' });
  response.end(answer);
}

/** A session of an account of our own Route 53, which asks for no signature: its key, and the answer. */
function sessionOf({ roleArn }: AwsAccount): readonly [string, string] {
  const key = `ASIA${Math.random().toString(36).slice(2, 14).toUpperCase()}`;
  const expiration = new Date(Date.now() + 3_600_000).toISOString();
  return [
    key,
    `<AssumeRoleWithWebIdentityResponse xmlns="${STS}"><AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>${key}</AccessKeyId><SecretAccessKey>session/secret</SecretAccessKey><SessionToken>session-token</SessionToken><Expiration>${expiration}</Expiration></Credentials><AssumedRoleUser><Arn>${roleArn}/x</Arn><AssumedRoleId>AROA:x</AssumedRoleId></AssumedRoleUser></AssumeRoleWithWebIdentityResult><ResponseMetadata><RequestId>r</RequestId></ResponseMetadata></AssumeRoleWithWebIdentityResponse>`,
  ];
}

/** The request as it came, answered by moto. */
async function motoSession(url: string, body: string): Promise<readonly [string, string]> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', host: 'sts.amazonaws.com' };
  const answer = await fetch(url, { method: 'POST', headers, body });
  const text = await answer.text();
  const key = /<AccessKeyId>([^<]+)/.exec(text)?.[1];
  if (key === undefined) throw new Error(`moto's STS gave no session: ${text}`);
  return [key, text];
}

const STS = 'https://sts.amazonaws.com/doc/2011-06-15/';

/** The token of a workload identity of this account. */
export function tokenOf({ roleArn }: Pick<AwsAccount, 'roleArn'>): string {
  return `header.payload.${roleArn.replaceAll(/[^0-9]/g, '')}`;
}

function stsRefusal(code: string, message: string): string {
  return `<ErrorResponse xmlns="${STS}"><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error><RequestId>r</RequestId></ErrorResponse>`;
}

type Behind = { readonly target: string; readonly key: string; readonly throttled: () => number };

async function openStrict(closing: (() => Promise<void>)[], requestsPerSecond: number | null): Promise<Behind> {
  const state = createRoute53State({ clock: { nowMs: Date.now }, random: Math.random, processingMs: 20 });
  const server = await startRoute53({
    state,
    limits:
      requestsPerSecond === null
        ? null
        : { requests: { perSecond: requestsPerSecond, size: requestsPerSecond }, changes: null },
  });
  closing.push(() => server.close());
  return { target: server.url, key: 'any', throttled: () => server.requests.Throttling ?? 0 };
}

/** moto tells accounts apart by keys that it made itself. */
async function openMoto(target: string, number: string): Promise<Behind> {
  const ask = async (key: string, service: string, parameters: Readonly<Record<string, string>>) => {
    const authorization = `AWS4-HMAC-SHA256 Credential=${key}/20260101/us-east-1/${service}/aws4_request, SignedHeaders=host, Signature=x`;
    const answer = await fetch(target, {
      method: 'POST',
      headers: { authorization },
      body: new URLSearchParams(parameters),
    });
    const text = await answer.text();
    return /<AccessKeyId>([^<]+)/.exec(text)?.[1] ?? '';
  };
  const role = `arn:aws:iam::${number}:role/admin`;
  const session = await ask('AKIAANY', 'sts', {
    Action: 'AssumeRole',
    Version: '2011-06-15',
    RoleArn: role,
    RoleSessionName: 'test',
  });
  const iam = { Version: '2010-05-08', UserName: 'dns' };
  await ask(session, 'iam', { Action: 'CreateUser', ...iam });
  const key = await ask(session, 'iam', { Action: 'CreateAccessKey', ...iam });
  if (key === '') throw new Error(`moto gave no access key for account ${number}`);
  return { target, key, throttled: () => 0 };
}

const REFUSALS: Readonly<Partial<Record<Mood, { readonly status: number; readonly body: string }>>> = {
  throttled: { status: 400, body: refusal('Throttling', 'Rate exceeded') },
  denied: { status: 403, body: refusal('AccessDenied', 'User is not authorized to perform this action') },
  closed: {
    status: 403,
    body: refusal('InvalidClientTokenId', 'The security token included in the request is invalid.'),
  },
};

function refusal(code: string, message: string): string {
  return `<?xml version="1.0"?>\n<ErrorResponse xmlns="https://route53.amazonaws.com/doc/2013-04-01/"><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error><RequestId>r</RequestId></ErrorResponse>`;
}

function operationOf({ method, url = '' }: IncomingMessage): string {
  const path = url.split('?')[0] ?? '';
  if (method === 'POST') return path.endsWith('/rrset') || path.endsWith('/rrset/') ? 'change' : `POST ${path}`;
  if (/\/rrset\/?$/.test(path)) return 'listRecordSets';
  if (/\/hostedzone\/?$/.test(path) || path.endsWith('/hostedzonesbyname')) return 'listHostedZones';
  return /\/hostedzone\/[^/]+$/.test(path) ? 'getHostedZone' : `${method} ${path}`;
}

function forward(
  request: IncomingMessage,
  url: string,
  key: string,
  replaced: string,
  then: (answer: IncomingMessage | null, error: Error | null) => void,
): void {
  const { host: _, ...headers } = request.headers;
  const authorization = headers.authorization?.replace(`Credential=${key}/`, `Credential=${replaced}/`);
  const outgoing = sendRequest(url, { method: request.method, headers: { ...headers, authorization } }, (answer) =>
    then(answer, null),
  );
  outgoing.on('error', (error) => then(null, error));
  request.pipe(outgoing);
}

function operations(route53: Route53Client): Pick<AwsAccount, 'createZone' | 'deleteZone' | 'recordSets' | 'change'> {
  return {
    createZone: async (name) => {
      const { HostedZone: zone } = await route53.send(
        new CreateHostedZoneCommand({ Name: name, CallerReference: `test-${name}-${Math.random()}` }),
      );
      return (zone?.Id ?? '').replace('/hostedzone/', '');
    },
    deleteZone: async (id) => void (await route53.send(new DeleteHostedZoneCommand({ Id: id }))),
    // No hosted zone of a test has more than one page.
    recordSets: async (id) => {
      const page = await route53.send(new ListResourceRecordSetsCommand({ HostedZoneId: id }));
      if (page.IsTruncated === true) throw new Error(`hosted zone ${id} has more than one page`);
      const sets = (page.ResourceRecordSets ?? []).filter(({ Type }) => Type !== 'NS' && Type !== 'SOA');
      return sets.map(shown).toSorted();
    },
    change: async (id, action, recordSet) => {
      const change = { Action: action, ResourceRecordSet: recordSet };
      await route53.send(new ChangeResourceRecordSetsCommand({ HostedZoneId: id, ChangeBatch: { Changes: [change] } }));
    },
  };
}

function shown({ Name, Type, TTL, ResourceRecords, AliasTarget }: ResourceRecordSet): string {
  const name = (Name ?? '').replace('\\052', '*');
  if (AliasTarget !== undefined) {
    const { DNSName = '', HostedZoneId, EvaluateTargetHealth } = AliasTarget;
    return `${name} ${Type} alias ${DNSName.replace(/\.?$/, '.')} ${HostedZoneId} ${EvaluateTargetHealth}`;
  }
  const values = (ResourceRecords ?? []).map(({ Value }) => Value ?? '').toSorted();
  return `${name} ${Type} ${TTL} ${values.join(' ')}`;
}
