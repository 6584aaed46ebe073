import { beforeEach, describe, expect, it, test, vi } from 'vitest';
import type { ObjectReading, Wanted } from '../../lib/adapters/aws/s3-object.ts';
import { memoryLedger } from '../../lib/adapters/ledger/memory-ledger.ts';
import type { Ledger } from '../../lib/ports/ledger.ts';
import { type Configuration, followConfiguration, perConfiguration } from './configuration.ts';
import { noteLastValid, readLastValid } from './last-valid.ts';
import { openConfiguration } from './wire-configuration.ts';

const PLACE = { bucket: 'dns', key: 'zone53.json' };
const MINUTE_MS = 60_000;

function textOf(clusterId: string, change: object = {}): string {
  return JSON.stringify({
    clusterId,
    roots: [{ zone: 'example.org' }],
    hostedZones: [{ zone: 'example.org', id: 'Z1' }],
    access: { eks: 'prod', endpoint: 'https://k8s.example.org', certificateAuthority: 'TFMw' },
    ...change,
  });
}

/** S3 with the versions that were written, oldest first; or what it answers in place of them. */
type Bucket = { versions: string[]; refuses: string | null; throws: boolean; asked: Wanted[] };

let bucket: Bucket;
let ledger: Ledger;
let nowMs: number;
let rung: number;
let lines: string[];
let isMarked: boolean;

beforeEach(() => {
  bucket = { versions: [], refuses: null, throws: false, asked: [] };
  ledger = memoryLedger();
  nowMs = 1_000_000;
  rung = 0;
  lines = [];
  isMarked = false;
});

async function read(wanted: Wanted): Promise<ObjectReading> {
  bucket.asked.push(wanted);
  if (bucket.throws) throw new Error('Cannot reach s3://dns/zone53.json');
  if (bucket.refuses !== null) return { kind: 'refused', reason: bucket.refuses };
  const index = 'version' in wanted ? Number(wanted.version) : bucket.versions.length - 1;
  const text = bucket.versions[index];
  if (text === undefined) return { kind: 'refused', reason: 'there is no such object' };
  if ('unlessEtag' in wanted && wanted.unlessEtag === text) return { kind: 'unchanged' };
  return { kind: 'found', text, etag: text, version: String(index), modifiedMs: index };
}

/** A function that starts. `notes`: it works on the ledger. */
function started(notes = true): () => Promise<string> {
  const current = followConfiguration({
    read,
    lastValid: {
      read: () => readLastValid(ledger, PLACE),
      ...(notes && { note: (valid) => noteLastValid(ledger, PLACE, valid) }),
    },
    checkLedger: async () => {
      if (isMarked) throw new Error('the ledger is marked');
    },
    clock: { nowMs: () => nowMs },
    meter: (metric, value) => {
      if (metric === 'Unreadable') rung += value;
    },
    log: (level, message, fields) => lines.push(`${level} ${message} ${JSON.stringify(fields)}`),
  });
  return async () => (await current()).clusters[0].config.clusterId;
}

async function later(one: () => Promise<string>): Promise<string> {
  nowMs += MINUTE_MS;
  return one();
}

describe('followConfiguration()', () => {
  it('asks once a minute for another version than the one that it has', async () => {
    bucket.versions.push(textOf('one'));
    const one = started();
    expect([await one(), await one()]).toEqual(['one', 'one']);
    expect(bucket.asked).toHaveLength(1);
    expect(await later(one)).toBe('one');
    expect(bucket.asked[1]).toEqual({ unlessEtag: textOf('one') });
    bucket.versions.push(textOf('two'));
    expect([await one(), await later(one), rung]).toEqual(['one', 'two', 0]);
  });

  it.each<[string, string, string]>([
    ['half written', textOf('two').slice(0, 60), 'it is not JSON, or was cut off'],
    ['YAML', 'clusterId: two\n', 'it is not JSON'],
    ['empty', '', 'it is not JSON'],
    ['no mapping', '[]', 'write a mapping of keys to values'],
    ['without roots', textOf('two', { roots: undefined }), 'roots: missing'],
    ['without access', textOf('two', { access: undefined }), 'access: missing'],
    ['older than the code', textOf('two', { aws: { events: { bus: true } } }), 'aws.events: this key is now events'],
    ['newer than the code', textOf('two', { notYet: {} }), 'notYet: unknown key'],
  ])(
    'keeps the last valid version while the newest is %s, also in a function that starts then',
    async (_, text, why) => {
      bucket.versions.push(textOf('one'));
      const one = started();
      await one();
      bucket.versions.push(text);
      expect([await later(one), rung]).toEqual(['one', 1]);
      expect(lines.at(-1)).toContain(`"reason":"${why}`);
      const [other, ingest] = [started(), started(false)];
      expect([await other(), await ingest(), rung]).toEqual(['one', 'one', 3]);
      // It rings for as long as it lasts.
      expect([await later(one), await later(other), rung]).toEqual(['one', 'one', 5]);
      bucket.versions.push(textOf('three'));
      expect([await later(one), await later(other), await later(ingest), rung]).toEqual(['three', 'three', 'three', 5]);
    },
  );

  it.each<[string, Partial<Bucket>, string]>([
    ['missing', { versions: [] }, 'there is no such object'],
    ['too large', { refuses: 'it has more than 1048576 octets' }, 'it has more than'],
    ['in a bucket that may not be read', { refuses: 'S3 answers 403' }, 'S3 answers 403'],
    ['not answered for', { throws: true }, 'Cannot reach s3://dns/zone53.json'],
  ])('keeps what it has while the object is %s; a function that starts then fails', async (_, change, why) => {
    bucket.versions.push(textOf('one'));
    const one = started();
    await one();
    Object.assign(bucket, change);
    expect([await later(one), rung]).toEqual(['one', 1]);
    await expect(started()()).rejects.toThrow(why);
    Object.assign(bucket, { versions: [textOf('one'), textOf('two')], refuses: null, throws: false });
    expect(await later(one)).toBe('two');
  });

  it('takes the last valid version of the ledger in place of an older one that it has', async () => {
    bucket.versions.push(textOf('one'));
    const [one, other] = [started(), started()];
    await one();
    bucket.versions.push(textOf('two'));
    await other();
    bucket.versions.push('{');
    expect(await later(one)).toBe('two');
  });

  it('goes on when the ledger cannot be written or read', async () => {
    ledger = {
      ...ledger,
      get: async () => {
        throw new Error('no ledger');
      },
    };
    bucket.versions.push(textOf('one'));
    const one = started();
    expect(await one()).toBe('one');
    bucket.versions.push('{');
    expect([await later(one), rung]).toEqual(['one', 1]);
  });
});

test('a function stops while the ledger is marked for later code, and asks again each time', async () => {
  bucket.versions.push(textOf('one'));
  const one = started();
  expect(await one()).toBe('one');
  isMarked = true;
  expect(await one()).toBe('one');
  await expect(later(one)).rejects.toThrow('the ledger is marked');
  await expect(one()).rejects.toThrow('the ledger is marked');
  isMarked = false;
  expect([await one(), rung]).toEqual(['one', 0]);
});

test('a function that may write the ledger looks at its mark first', async () => {
  vi.stubEnv('AWS_ENDPOINT_URL_S3', 'http://127.0.0.1:9');
  await ledger.put({ partition: 'format', sort: 'ledger' }, { v: 1, format: 99, since: '9.0.0' }, null);
  const place = { ZONE53_CONFIG_BUCKET: PLACE.bucket, ZONE53_CONFIG_KEY: PLACE.key, ZONE53_TABLE: 'zone53' };
  await expect(openConfiguration(place, ledger)()).rejects.toThrow('Use zone53 9.0.0 or later');
});

describe('noteLastValid()', () => {
  it('keeps the later version, whoever writes first', async () => {
    const [older, later] = [
      { version: 'a', modifiedMs: 1 },
      { version: 'b', modifiedMs: 2 },
    ];
    for (const order of [
      [older, later],
      [later, older],
    ]) {
      ledger = memoryLedger();
      await Promise.all(order.map((valid) => noteLastValid(ledger, PLACE, valid)));
      expect(await readLastValid(ledger, PLACE)).toEqual(later);
    }
  });
});

describe('perConfiguration()', () => {
  it('makes a handler for each version, and an invocation ends with the one that it began with', async () => {
    let version = '1';
    const made: string[] = [];
    const used: string[] = [];
    const handle = perConfiguration(
      async () => ({ version }) as Configuration,
      async (configuration) => {
        made.push(configuration.version);
        return async (next: string, _: unknown) => {
          version = next;
          await Promise.resolve();
          used.push(configuration.version);
        };
      },
    );
    for (const next of ['1', '2', '2']) await handle(next, null);
    expect([made, used]).toEqual([
      ['1', '2'],
      ['1', '1', '2'],
    ]);
  });
});
