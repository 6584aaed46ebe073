// For tests of inputs that were found from outside and that need Route 53: our strict one in this process, with change
// batches from the input's folder, and commands over its manifests with a ledger of their own.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  ChangeResourceRecordSetsCommand,
  CreateHostedZoneCommand,
  ListResourceRecordSetsCommand,
  Route53Client,
} from '@aws-sdk/client-route-53';
import { afterEach, beforeEach, vi } from 'vitest';
import { startRoute53 } from '../../local/route53/api/server.ts';
import { createRoute53State } from '../../local/route53/model/state.ts';
import { stubRoute53 } from './apply-request.ts';
import { type Ran, runHere } from './run-here.ts';
import { testFolder } from './test-folder.ts';

export type FoundAccount = {
  /** A hosted zone, with the change batch of a file in the input's folder, if one is given. Returns its id. */
  hostedZone(name: string, file?: string): Promise<string>;
  /** `name type value | value`, without NS and SOA of the apex. */
  standing(id: string): Promise<string[]>;
  /** Runs a command with the zone53.yaml of the folder, and a ledger that lasts for the test. */
  run(...argv: readonly string[]): Promise<Ran>;
  /** `zone53 import` of a hosted zone, which needs neither. */
  import(id: string, ...flags: readonly string[]): Promise<Ran>;
};

/** Each test has an account of its own. `folder`: the input's. */
export function foundAccount(folder: string): FoundAccount {
  let client: Route53Client;
  let close: () => Promise<void>;
  let state: string;
  beforeEach(async () => {
    const route53 = createRoute53State({ clock: { nowMs: Date.now }, random: Math.random });
    const server = await startRoute53({ state: route53 });
    stubRoute53(server.url);
    client = new Route53Client({});
    close = () => server.close();
    state = testFolder();
  });
  afterEach(async () => {
    client.destroy();
    await close();
    vi.unstubAllEnvs();
  });
  return {
    hostedZone: async (name, file) => {
      const made = await client.send(new CreateHostedZoneCommand({ Name: name, CallerReference: name }));
      const id = made.HostedZone?.Id?.replace('/hostedzone/', '') ?? '';
      if (file === undefined) return id;
      const ChangeBatch = JSON.parse(readFileSync(path.join(folder, file), 'utf8'));
      await client.send(new ChangeResourceRecordSetsCommand({ HostedZoneId: id, ChangeBatch }));
      return id;
    },
    standing: async (id) => {
      const { ResourceRecordSets = [] } = await client.send(new ListResourceRecordSetsCommand({ HostedZoneId: id }));
      const apex = ResourceRecordSets.find(({ Type }) => Type === 'SOA')?.Name;
      return ResourceRecordSets.filter(({ Name, Type }) => Name !== apex || (Type !== 'SOA' && Type !== 'NS')).map(
        ({ Name, Type, ResourceRecords = [] }) =>
          `${Name} ${Type} ${ResourceRecords.map(({ Value }) => Value).join(' | ')}`,
      );
    },
    import: (id, ...flags) => runHere('import', '--hosted-zone', id, ...flags),
    run: (...argv) => runHere(...argv, '--config', path.join(folder, 'zone53.yaml'), '--state', state),
  };
}
