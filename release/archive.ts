// Archives whose bytes depend on nothing but the names and contents of their files: no time, owner or order of a folder
// gets in. zip as PKWARE's APPNOTE 6.3 has it, tar as POSIX ustar.
import { crc32, deflateRawSync, gzipSync } from 'node:zlib';

/** A file of an archive; its name has no more than 100 characters of ASCII, with `/` between folders. */
export type ArchiveFile = { readonly name: string; readonly bytes: Uint8Array };

/** Files that everybody may read: Lambda refuses others. */
const MODE = 0o644;
const REGULAR_FILE = 0o100_000;
const NAME_OCTETS_MAX = 100;
/** 1980-01-01, the first day that a zip archive can name. */
const ZIP_DATE = 0x21;
const ZIP_VERSION = 20;
const UNIX = 3;
const DEFLATED = 8;
const TAR_BLOCK = 512;

function inOrder(files: readonly ArchiveFile[]): readonly ArchiveFile[] {
  for (const { name } of files) {
    if (!/^[!-~]+$/.test(name) || name.length > NAME_OCTETS_MAX) throw new Error(`${name} is no name for an archive`);
  }
  return files.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** A zip archive. */
export function zip(files: readonly ArchiveFile[]): Buffer {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes } of inOrder(files)) {
    const packed = deflateRawSync(bytes, { level: 9 });
    const about = aboutFile(name, bytes, packed.length);
    const local = Buffer.concat([numbers([4, 0x0403_4b50]), about, Buffer.from(name), packed]);
    const made = numbers([4, 0x0201_4b50], [1, ZIP_VERSION], [1, UNIX]);
    const place = numbers([2, 0], [2, 0], [2, 0], [4, (REGULAR_FILE | MODE) * 0x1_0000], [4, offset]);
    centrals.push(Buffer.concat([made, about, place, Buffer.from(name)]));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(centrals);
  const end = numbers(
    ...([
      [4, 0x0605_4b50],
      [2, 0],
      [2, 0],
      [2, files.length],
      [2, files.length],
    ] as const),
    ...([
      [4, directory.length],
      [4, offset],
      [2, 0],
    ] as const),
  );
  return Buffer.concat([...locals, directory, end]);
}

/** What the entry of a file and that of the directory have in common. */
function aboutFile(name: string, bytes: Uint8Array, packedOctets: number): Buffer {
  return numbers(
    ...([
      [2, ZIP_VERSION],
      [2, 0],
      [2, DEFLATED],
      [2, 0],
      [2, ZIP_DATE],
    ] as const),
    ...([
      [4, crc32(bytes)],
      [4, packedOctets],
      [4, bytes.length],
      [2, name.length],
      [2, 0],
    ] as const),
  );
}

/** Numbers of so many octets each, the lowest octet first. */
function numbers(...all: readonly (readonly [octets: number, value: number])[]): Buffer {
  return Buffer.concat(
    all.map(([octets, value]) => {
      const buffer = Buffer.alloc(octets);
      buffer.writeUIntLE(value, 0, octets);
      return buffer;
    }),
  );
}

/** A tar archive, compressed by gzip. */
export function tarball(files: readonly ArchiveFile[]): Buffer {
  const blocks = inOrder(files).flatMap(({ name, bytes }) => {
    const rest = (TAR_BLOCK - (bytes.length % TAR_BLOCK)) % TAR_BLOCK;
    return [tarHeader(name, bytes.length), Buffer.from(bytes), Buffer.alloc(rest)];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * TAR_BLOCK)]), { level: 9 });
}

function tarHeader(name: string, octets: number): Buffer {
  const header = Buffer.alloc(TAR_BLOCK);
  const octal = (value: number, at: number, digits: number) =>
    header.write(`${value.toString(8).padStart(digits, '0')}\0`, at);
  header.write(name, 0);
  octal(MODE, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(octets, 124, 11);
  octal(0, 136, 11);
  header.fill(' ', 148, 156);
  header.write('0', 156);
  header.write('ustar\u000000', 257);
  header.write(`${sumOf(header).toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

const sumOf = (bytes: Uint8Array) => bytes.reduce((sum, octet) => sum + octet, 0);
