// A name whose record sets share one TXT record of external-dns, in its old format.
import { APEX, type PublishWorld, values, ZONE_ID } from './publish-world.ts';

export const W = `w.${APEX}`;
/** The TXT record set that notes the owner of all record sets of `W`. */
export const OWNER = `txt.${W}`;
export const REGISTRY = {
  ownerId: 'prod',
  txtPrefix: 'txt.',
  txtSuffix: '',
  wildcardReplacement: '',
  decrypt: null,
  deleteUnwanted: false,
};
export const CLAIM = '"heritage=external-dns,external-dns/owner=prod"';

/** Writes a record set into Route 53 as external-dns or a person does; null deletes it. */
export function put({ route53 }: PublishWorld, name: string, type: string, rdata: string | null): void {
  route53.edit(ZONE_ID, { name, type, setIdentifier: null }, rdata === null ? null : values(300, rdata));
}
