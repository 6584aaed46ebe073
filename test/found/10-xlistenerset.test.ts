// From outside: a route of an XListenerSet, as the experimental channel of the Gateway API has it
// (kubernetes-sigs/external-dns#5694).
import path from 'node:path';
import { expect, test } from 'vitest';
import { runHere } from '../support/run-here.ts';

const FOLDER = path.join(import.meta.dirname, '10-xlistenerset');

test('its listeners lead to the addresses of its Gateway', async () => {
  const { out, err, code } = await runHere(
    ...['render', '-f', FOLDER, '--source', 'gatewayRoutes', '--strict', '-o', 'json'],
  );
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const [zone] = JSON.parse(out).zones;
  expect(zone.entries.slice(1)).toMatchObject([{ fqdn: 'service6.ex.test.', type: 'A', rdata: '192.0.2.1' }]);
});
