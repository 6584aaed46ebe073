// Our own strict Route 53 in memory, as a process that prints its URL. It does not limit calls: the proxy does.
import { startRoute53 } from '../../local/route53/api/server.ts';
import { createRoute53State } from '../../local/route53/model/state.ts';

const clock = { nowMs: Date.now };
const state = createRoute53State({ clock, random: Math.random, insyncDelayMs: 1_000, recordSetsMax: Infinity });
const { url } = await startRoute53({ state, port: 0, limits: null });
process.stdout.write(`${url}\n`);
