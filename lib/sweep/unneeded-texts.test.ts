// A TXT record of external-dns that stayed for another record set is deleted by the first sweep that finds no other
// record set which needs it.
import { expect, test } from 'vitest';
import {
  APEX,
  annotate,
  dirtyNames,
  hostedZone,
  intercepted,
  itemAt,
  type PublishWorld,
  publishWorld,
  run,
  standing,
  type WorldOptions,
  want,
  wanted,
  ZONE_ID,
} from '../../test/fakes/publish-world.ts';
import {
  CLAIM,
  LINES,
  NAMES,
  OTHER,
  OURS,
  OWNER,
  put,
  putBoth,
  REGISTRY,
  TEXT,
  type Which,
  wantOnly,
} from '../../test/fakes/shared-text.ts';
import { sweepContext } from '../../test/fakes/sweep-world.ts';
import { DEFAULT_CONFIG } from '../ports/config.ts';
import { sweepHostedZone } from './sweep-hosted-zone.ts';

async function migrated(config: WorldOptions['config'] = { externalDns: [REGISTRY] }): Promise<PublishWorld> {
  const world = await publishWorld({ config });
  putBoth(world);
  return world;
}

/** Sweeps and publishes. Returns how many times Route 53 was called by the run of publish. */
async function sweep(world: PublishWorld): Promise<number> {
  const { route53 } = world;
  world.clock.ms += 3_600_000;
  // As in a deployed sweep, which has no right to the keys: only publish is given the external-dns with them.
  const takeover = { namespaces: null, equal: false, externalDns: [{ ...REGISTRY, aesKeySecret: null }] };
  await sweepHostedZone(sweepContext(world, { ...DEFAULT_CONFIG, takeover }), ZONE_ID);
  const before = route53.calls.length;
  await run(world);
  return route53.calls.length - before;
}

/** Takes over one of the two; the other one stays with external-dns. */
async function takenOver(type: Which, config?: WorldOptions['config']): Promise<PublishWorld> {
  const world = await migrated(config);
  await wantOnly(world, type);
  await run(world);
  expect(standing(world)).toContain(LINES[type]);
  expect(standing(world)).toContain(TEXT);
  return world;
}

test.each(['wild', 'any'] as const)(
  'sweepHostedZone() has the TXT record deleted when somebody deleted the other record set than the %s',
  async (type) => {
    const world = await takenOver(type);
    put(world, NAMES[OTHER[type]], 'A', null);
    put(world, NAMES.any, 'AAAA', '2001:db8::9');
    await sweep(world);
    expect(standing(world)).toEqual([LINES[type], `${NAMES.any} AAAA 2001:db8::9 300`].sort());
    expect(await sweep(world)).toBe(0);
  },
);

test.each(['wild', 'any'] as const)(
  'sweepHostedZone() leaves the TXT record while external-dns owns the other record set than the %s',
  async (type) => {
    const world = await takenOver(type);
    expect(await sweep(world)).toBe(0);
    expect(standing(world)).toContain(TEXT);
  },
);

test('sweepHostedZone() has nothing deleted when external-dns has changed the owner in the TXT record', async () => {
  const world = await takenOver('wild');
  put(world, NAMES.any, 'A', null);
  put(world, OWNER, 'TXT', CLAIM.replace('prod', 'other'));
  await sweep(world);
  expect(standing(world)).toEqual([LINES.wild, TEXT.replace('prod', 'other')]);
  expect(await sweep(world)).toBe(0);
});

test.each(['wild', 'any'] as const)(
  'publish() deletes the TXT record with the %s when somebody deleted the other record set before',
  async (type) => {
    const world = await takenOver(type);
    put(world, NAMES[OTHER[type]], 'A', null);
    await wantOnly(world);
    world.clock.ms += 60_000;
    await run(world);
    expect(standing(world)).toEqual([]);
  },
);

test('publish() and sweepHostedZone() do not read again what the guard holds, until it may be released', async () => {
  const guard = { deletesMax: 0, deletesShareMax: 1 };
  const world = await takenOver('wild', { externalDns: [REGISTRY], guard });
  put(world, NAMES.any, 'A', null);
  await wantOnly(world);
  await run(world);
  const { held } = await hostedZone(world);
  expect(held?.count).toBe(1);
  expect((await itemAt(world, OURS.wild))?.texts).toHaveLength(1);
  expect(await sweep(world)).toBe(0);
  expect(await dirtyNames(world)).toEqual([]);
  await want(world, `other.${APEX}`, wanted(`other.${APEX}`, 'A', ['192.0.2.3']));
  const before = world.route53.calls.length;
  await run(world);
  expect(world.route53.calls.slice(before).map(({ method }) => method)).toEqual(['readName', 'change']);
  await annotate(world, held?.digest ?? '');
  await run(world);
  expect(standing(world)).toEqual([`other.${APEX} A 192.0.2.3 300`]);
});

// run 1  reads: only `first` is wanted, so the TXT record stays for the other
// run 2  takes the lease, loads the items: both are wanted
// run 1  saves that `first` is taken over, without the TXT record
// run 2  saves that the other is taken over, without the TXT record where `first` was to take it
test.each(['wild', 'any'] as const)(
  'sweepHostedZone() has the TXT record deleted that two runs left to each other, the %s first (seeds 712363, 950723)',
  async (first) => {
    const world = await migrated();
    const [reads, loaded] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const atFirstRead = (act: () => Promise<unknown>) => {
      let isDone = false;
      return intercepted(world.deps, async (port, method, call) => {
        const answer = await call();
        if (port === 'hostedZones' && method === 'readName' && !isDone) {
          isDone = true;
          await act();
        }
        return answer;
      });
    };
    await wantOnly(world, first);
    const overtaken = run({
      ...world,
      deps: atFirstRead(() => {
        reads.resolve();
        return loaded.promise;
      }),
    });
    await reads.promise;
    world.clock.ms += 70_000;
    await wantOnly(world, 'wild', 'any');
    const later = atFirstRead(() => {
      loaded.resolve();
      return overtaken;
    });
    await run({ ...world, deps: later });
    for (let round = 0; round < 2; round += 1) {
      world.clock.ms += 70_000;
      await run(world);
    }
    await sweep(world);
    expect(standing(world)).toEqual([LINES.wild, LINES.any]);
    await sweep(world);
    expect((await itemAt(world, OURS.wild))?.sharedTexts).toEqual([]);
    expect((await itemAt(world, OURS.any))?.sharedTexts).toEqual([]);
  },
);
