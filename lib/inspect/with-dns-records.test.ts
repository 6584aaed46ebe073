import { describe, expect, it } from 'vitest';
import { A, type SeedWorld, type SeedWorldOptions, seedWorld } from '../../test/fakes/seed-world.ts';
import type { RecordSet } from '../dns/record-set.ts';
import { askingDnsRecords } from '../gardener/rehearse/explain-dns-records.ts';
import type { Explanation } from './explanation.ts';
import { withDnsRecords } from './with-dns-records.ts';

const OPERATION = 'gardener.cloud/operation';
const NAME = 'api.example.org.';
const KEY = { name: NAME, type: 'A', setIdentifier: null };
const saying = (value: string): RecordSet['content'] => ({ kind: 'values', ttlSeconds: 120, values: [value] });

/** The explanation of a name that no Zone covers. */
const NOBODY: Explanation = {
  ...{ name: NAME, type: null, zone: null, hostedZone: null, objects: [], route53: [] },
  ...{ published: [], protections: [], delegation: null, pending: [], held: [], advice: 'No object asks for it.' },
};

async function explained(world: SeedWorld, base = NOBODY, type: string | null = null, remembers = false) {
  const { seed, accounts } = world.deps;
  const given = { ...world.deps, seed: remembers ? null : { seed, accounts } };
  const all = withDnsRecords(base, await askingDnsRecords(given, base.name, type));
  return {
    objects: all.objects.map(
      ({ object, accepted, programmed }) => `${object} ${accepted.reason} ${programmed?.reason}`,
    ),
    hostedZone: all.hostedZone,
    route53: all.route53.map((set) => `${set.type} ${set.owner}`),
    published: all.published.map((set) => set.type),
    pending: all.pending.map(({ action, type: of }) => `${action} ${of}`),
    advice: all.advice,
  };
}

const OBJECT = 'DNSRecord shoot--foo--bar/api';
const ZONE = { id: 'Z1', name: 'example.org.' };

describe('explain of a name that a DNSRecord asks for', () => {
  it('names the DNSRecord before and after it is published, and says who owns the record set', async () => {
    const world = seedWorld();
    const ref = world.create('api', A);
    expect(await explained(world)).toEqual({
      objects: [`${OBJECT} Served Pending`],
      ...{ hostedZone: ZONE, route53: [], published: [], pending: ['create A'] },
      advice: `${OBJECT} is to be published or deleted (Create): the next run does it.`,
    });
    await world.serve([ref]);
    const after = {
      objects: [`${OBJECT} Served Published`],
      ...{ hostedZone: ZONE, route53: ['A zone53'], published: ['A'], pending: [] },
      advice: 'Nothing to do: Route 53 has what is desired.',
    };
    expect(await explained(world)).toEqual(after);
    expect(await explained(world, NOBODY, 'A')).toEqual(after);
    expect((await explained(world, NOBODY, 'TXT')).objects).toEqual([]);
    expect((await explained(world, { ...NOBODY, name: 'www.example.org.' })).advice).toBe('No object asks for it.');
    world.edit(ref, { values: ['192.0.2.2'] });
    expect((await explained(world)).advice).toContain('gardener.cloud/operation=reconcile');
  });

  it('uses what the ledger remembers when there is no API server', async () => {
    const world = seedWorld();
    const ref = world.create('api', A);
    await world.serve([ref]);
    expect(await explained(world, NOBODY, null, true)).toMatchObject({
      objects: [`${OBJECT} Served Published`],
      hostedZone: { id: 'Z1' },
      published: ['A'],
    });
    expect((await explained(world, NOBODY, 'TXT', true)).objects).toEqual([]);
  });

  it.each<[string, SeedWorldOptions['settings'], object, string, string]>([
    ['of somebody else', {}, {}, 'Served ForeignRecord', 'ERR_CONFIGURATION_PROBLEM'],
    ['that is wrong', {}, { values: ['::1'] }, 'InvalidSpec Pending', 'spec.values[0]'],
    ['of another class', { classes: ['garden'] }, {}, 'NotServed undefined', 'served are aws-route53 of garden'],
    ['of another type', {}, { type: 'google-clouddns' }, 'NotServed undefined', 'google-clouddns'],
  ])('%s says why it is not published', async (_, settings = {}, spec, reasons, words) => {
    const world = seedWorld({ settings });
    world.account.edit('Z1', KEY, saying('8.8.8.8'));
    const ref = world.create('api', { ...A, ...spec });
    await world.serve([ref]);
    const said = await explained(world);
    expect(said.objects).toEqual([`${OBJECT} ${reasons}`]);
    expect(said.advice).toContain(words);
    expect(said.route53.every((one) => one.endsWith('foreign'))).toBe(true);
  });

  it("says in the hosted zone of a Zone that zone53 published the name, and keeps the Zone's advice", async () => {
    const world = seedWorld();
    const ref = world.create('api', A, { [OPERATION]: 'reconcile' });
    await world.serve([ref]);
    const verdict = { reason: 'Adopted', message: '' };
    const base: Explanation = {
      ...NOBODY,
      ...{ zone: 'default/example', hostedZone: ZONE, advice: 'It is foreign.' },
      objects: [
        { object: 'Record default/api', type: 'A', accepted: verdict, programmed: null, parent: 'default/example' },
      ],
      route53: [{ type: 'A', setIdentifier: null, content: saying('192.0.2.1'), owner: 'foreign' }],
    };
    expect(await explained(world, base)).toMatchObject({
      objects: ['Record default/api Adopted undefined', `${OBJECT} Served Published`],
      route53: ['A zone53'],
      advice: 'It is foreign.',
    });
  });
});
