import { join } from 'node:path';
import { ChangeResourceRecordSetsCommand, CreateHostedZoneCommand, Route53Client } from '@aws-sdk/client-route-53';
import { expect, it } from 'vitest';
import { testFolder } from '../../../test/support/test-folder.ts';
import { loadSnapshot } from '../model/snapshot.ts';
import { openLocalRoute53 } from './open-local-route53.ts';

it('everything that was answered is in the file, also without close()', async () => {
  const folder = testFolder();
  const file = join(folder, 'route53.json');
  const server = await openLocalRoute53(file, 0);
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const client = new Route53Client({ endpoint: server.url, region: 'us-east-1', credentials });
  try {
    const made = await client.send(new CreateHostedZoneCommand({ Name: 'example.org', CallerReference: 'r' }));
    expect(await loadSnapshot(file)).toEqual(server.state.snapshot());
    const names = ['a', 'b', 'c'].map((label) => `${label}.example.org.`);
    const put = (Name: string) =>
      new ChangeResourceRecordSetsCommand({
        HostedZoneId: made.HostedZone?.Id,
        ChangeBatch: {
          Changes: [
            {
              Action: 'CREATE',
              ResourceRecordSet: { Name, Type: 'A', TTL: 60, ResourceRecords: [{ Value: '192.0.2.1' }] },
            },
          ],
        },
      });
    await Promise.all(
      names.map(async (name) => {
        await client.send(put(name));
        expect(JSON.stringify(await loadSnapshot(file))).toContain(name);
      }),
    );
    expect(await loadSnapshot(file)).toEqual(server.state.snapshot());
  } finally {
    await server.close();
  }
});
