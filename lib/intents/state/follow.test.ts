import { expect, test } from 'vitest';
import { memoryCentralCluster } from '../../../test/fakes/memory-central-cluster.ts';
import { intentClient } from '../../../test/support/intent-client.ts';
import { follower } from './follow.ts';

test('a project that is asked for at any moment of a run is run before idle() resolves', async () => {
  const { deps } = intentClient();
  for (let moment = 0; moment < 150; moment += 1) {
    const compared = new Set<string>();
    const { port } = memoryCentralCluster();
    const list: typeof port.list = async (kind, labels) => {
      compared.add(kind.namespace);
      return port.list(kind, labels);
    };
    const { askProject, idle } = follower(deps.state, { ...port, list }, () => {});
    askProject('shop');
    for (let passed = 0; passed < moment; passed += 1) await null;
    askProject('bank');
    await idle();
    expect([moment, ...compared].join()).toBe(`${moment},shop,bank`);
  }
});
