// The contract of the in-process queues.
import { inProcessQueues } from '../../../lib/adapters/queues/in-process-queues.ts';
import { queuesContract } from './queues-contract.ts';

const clock = { nowMs: Date.now };
const retryAfterMs = () => 50;

queuesContract('in process', async () => {
  const queues = inProcessQueues({ clock, retryAfterMs });
  return { queues, attach: queues.attach, close: queues.close };
});
