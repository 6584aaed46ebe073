// What a validating webhook refuses at the door, and what it lets pass.
import { expect, test } from 'vitest';
import { memoryCluster } from '../../test/fakes/memory-cluster.ts';
import { parseRootPattern } from '../dns/pattern.ts';
import { parseRef } from '../kubizone/objects.ts';
import { DEFAULT_CONFIG } from './config.ts';
import { judgeAdmission } from './judge-admission.ts';

const PARENT = { domainName: 'e.', delegations: [{ namespace: 'team', records: [{ pattern: '*.app' }] }] };
const GOOD = { domainName: 'www.app.e.', type: 'A', rdata: '192.0.2.1' };
const DENIED = { ...GOOD, domainName: 'www.e.' };
const INVALID = { ...GOOD, rdata: '192.0.2.300' };
const ROOT = parseRootPattern('e.');
if (!ROOT.ok) throw new Error(ROOT.problems.join());
const CONFIG = { ...DEFAULT_CONFIG, roots: [{ pattern: ROOT.pattern, namespaces: null }] };

async function zones() {
  const cluster = memoryCluster();
  cluster.put(parseRef('Zone dns/e'), PARENT, {}, 1_000);
  return (await cluster.port.list()).objects;
}

test.each<[string, string, unknown, unknown, RegExp | null]>([
  ['a good Record', 'Record team/www', GOOD, undefined, null],
  ['an invalid Record', 'Record team/www', INVALID, undefined, /^InvalidSpec: .*192\.0\.2\.300/],
  ['an invalid spec that stands already', 'Record team/www', INVALID, INVALID, null],
  ['an edit that stays invalid', 'Record team/www', INVALID, { ...INVALID, ttl: 1 }, /^InvalidSpec: /],
  ['a name that is not delegated', 'Record team/www', DENIED, undefined, /^DelegationDenied: .*www\.e\./],
  ['a parent that may come', 'Record team/www', { ...GOOD, domainName: 'www.other.' }, undefined, null],
  [
    'a zoneRef to a Zone that may come',
    'Record team/www',
    { ...GOOD, domainName: 'www', zoneRef: { name: 'z' } },
    undefined,
    null,
  ],
  ['a root that is not allowed', 'Zone team/bank', { domainName: 'bank.example.' }, undefined, /^RootNotAllowed: /],
  ['a second Zone of one name', 'Zone dns/second', PARENT, undefined, /^Conflict: /],
  ['an edit of the Zone that has the name', 'Zone dns/e', { ...PARENT, delegations: [] }, PARENT, null],
])('%s', async (_title, ref, spec, oldSpec, message) => {
  const refusal = judgeAdmission({ ref: parseRef(ref), spec, oldSpec }, await zones(), CONFIG);
  if (message === null) expect(refusal).toBeNull();
  else expect(refusal).toMatch(message);
});

test('without the Zones the spec is judged by itself', () => {
  const judge = (spec: unknown) =>
    judgeAdmission({ ref: parseRef('Record team/www'), spec, oldSpec: undefined }, null, CONFIG);
  expect(judge(DENIED)).toBeNull();
  expect(judge(INVALID)).toMatch(/^InvalidSpec: /);
});
