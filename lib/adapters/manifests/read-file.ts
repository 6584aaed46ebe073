// Reads the bytes of one manifest file, completely or not at all: a file that changes while it is read is read again,
// and one that disappears is a message. The size is limited, so that a wrong path costs a message and not the machine's
// memory.
import type { BigIntStats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorMessage } from '../../objects/plain.ts';

/** Distinguishes contents of a file without reading them. `changedMs`: the last change of its status. */
export type FileState = {
  readonly regular: boolean;
  readonly sizeBytes: bigint;
  readonly inode: bigint;
  readonly modifiedNs: bigint;
  readonly changedNs: bigint;
  readonly changedMs: number;
};

/** The state of standard input, which never changes. */
export const NO_STATE: FileState = {
  regular: false,
  sizeBytes: 0n,
  inode: 0n,
  modifiedNs: 0n,
  changedNs: 0n,
  changedMs: 0,
};

export type ReadBytes =
  | { readonly ok: true; readonly bytes: Buffer; readonly state: FileState }
  | { readonly ok: false; readonly message: string; readonly gone?: true };

/** Far more than anybody writes: some 500,000 Records. A larger file would end the process for lack of memory. */
const FILE_BYTES_MAX = 256 * 1024 * 1024;
/** How much of a pipe or a device is read at once. */
const CHUNK_BYTES = 1024 * 1024;
const ATTEMPTS_MAX = 10;
const ATTEMPT_PAUSE_MS = 20;

export function stateOf(status: BigIntStats): FileState {
  return {
    regular: status.isFile(),
    sizeBytes: status.size,
    inode: status.ino,
    modifiedNs: status.mtimeNs,
    changedNs: status.ctimeNs,
    changedMs: Number(status.ctimeNs / 1_000_000n),
  };
}

export function sameState(a: FileState, b: FileState): boolean {
  return (
    a.sizeBytes === b.sizeBytes && a.inode === b.inode && a.modifiedNs === b.modifiedNs && a.changedNs === b.changedNs
  );
}

/** Reads a whole file, with its state at that time. Never throws. */
export async function readManifestBytes(name: string, expected: FileState): Promise<ReadBytes> {
  if (expected.sizeBytes > FILE_BYTES_MAX) return tooLarge(name, expected.sizeBytes);
  let handle: FileHandle | null = null;
  try {
    for (let attempt = 1; ; attempt += 1) {
      handle = await open(name, 'r');
      const before = stateOf(await handle.stat({ bigint: true }));
      const bytes = before.regular ? await handle.readFile() : await readStream(streamOf(handle));
      if (bytes === null) return tooLarge(name, null);
      const after = stateOf(await handle.stat({ bigint: true }));
      if (!before.regular || sameState(before, after))
        return { ok: true, bytes, state: before.regular ? after : expected };
      await handle.close();
      handle = null;
      if (attempt === ATTEMPTS_MAX)
        return { ok: false, message: `Cannot read "${name}": it keeps changing while it is read` };
      await sleep(ATTEMPT_PAUSE_MS);
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT')
      return { ok: false, message: `Cannot read "${name}": it vanished while it was read`, gone: true };
    return { ok: false, message: `Cannot read "${name}": ${reasonOf(error)}` };
  } finally {
    await handle?.close();
  }
}

function streamOf(handle: FileHandle): Readable {
  return handle.createReadStream({ autoClose: false, highWaterMark: CHUNK_BYTES });
}

/** All of standard input; null if it is too large. */
export function readStandardInput(): Promise<Buffer | null> {
  return readStream(process.stdin);
}

/** All that a pipe or a device gives, which has no size before it is read; null if that is too much. */
export async function readStream(stream: Readable, bytesMax = FILE_BYTES_MAX): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > bytesMax) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** `sizeBytes` null: it has more than may be read, and nobody knows how much. */
export function tooLarge(name: string, sizeBytes: bigint | null): Extract<ReadBytes, { readonly ok: false }> {
  const mebibytes = (bytes: bigint | number): string => `${Math.round(Number(bytes) / 1_048_576)} MiB`;
  const most = mebibytes(FILE_BYTES_MAX);
  const has = sizeBytes === null ? `more than ${most}, which` : `${mebibytes(sizeBytes)}, ${most}`;
  const who = name === '-' ? 'standard input' : `"${name}"`;
  return { ok: false, message: `Cannot read ${who}: it has ${has} are the most; split it` };
}

/** The code of an error of the operating system, such as ENOENT; undefined for any other. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** The error of the operating system in plain words. */
export function reasonOf(error: unknown): string {
  switch (codeOf(error)) {
    case 'ENOENT':
      return 'there is no such file or folder';
    case 'EACCES':
    case 'EPERM':
      return 'permission denied';
    case 'EEXIST':
      return 'it exists already; remove it first';
    case 'EISDIR':
      return 'it is a folder';
    case 'ENOTDIR':
      return 'a part of its path is a file';
    case 'ELOOP':
      return 'its links lead round in a ring';
    default:
      return errorMessage(error);
  }
}
