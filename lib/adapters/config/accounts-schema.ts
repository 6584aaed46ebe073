// `accounts`: other AWS accounts with hosted zones, each with the role by which zone53 works there.
import * as z from 'zod';
import { didYouMean } from '../../dns/names/edit-distance.ts';
import type { AccountSettings } from '../../ports/config.ts';
import { flag } from './value-schemas.ts';

const EXAMPLE = '{ dns: { role: arn:aws:iam::111122223333:role/zone53-publisher, externalId: prod } }';

const NAME_OF_ACCOUNT = 'name the account with letters, digits, ".", "-" and "_", 63 at most';
const accountId = z.string().regex(/^[A-Za-z0-9._-]{1,63}$/, NAME_OF_ACCOUNT);

const account = z.strictObject(
  {
    role: z
      .string('write the ARN of a role')
      .regex(/^arn:[\w-]+:iam::\d{12}:role\/.+$/, 'write the ARN of a role, such as arn:aws:iam::123456789012:role/dns')
      .describe('The ARN of the role that zone53 assumes there.'),
    externalId: z
      .string('write the external id of the role')
      .regex(/^[\w+=,.@:/-]{2,1224}$/, 'write 2 to 1224 letters, digits and +=,.@:/-')
      .nullish()
      .describe('The external id that the trust policy of the role asks for. Left out: it asks for none.'),
    intents: flag
      .nullish()
      .describe('Whether a DNS Update Record may name the role in aws-assume-role. Default false.'),
  },
  `write a mapping, such as ${EXAMPLE}`,
);

export const accountsSchema = z
  .record(accountId, account, {
    error: ({ code }) =>
      code === 'invalid_type'
        ? `write a mapping, such as ${EXAMPLE}`
        : code === 'invalid_key'
          ? NAME_OF_ACCOUNT
          : undefined,
  })
  .nullish()
  .describe('Other AWS accounts that have hosted zones, by a name of your choice (docs/accounts.md).');

/** The accounts of a valid configuration. */
export function buildAccounts(written: z.output<typeof accountsSchema>): Readonly<Record<string, AccountSettings>> {
  return Object.fromEntries(
    Object.entries(written ?? {}).map(([id, { role, externalId, intents }]) => [
      id,
      { role, externalId: externalId ?? null, intents: intents === true },
    ]),
  );
}

/** What is wrong with the account of a hosted zone; null: it is declared. */
export function undeclared(account: string, accounts: z.output<typeof accountsSchema>): string | null {
  const declared = Object.keys(accounts ?? {});
  if (declared.includes(account)) return null;
  const known = declared.length === 0 ? `declare it: accounts: ${EXAMPLE}` : `known are ${declared.join(', ')}`;
  return `accounts has no "${account}": ${known}${didYouMean(account, declared)}`;
}
