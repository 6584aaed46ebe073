import { afterEach, expect, it, vi } from 'vitest';
import { parseDeployed } from '../../lib/adapters/config/deployed-config.ts';
import { eachCluster } from './clusters.ts';
import { logger } from './wire.ts';

const access = {
  endpoint: 'https://k8s.example',
  tokenSecret: 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:t',
};
const hostedZones = [{ zone: 'example.org', id: 'Z1' }];
const cluster = { roots: [], access };

afterEach(() => void vi.restoreAllMocks());

/** What two lines of the log of each cluster have besides their message. */
async function fieldsOf(written: object): Promise<readonly [string | null, unknown][]> {
  const parsed = parseDeployed({ hostedZones, ...written });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  const info = vi.spyOn(logger, 'info').mockImplementation(() => {});
  const served = await eachCluster(parsed, (one) => one);
  for (const { tag, mark } of served.values()) if (mark !== null) tag({ correlationId: `of-${mark}` });
  for (const { log } of served.values()) log('info', 'a line', { more: 1 });
  return [...served.values()].map(({ mark }, index) => [mark, info.mock.calls[index]?.[1]]);
}

it('eachCluster() marks messages and log lines where there are several clusters', async () => {
  expect(await fieldsOf({ clusters: { eu: cluster, us: cluster } })).toEqual([
    ['eu', { cluster: 'eu', correlationId: 'of-eu', more: 1 }],
    ['us', { cluster: 'us', correlationId: 'of-us', more: 1 }],
  ]);
});

it('eachCluster() marks nothing of an only cluster, however it is written', async () => {
  for (const written of [{ clusters: { eu: cluster } }, { clusterId: 'eu', ...cluster }])
    expect(await fieldsOf(written)).toEqual([[null, { more: 1 }]]);
});
