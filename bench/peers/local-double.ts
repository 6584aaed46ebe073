// Our own strict Route 53 in memory, and a DNS server that answers from it, as a process that prints the URL of the one
// and the port of the other. It does not limit calls: the proxy does.
import { startDns } from '../../local/dns/server.ts';
import { startRoute53 } from '../../local/route53/api/server.ts';
import { createRoute53State } from '../../local/route53/model/state.ts';

const clock = { nowMs: Date.now };
const state = createRoute53State({ clock, random: Math.random, insyncDelayMs: 1_000, recordSetsMax: Infinity });
const { url } = await startRoute53({ state, port: 0, limits: null });
const dns = await startDns({ zones: () => state.zones() });
state.onChange(dns.reload);
process.stdout.write(`dns ${dns.port}\n${url}\n`);
