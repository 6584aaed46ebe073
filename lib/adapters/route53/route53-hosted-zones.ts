// The account's hosted zones through the AWS SDK. Every request, repeated or not, takes one call of the budget. Reads
// are repeated with growing pauses, and so is `create`, which its caller reference makes safe. `change` is never
// repeated: its outcome is returned exactly once, as a BatchOutcome.
//
// Each instance is for one account, with its client. hosted-zones-of-accounts.ts joins those of several accounts.

import { setTimeout as sleep } from 'node:timers/promises';
import {
  ChangeResourceRecordSetsCommand,
  CreateHostedZoneCommand,
  GetChangeCommand,
  GetHostedZoneCommand,
  type GetHostedZoneCommandOutput,
  ListHostedZonesByNameCommand,
  ListHostedZonesCommand,
  ListResourceRecordSetProtectionsCommand,
  ListResourceRecordSetsCommand,
  type ListResourceRecordSetsCommandInput,
  type ListResourceRecordSetsCommandOutput,
  type Route53Client,
  type HostedZone as Route53HostedZone,
} from '@aws-sdk/client-route-53';
import type { RecordSet, RecordSetChange, RecordSetKey } from '../../dns/record-set.ts';
import { backoff } from '../../ports/backoff.ts';
import {
  type BatchOutcome,
  type ChangeStatus,
  type HostedZone,
  HostedZoneRefusedError,
  type HostedZones,
  HostedZonesDeniedError,
  type Protection,
  type RecordSetsPage,
} from '../../ports/hosted-zones.ts';
import { OutcomeUnknownError } from '../../ports/outcome-unknown-error.ts';
import { formatRoute53Name, parseRoute53Name } from '../../route53/escapes.ts';
import { RoleNotAssumedError } from '../aws/assumed-role.ts';
import { awsError, awsFailure } from '../aws/aws-failure.ts';
import type { BudgetedCall } from './budget-state.ts';
import { BudgetExhaustedError, type CallBudget } from './call-budget.ts';
import { batchOutcome, IncompleteAnswerError, isGone, isRepeatable, isThrottled } from './call-outcome.ts';
import { listedUnlessDenied, unreadableWhenDenied } from './denied-reads.ts';
import { checkSendsOnce } from './route53-client.ts';
import { route53HealthChecks } from './route53-health-checks.ts';
import { type Spellings, spellings } from './spellings.ts';
import { bareId, fromHostedZone, fromResourceRecordSet } from './translate.ts';

const ATTEMPTS_MAX = 6;
const pauseMs = backoff(200, 5_000);
/**
 * The longest time of a `change`, from its turn in the budget to the last octet of the answer. A lease is longer
 * (`callMs` in lib/record-sets/lease.ts).
 */
const CHANGE_MS_MAX = 15_000;
/** The most characters of a batch's comment (ResourceDescription of the API model). */
const COMMENT_CHARACTERS_MAX = 256;
const HOSTED_ZONES_PAGE = 100;
const RECORD_SETS_PAGE = 300;
/** A name rarely has more record sets, and reading a page of its neighbours is waste. */
const NAME_PAGE = 20;

export type HostedZonesOptions = {
  /** Milliseconds. */
  readonly sleep?: (ms: number) => Promise<unknown>;
  /** A number from 0 to 1, to spread repeated calls. */
  readonly random?: () => number;
  /** The most tries of a read; default 6. */
  readonly attemptsMax?: number;
  /** The role whose credentials the client has; default: they are our own. */
  readonly role?: string;
};

type Caller = {
  readonly client: Route53Client;
  /** Sends when the budget allows, and repeats while that may help. */
  readonly repeat: <T>(action: string, send: () => Promise<T>, call?: BudgetedCall) => Promise<T>;
  readonly take: (waitMsMax?: number, call?: BudgetedCall) => Promise<void>;
  readonly budget: CallBudget;
  readonly spelled: Spellings;
  /** The client has the credentials of a role that is assumed. */
  readonly isAssumed: boolean;
};

/**
 * The hosted zones of the client's account. The client must send once (see route53Client()). Reads throw an Error that
 * names the request; `create` throws an OutcomeUnknownError if no attempt had an answer.
 */
export function route53HostedZones(
  client: Route53Client,
  budget: CallBudget,
  options: HostedZonesOptions = {},
): HostedZones {
  const pause = options.sleep ?? sleep;
  const random = options.random ?? Math.random;
  const own = options.role ?? null;
  const take = async (waitMsMax?: number, call?: BudgetedCall) => {
    await checkSendsOnce(client);
    await budget.take(waitMsMax, call);
  };
  const repeat = async <T>(action: string, send: () => Promise<T>, call?: BudgetedCall): Promise<T> => {
    for (let attempt = 1; ; attempt += 1) {
      await take(undefined, call);
      try {
        return await send();
      } catch (cause) {
        if (isGone(cause)) throw cause;
        if (attempt >= (options.attemptsMax ?? ATTEMPTS_MAX) || !isRepeatable(cause)) throw awsError(action, cause);
      }
      await pause(pauseMs(attempt) * (0.5 + random() / 2));
    }
  };
  const spelled = spellings();
  const caller: Caller = { client, repeat, take, budget, spelled, isAssumed: own !== null };
  return {
    list: () => listedUnlessDenied(listHostedZones(caller)),
    get: (id) => unreadableWhenDenied(nullWhenGone(getHostedZone(caller, id))),
    create: (name, callerReference) => createHostedZone(caller, name, callerReference),
    change: async (id, changes, comment, waitMsMax, role = null) => {
      if (role !== null && role !== own) {
        const message = `hosted zone ${id} is not written with role ${role}: in the configuration, hostedZones lists it ${own === null ? 'without an account' : `with the account of role ${own}`}`;
        return { kind: 'refused', messages: [message] };
      }
      return changeRecordSets(caller, id, changes, comment, waitMsMax);
    },
    ...(budget.changesAtOnce !== undefined && { changesAtOnce: budget.changesAtOnce }),
    readName: (id, name) => listedUnlessDenied(nullWhenGone(readName(caller, id, name))),
    readPage: (id, from) => listedUnlessDenied(nullWhenGone(readPage(caller, id, from === null ? {} : startAt(from)))),
    healthChecks: { accountOf: async () => null, of: () => route53HealthChecks(caller) },
    changeStatus: (_, changeId) => changeStatus(caller, changeId),
    protections: (id, name) => listedUnlessDenied(unlessUnknown(nullWhenGone(listProtections(caller, id, name)))),
  };
}

async function listHostedZones({ client, repeat }: Caller): Promise<HostedZone[]> {
  const found: HostedZone[] = [];
  const seen = new Set<string | undefined>();
  let marker: string | undefined;
  do {
    seen.add(marker);
    const command = new ListHostedZonesCommand({ MaxItems: HOSTED_ZONES_PAGE, ...(marker ? { Marker: marker } : {}) });
    const answer = await repeat('list hosted zones', async () => {
      const page = await client.send(command);
      const isSaid = page.IsTruncated === false || (page.IsTruncated === true && !seen.has(page.NextMarker));
      return whole(page, isSaid && page.HostedZones !== undefined);
    });
    for (const zone of answer.HostedZones ?? [])
      if (isOurs(zone) && !isPrivate(zone)) found.push(fromHostedZone(zone, []));
    marker = answer.IsTruncated ? answer.NextMarker : undefined;
  } while (marker !== undefined);
  return found;
}

async function getHostedZone({ client, repeat }: Caller, id: string): Promise<HostedZone | null> {
  const command = new GetHostedZoneCommand({ Id: id });
  const answer = await repeat(`read hosted zone "${id}"`, async () => wholeHostedZone(await client.send(command)));
  if (answer.HostedZone === undefined || !isOurs(answer.HostedZone)) return null;
  const found = fromHostedZone(answer.HostedZone, answer.DelegationSet?.NameServers ?? []);
  const vpcs = (answer.VPCs ?? []).map(({ VPCId = '', VPCRegion = '' }) => ({ id: VPCId, region: VPCRegion }));
  return found.isPrivate === true ? { ...found, vpcs } : found;
}

async function createHostedZone(caller: Caller, name: string, callerReference: string): Promise<HostedZone> {
  const action = `create hosted zone "${name}" with caller reference "${callerReference}"`;
  const command = new CreateHostedZoneCommand({ Name: formatRoute53Name(name), CallerReference: callerReference });
  try {
    const send = async () => wholeHostedZone(await caller.client.send(command));
    const answer = await caller.repeat(action, send, { action: 'CreateHostedZone' });
    if (answer.HostedZone === undefined) throw new OutcomeUnknownError(`Cannot ${action}`, 'the answer names no zone');
    return fromHostedZone(answer.HostedZone, answer.DelegationSet?.NameServers ?? []);
  } catch (error) {
    const cause = error instanceof Error ? error.cause : null;
    const failure = awsFailure(cause);
    if (failure.code === 'HostedZoneAlreadyExists') return findCreated(caller, name, callerReference, error);
    if (failure.kind === 'lost' || cause instanceof IncompleteAnswerError)
      throw new OutcomeUnknownError(`Cannot ${action}`, cause);
    if (cause instanceof RoleNotAssumedError) throw new HostedZoneRefusedError(cause.message, { cause });
    if (failure.kind === 'refused' && !isRepeatable(cause) && error instanceof Error)
      throw new HostedZoneRefusedError(error.message, { cause });
    throw error;
  }
}

/** The hosted zone that an earlier call created, by its reference: several may have the name. */
async function findCreated(
  caller: Caller,
  name: string,
  callerReference: string,
  refusal: unknown,
): Promise<HostedZone> {
  let start: { DNSName: string; HostedZoneId?: string } | null = { DNSName: formatRoute53Name(name) };
  while (start !== null) {
    const command: ListHostedZonesByNameCommand = new ListHostedZonesByNameCommand(start);
    const answer = await caller.repeat(`find hosted zone "${name}"`, async () => {
      const page = await caller.client.send(command);
      const goesOn = page.NextDNSName !== start?.DNSName || page.NextHostedZoneId !== start?.HostedZoneId;
      return whole(page, page.IsTruncated !== undefined && page.HostedZones !== undefined && goesOn);
    });
    const same = (answer.HostedZones ?? []).filter((zone) => fromHostedZone(zone, []).name === name);
    const ours = same.find((zone) => zone.CallerReference === callerReference);
    const found = ours?.Id === undefined ? null : await getHostedZone(caller, bareId(ours.Id));
    if (found !== null) return found;
    const more = same.length > 0 && answer.IsTruncated === true && answer.NextDNSName !== undefined;
    start = more ? { DNSName: answer.NextDNSName ?? '', HostedZoneId: answer.NextHostedZoneId ?? '' } : null;
  }
  throw refusal;
}

async function changeRecordSets(
  { client, take, budget, spelled, isAssumed }: Caller,
  id: string,
  changes: readonly RecordSetChange[],
  comment: string,
  waitMsMax?: number,
): Promise<BatchOutcome> {
  const Changes = changes.map((one) => spelled.write(id, one));
  const ChangeBatch = { Comment: comment.slice(0, COMMENT_CHARACTERS_MAX), Changes };
  const command = new ChangeResourceRecordSetsCommand({ HostedZoneId: id, ChangeBatch });
  try {
    const beganMs = Date.now();
    // STS may be slow. Its time is not that of the call, which must end within the lease.
    if (isAssumed) await client.config.credentials();
    const leftMs = waitMsMax === undefined ? undefined : waitMsMax - (Date.now() - beganMs);
    if (leftMs !== undefined && leftMs < 0) throw new BudgetExhaustedError(waitMsMax ?? 0);
    await take(leftMs, { changes: changes.length });
  } catch (error) {
    if (error instanceof RoleNotAssumedError) return { kind: 'denied', message: error.message };
    // Not sent: the lease of the caller may have ended in the meantime.
    if (error instanceof BudgetExhaustedError) return { kind: 'throttled', message: error.message, unsent: true };
    throw error;
  }
  const sentAtMs = Date.now();
  try {
    const answer = await client.send(command, { abortSignal: AbortSignal.timeout(CHANGE_MS_MAX) });
    if (answer.ChangeInfo?.Id === undefined)
      return { kind: 'unknown', message: 'Route 53 answered without a change id' };
    await budget.learn?.({ changes: changes.length, isThrottled: false, sentAtMs });
    return { kind: 'accepted', changeId: answer.ChangeInfo.Id.replace(/^\/change\//, '') };
  } catch (cause) {
    const outcome = batchOutcome(cause);
    if (outcome.kind === 'throttled' && outcome.isOfAccount === true)
      await budget.learn?.({ changes: changes.length, isThrottled: true, sentAtMs });
    return outcome;
  }
}

async function changeStatus({ client, take }: Caller, changeId: string): Promise<ChangeStatus> {
  try {
    await take(0, { isLast: true });
    const { ChangeInfo } = await client.send(new GetChangeCommand({ Id: changeId }));
    if (ChangeInfo?.Status === 'INSYNC') return { kind: 'insync' };
    if (ChangeInfo?.Status === 'PENDING') return { kind: 'pending' };
    return { kind: 'unsaid', message: 'the answer lacks the status of the change' };
  } catch (cause) {
    // There is no room now, or Route 53 says so.
    if (cause instanceof BudgetExhaustedError || isThrottled(cause)) return { kind: 'unsaid', message: null };
    const { code, message } = awsFailure(cause);
    return { kind: 'unsaid', message: `${code}: ${message}` };
  }
}

async function readName(caller: Caller, id: string, name: string): Promise<RecordSet[]> {
  const found: RecordSet[] = [];
  let start: RecordSetsStart | null = { StartRecordName: formatRoute53Name(name) };
  while (start !== null) {
    const page: RecordSetsPage = await readPage(caller, id, { MaxItems: NAME_PAGE, ...start });
    found.push(...page.recordSets.filter((recordSet) => recordSet.name === name));
    start = page.next?.name === name ? startAt(page.next) : null;
  }
  return found;
}

async function listProtections({ client, repeat }: Caller, id: string, name: string | null): Promise<Protection[]> {
  const found: Protection[] = [];
  const start = name === null ? {} : { StartRecordName: formatRoute53Name(name) };
  let token: string | undefined;
  do {
    const more = token === undefined ? start : { NextToken: token };
    const command = new ListResourceRecordSetProtectionsCommand({ HostedZoneId: id, ...more });
    const answer = await repeat(`list protections of hosted zone "${id}"`, async () => {
      const page = await client.send(command);
      const goesOn = page.NextToken === undefined || page.NextToken !== token;
      return whole(page, page.ResourceRecordSetProtections !== undefined && goesOn);
    });
    for (const { RecordName = '', RecordType = '', Comment = null } of answer.ResourceRecordSetProtections ?? [])
      found.push({ name: parseRoute53Name(RecordName), type: RecordType, comment: Comment });
    token = answer.NextToken;
    // They come in the order of record sets, so those of a name are together.
    if (name !== null && found.at(-1)?.name !== name) break;
  } while (token !== undefined);
  return name === null ? found : found.filter((one) => one.name === name);
}

/** Answers that know no such operation count as denied: another program's, or those of an earlier Route 53. */
async function unlessUnknown<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    const cause = error instanceof Error ? error.cause : null;
    const { status } = awsFailure(cause);
    const isFinal = status !== null && ((status >= 400 && status < 500) || status === 501) && !isThrottled(cause);
    if (isFinal && error instanceof Error) throw new HostedZonesDeniedError(error.message, { cause });
    throw error;
  }
}

type RecordSetsStart = Omit<ListResourceRecordSetsCommandInput, 'HostedZoneId'>;

function startAt(key: RecordSetKey): RecordSetsStart {
  return {
    StartRecordName: formatRoute53Name(key.name),
    StartRecordType: key.type as NonNullable<RecordSetsStart['StartRecordType']>,
    ...(key.setIdentifier === null ? {} : { StartRecordIdentifier: key.setIdentifier }),
  };
}

async function readPage(
  { client, repeat, spelled }: Caller,
  id: string,
  start: RecordSetsStart,
): Promise<RecordSetsPage> {
  const command = new ListResourceRecordSetsCommand({ HostedZoneId: id, MaxItems: RECORD_SETS_PAGE, ...start });
  const answer = await repeat(`read record sets of hosted zone "${id}"`, async () => {
    const page = await client.send(command);
    const goesOn = page.IsTruncated !== true || !isWhereItBegan(page, start);
    return whole(page, page.IsTruncated !== undefined && page.ResourceRecordSets !== undefined && goesOn);
  });
  const recordSets = (answer.ResourceRecordSets ?? []).map((found) => spelled.read(id, found));
  if (answer.IsTruncated !== true) return { recordSets, next: null };
  if (answer.NextRecordName === undefined || answer.NextRecordType === undefined) {
    throw new Error(
      `Cannot read record sets of hosted zone "${id}": an incomplete page does not say where the next begins`,
    );
  }
  const key = { Name: answer.NextRecordName, Type: answer.NextRecordType };
  const { name, type } = fromResourceRecordSet(key);
  return { recordSets, next: { name, type, setIdentifier: answer.NextRecordIdentifier ?? null } };
}

/** True if a page says that the next page begins where it began itself: it would be read for ever. */
function isWhereItBegan(
  { NextRecordName, NextRecordType, NextRecordIdentifier }: ListResourceRecordSetsCommandOutput,
  { StartRecordName, StartRecordType, StartRecordIdentifier }: RecordSetsStart,
): boolean {
  const [from, to] = [StartRecordName, NextRecordName].map((Name) => fromResourceRecordSet({ Name, Type: 'A' }).name);
  return from === to && NextRecordType === StartRecordType && NextRecordIdentifier === StartRecordIdentifier;
}

/** The answer if it is complete. A list that is empty by mistake would look like proof that nothing exists. */
function whole<T>(answer: T, isWhole: boolean): T {
  if (!isWhole) throw new IncompleteAnswerError();
  return answer;
}

function wholeHostedZone<T extends GetHostedZoneCommandOutput>(answer: T): T {
  const { HostedZone: zone, DelegationSet } = answer;
  const isServed = (DelegationSet?.NameServers ?? []).length > 0;
  return whole(answer, zone?.Id !== undefined && zone.Name !== undefined && (isPrivate(zone) || isServed));
}

/** False if another AWS service (such as Cloud Map) owns it: Route 53 does not let us change its record sets. */
function isOurs(zone: Route53HostedZone): boolean {
  return zone.LinkedService === undefined;
}

function isPrivate(zone: Route53HostedZone): boolean {
  return zone.Config?.PrivateZone === true;
}

async function nullWhenGone<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}
