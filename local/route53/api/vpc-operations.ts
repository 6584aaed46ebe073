// The operations that associate VPCs with private hosted zones. Source: API reference 2013-04-01. Last verified
// 2026-11-22.
import { checkVpc } from '../model/vpcs.ts';
import { invalidInput } from '../values/route53-error.ts';
import { changeContent } from './format-response.ts';
import { maxItems, type Operation, ok } from './operation.ts';
import { readVpcAssociation } from './read-requests.ts';

/** The account that owns every hosted zone here. */
const OWNING_ACCOUNT = '123456789012';

export const VPC_OPERATIONS: readonly Operation[] = [
  {
    name: 'AssociateVPCWithHostedZone',
    method: 'POST',
    path: /^hostedzone\/([^/]+)\/associatevpc$/,
    run: (state, { path: [id = ''], body }) => {
      state.getHostedZone(id);
      const { vpc, comment } = readVpcAssociation(body, 'AssociateVPCWithHostedZoneRequest');
      const change = state.associateVpc(id, vpc, comment);
      return ok('AssociateVPCWithHostedZoneResponse', { ChangeInfo: changeContent(change) });
    },
  },
  {
    name: 'DisassociateVPCFromHostedZone',
    method: 'POST',
    path: /^hostedzone\/([^/]+)\/disassociatevpc$/,
    run: (state, { path: [id = ''], body }) => {
      state.getHostedZone(id);
      const { vpc, comment } = readVpcAssociation(body, 'DisassociateVPCFromHostedZoneRequest');
      const change = state.disassociateVpc(id, vpc, comment);
      return ok('DisassociateVPCFromHostedZoneResponse', { ChangeInfo: changeContent(change) });
    },
  },
  {
    name: 'ListHostedZonesByVPC',
    method: 'GET',
    path: /^hostedzonesbyvpc$/,
    run: (state, { query }) => {
      const [id, region] = [query.get('vpcid'), query.get('vpcregion')];
      if (id === null || region === null)
        throw invalidInput('The input is not valid: VPCId and VPCRegion are required');
      const page = state.listHostedZonesByVpc({
        vpc: checkVpc({ id, region }),
        token: query.get('nexttoken'),
        maxItems: maxItems(query),
      });
      const summaries = page.items.map((zone) => ({
        HostedZoneId: zone.id,
        Name: zone.name,
        Owner: { OwningAccount: OWNING_ACCOUNT },
      }));
      return ok('ListHostedZonesByVPCResponse', {
        HostedZoneSummaries: { HostedZoneSummary: summaries },
        MaxItems: page.maxItems,
        NextToken: page.nextToken,
      });
    },
  },
];
