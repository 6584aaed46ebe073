import { existsSync } from 'node:fs';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { KINDS } from '../../sources/source.ts';
import { manifestReader } from './manifest-reader.ts';
import { NO_STATE, readManifestBytes, readStream } from './read-file.ts';

test.each([
  [10, 'aabbccddee'],
  [9, null],
])('readStream() reads at most %i octets, and nothing of a longer stream', async (bytesMax, expected) => {
  const stream = Readable.from(['aa', 'bb', 'cc', 'dd', 'ee'].map((text) => Buffer.from(text)));
  expect((await readStream(stream, bytesMax))?.toString() ?? null).toBe(expected);
});

test('readStream() stops reading a stream that never ends', async () => {
  const endless = Readable.from(
    (function* () {
      for (;;) yield Buffer.alloc(1_000);
    })(),
  );
  expect(await readStream(endless, 100_000)).toBeNull();
  expect(endless.destroyed).toBe(true);
});

test.runIf(existsSync('/dev/null'))('readManifestBytes() reads a device, which has no size', async () => {
  expect(await readManifestBytes('/dev/null', NO_STATE)).toEqual({ ok: true, bytes: Buffer.of(), state: NO_STATE });
});

test('manifestReader() reports standard input that is too large', async () => {
  const { listing } = await manifestReader({ kinds: KINDS, paths: ['-'], standardInput: async () => null }).read();
  expect(listing.problems).toEqual([
    {
      file: '-',
      line: 0,
      message: 'Cannot read standard input: it has more than 256 MiB, which are the most; split it',
    },
  ]);
  expect([...listing.unreadable]).toEqual(['-']);
});
