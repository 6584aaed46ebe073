// Splits a YAML stream into documents before any is parsed, so that an open quote or an invalid byte affects only its
// own document. A line `---` is always a document marker (YAML 1.2.2, 9.1.2, c-forbidden), but a parser of the whole
// stream lets a quote run across it. Works on bytes, and knows nothing else of YAML.

/** A part of a file with one document (or what follows a `...`). `line`: its first line, from 1. */
export type ManifestChunk = { readonly bytes: Buffer; readonly line: number };

const NEWLINE = 0x0a;
const MARKER = Buffer.from('---');
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Cuts a file before each `---` line. Comments and directives before a marker stay with the following document. */
export function* splitDocuments(file: Buffer): Generator<ManifestChunk> {
  const bytes = file.subarray(0, 3).equals(BYTE_ORDER_MARK) ? file.subarray(3) : file;
  let chunkStart = 0;
  let chunkLine = 1;
  let introduction = true;
  let line = 1;
  for (let start = 0; start < bytes.length; line += 1) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline === -1 ? bytes.length : newline + 1;
    if (isMarker(bytes, start, end)) {
      if (!introduction) {
        yield { bytes: bytes.subarray(chunkStart, start), line: chunkLine };
        chunkStart = start;
        chunkLine = line;
      }
      introduction = false;
    } else if (introduction && !introduces(bytes, start, end)) {
      introduction = false;
    }
    start = end;
  }
  yield { bytes: bytes.subarray(chunkStart), line: chunkLine };
}

function isMarker(bytes: Buffer, start: number, end: number): boolean {
  if (end - start < 3 || bytes.compare(MARKER, 0, 3, start, start + 3) !== 0) return false;
  return end - start === 3 || isBlank(bytes[start + 3]);
}

/** True for a line that only introduces a document: empty, a comment or a directive. */
function introduces(bytes: Buffer, start: number, end: number): boolean {
  if (bytes[start] === 0x25) return true;
  let at = start;
  while (at < end && isBlank(bytes[at])) at += 1;
  return at === end || bytes[at] === 0x23;
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === NEWLINE;
}
