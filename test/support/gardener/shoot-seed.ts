// The start of the end-to-end tests of `plan`, `explain` and `apply` of DNSRecords: a seed with one shoot, whose Secret
// has the keys of an account with the hosted zone example.org. zone53 has its rights in the seed, and is not running.
import { type AwsAccount, startAccounts } from './accounts.ts';
import { type At, keysOf, type Seed, startSeed } from './seed.ts';

export const SHOOT = 'shoot--foo--bar';

export type ShootSeed = {
  readonly account: AwsAccount;
  readonly seed: Seed;
  /** The id of the hosted zone. */
  readonly zone: string;
  /** Runs a command of zone53 against the seed; returns its exit code and its JSON. Throws when it prints none. */
  // biome-ignore lint/suspicious/noExplicitAny: the JSON of any command
  json(...argv: readonly string[]): Promise<{ readonly code: number | null; readonly said: any }>;
  end(): Promise<void>;
};

/** A DNSRecord of the shoot. */
export function inShoot(name: string): At {
  return { namespace: SHOOT, name };
}

/** The spec of a DNSRecord below example.org., with the Secret of the shoot. */
export function shootRecord(name: string, fields: object = {}): object {
  return {
    ...{ type: 'aws-route53', secretRef: { name: 'dns' }, name: `${name}.example.org` },
    ...{ recordType: 'A', values: ['192.0.2.1'], ...fields },
  };
}

/** Starts it all. */
export async function startShootSeed(): Promise<ShootSeed> {
  const accounts = await startAccounts('strict');
  const account = await accounts.open();
  const zone = await account.createZone('example.org.');
  const env = { AWS_ACCESS_KEY_ID: account.accessKeyId };
  const seed = await startSeed(accounts, '{ requestsPerSecond: 20 }', { env });
  const end = async () => {
    await seed.end();
    await accounts.close();
  };
  try {
    await seed.namespace(SHOOT);
    await seed.secret(inShoot('dns'), keysOf(account));
    // The first start gives zone53 its rights.
    await seed.start();
    await seed.kill();
  } catch (error) {
    await end();
    throw error;
  }
  return {
    account,
    seed,
    zone,
    json: async (...argv) => {
      const ran = await seed.run(...argv, '--context', 'zone53', '--state', '.zone53/local', '-o', 'json');
      if (ran.out === '') throw new Error(ran.err);
      return { code: ran.code, said: JSON.parse(ran.out) };
    },
    end,
  };
}
