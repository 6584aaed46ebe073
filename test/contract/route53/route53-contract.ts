// One contract for every Route 53 of our tests: ours under local/ (in `npm test`) and moto (in `npm run e2e`). The
// title of each case is a statement about Route 53. An engine that is looser than Route 53 lists these cases with the
// reason; a title in that list without a case is an error, so that the list stays correct.
import { Route53Client } from '@aws-sdk/client-route-53';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { aliasCases } from './cases/aliases.ts';
import { changeCases } from './cases/changes.ts';
import { cidrAndHealthCases } from './cases/cidr-and-health.ts';
import { hostedZoneCases } from './cases/hosted-zones.ts';
import { limitCases } from './cases/limits.ts';
import { listCases } from './cases/lists.ts';
import { privateZoneCases } from './cases/private-zones.ts';
import { protectionCases } from './cases/protections.ts';
import { routingCases } from './cases/routing.ts';
import { routingPolicyCases } from './cases/routing-policies.ts';
import { keptValueCases, refusedValueCases } from './cases/values.ts';
import { type Account, type ContractCase, route53Account } from './route53-account.ts';

export type ContractEndpoint = { readonly url: string; close(): Promise<void> };

export type ContractOptions = {
  /** The cases in which this engine is looser: the name of the case, and what the engine does instead. */
  readonly looser?: Readonly<Record<string, string>>;
};

const CASES: readonly ContractCase[] = [
  ...hostedZoneCases,
  ...changeCases,
  ...routingCases,
  ...aliasCases,
  ...routingPolicyCases,
  ...privateZoneCases,
  ...cidrAndHealthCases,
  ...listCases,
  ...limitCases,
  ...protectionCases,
  ...keptValueCases,
  ...refusedValueCases,
];

/** Declares the contract as tests of one engine. `makeEndpoint` starts it without a budget of requests. */
export function route53Contract(
  name: string,
  makeEndpoint: () => Promise<ContractEndpoint>,
  { looser = {} }: ContractOptions = {},
): void {
  const known = new Set(CASES.map((one) => one.name));
  const strays = Object.keys(looser).filter((one) => !known.has(one));
  if (strays.length > 0) throw new Error(`No such case of the Route 53 contract: ${strays.join('; ')}`);

  describe(`the Route 53 contract on ${name}`, () => {
    let endpoint: ContractEndpoint;
    let account: Account;
    beforeAll(async () => {
      endpoint = await makeEndpoint();
      const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
      const client = new Route53Client({ endpoint: endpoint.url, region: 'us-east-1', credentials, maxAttempts: 1 });
      account = route53Account(client);
    });
    afterAll(async () => {
      account?.client.destroy();
      await endpoint?.close();
    });
    for (const one of CASES) {
      const why = looser[one.name];
      if (why === undefined) it(one.name, () => one.run(account));
      else it.skip(`${one.name} (${name}: ${why})`, () => one.run(account));
    }
  });
}
