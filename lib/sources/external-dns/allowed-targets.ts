// Keeps addresses out that the configuration does not allow as targets: `sources.defaults.targets`. Host names are not
// looked up, so they are not judged.
import { isInNetwork } from '../../dns/rdata/network.ts';
import type { SourceSettings } from '../../objects/source-settings.ts';
import type { Draft } from './draft.ts';
import { hasTargets, type Targets } from './targets.ts';

/** How many addresses a message lists. */
const SHOWN_MAX = 5;

type Judging = { readonly settings: Pick<SourceSettings, 'targets'>; readonly draft: Draft };

/** The targets of a name that are allowed; null if it has some and none is, so that it gets no endpoint. */
export function allowedTargets(fqdn: string, all: Targets, { settings, draft }: Judging): Targets | null {
  const isAllowed = (address: string) => isAllowedTarget(address, settings.targets);
  const targets = { ...all, ipv4: all.ipv4.filter(isAllowed), ipv6: all.ipv6.filter(isAllowed) };
  const out = [...all.ipv4, ...all.ipv6].filter((address) => !isAllowed(address));
  if (out.length === 0) return targets;
  const more = out.length > SHOWN_MAX ? ` and ${out.length - SHOWN_MAX} more` : '';
  const listed = `${out.slice(0, SHOWN_MAX).join(', ')}${more}`;
  draft.note(`${fqdn} does not get ${listed}: sources.defaults.targets of the configuration keeps that out`);
  if (hasTargets(targets)) return targets;
  draft.lack(fqdn, `sources.defaults.targets of the configuration keeps out its addresses: ${listed}`);
  return null;
}

function isAllowedTarget(address: string, { only, not }: SourceSettings['targets']): boolean {
  if (not.some((network) => isInNetwork(network, address))) return false;
  return only.length === 0 || only.some((network) => isInNetwork(network, address));
}
