// The order in which an observation is noted: after a run that dies in between, the next run notices what is missing.
// (Simulation seed 107.)

import { expect, test } from 'vitest';
import { memoryLedger } from '../adapters/ledger/memory-ledger.ts';
import type { ClusterObject } from '../ports/cluster.ts';
import type { Context } from '../ports/context.ts';
import type { Ledger } from '../ports/ledger.ts';
import { SOURCES } from '../sources/source.ts';
import { observe } from './observe-object.ts';
import { statusCodec, statusKey } from './status-item.ts';

const REF = { kind: 'Record', namespace: 'a', name: 'r' } as const;
const CONDITION = {
  type: 'Accepted',
  status: 'False',
  reason: 'InvalidSpec',
  message: 'm',
  observedGeneration: 1,
} as const;
const SHOWN = { fqdn: null, parent: null, conditions: [CONDITION] };

function contextOf(ledger: Ledger, object: ClusterObject): Context {
  const cluster = { clusterId: 'default', get: async () => ({ kind: 'present', object }) };
  const clock = { nowMs: () => 0 };
  return { ledger, cluster, clock, config: { clusterId: 'default' }, sources: SOURCES } as unknown as Context;
}

test('observe() notes a forged label that a run noticed which died before it could note it', async () => {
  const ledger = memoryLedger();
  const object: ClusterObject = {
    ref: REF,
    uid: 'u',
    creationTimestamp: null,
    order: '',
    version: '1',
    generation: 1,
    annotations: {},
    labels: {},
    spec: null,
    status: { fqdn: null, conditions: [CONDITION] },
    origin: null,
  };
  await (await observe(contextOf(ledger, object), REF))?.noteSettled();
  const key = statusKey('default', REF);
  await ledger.put(key, statusCodec.encode({ uid: 'u', ...SHOWN, hash: null, serial: null, entries: null }), null);

  const forged: ClusterObject = { ...object, version: '2', labels: { 'kubi.zone/parent-zone': 'sub.b' } };
  const dying: Ledger = {
    ...ledger,
    get: async (asked) => {
      if (asked.partition === key.partition) throw new Error('the run died');
      return ledger.get(asked);
    },
  };
  await expect(observe(contextOf(dying, forged), REF)).rejects.toThrow('died');
  await observe(contextOf(ledger, forged), REF);

  const noted = await ledger.get(key);
  expect(noted === null ? null : statusCodec.decode(noted).overwritten).toBe(true);
});
