// The contract of the in-process queues: as they are, and with the disorder that SQS may cause.
import { inProcessQueues } from '../../../lib/adapters/queues/in-process-queues.ts';
import { queuesContract } from './queues-contract.ts';

const clock = { nowMs: Date.now };
const retryAfterMs = () => 50;

queuesContract('in process', async () => {
  const queues = inProcessQueues({ clock, retryAfterMs });
  return { queues, attach: queues.attach, close: queues.close };
});

queuesContract('in process, with disorder', async () => {
  let seed = 53;
  const random = () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return seed / 2 ** 32;
  };
  const disorder = { random, delayMsMax: 50, duplicateShare: 0.3 };
  const queues = inProcessQueues({ clock, retryAfterMs, disorder, batchMax: 10 });
  return { queues, attach: queues.attach, close: queues.close };
});
