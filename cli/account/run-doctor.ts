// `zone53 doctor`: what is deployed, what it may reach, and what does not fit. Each check stands for itself, has ten
// seconds, and only reads.
import { inTime } from '../../lib/adapters/system/with-deadline.ts';
import { errorMessage } from '../../lib/objects/plain.ts';
import { once } from '../../lib/ports/once.ts';
import { clusterChecks } from './doctor/cluster-checks.ts';
import { type Check, type Finding, wrong } from './doctor/finding.ts';
import { hostedZoneChecks } from './doctor/hosted-zone-checks.ts';
import { openAccount } from './doctor/signed-request.ts';
import { configurationObjectCheck, eksCheck, findStack, stackCheck } from './doctor/stack-checks.ts';
import { tableCheck } from './doctor/table-check.ts';
import type { DoctorRequest } from './requests.ts';

export type Diagnosis = { readonly checks: readonly ({ readonly name: string } & Finding)[] };

/** How long one check may take. */
const CHECK_MS_MAX = 10_000;

/** Runs every check that what was given allows. Never throws: a check that fails is a finding. */
export async function runDoctor(request: DoctorRequest): Promise<Diagnosis> {
  const { config, configuration, context, clock, progress } = request;
  const checks: readonly Check[] = [
    { name: 'configuration', run: async () => configuration },
    ...accountChecks(request),
    ...hostedZoneChecks(config, clock),
    ...(context === null ? [] : clusterChecks(context, config, clock)),
  ];
  let done = 0;
  return {
    checks: await Promise.all(
      checks.map(async (check) => {
        const found = await judged(check);
        done += 1;
        progress(`${done} of ${checks.length} checks`);
        return found;
      }),
    ),
  };
}

/** The checks of stack, table and EKS cluster. */
function accountChecks({ stack, table, deployed, clock }: DoctorRequest): readonly Check[] {
  const account = once(() => openAccount(deployed?.region ?? null, clock));
  const find = once(async () => findStack(await account(), stack ?? ''));
  const tableOf = async () => table ?? (await find()).outputs.get('Table') ?? null;
  return [
    ...(stack === null ? [] : [stackCheck(stack, find), configurationObjectCheck(account, find)]),
    ...(stack === null && table === null ? [] : [tableCheck(table ?? 'of the stack', tableOf)]),
    ...(deployed?.access.kind === 'eks' ? [eksCheck(account, deployed.access, deployed.hasVpc)] : []),
  ];
}

async function judged({ name, run }: Check): Promise<Diagnosis['checks'][number]> {
  const late = wrong(
    `no answer within ${CHECK_MS_MAX / 1_000} seconds`,
    'Look at the network between here and there: address, proxy, firewall, security group.',
  );
  try {
    return { name, ...(await inTime(run(), CHECK_MS_MAX, late)) };
  } catch (error) {
    return { name, ...wrong(errorMessage(error), 'Correct what the message says, and run the command again.') };
  }
}
