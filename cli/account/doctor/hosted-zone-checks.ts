// Checks of the configured hosted zones: each exists, can be read, and is what the configuration says.
import { GetHostedZoneCommand, ListResourceRecordSetsCommand, type Route53Client } from '@aws-sdk/client-route-53';
import { awsFailure } from '../../../lib/adapters/aws/aws-failure.ts';
import { accountClients } from '../../../lib/adapters/route53/account-clients.ts';
import { route53Client } from '../../../lib/adapters/route53/route53-client.ts';
import { parseName } from '../../../lib/dns/names/name.ts';
import { isAccountRefusal } from '../../../lib/objects/account-refusal.ts';
import type { Clock } from '../../../lib/ports/clock.ts';
import type { Config } from '../../../lib/ports/config.ts';
import { ALLOW, type Check, type Finding, fine, wrong } from './finding.ts';

type Configured = Config['hostedZones'][number];

/** A check for each hosted zone, in its account. */
export function hostedZoneChecks(
  { hostedZones, accounts }: Pick<Config, 'hostedZones' | 'accounts'>,
  clock: Clock,
): readonly Check[] {
  if (hostedZones.length === 0) return [];
  const own = route53Client();
  const clients = accountClients(accounts, own, clock);
  const clientOf = ({ account }: Configured) => (account === undefined ? own : (clients.get(account) ?? own));
  return hostedZones.map((one) => ({
    name: `hosted zone ${one.id}`,
    run: () => checkHostedZone(clientOf(one), one).catch((error: unknown) => refused(one, error)),
  }));
}

async function checkHostedZone(client: Route53Client, { id, zone, visibility }: Configured): Promise<Finding> {
  const { HostedZone, VPCs = [] } = await client.send(new GetHostedZoneCommand({ Id: id }));
  const name = HostedZone?.Name ?? '';
  if (parsed(name) !== parsed(zone))
    return wrong(
      `it is the hosted zone of ${name}, and the configuration says ${zone}`,
      `Correct hostedZones: aws route53 list-hosted-zones-by-name --dns-name ${zone} lists those of ${zone}.`,
    );
  const isPrivate = HostedZone?.Config?.PrivateZone === true;
  if (visibility !== undefined && (visibility === 'private') !== isPrivate)
    return wrong(
      `it is ${isPrivate ? 'private' : 'public'}, and the configuration says ${visibility}`,
      'Correct or remove visibility in hostedZones.',
    );
  await client.send(new ListResourceRecordSetsCommand({ HostedZoneId: id, MaxItems: 1 }));
  if (isPrivate && VPCs.length === 0)
    return wrong(
      `${name} is private, and associated with no VPC: nobody can ask it`,
      `Associate it with a VPC: aws route53 associate-vpc-with-hosted-zone --hosted-zone-id ${id} --vpc VPCRegion=…,VPCId=…`,
    );
  const vpcs = VPCs.map(({ VPCId }) => VPCId).join(', ');
  const count = `${HostedZone?.ResourceRecordSetCount ?? 0} record sets`;
  return fine(isPrivate ? `${name}, private, of ${vpcs}, ${count}` : `${name}, public, ${count}`);
}

function parsed(name: string): string {
  const found = parseName(name);
  return found.ok ? found.name : name;
}

function refused({ id, zone, account }: Configured, error: unknown): Finding {
  const { kind, code, message } = awsFailure(error);
  const where = account === undefined ? 'this account' : `account ${account}`;
  if (account !== undefined && isAccountRefusal(message))
    return wrong(message, `Compare the role with what zone53 manifests-for-account ${account} prints.`);
  if (code === 'NoSuchHostedZone' || code === 'InvalidInput')
    return wrong(
      `Route 53 has no hosted zone ${id} in ${where}`,
      `Correct hostedZones, or use the account that has it: aws route53 list-hosted-zones-by-name --dns-name ${zone}`,
    );
  if (kind === 'unsent') return wrong(`Route 53 cannot be asked: ${message}`, 'Sign in to AWS, and set AWS_PROFILE.');
  return wrong(`Route 53 answers ${code}: ${message}`, ALLOW);
}
