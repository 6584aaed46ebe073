// A hosted zone is imported, planned and applied with a Route 53 of our own: the plan shows nothing but adopt, and no
// call writes.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ChangeResourceRecordSetsCommand, CreateHostedZoneCommand } from '@aws-sdk/client-route-53';
import { expect, test, vi } from 'vitest';
import { printManifests } from '../../cli/account/print-manifests.ts';
import { runImport } from '../../cli/account/run-import.ts';
import { runApply } from '../../cli/run/plan-and-apply.ts';
import { route53Client } from '../../lib/adapters/route53/route53-client.ts';
import { systemClock } from '../../lib/adapters/system/system-time.ts';
import { type Config, DEFAULT_CONFIG } from '../../lib/ports/config.ts';
import { openLocalRoute53 } from '../../local/route53/api/open-local-route53.ts';
import { applyRequest, stubRoute53 } from '../support/apply-request.ts';
import { testFolder } from '../support/test-folder.ts';

const CREDENTIALS = { accessKeyId: 'test', secretAccessKey: 'test' };

test.each<[string, Config['soa']]>([
  ['by hand', 'created'],
  // What zone53 made, and with `always` every other, has its SOA published: the Zone has to say what stands.
  ['zone53:default:e.example.:1', 'created'],
  ['by hand', 'always'],
])(
  'what was imported of a hosted zone made as %j is adopted whole with soa: %s, without a call that writes',
  async (CallerReference, soa) => {
    const folder = testFolder();
    const route53 = await openLocalRoute53(path.join(folder, 'route53.json'), 0);
    stubRoute53(route53.url);
    const client = route53Client({ endpoint: route53.url, region: 'us-east-1', credentials: CREDENTIALS });
    try {
      const made = await client.send(new CreateHostedZoneCommand({ Name: 'e.example.', CallerReference }));
      const id = made.HostedZone?.Id?.split('/').pop() ?? '';
      const set = (Name: string, Type: 'A' | 'TXT' | 'MX', values: readonly string[], more: object = {}) => ({
        Action: 'CREATE' as const,
        ResourceRecordSet: { Name, Type, TTL: 300, ResourceRecords: values.map((Value) => ({ Value })), ...more },
      });
      const Changes = [
        set('www.e.example', 'A', ['192.0.2.1', '192.0.2.2']),
        set('*.e.example', 'TXT', ['"one" "two"']),
        set('e.example', 'MX', ['10 mail.e.example']),
        set('w.e.example', 'A', ['192.0.2.1'], { SetIdentifier: 'a', Weight: 10 }),
        set('w.e.example', 'A', ['192.0.2.2'], { SetIdentifier: 'b', Weight: 0 }),
      ];
      await client.send(new ChangeResourceRecordSetsCommand({ HostedZoneId: id, ChangeBatch: { Changes } }));
      const common = { config: { ...DEFAULT_CONFIG, soa }, clock: systemClock, log: () => {}, progress: () => {} };
      const imported = await runImport({
        ...common,
        hostedZoneId: id,
        namespace: 'default',
        zoneName: null,
        takesOver: true,
        withWriters: [],
      });
      if (imported === 'gone') throw new Error('the hosted zone is gone');
      expect(imported.problems).toEqual([]);
      await writeFile(path.join(folder, 'e.yaml'), printManifests(imported.manifests));
      let changes = 0;
      route53.state.onChange(() => {
        changes += 1;
      });
      const applied = await runApply(applyRequest(folder, 'e.yaml', common));
      if (applied.kind !== 'applied') throw new Error(applied.kind);
      const all = applied.output.hostedZones.flatMap((one) => one.changes);
      expect(all.map(({ action, outcome }) => `${action} ${outcome}`)).toEqual(Changes.map(() => 'adopt published'));
      expect(changes).toBe(0);
    } finally {
      vi.unstubAllEnvs();
      client.destroy();
      await route53.close();
    }
  },
);
