// The health checks of an account through the AWS SDK. A creation is sent once and its outcome is returned; the caller
// repeats it with the same caller reference. The rest is repeated here, as it is safe.
import {
  CreateHealthCheckCommand,
  type CreateHealthCheckCommandInput,
  DeleteHealthCheckCommand,
  GetHealthCheckCommand,
  ListHealthChecksCommand,
  type Route53Client,
  UpdateHealthCheckCommand,
} from '@aws-sdk/client-route-53';
import { type HealthCheck, isHostAddress } from '../../dns/health-check.ts';
import type { HealthCheckOutcome, HealthChecks } from '../../ports/health-checks.ts';
import { awsFailure } from '../aws/aws-failure.ts';
import type { BudgetedCall } from './budget-state.ts';
import { BudgetExhaustedError } from './call-budget.ts';
import { isRepeatable } from './call-outcome.ts';

/** HealthCheckAlreadyExists: of a deleted health check, or of another one (API reference, CreateHealthCheck). */
const SPENT = 'HealthCheckAlreadyExists';
const PAGE = 100;

type Calling = {
  readonly client: Route53Client;
  /** Sends when the budget allows, and repeats while that may help. */
  readonly repeat: <T>(action: string, send: () => Promise<T>, call?: BudgetedCall) => Promise<T>;
  readonly take: (waitMsMax?: number, call?: BudgetedCall) => Promise<void>;
};

export function route53HealthChecks(caller: Calling): HealthChecks {
  return {
    create: (check, reference, waitMsMax) => createHealthCheck(caller, check, reference, waitMsMax),
    update: (id, check, waitMsMax) => updateHealthCheck(caller, id, check, waitMsMax),
    remove: async (id) => {
      const command = new DeleteHealthCheckCommand({ HealthCheckId: id });
      const send = async () => {
        try {
          await caller.client.send(command);
        } catch (cause) {
          if (awsFailure(cause).code !== 'NoSuchHealthCheck') throw cause;
        }
      };
      await caller.repeat(`delete health check ${id}`, send, { action: 'DeleteHealthCheck' });
    },
    list: () => listHealthChecks(caller),
  };
}

async function createHealthCheck(
  { client, take }: Calling,
  check: HealthCheck,
  reference: string,
  waitMsMax?: number,
): Promise<HealthCheckOutcome> {
  return outcomeOf(SPENT, async () => {
    await take(waitMsMax, { action: 'CreateHealthCheck' });
    const config = { CallerReference: reference, HealthCheckConfig: configOf(check) };
    return (await client.send(new CreateHealthCheckCommand(config))).HealthCheck?.Id;
  });
}

/** The version is read first, so that no change of somebody else at the same moment is overwritten unseen. */
async function updateHealthCheck(
  { client, take }: Calling,
  id: string,
  check: HealthCheck,
  waitMsMax?: number,
): Promise<HealthCheckOutcome> {
  return outcomeOf('NoSuchHealthCheck', async () => {
    await take(waitMsMax);
    const { HealthCheck: known } = await client.send(new GetHealthCheckCommand({ HealthCheckId: id }));
    const { Type: _, RequestInterval: __, MeasureLatency: ___, ...config } = configOf(check);
    const changed = {
      ...{ HealthCheckId: id, HealthCheckVersion: known?.HealthCheckVersion, Inverted: false, ...config },
      ...(config.Regions === undefined && { ResetElements: ['Regions' as const] }),
    };
    await take(waitMsMax);
    return (await client.send(new UpdateHealthCheckCommand(changed))).HealthCheck?.Id;
  });
}

/** What became of a call that returns an id. `spent`: the code that is final. */
async function outcomeOf(spent: string, call: () => Promise<string | undefined>): Promise<HealthCheckOutcome> {
  try {
    const id = await call();
    if (id !== undefined) return { kind: 'made', id };
    return { kind: 'again', message: 'Route 53 answered without the id of the health check' };
  } catch (cause) {
    if (cause instanceof BudgetExhaustedError) return { kind: 'again', message: cause.message };
    const { kind, code, message } = awsFailure(cause);
    const text = `${code}: ${message}`;
    if (code === spent) return { kind: 'spent', message: text };
    const isFinal = kind === 'refused' && code !== 'HealthCheckVersionMismatch' && !isRepeatable(cause);
    return { kind: isFinal ? 'refused' : 'again', message: text };
  }
}

function configOf(check: HealthCheck): NonNullable<CreateHealthCheckCommandInput['HealthCheckConfig']> {
  const { protocol, host, port, path, searchString, interval, threshold, inverted, regions, measureLatency } = check;
  const type = searchString === undefined || protocol === 'TCP' ? protocol : (`${protocol}_STR_MATCH` as const);
  return {
    Type: type,
    ...(isHostAddress(host) ? { IPAddress: host } : { FullyQualifiedDomainName: host }),
    Port: port,
    ...(protocol !== 'TCP' && { ResourcePath: path ?? '/' }),
    ...(searchString !== undefined && { SearchString: searchString }),
    RequestInterval: interval ?? 30,
    FailureThreshold: threshold ?? 3,
    ...(inverted !== undefined && { Inverted: inverted }),
    ...(regions !== undefined && {
      Regions: regions as NonNullable<CreateHealthCheckCommandInput['HealthCheckConfig']>['Regions'] & {},
    }),
    ...(measureLatency !== undefined && { MeasureLatency: measureLatency }),
    ...(protocol === 'HTTPS' && !isHostAddress(host) && { EnableSNI: true }),
  };
}

async function listHealthChecks({ client, repeat }: Calling): ReturnType<HealthChecks['list']> {
  const found: { id: string; reference: string }[] = [];
  let marker: string | undefined;
  do {
    const command = new ListHealthChecksCommand({
      MaxItems: PAGE,
      ...(marker === undefined ? {} : { Marker: marker }),
    });
    const page = await repeat('list health checks', () => client.send(command));
    for (const { Id = '', CallerReference = '' } of page.HealthChecks ?? [])
      found.push({ id: Id, reference: CallerReference });
    const next = page.IsTruncated === true ? page.NextMarker : undefined;
    if (next !== undefined && next === marker) throw new Error('Cannot list health checks: a page leads to itself');
    marker = next;
  } while (marker !== undefined);
  return found;
}
