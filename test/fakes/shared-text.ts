// A wildcard and the name that replaces it (`--txt-wildcard-replacement`) share one TXT record of external-dns.
import { APEX, type PublishWorld, values, want, wanted, ZONE_ID } from './publish-world.ts';

export type Which = 'wild' | 'any';
export const NAMES = { wild: `*.${APEX}`, any: `any.${APEX}` } as const;
/** The other one of the two. */
export const OTHER = { wild: 'any', any: 'wild' } as const;
/** The TXT record set that notes the owner of both. */
export const OWNER = `txt.any.${APEX}`;
export const REGISTRY = {
  ownerId: 'prod',
  txtPrefix: 'txt.',
  txtSuffix: '',
  wildcardReplacement: 'any',
  decrypt: null,
  deleteUnwanted: false,
};
export const CLAIM = '"heritage=external-dns,external-dns/owner=prod"';
export const TEXT = `${OWNER} TXT ${CLAIM} 300`;
export const OURS = { wild: wanted(NAMES.wild, 'A', ['192.0.2.1']), any: wanted(NAMES.any, 'A', ['192.0.2.2']) };
/** As `standing()` has what is desired, and what external-dns wrote. */
export const LINES = { wild: `${NAMES.wild} A 192.0.2.1 300`, any: `${NAMES.any} A 192.0.2.2 300` };
export const THEIRS = { wild: `${NAMES.wild} A 192.0.2.9 300`, any: `${NAMES.any} A 192.0.2.8 300` };

/** Writes a record set into Route 53 as external-dns or a person does; null deletes it. */
export function put({ route53 }: PublishWorld, name: string, type: string, rdata: string | null): void {
  route53.edit(ZONE_ID, { name, type, setIdentifier: null }, rdata === null ? null : values(300, rdata));
}

/** external-dns writes one of the two. */
export function putTheirs(world: PublishWorld, which: Which): void {
  put(world, NAMES[which], 'A', { wild: '192.0.2.9', any: '192.0.2.8' }[which]);
}

/** external-dns writes both, and the TXT record set that notes their owner. */
export function putBoth(world: PublishWorld): void {
  putTheirs(world, 'wild');
  putTheirs(world, 'any');
  put(world, OWNER, 'TXT', CLAIM);
}

/** Objects ask for these, and for nothing else of the two. */
export async function wantOnly(world: PublishWorld, ...which: readonly Which[]): Promise<void> {
  for (const one of ['wild', 'any'] as const)
    await want(world, NAMES[one], ...(which.includes(one) ? [OURS[one]] : []));
}
